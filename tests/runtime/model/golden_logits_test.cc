// SmolLM2's logits and greedy continuations against a float32 reference computed elsewhere.
//
// Tolerances. Float path: logits and logsumexp within 0.001 with a float32 cache, 0.05 with half
// precision; argmax equal; greedy equal up to the first step whose margin is below 0.05. Path with
// 8-bit activations: per position KL(reference || ours) over the listed ids and one bucket for the
// rest <= 0.02, log-probabilities of the listed ids within 1.2; mean KL <= 0.003; argmax equal
// where the reference leads by more than 0.3; greedy equal up to a margin below 0.3.
#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <algorithm>
#include <cmath>

#include "runtime/model/forward_pass.h"
#include "tests/support/shared_data.h"

namespace maskloom {
namespace {

struct GoldenPosition {
  size_t position;
  double logsumexp;
  std::vector<std::pair<int32_t, double>> top;
};

struct GoldenPrompt {
  std::string name;
  std::vector<int32_t> ids;
  std::vector<GoldenPosition> positions;
  std::vector<int32_t> greedy;
  std::vector<double> greedy_margin;
};

std::vector<int32_t> ReadIds(const rapidjson::Value& list) {
  std::vector<int32_t> ids;
  for (const auto& id : list.GetArray()) ids.push_back(id.GetInt());
  return ids;
}

std::vector<GoldenPrompt> ReadGolden(const std::string& text) {
  rapidjson::Document document;
  document.Parse(text.c_str(), text.size());
  std::vector<GoldenPrompt> prompts;
  if (document.HasParseError()) return prompts;
  for (const auto& from : document["prompts"].GetArray()) {
    GoldenPrompt prompt;
    prompt.name = from["name"].GetString();
    prompt.ids = ReadIds(from["ids"]);
    prompt.greedy = ReadIds(from["greedy"]);
    for (const auto& margin : from["greedy_margin"].GetArray()) {
      prompt.greedy_margin.push_back(margin.GetDouble());
    }
    for (const auto& position : from["positions"].GetArray()) {
      GoldenPosition golden{position["pos"].GetUint64(), position["logsumexp"].GetDouble(), {}};
      for (const auto& pair : position["top"].GetArray()) {
        golden.top.emplace_back(pair[0].GetInt(), pair[1].GetDouble());
      }
      prompt.positions.push_back(std::move(golden));
    }
    prompts.push_back(std::move(prompt));
  }
  return prompts;
}

double LogSumExp(std::span<const float> logits) {
  double largest = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (float logit : logits) sum += std::exp(logit - largest);
  return largest + std::log(sum);
}

int32_t ArgMax(std::span<const float> logits) {
  return static_cast<int32_t>(std::max_element(logits.begin(), logits.end()) - logits.begin());
}

// KL(reference || ours) over the listed ids and one bucket for all others.
double ListedKl(const GoldenPosition& golden, std::span<const float> logits, double logsumexp) {
  double kl = 0, reference_rest = 1, our_rest = 1;
  for (const auto& [id, logit] : golden.top) {
    double p = std::exp(logit - golden.logsumexp);
    double q = std::exp(logits[static_cast<size_t>(id)] - logsumexp);
    kl += p * std::log(p / q);
    reference_rest -= p;
    our_rest -= q;
  }
  if (reference_rest > 1e-9) {
    kl += reference_rest * std::log(reference_rest / std::max(our_rest, 1e-12));
  }
  return kl;
}

class GoldenLogits : public testing::Test {
 protected:
  void SetUp() override {
    std::optional<std::string> shared = SharedDataDir();
    std::optional<std::string> model = ModelPath();
    if (!shared) GTEST_SKIP() << "no shared reference data (set MASKLOOM_SHARED)";
    if (!model) GTEST_SKIP() << "SmolLM2 is not there (set MASKLOOM_MODEL)";
    std::optional<std::string> text = ReadWholeFile(*shared + "/golden/smollm2-logits.json");
    if (!text) GTEST_SKIP() << "no golden logits in " << *shared;
    prompts_ = ReadGolden(*text);
    ASSERT_GE(prompts_.size(), 4u);
    auto file = GgufFile::Open(*model);
    ASSERT_TRUE(file.ok()) << file.status().ToString();
    auto loaded = LlamaModel::Load(*file);
    ASSERT_TRUE(loaded.ok()) << loaded.status().ToString();
    model_ = *loaded;
  }

  void Start(Compute compute, kernels::KvType kv_type) {
    auto pass = ForwardPass::Create(
        model_, {.compute = compute, .threads = 2, .context_length = 1024, .kv_type = kv_type});
    ASSERT_TRUE(pass.ok()) << pass.status().ToString();
    pass_ = std::move(*pass);
    auto cache = pass_->MakeCache();
    ASSERT_TRUE(cache.ok());
    cache_ = std::move(*cache);
    logits_.resize(8 * pass_->vocab_size());
  }

  // Runs a prompt and leaves the logits of its last 8 positions in logits_.
  void RunPrompt(const GoldenPrompt& prompt) {
    cache_->Truncate(0);
    ASSERT_EQ(prompt.positions.size(), 8u);
    ASSERT_EQ(prompt.positions[0].position, prompt.ids.size() - 8);
    Status status = pass_->Forward(prompt.ids, cache_.get(), 8);
    ASSERT_TRUE(status.ok()) << status.ToString();
    ASSERT_TRUE(pass_->Logits(0, 8, logits_.data()).ok());
  }

  std::span<const float> LogitsAt(size_t i) const {
    return std::span(logits_).subspan(i * pass_->vocab_size(), pass_->vocab_size());
  }

  // Continues a prompt that was run and compares until a margin below `least_margin`.
  void CheckGreedy(const GoldenPrompt& prompt, double least_margin) {
    int32_t next = ArgMax(LogitsAt(7));
    for (size_t step = 0; step < prompt.greedy.size(); ++step) {
      if (next != prompt.greedy[step]) {
        EXPECT_LT(prompt.greedy_margin[step], least_margin) << prompt.name << " step " << step;
        return;
      }
      if (step + 1 == prompt.greedy.size()) return;
      ASSERT_TRUE(pass_->Forward({&next, 1}, cache_.get()).ok());
      ASSERT_TRUE(pass_->Logits(0, 1, logits_.data()).ok());
      next = ArgMax(LogitsAt(0));
    }
  }

  void CheckFloat(const GoldenPrompt& prompt, double tolerance) {
    RunPrompt(prompt);
    for (size_t i = 0; i < 8; ++i) {
      const GoldenPosition& golden = prompt.positions[i];
      double logsumexp = LogSumExp(LogitsAt(i));
      EXPECT_NEAR(logsumexp, golden.logsumexp, tolerance) << prompt.name << " " << i;
      worst_ = std::max(worst_, std::abs(logsumexp - golden.logsumexp));
      for (const auto& [id, logit] : golden.top) {
        double ours = LogitsAt(i)[static_cast<size_t>(id)];
        EXPECT_NEAR(ours, logit, tolerance) << prompt.name << " " << i << " id " << id;
        worst_ = std::max(worst_, std::abs(ours - logit));
      }
      EXPECT_EQ(ArgMax(LogitsAt(i)), golden.top[0].first) << prompt.name << " " << i;
    }
    CheckGreedy(prompt, 0.05);
  }

  std::vector<GoldenPrompt> prompts_;
  std::shared_ptr<const LlamaModel> model_;
  std::unique_ptr<ForwardPass> pass_;
  std::unique_ptr<KvCache> cache_;
  std::vector<float> logits_;
  double worst_ = 0;
};

TEST_F(GoldenLogits, FloatPathWithFloatCache) {
  Start(Compute::kFloat, kernels::KvType::kF32);
  for (const GoldenPrompt& prompt : prompts_) CheckFloat(prompt, 0.001);
  RecordProperty("worst_logit_difference", std::to_string(worst_));
}

TEST_F(GoldenLogits, FloatPathWithHalfCache) {
  Start(Compute::kFloat, kernels::KvType::kF16);
  for (const GoldenPrompt& prompt : prompts_) {
    if (prompt.ids.size() < 200) CheckFloat(prompt, 0.05);  // the long one is in the other test
  }
  RecordProperty("worst_logit_difference", std::to_string(worst_));
}

TEST_F(GoldenLogits, Int8Path) {
  Start(Compute::kInt8, kernels::KvType::kF16);
  double kl_sum = 0, kl_worst = 0;
  size_t count = 0;
  for (const GoldenPrompt& prompt : prompts_) {
    RunPrompt(prompt);
    for (size_t i = 0; i < 8; ++i) {
      const GoldenPosition& golden = prompt.positions[i];
      double logsumexp = LogSumExp(LogitsAt(i));
      for (const auto& [id, logit] : golden.top) {
        double ours = LogitsAt(i)[static_cast<size_t>(id)] - logsumexp;
        EXPECT_NEAR(ours, logit - golden.logsumexp, 1.2) << prompt.name << " " << i;
        worst_ = std::max(worst_, std::abs(ours - logit + golden.logsumexp));
      }
      double kl = ListedKl(golden, LogitsAt(i), logsumexp);
      EXPECT_LE(kl, 0.02) << prompt.name << " " << i;
      kl_sum += kl;
      kl_worst = std::max(kl_worst, kl);
      ++count;
      if (golden.top[0].second - golden.top[1].second > 0.3) {
        EXPECT_EQ(ArgMax(LogitsAt(i)), golden.top[0].first) << prompt.name << " " << i;
      }
    }
    CheckGreedy(prompt, 0.3);
  }
  EXPECT_LE(kl_sum / static_cast<double>(count), 3e-3);
  RecordProperty("mean_kl", std::to_string(kl_sum / static_cast<double>(count)));
  RecordProperty("worst_kl", std::to_string(kl_worst));
  RecordProperty("worst_logprob_difference", std::to_string(worst_));
}

}  // namespace
}  // namespace maskloom
