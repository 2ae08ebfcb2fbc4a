// Sampler: validation, counts, agreement with the kernel, and no allocation in steady state.
#include "runtime/sampler/sampler.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <new>

namespace {
size_t allocation_count = 0;
}  // namespace

// Not inlined: the compiler would take malloc beside delete for a mistake.
[[gnu::noinline]] void* operator new(size_t size) {
  ++allocation_count;
  void* memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, size_t) noexcept { std::free(memory); }

namespace maskloom {
namespace {

Sampler Make(const SamplingOptions& options, uint32_t vocab_size) {
  Result<Sampler> sampler = Sampler::Create(options, vocab_size);
  EXPECT_TRUE(sampler.ok()) << sampler.status().message();
  return std::move(sampler.value());
}

void ExpectRefused(const SamplingOptions& options, const std::string& message) {
  const Result<Sampler> sampler = Sampler::Create(options, 100);
  ASSERT_FALSE(sampler.ok());
  EXPECT_EQ(sampler.status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(sampler.status().message(), message);
}

TEST(SamplingOptions, NameTheValueGivenAndTheValuesAllowed) {
  SamplingOptions options;
  options.temperature = -1;
  ExpectRefused(options, "temperature is -1; allowed: 0 (greedy), or 0.0001 to 10000");
  options = {};
  options.top_p = 1.5;
  ExpectRefused(options, "top_p is 1.5; allowed: 0 to 1 (1: off)");
  options = {};
  options.min_p = -0.5;
  ExpectRefused(options, "min_p is -0.5; allowed: 0 to 1 (0: off)");
  options = {};
  options.repetition_penalty = 0;
  ExpectRefused(options, "repetition_penalty is 0; allowed: any number above 0 (1: off)");
  options = {};
  options.frequency_penalty = std::numeric_limits<double>::infinity();
  ExpectRefused(options, "frequency_penalty is inf; allowed: any number (0: off)");
  options = {};
  options.presence_penalty = 1e300;
  ExpectRefused(options, "presence_penalty is 1e+300; allowed: any number (0: off)");
  options = {};
  options.bias = {{100, 1.0f}};
  ExpectRefused(options, "bias of token 100: no such token; the vocabulary has 100");
  options.bias = {{7, 1.0f}, {3, 1.0f}, {7, 2.0f}};
  ExpectRefused(options, "bias of token 7 is given more than once");
  EXPECT_TRUE(Sampler::Create({}, 1).ok());
  EXPECT_FALSE(Sampler::Create({}, 0).ok());
}

TEST(SamplingOptions, SayOfNaNThatItIsNoNumberWhateverItsSign) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double value : {nan, -nan}) {
    SamplingOptions options;
    options.temperature = value;
    ExpectRefused(options, "temperature is not a number; allowed: 0 (greedy), or 0.0001 to 10000");
    options = {};
    options.top_p = value;
    ExpectRefused(options, "top_p is not a number; allowed: 0 to 1 (1: off)");
    options = {};
    options.min_p = value;
    ExpectRefused(options, "min_p is not a number; allowed: 0 to 1 (0: off)");
    options = {};
    options.repetition_penalty = value;
    ExpectRefused(options,
                  "repetition_penalty is not a number; allowed: any number above 0 (1: off)");
    options = {};
    options.frequency_penalty = value;
    ExpectRefused(options, "frequency_penalty is not a number; allowed: any number (0: off)");
    options = {};
    options.presence_penalty = value;
    ExpectRefused(options, "presence_penalty is not a number; allowed: any number (0: off)");
    options = {};
    options.bias = {{7, static_cast<float>(value)}};
    ExpectRefused(options,
                  "bias of token 7 is not a number; allowed: any number, or -infinity to ban the "
                  "token");
  }
}

TEST(SamplingOptions, AcceptTheEdgesOfEveryRange) {
  SamplingOptions options;
  for (double temperature : {0.0, 0.0001, 10000.0}) {
    options.temperature = temperature;
    EXPECT_TRUE(Sampler::Create(options, 10).ok()) << temperature;
  }
  options.top_p = 0;
  options.min_p = 1;
  EXPECT_TRUE(Sampler::Create(options, 10).ok());
}

TEST(Sampler, RefusesWrongSizesAndEmptyMasks) {
  Sampler sampler = Make({}, 40);
  const std::vector<float> logits(40, 0.0f);
  const std::vector<uint32_t> closed(2, 0u);
  Result<SampleResult> result = sampler.Sample(std::vector<float>(39), {}, 0);
  EXPECT_EQ(result.status().message(), "logits has 39 entries; expected 40");
  result = sampler.Sample(logits, std::vector<uint32_t>(1, 1u), 0);
  EXPECT_EQ(result.status().message(), "mask has 1 entries; expected 2");
  result = sampler.Sample(logits, closed, 0);
  EXPECT_EQ(result.status().code(), StatusCode::kUnsatisfiable);
  result = sampler.Sample(std::vector<float>(40, std::nanf("")), {}, 0);
  EXPECT_EQ(result.status().code(), StatusCode::kUnsatisfiable);
  result = sampler.SampleGathered({}, {}, 0);
  EXPECT_EQ(result.status().code(), StatusCode::kUnsatisfiable);
  const uint32_t wrong[] = {3, 2};
  const float two[] = {1, 2};
  result = sampler.SampleGathered(wrong, two, 0);
  EXPECT_EQ(result.status().code(), StatusCode::kInvalidArgument);
  EXPECT_TRUE(sampler.Sample(logits, {}, 0).ok());
}

TEST(Sampler, RepetitionPenaltyCountsPromptAndOutput) {
  SamplingOptions options;
  options.temperature = 0;
  options.repetition_penalty = 2;
  Sampler sampler = Make(options, 4);
  const std::vector<float> logits = {3.0f, 2.0f, 1.9f, -1.0f};
  const uint32_t prompt[] = {0, 0};
  ASSERT_TRUE(sampler.Begin(prompt, 8).ok());
  EXPECT_EQ(sampler.Sample(logits, {}, 0)->token, 1u);  // 1.5, 2, 1.9, -1
  sampler.Accept(1);
  EXPECT_EQ(sampler.Sample(logits, {}, 1)->token, 2u);  // 1.5, 1, 1.9, -1
  sampler.Accept(2);
  EXPECT_EQ(sampler.Sample(logits, {}, 2)->token, 0u);  // 1.5, 1, 0.95, -1
  ASSERT_TRUE(sampler.Begin({}, 8).ok());
  EXPECT_EQ(sampler.Sample(logits, {}, 0)->token, 0u);
}

TEST(Sampler, FrequencyAndPresenceCountOnlyTheOutput) {
  SamplingOptions options;
  options.temperature = 0;
  options.frequency_penalty = 0.5;
  options.presence_penalty = 0.25;
  Sampler sampler = Make(options, 2);
  const std::vector<float> logits = {1.0f, 0.1f};
  const uint32_t prompt[] = {0, 0, 0, 0};
  ASSERT_TRUE(sampler.Begin(prompt, 8).ok());
  EXPECT_EQ(sampler.Sample(logits, {}, 0)->token, 0u);
  sampler.Accept(0);
  EXPECT_EQ(sampler.Sample(logits, {}, 0)->token, 0u);  // 0.25
  sampler.Accept(0);
  EXPECT_EQ(sampler.Sample(logits, {}, 0)->token, 1u);  // -0.25
}

TEST(Sampler, RollbackRestoresTheCounts) {
  SamplingOptions options;
  options.frequency_penalty = 0.7;
  options.repetition_penalty = 1.3;
  Sampler sampler = Make(options, 50);
  ASSERT_TRUE(sampler.SetReport({.entropy = true}).ok());
  std::vector<float> logits(50);
  for (int i = 0; i < 50; ++i) logits[i] = std::sin(static_cast<float>(i)) * 3;
  ASSERT_TRUE(sampler.Begin({}, 100).ok());
  std::vector<SampleResult> results;
  for (uint64_t position = 0; position < 40; ++position) {
    results.push_back(*sampler.Sample(logits, {}, position));
    sampler.Accept(results.back().token);
  }
  ASSERT_TRUE(sampler.Rollback(25).ok());
  EXPECT_EQ(sampler.output_count(), 15u);
  for (uint64_t position = 15; position < 40; ++position) {
    const SampleResult again = *sampler.Sample(logits, {}, position);
    EXPECT_EQ(again.token, results[position].token);
    EXPECT_EQ(again.entropy_bits, results[position].entropy_bits);
    sampler.Accept(again.token);
  }
  EXPECT_FALSE(sampler.Rollback(41).ok());
  EXPECT_EQ(sampler.output_count(), 40u);
}

TEST(Sampler, BiasBansAndJoinsPenalties) {
  SamplingOptions options;
  options.temperature = 0;
  options.repetition_penalty = 2;
  options.bias = {{2, 5.0f}, {0, -std::numeric_limits<float>::infinity()}};
  Sampler sampler = Make(options, 3);
  const std::vector<float> logits = {9.0f, 3.0f, 0.0f};
  const uint32_t prompt[] = {2};
  EXPECT_EQ(sampler.Sample(logits, {}, 0)->token, 2u);  // banned, 3, 5
  ASSERT_TRUE(sampler.Begin(prompt, 4).ok());
  EXPECT_EQ(sampler.Sample(logits, {}, 0)->token, 1u);  // banned, 3, 5 / 2
  const std::vector<uint32_t> only_banned = {1u};
  EXPECT_EQ(sampler.Sample(logits, only_banned, 0).status().code(), StatusCode::kUnsatisfiable);
}

TEST(Sampler, ReportNeverChangesTheTokenAndListsTheTop) {
  SamplingOptions options;
  options.top_p = 0.9;
  options.seed = 5;
  Sampler bare = Make(options, 500);
  Sampler full = Make(options, 500);
  Sampler silent = Make(options, 500);
  ASSERT_TRUE(silent.SetReport({.logprobs = false}).ok());
  ASSERT_TRUE(full.SetReport({.entropy = true, .raw = true, .top_count = 5}).ok());
  EXPECT_FALSE(full.SetReport({.top_count = 100000}).ok());
  std::vector<float> logits(500);
  for (int i = 0; i < 500; ++i) logits[i] = std::sin(static_cast<float>(i * i)) * 6;
  std::vector<uint32_t> mask(16, 0x00ff00ffu);
  for (uint64_t position = 0; position < 50; ++position) {
    const SampleResult a = *bare.Sample(logits, mask, position);
    const SampleResult b = *full.Sample(logits, mask, position);
    EXPECT_EQ(a.token, b.token);
    EXPECT_EQ(a.logprob, b.logprob);
    EXPECT_LT(a.masked_logprob, 0.0f);
    const SampleResult c = *silent.Sample(logits, mask, position);
    EXPECT_EQ(a.token, c.token);
    EXPECT_EQ(c.masked_logprob, 0.0f);
    EXPECT_GT(b.removed_mass, 0.0f);
    ASSERT_EQ(full.top().size(), 5u);
    for (size_t i = 1; i < 5; ++i) EXPECT_GE(full.top()[i - 1].logprob, full.top()[i].logprob);
  }
  EXPECT_TRUE(bare.top().empty());
}

TEST(Sampler, GatheredEqualsMasked) {
  SamplingOptions options;
  options.seed = 9;
  options.repetition_penalty = 1.2;
  Sampler sampler = Make(options, 300);
  std::vector<float> logits(300);
  for (int i = 0; i < 300; ++i) logits[i] = std::cos(static_cast<float>(i)) * 2;
  std::vector<uint32_t> mask(10, 0u), ids;
  std::vector<float> gathered;
  for (uint32_t id = 3; id < 300; id += 7) {
    mask[id / 32] |= 1u << (id % 32);
    ids.push_back(id);
    gathered.push_back(logits[id]);
  }
  for (uint64_t position = 0; position < 100; ++position) {
    const SampleResult a = *sampler.Sample(logits, mask, position);
    const SampleResult b = *sampler.SampleGathered(ids, gathered, position);
    EXPECT_EQ(a.token, b.token);
    EXPECT_EQ(a.masked_logprob, b.masked_logprob);
    sampler.Accept(a.token);
  }
}

TEST(Sampler, AllocatesNothingInSteadyState) {
  SamplingOptions options;
  options.top_k = 40;
  options.top_p = 0.95;
  options.min_p = 0.02;
  options.repetition_penalty = 1.1;
  options.bias = {{5, 1.0f}};
  Sampler sampler = Make(options, 2000);
  ASSERT_TRUE(sampler.SetReport({.entropy = true, .raw = true, .top_count = 20}).ok());
  std::vector<float> logits(2000);
  for (int i = 0; i < 2000; ++i) logits[i] = std::sin(static_cast<float>(i * 3)) * 5;
  const std::vector<uint32_t> mask(63, 0x0ff0f00fu);
  const uint32_t prompt[] = {1, 2, 3};
  ASSERT_TRUE(sampler.Begin(prompt, 200).ok());
  const size_t before = allocation_count;
  uint64_t chosen = 0;
  for (uint64_t position = 0; position < 200; ++position) {
    const Result<SampleResult> result = sampler.Sample(logits, mask, position);
    if (!result.ok()) break;
    sampler.Accept(result->token);
    ++chosen;
  }
  const size_t after = allocation_count;
  EXPECT_EQ(chosen, 200u);
  EXPECT_EQ(after - before, 0u);
}

}  // namespace
}  // namespace maskloom
