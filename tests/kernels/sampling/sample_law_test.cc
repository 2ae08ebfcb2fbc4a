// Chosen tokens follow the exact probabilities: chi-square over positions for each filter setting,
// and with the passes of each instruction set.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/kernels/sampling/sampling_fixture.h"

namespace maskloom::kernels {
namespace {

constexpr int kDraws = 100000;

// Exact probabilities in double precision, written apart from the code under test.
std::vector<double> ExactLaw(const OwnedRow& row, const SampleSettings& settings) {
  struct Entry {
    double p;
    uint32_t id;
  };
  std::vector<Entry> entries;
  for (uint32_t i = 0; i < row.vocab; ++i) {
    if (!row.mask.empty() && ((row.mask[i / 32] >> (i % 32)) & 1u) == 0) continue;
    entries.push_back({std::exp(static_cast<double>(row.logits[i]) / settings.temperature), i});
  }
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry& a, const Entry& b) { return a.p > b.p; });
  const auto renormalise = [&entries] {
    double sum = 0;
    for (const Entry& entry : entries) sum += entry.p;
    for (Entry& entry : entries) entry.p /= sum;
  };
  if (settings.top_k != 0) entries.resize(std::min<size_t>(entries.size(), settings.top_k));
  renormalise();
  double sum = 0;
  size_t kept = 0;
  while (kept < entries.size() && (kept == 0 || sum < settings.top_p)) sum += entries[kept++].p;
  entries.resize(kept);
  renormalise();
  while (entries.back().p < settings.min_p * entries.front().p) entries.pop_back();
  renormalise();
  std::vector<double> law(row.vocab, 0.0);
  for (const Entry& entry : entries) law[entry.id] = entry.p;
  return law;
}

void ExpectLaw(const RowOps& ops, const OwnedRow& row, SampleSettings settings) {
  const std::vector<double> law = ExactLaw(row, settings);
  std::vector<int> counts(row.vocab, 0);
  std::vector<uint64_t> scratch(SampleScratchBytes(row.vocab) / 8 + 8);
  void* memory = scratch.data();
  size_t space = scratch.size() * 8;
  memory = std::align(64, SampleScratchBytes(row.vocab), memory, space);
  settings.outputs = 0;
  for (int draw = 0; draw < kDraws; ++draw) {
    settings.position = static_cast<uint64_t>(draw);
    SampleResult result;
    ASSERT_EQ(ChooseTokenWith(ops, row.View(), settings, {memory, nullptr}, &result),
              SampleStatus::kOk);
    ++counts[result.token];
  }
  double chi_square = 0;
  int cells = 0;
  double rest_expected = 0;
  double rest_count = 0;
  for (uint32_t i = 0; i < row.vocab; ++i) {
    const double expected = law[i] * kDraws;
    if (expected == 0) {
      ASSERT_EQ(counts[i], 0) << "token " << i << " has probability zero";
    } else if (expected < 10) {
      rest_expected += expected;
      rest_count += counts[i];
    } else {
      chi_square += (counts[i] - expected) * (counts[i] - expected) / expected;
      ++cells;
    }
  }
  if (rest_expected > 5) {
    chi_square += (rest_count - rest_expected) * (rest_count - rest_expected) / rest_expected;
    ++cells;
  }
  // Wilson and Hilferty: the cube root of chi-square / n is nearly normal. 4 standard deviations.
  const double n = cells - 1;
  if (n < 1) return;
  const double z = (std::cbrt(chi_square / n) - (1 - 2 / (9 * n))) / std::sqrt(2 / (9 * n));
  EXPECT_LT(z, 4.0) << "chi-square " << chi_square << " with " << n << " degrees of freedom";
}

OwnedRow LawRow(bool masked) {
  RowMaker maker(21);
  OwnedRow row;
  row.vocab = 67;
  for (uint32_t i = 0; i < row.vocab; ++i) row.logits.push_back(maker.Uniform(-3.0f, 2.0f));
  if (masked) row.mask = {0xf0f0a5a5u, 0x1234ffffu, 0xfffffff5u};
  return row;
}

constexpr int kCombinations = 8;  // of top-k, top-p and min-p

SampleSettings Filters(int combination) {
  SampleSettings settings;
  settings.seed = 1000 + static_cast<uint64_t>(combination);
  settings.temperature = 0.8f;
  if ((combination & 1) != 0) settings.top_k = 12;
  if ((combination & 2) != 0) settings.top_p = 0.83;
  if ((combination & 4) != 0) settings.min_p = 0.13;
  return settings;
}

TEST(SampleLaw, FollowsExactProbabilitiesForEveryCombinationOfFilters) {
  for (int combination = 0; combination < kCombinations; ++combination) {
    for (bool masked : {false, true}) {
      SCOPED_TRACE(testing::Message() << "filters " << combination << " masked " << masked);
      ExpectLaw(DefaultRowOps(), LawRow(masked), Filters(combination));
    }
  }
}

// The forms that are not the default here draw with seeds of their own, and each combination with a
// mask or without.
TEST(SampleLaw, EveryInstructionSetFollowsExactProbabilities) {
  uint64_t form = 0;
  for (const char* name : {"plain", "avx2", "avx512"}) {
    const RowOps* ops = FindRowOps(name);
    if (ops == nullptr || ops == &DefaultRowOps()) continue;
    ++form;
    for (int combination = 0; combination < kCombinations; ++combination) {
      const bool masked = (combination + form) % 2 == 0;
      SCOPED_TRACE(testing::Message()
                   << name << " filters " << combination << " masked " << masked);
      SampleSettings settings = Filters(combination);
      settings.seed += 100 * form;
      ExpectLaw(*ops, LawRow(masked), settings);
    }
  }
}

TEST(SampleLaw, FollowsExactProbabilitiesAtLowAndHighTemperature) {
  SampleSettings settings;
  settings.seed = 77;
  for (float temperature : {0.25f, 1.0f, 3.0f}) {
    settings.temperature = temperature;
    ExpectLaw(DefaultRowOps(), LawRow(true), settings);
  }
}

TEST(SampleLaw, SeedsDrawIndependently) {
  const OwnedRow row = LawRow(false);
  int equal = 0;
  double expected = 0;
  SampleSettings settings;
  for (double p : ExactLaw(row, settings)) expected += p * p;
  for (uint64_t position = 0; position < 5000; ++position) {
    settings.position = position;
    settings.seed = 1;
    const uint32_t first = Choose(Form::kDefault, row, settings).result.token;
    settings.seed = 2;
    equal += first == Choose(Form::kDefault, row, settings).result.token ? 1 : 0;
  }
  EXPECT_NEAR(equal, 5000 * expected, 5 * std::sqrt(5000 * expected));
}

}  // namespace
}  // namespace maskloom::kernels
