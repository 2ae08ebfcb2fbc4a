// Look-arounds: all small expressions, random ones, and examples, against the slow matcher.
#include <gtest/gtest.h>

#include "grammar/regular/regular.h"
#include "tests/grammar/regular/slow_matcher.h"

namespace maskloom {
namespace {

using testing::AllTexts;
using testing::ContainsMatch;
using testing::MatchesWhole;
using testing::RandomLookExpr;

void ExpectAgreement(const ExprPool& pool, ExprId expr, const std::vector<std::u32string>& texts) {
  auto full = BuildAutomaton(pool, expr);
  auto search = BuildSearchAutomaton(pool, expr);
  ASSERT_TRUE(full.ok()) << pool.ToString(expr) << ": " << full.status().ToString();
  ASSERT_TRUE(search.ok()) << pool.ToString(expr) << ": " << search.status().ToString();
  ASSERT_EQ(full->Validate(), "") << pool.ToString(expr);
  ASSERT_EQ(search->Validate(), "") << pool.ToString(expr);
  for (const auto& text : texts) {
    ASSERT_EQ(full->Match(text) != 0, MatchesWhole(pool, expr, text))
        << pool.ToString(expr) << " is `" << std::string(text.begin(), text.end()) << '`';
    ASSERT_EQ(search->Match(text) != 0, ContainsMatch(pool, expr, text))
        << pool.ToString(expr) << " in `" << std::string(text.begin(), text.end()) << '`';
  }
}

TEST(LookAround, AgreesWithTheSlowMatcherOnAllSmallExpressions) {
  constexpr size_t kAllOfSize = 4, kMaxSize = 5, kEvery = 5;
  const auto texts = AllTexts(2, 4);
  ExprPool pool;
  // All expressions of each size: atoms, stars, look-arounds, sequences, choices.
  std::vector<std::vector<ExprId>> of_size(kMaxSize + 1);
  of_size[1] = {pool.Text(U"a"), pool.Text(U"b"), pool.Class(CodePointSet::All()),
                pool.AssertBegin(), pool.AssertEnd()};
  size_t checked = 0, skipped = 0;
  for (size_t size = 1; size <= kMaxSize; ++size) {
    if (size > 1) {
      for (ExprId child : of_size[size - 1]) {
        of_size[size].push_back(pool.Repeat(child, 0, kUnbounded));
        for (Look look : {Look::kAhead, Look::kNotAhead, Look::kBehind, Look::kNotBehind}) {
          of_size[size].push_back(pool.LookAround(look, child));
        }
      }
      for (size_t left = 1; left + 1 < size; ++left) {
        for (ExprId a : of_size[left]) {
          for (ExprId b : of_size[size - 1 - left]) {
            of_size[size].push_back(pool.Sequence({a, b}));
            of_size[size].push_back(pool.Choice({a, b}));
          }
        }
      }
    }
    for (ExprId expr : of_size[size]) {
      if (size > kAllOfSize && skipped++ % kEvery != 0) continue;
      ++checked;
      ASSERT_NO_FATAL_FAILURE(ExpectAgreement(pool, expr, texts));
    }
  }
  EXPECT_GT(checked, 3000u);
}

TEST(LookAround, AgreesWithTheSlowMatcherOnRandomExpressions) {
  std::mt19937 random(3);
  const auto texts = AllTexts(3, 4);
  for (int round = 0; round < 700; ++round) {
    ExprPool pool;
    ExprId expr = RandomLookExpr(&pool, &random, 3);
    ASSERT_NO_FATAL_FAILURE(ExpectAgreement(pool, expr, texts)) << "round " << round;
  }
}

TEST(LookAround, IsTheAlgebraOfLanguages) {
  ExprPool pool;
  const ExprId any = pool.Class(CodePointSet::All()), all = pool.Repeat(any, 0, kUnbounded);
  const ExprId digit = pool.Class({{'0', '9'}}), lower = pool.Class({{'a', 'z'}});
  const ExprId has_digit = pool.Sequence({all, digit}), has_lower = pool.Sequence({all, lower});
  const ExprId both = pool.Sequence(
      {pool.LookAround(Look::kAhead, has_digit), pool.LookAround(Look::kAhead, has_lower), all});
  const TextAutomaton digits = *BuildSearchAutomaton(pool, digit);
  const TextAutomaton lowers = *BuildSearchAutomaton(pool, lower);
  EXPECT_EQ(*BuildAutomaton(pool, both), *Intersect(digits, lowers));
  const ExprId no_digit = pool.Sequence({pool.LookAround(Look::kNotAhead, has_digit), all});
  EXPECT_EQ(*BuildAutomaton(pool, no_digit), Complement(digits));
  const ExprId behind = pool.Sequence({all, pool.LookAround(Look::kNotBehind, has_digit)});
  EXPECT_EQ(*BuildAutomaton(pool, behind), Complement(*BuildAutomaton(pool, has_digit)));
}

TEST(LookAround, UnrollsRepeatsThatWouldBeCalls) {
  ExprPool pool;
  const ExprId some = pool.Repeat(pool.Class({{'a', 'z'}}), 2, 1000);
  const ExprId expr =
      pool.Sequence({pool.LookAround(Look::kNotAhead, pool.Text(U"ab")), some, pool.Text(U"!")});
  TextAutomaton a = *BuildAutomaton(pool, expr, {.max_unrolled = 100});
  EXPECT_FALSE(a.has_calls());
  EXPECT_NE(a.Match(U"ba!"), 0u);
  EXPECT_EQ(a.Match(U"abc!"), 0u);
}

TEST(LookAround, RefusesWhatItCannotSeeInto) {
  ExprPool pool;
  const ExprId look = pool.LookAround(Look::kAhead, pool.Text(U"a"));
  auto built = BuildAutomaton(pool, pool.Sequence({look, pool.Rule(0)}));
  EXPECT_EQ(built.status().code(), StatusCode::kUnsupported);
}

TEST(LookAround, RefusesWhatExceedsTheBudget) {
  ExprPool pool;
  const ExprId ab = pool.Class({{'a', 'b'}});
  // Each position asks for another `a` twenty further on: all subsets of twenty duties.
  const ExprId later =
      pool.LookAround(Look::kAhead, pool.Sequence({pool.Repeat(ab, 20, 20), pool.Text(U"a")}));
  const ExprId step = pool.Choice({pool.Sequence({later, ab}), pool.Text(U"b")});
  auto built = BuildAutomaton(pool, pool.Repeat(step, 0, kUnbounded), {.max_states = 2000});
  EXPECT_EQ(built.status().code(), StatusCode::kResourceLimit);

  ExprId nested = pool.Text(U"a");
  for (int i = 0; i < 200; ++i) {
    nested = pool.Sequence({ab, pool.LookAround(Look::kAhead, nested)});
  }
  EXPECT_EQ(BuildAutomaton(pool, nested).status().code(), StatusCode::kResourceLimit);
  std::vector<ExprId> many;
  for (int i = 0; i < 100; ++i)
    many.push_back(pool.LookAround(Look::kBehind, pool.Repeat(ab, 1, i + 1)));
  EXPECT_EQ(BuildAutomaton(pool, pool.Sequence(many)).status().code(), StatusCode::kResourceLimit);
}

}  // namespace
}  // namespace maskloom
