// The forward pass against a plain computation in double precision, and against itself: cut into
// calls, spread over threads, restricted to some rows, the bits stay the same.
#include "runtime/model/forward_pass.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/runtime/model/tiny_llama.h"

namespace maskloom {
namespace {

using Vector = std::vector<double>;

// The model once more, a position at a time, with nothing but loops.
class PlainLlama {
 public:
  explicit PlainLlama(const TinyLlama& tiny) : tiny_(tiny) {}

  // Returns the logits after the last of `tokens`.
  Vector Run(const std::vector<int32_t>& tokens) {
    size_t layers = tiny_.layers;
    std::vector<std::vector<Vector>> keys(layers), values(layers);
    Vector x;
    for (size_t position = 0; position < tokens.size(); ++position) {
      x.clear();
      const std::vector<float>& embedding = tiny_.values.at("token_embd.weight");
      for (size_t i = 0; i < tiny_.width; ++i) {
        x.push_back(embedding[static_cast<size_t>(tokens[position]) * tiny_.width + i]);
      }
      for (size_t layer = 0; layer < layers; ++layer) {
        RunLayer(layer, position, &x, &keys[layer], &values[layer]);
      }
    }
    return Times(tiny_.tied ? "token_embd.weight" : "output.weight", Norm("output_norm.weight", x));
  }

 private:
  Vector Times(const std::string& name, const Vector& x) const {
    const std::vector<float>& w = tiny_.values.at(name);
    Vector out(w.size() / x.size());
    for (size_t i = 0; i < w.size(); ++i) out[i / x.size()] += w[i] * x[i % x.size()];
    return out;
  }
  Vector Norm(const std::string& name, const Vector& x) const {
    double squares = 0;
    for (double v : x) squares += v * v;
    Vector out = x;
    for (size_t i = 0; i < x.size(); ++i) {
      out[i] *=
          tiny_.values.at(name)[i] / std::sqrt(squares / static_cast<double>(x.size()) + 1e-5);
    }
    return out;
  }
  void Rotate(Vector* x, size_t position) const {
    size_t dim = tiny_.head_dim;
    for (size_t i = 0; i < x->size(); i += 2) {
      double frequency = std::pow(1000.0, -static_cast<double>(i % dim) / static_cast<double>(dim));
      if (tiny_.has_rope_divisors) {
        frequency /= tiny_.values.at("rope_freqs.weight")[i % dim / 2];
      }
      double angle = static_cast<double>(position) / tiny_.linear_scaling * frequency;
      double a = (*x)[i], b = (*x)[i + 1];
      (*x)[i] = a * std::cos(angle) - b * std::sin(angle);
      (*x)[i + 1] = a * std::sin(angle) + b * std::cos(angle);
    }
  }
  void RunLayer(size_t layer, size_t position, Vector* x, std::vector<Vector>* keys,
                std::vector<Vector>* values) const {
    std::string prefix = "blk." + std::to_string(layer) + ".";
    size_t dim = tiny_.head_dim;
    Vector normed = Norm(prefix + "attn_norm.weight", *x);
    Vector query = Times(prefix + "attn_q.weight", normed);
    keys->push_back(Times(prefix + "attn_k.weight", normed));
    values->push_back(Times(prefix + "attn_v.weight", normed));
    Rotate(&query, position);
    Rotate(&keys->back(), position);
    Vector attended(query.size());
    for (size_t head = 0; head < tiny_.heads; ++head) {
      size_t from = head / (tiny_.heads / tiny_.kv_heads) * dim;
      Vector weights;
      double sum = 0;
      for (const Vector& key : *keys) {
        double dot = 0;
        for (size_t d = 0; d < dim; ++d) dot += query[head * dim + d] * key[from + d];
        weights.push_back(std::exp(dot / std::sqrt(static_cast<double>(dim))));
        sum += weights.back();
      }
      for (size_t p = 0; p < weights.size(); ++p) {
        for (size_t d = 0; d < dim; ++d) {
          attended[head * dim + d] += weights[p] / sum * (*values)[p][from + d];
        }
      }
    }
    AddTo(x, Times(prefix + "attn_output.weight", attended));
    normed = Norm(prefix + "ffn_norm.weight", *x);
    Vector gate = Times(prefix + "ffn_gate.weight", normed);
    Vector up = Times(prefix + "ffn_up.weight", normed);
    for (size_t i = 0; i < gate.size(); ++i) gate[i] *= up[i] / (1 + std::exp(-gate[i]));
    AddTo(x, Times(prefix + "ffn_down.weight", gate));
  }
  static void AddTo(Vector* x, const Vector& y) {
    for (size_t i = 0; i < x->size(); ++i) (*x)[i] += y[i];
  }

  const TinyLlama& tiny_;
};

std::vector<int32_t> SomeTokens(size_t count) {
  std::vector<int32_t> tokens;
  for (size_t i = 0; i < count; ++i) tokens.push_back(static_cast<int32_t>(i * i * 7 + 3 * i) % 75);
  return tokens;
}

std::unique_ptr<ForwardPass> MakePass(std::shared_ptr<const LlamaModel> model,
                                      const ForwardOptions& options) {
  auto pass = ForwardPass::Create(std::move(model), options);
  EXPECT_TRUE(pass.ok()) << pass.status().ToString();
  return std::move(*pass);
}

// Returns the logits of all positions of `tokens`, run in calls of `step` tokens.
std::vector<float> AllLogits(ForwardPass* pass, const std::vector<int32_t>& tokens, size_t step) {
  auto cache = pass->MakeCache();
  EXPECT_TRUE(cache.ok());
  std::vector<float> out(tokens.size() * pass->vocab_size());
  for (size_t begin = 0; begin < tokens.size(); begin += step) {
    size_t count = std::min(step, tokens.size() - begin);
    Status status = pass->Forward(std::span(tokens).subspan(begin, count), cache->get(), count);
    EXPECT_TRUE(status.ok()) << status.ToString();
    EXPECT_TRUE(pass->Logits(0, count, out.data() + begin * pass->vocab_size()).ok());
  }
  EXPECT_EQ((*cache)->length(), tokens.size());
  return out;
}

TEST(ForwardPass, FloatPathEqualsPlainComputation) {
  for (uint32_t type : {0u, 1u, 3u, 8u}) {
    TinyLlama tiny;
    tiny.matrix_type = type;
    tiny.tied = type != 1;
    tiny.has_rope_divisors = type == 3;
    tiny.linear_scaling = type == 8 ? 4 : 1;
    auto model = LoadTiny(&tiny);
    ASSERT_TRUE(model.ok()) << model.status().ToString();
    auto pass = MakePass(
        *model, {.compute = Compute::kFloat, .threads = 2, .kv_type = kernels::KvType::kF32});
    std::vector<int32_t> tokens = SomeTokens(23);
    auto cache = pass->MakeCache();
    ASSERT_TRUE(pass->Forward(tokens, cache->get()).ok());
    std::vector<float> logits(tiny.vocab);
    ASSERT_TRUE(pass->Logits(0, 1, logits.data()).ok());
    Vector judge = PlainLlama(tiny).Run(tokens);
    ASSERT_EQ(judge.size(), logits.size());
    for (size_t i = 0; i < judge.size(); ++i) ASSERT_NEAR(logits[i], judge[i], 2e-3) << type;
  }
}

TEST(ForwardPass, CutsThreadsAndBatchesDoNotChangeABit) {
  for (uint32_t type : {0u, 3u, 8u}) {
    for (Compute compute : {Compute::kFloat, Compute::kInt8}) {
      TinyLlama tiny;
      tiny.matrix_type = type;
      auto model = LoadTiny(&tiny);
      ASSERT_TRUE(model.ok());
      std::vector<int32_t> tokens = SomeTokens(150);
      auto one = MakePass(*model, {.compute = compute, .threads = 1});
      auto two = MakePass(*model, {.compute = compute, .threads = 2});
      auto five = MakePass(*model, {.compute = compute, .threads = 5});
      std::vector<float> judge = AllLogits(one.get(), tokens, 1);
      EXPECT_EQ(AllLogits(one.get(), tokens, 150), judge);
      EXPECT_EQ(AllLogits(two.get(), tokens, 7), judge);
      EXPECT_EQ(AllLogits(five.get(), tokens, 64), judge);
    }
  }
}

TEST(ForwardPass, LogitsOfSomeEqualThoseOfAll) {
  for (uint32_t type : {0u, 1u, 3u, 8u}) {
    TinyLlama tiny;
    tiny.matrix_type = type;
    auto model = LoadTiny(&tiny);
    ASSERT_TRUE(model.ok());
    auto pass = MakePass(*model, {.threads = 2});
    auto cache = pass->MakeCache();
    ASSERT_TRUE(pass->Forward(SomeTokens(9), cache->get(), 3).ok());
    EXPECT_EQ(pass->kept(), 3u);
    std::vector<float> all(3 * tiny.vocab);
    ASSERT_TRUE(pass->Logits(0, 3, all.data()).ok());
    const int32_t ids[] = {74, 0, 5, 5, 33, 12, 13, 14, 15};
    for (size_t index = 0; index < 3; ++index) {
      float some[std::size(ids)];
      ASSERT_TRUE(pass->LogitsFor(index, ids, some).ok());
      for (size_t i = 0; i < std::size(ids); ++i) {
        EXPECT_EQ(some[i], all[index * tiny.vocab + static_cast<size_t>(ids[i])]);
      }
    }
    EXPECT_TRUE(pass->LogitsFor(0, {}, nullptr).ok());
  }
}

TEST(ForwardPass, TruncatedCacheContinuesAsIfNothingHadBeen) {
  TinyLlama tiny;
  auto model = LoadTiny(&tiny);
  ASSERT_TRUE(model.ok());
  auto pass = MakePass(*model, {.threads = 1});
  std::vector<int32_t> tokens = SomeTokens(12);
  std::vector<float> judge(tiny.vocab), again(tiny.vocab);
  auto cache = pass->MakeCache();
  ASSERT_TRUE(pass->Forward(tokens, cache->get()).ok());
  ASSERT_TRUE(pass->Logits(0, 1, judge.data()).ok());
  const int32_t detour[] = {1, 2, 3, 4};
  (*cache)->Truncate(7);
  ASSERT_TRUE(pass->Forward(detour, cache->get()).ok());
  (*cache)->Truncate(7);
  ASSERT_TRUE(pass->Forward(std::span(tokens).subspan(7), cache->get()).ok());
  ASSERT_TRUE(pass->Logits(0, 1, again.data()).ok());
  EXPECT_EQ(again, judge);
}

TEST(ForwardPass, SaysWhyItCannotRun) {
  TinyLlama tiny, other;
  other.kv_heads = 4;
  auto model = LoadTiny(&tiny);
  auto other_model = LoadTiny(&other);
  ASSERT_TRUE(model.ok() && other_model.ok());
  auto pass = MakePass(*model, {.threads = 1, .context_length = 10});
  auto cache = pass->MakeCache();
  auto other_cache = MakePass(*other_model, {.threads = 1})->MakeCache();
  auto expect = [](const Status& status, const char* message) {
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << message;
    EXPECT_NE(status.message().find(message), std::string::npos) << status.message();
  };
  std::vector<int32_t> tokens = SomeTokens(8);
  float logits[75];
  const int32_t negative[] = {3, -1}, beyond[] = {75};
  expect(pass->Logits(0, 1, logits), "not kept");
  expect(pass->Forward({}, cache->get()), "there are no tokens");
  expect(pass->Forward(negative, cache->get()), "token id -1 (number 1) is outside");
  expect(pass->Forward(beyond, cache->get()), "token id 75 (number 0) is outside");
  expect(pass->Forward(SomeTokens(11), cache->get()), "11 tokens after 0 do not fit");
  expect(pass->Forward(tokens, cache->get(), 9), "cannot keep more");
  expect(pass->Forward(tokens, other_cache->get()), "another model");
  EXPECT_EQ((*cache)->length(), 0u);
  ASSERT_TRUE(pass->Forward(tokens, cache->get()).ok());
  expect(pass->Forward(SomeTokens(3), cache->get()), "3 tokens after 8 do not fit");
  EXPECT_EQ((*cache)->length(), 8u);
  expect(pass->LogitsFor(0, beyond, logits), "token id 75 is outside");
  expect(pass->LogitsFor(1, {}, logits), "not kept");
  expect(pass->Logits(0, 2, logits), "not kept");
  expect(ForwardPass::Create(*model, {.context_length = 201}).status(), "trained for 200");
}

TEST(ForwardPass, RefusesWeightsThatAreNotFinite) {
  TinyLlama tiny;
  tiny.poisoned_tensor = "blk.1.ffn_down.weight";
  auto model = LoadTiny(&tiny);
  ASSERT_TRUE(model.ok());
  auto pass = MakePass(*model, {.threads = 1});
  auto cache = pass->MakeCache();
  Status status = pass->Forward(SomeTokens(3), cache->get());
  EXPECT_EQ(status.code(), StatusCode::kInvalidModel);
  EXPECT_NE(status.message().find("not finite"), std::string::npos);
  EXPECT_EQ((*cache)->length(), 0u);
}

TEST(KvCache, RefusesWhatCannotBeHad) {
  KvShape shape{.layers = 1000, .heads = 1000, .head_dim = 1000, .positions = size_t{1} << 40};
  EXPECT_EQ(MakeContiguousKvCache(shape, kernels::KvType::kF32).status().code(),
            StatusCode::kResourceLimit);
  shape.layers = 0;
  EXPECT_EQ(MakeContiguousKvCache(shape, kernels::KvType::kF32).status().code(),
            StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace maskloom
