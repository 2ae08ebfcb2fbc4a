// Length sets against rows of reachable states, computed length by length.
#include <gtest/gtest.h>

#include <limits>

#include "grammar/regular/regular.h"
#include "tests/grammar/regular/slow_matcher.h"

namespace maskloom {
namespace {

constexpr uint64_t kNone = std::numeric_limits<uint64_t>::max();

// accepted[state][n]: is some text of length n accepted from `state`?
std::vector<std::vector<bool>> AcceptedLengths(const TextAutomaton& a, size_t max_length) {
  std::vector<std::vector<bool>> accepted(a.state_count(), std::vector<bool>(max_length + 1));
  for (size_t n = 0; n <= max_length; ++n) {
    for (uint32_t state = 0; state < a.state_count(); ++state) {
      bool any = n == 0 && a.labels[state] != 0;
      for (const auto& edge : a.EdgesOf(state)) any |= n > 0 && accepted[edge.target][n - 1];
      accepted[state][n] = any;
    }
  }
  return accepted;
}

TEST(LengthSets, AgreeWithCountingUp) {
  std::mt19937 random(6);
  constexpr size_t kLengths = 120;
  for (int round = 0; round < 300; ++round) {
    TextAutomaton a = testing::RandomAutomaton(&random, 5);
    LengthSets sets = *LengthSets::Compute(a);
    auto accepted = AcceptedLengths(a, kLengths);
    for (uint32_t state = 0; state < a.state_count(); ++state) {
      for (size_t n = 0; n <= kLengths; ++n) {
        ASSERT_EQ(sets.Contains(state, n), accepted[state][n]) << state << " " << n;
      }
      for (int probe = 0; probe < 20; ++probe) {
        size_t min = random() % kLengths, max = random() % kLengths;
        bool any = false;
        for (size_t n = min; n <= max; ++n) any |= accepted[state][n];
        ASSERT_EQ(sets.AnyIn(state, min, max), any);
      }
      // Periods here are far below half of kLengths.
      size_t from = kLengths + 1;
      while (from > 0 && accepted[state][from - 1]) --from;
      ASSERT_EQ(sets.AllFrom(state), from > kLengths / 2 ? kNone : from);
    }
  }
}

TEST(LengthSets, RepeatForever) {
  ExprPool pool;
  ExprId threes = pool.Repeat(pool.Text(U"aaa"), 0, kUnbounded);
  ExprId fives = pool.Repeat(pool.Text(U"aaaaa"), 0, kUnbounded);
  TextAutomaton a = *BuildAutomaton(pool, pool.Sequence({threes, fives}));
  LengthSets sets = *LengthSets::Compute(a);
  EXPECT_EQ(sets.AllFrom(0), 8u);  // 7 is the last number that is no sum of threes and fives
  EXPECT_FALSE(sets.Contains(0, 7));
  EXPECT_TRUE(sets.AnyIn(0, 7, kNone));
  EXPECT_TRUE(sets.Contains(0, kNone));
  TextAutomaton choice = *BuildAutomaton(pool, pool.Choice({threes, fives}));
  sets = *LengthSets::Compute(choice);
  EXPECT_TRUE(sets.Contains(0, 15000000000000));
  EXPECT_FALSE(sets.Contains(0, 15000000000001));
  EXPECT_EQ(sets.AllFrom(0), kNone);
  EXPECT_FALSE(sets.AnyIn(0, 15000000000001, 15000000000002));
  EXPECT_TRUE(sets.AnyIn(0, 15000000000001, kNone));
}

TEST(LengthSets, RefusePeriodsBeyondTheBudget) {
  ExprPool pool;
  std::vector<ExprId> cycles;
  for (uint32_t prime : {61, 67, 71, 73, 79}) {
    cycles.push_back(
        pool.Repeat(pool.Text(std::u32string(prime, 'a' + prime - 61)), 0, kUnbounded));
  }
  auto sets = LengthSets::Compute(*BuildAutomaton(pool, pool.Choice(cycles)));
  ASSERT_FALSE(sets.ok());
  EXPECT_EQ(sets.status().code(), StatusCode::kResourceLimit);
}

TEST(LengthSets, OfTheEmptyLanguageHoldNothing) { EXPECT_TRUE(LengthSets::Compute({}).ok()); }

}  // namespace
}  // namespace maskloom
