// Automata of expressions against the slow matcher, and their limits.
#include <gtest/gtest.h>

#include "grammar/regular/regular.h"
#include "tests/grammar/regular/slow_matcher.h"

namespace maskloom {
namespace {

using testing::AllTexts;
using testing::ContainsMatch;
using testing::MatchesWhole;
using testing::RandomExpr;

// Do two states of `a` accept the same texts? Walks pairs; only for plain small automata.
bool HasEqualStates(const TextAutomaton& a) {
  for (uint32_t s = 0; s < a.state_count(); ++s) {
    for (uint32_t t = 0; t < s; ++t) {
      std::set<std::pair<uint32_t, uint32_t>> seen{{s, t}};
      std::vector<std::pair<uint32_t, uint32_t>> work{{s, t}};
      bool equal = true;
      while (!work.empty() && equal) {
        auto [x, y] = work.back();
        work.pop_back();
        const auto label = [&a](uint32_t state) {
          return state == TextAutomaton::kDead ? 0 : a.labels[state];
        };
        equal = label(x) == label(y);
        if (x == TextAutomaton::kDead || y == TextAutomaton::kDead) {
          equal = false;  // trimmed, so the other accepts something
          break;
        }
        for (char32_t c : std::u32string(U"abcz")) {
          std::pair<uint32_t, uint32_t> next{a.Step(x, c), a.Step(y, c)};
          if (next.first == next.second) continue;
          if (seen.insert(next).second) work.push_back(next);
        }
      }
      if (equal) return true;
    }
  }
  return false;
}

TEST(BuildAutomaton, AgreesWithTheSlowMatcher) {
  std::mt19937 random(1);
  const auto texts = AllTexts(3, 5);
  for (int round = 0; round < 600; ++round) {
    ExprPool pool;
    ExprId expr = RandomExpr(&pool, &random, 4, round % 2 == 1);
    auto a = BuildAutomaton(pool, expr);
    ASSERT_TRUE(a.ok()) << a.status().ToString();
    ASSERT_EQ(a->Validate(), "") << pool.ToString(expr);
    ASSERT_FALSE(HasEqualStates(*a)) << pool.ToString(expr);
    for (const auto& text : texts) {
      ASSERT_EQ(a->Match(text) != 0, MatchesWhole(pool, expr, text))
          << pool.ToString(expr) << " on " << std::string(text.begin(), text.end());
    }
  }
}

TEST(BuildSearchAutomaton, AgreesWithTheSlowMatcher) {
  std::mt19937 random(2);
  const auto texts = AllTexts(3, 5);
  for (int round = 0; round < 600; ++round) {
    ExprPool pool;
    ExprId expr = RandomExpr(&pool, &random, 4, round % 3 != 0);
    auto a = BuildSearchAutomaton(pool, expr);
    ASSERT_TRUE(a.ok()) << a.status().ToString();
    ASSERT_EQ(a->Validate(), "") << pool.ToString(expr);
    ASSERT_FALSE(HasEqualStates(*a)) << pool.ToString(expr);
    for (const auto& text : texts) {
      ASSERT_EQ(a->Match(text) != 0, ContainsMatch(pool, expr, text))
          << pool.ToString(expr) << " on " << std::string(text.begin(), text.end());
    }
  }
}

// Counts that others cover are dropped from the sets of states; this must not change the language.
TEST(BuildAutomaton, AgreesWithTheSlowMatcherOnCountedRepeats) {
  std::mt19937 random(4);
  const auto texts = AllTexts(2, 8);
  const auto pick = [&random](uint32_t n) { return static_cast<uint32_t>(random() % n); };
  for (int round = 0; round < 150; ++round) {
    ExprPool pool;
    const auto counted = [&](ExprId child) {
      const uint32_t min = pick(5);
      return pool.Repeat(child, min, pick(4) == 0 ? kUnbounded : min + 1 + pick(6));
    };
    const auto letters = [&] {
      const char32_t c = U'a' + pick(2);
      return pick(3) == 0 ? pool.Class({{'a', 'b'}}) : pool.Text(std::u32string(1 + pick(2), c));
    };
    std::vector<ExprId> parts;
    for (uint32_t i = 1 + pick(3); i > 0; --i) {
      if (pick(4) == 0) {
        parts.push_back(letters());
      } else if (pick(3) == 0) {
        parts.push_back(counted(pool.Sequence({letters(), counted(letters()), letters()})));
      } else {
        parts.push_back(counted(pick(2) == 0 ? letters() : pool.Choice({letters(), letters()})));
      }
      if (pick(8) == 0) parts.push_back(pool.LookAround(Look(pick(4)), counted(letters())));
    }
    const ExprId expr = pool.Sequence(parts);
    auto full = BuildAutomaton(pool, expr);
    auto search = BuildSearchAutomaton(pool, expr);
    ASSERT_TRUE(full.ok() && search.ok()) << pool.ToString(expr);
    for (const auto& text : texts) {
      ASSERT_EQ(full->Match(text) != 0, MatchesWhole(pool, expr, text))
          << pool.ToString(expr) << " is " << std::string(text.begin(), text.end());
      ASSERT_EQ(search->Match(text) != 0, ContainsMatch(pool, expr, text))
          << pool.ToString(expr) << " in " << std::string(text.begin(), text.end());
    }
  }
}

TEST(BuildSearchAutomaton, KeepsCountsOfAnUnanchoredSearchFew) {
  ExprPool pool;
  const ExprId lower = pool.Class({{'a', 'z'}}), digit = pool.Class({{'0', '9'}});
  const ExprId expr = pool.Sequence({pool.Repeat(lower, 2, 5000), pool.Repeat(digit, 3, 5000),
                                     pool.Repeat(lower, 2, 5000), pool.Text(U"!")});
  auto a = BuildSearchAutomaton(pool, expr);
  ASSERT_TRUE(a.ok()) << a.status().ToString();
  EXPECT_NE(a->Match(U"?ab123cd!"), 0u);
  EXPECT_EQ(a->Match(U"?ab12cd!"), 0u);
}

TEST(BuildAutomaton, GivesEqualAutomataForEqualLanguages) {
  ExprPool pool;
  ExprId a = pool.Text(U"a");
  ExprId star = pool.Repeat(a, 0, kUnbounded);
  ExprId unrolled = pool.Choice({pool.Empty(), pool.Sequence({a, star})});
  EXPECT_EQ(*BuildAutomaton(pool, star), *BuildAutomaton(pool, unrolled));
  ExprId letters = pool.Choice({pool.Class({{'a', 'c'}}), pool.Class({{'d', 'z'}, {'b', 'f'}})});
  TextAutomaton one_letter = *BuildAutomaton(pool, letters);
  EXPECT_EQ(one_letter, *BuildAutomaton(pool, pool.Class({{'a', 'z'}})));
  EXPECT_EQ(one_letter.edges.size(), 1u);
}

TEST(BuildAutomaton, KnowsAnyTextHoweverItIsWritten) {
  ExprPool pool;
  ExprId any = pool.Class(CodePointSet::All());
  EXPECT_TRUE(IsAnyText(*BuildAutomaton(pool, pool.Repeat(any, 0, kUnbounded))));
  EXPECT_TRUE(IsAnyText(*BuildSearchAutomaton(pool, pool.Empty())));
  EXPECT_TRUE(IsAnyText(*BuildSearchAutomaton(pool, pool.AssertEnd())));
  EXPECT_FALSE(IsAnyText(*BuildAutomaton(pool, pool.Repeat(any, 1, kUnbounded))));
  EXPECT_EQ(*BuildAutomaton(pool, pool.Repeat(any, 0, kUnbounded)), AnyText());
}

TEST(BuildAutomaton, MakesImpossibleAssertionsNever) {
  ExprPool pool;
  ExprId a = pool.Text(U"a"), b = pool.Text(U"b");
  ExprId inner_begin = pool.Sequence({a, pool.AssertBegin(), b});
  ExprId inner_end = pool.Sequence({a, pool.AssertEnd(), b});
  for (ExprId expr : {inner_begin, inner_end}) {
    EXPECT_TRUE(BuildAutomaton(pool, expr)->empty());
    EXPECT_TRUE(BuildSearchAutomaton(pool, expr)->empty());
  }
}

TEST(BuildAutomaton, PassesABeginBehindAnEndOnlyInTheEmptyText) {
  ExprPool pool;
  ExprId stars = pool.Repeat(pool.Text(U"a"), 0, kUnbounded);
  ExprId expr = pool.Sequence({stars, pool.AssertEnd(), pool.AssertBegin()});
  TextAutomaton a = *BuildAutomaton(pool, expr);
  EXPECT_NE(a.Match(U""), 0u);
  EXPECT_EQ(a.Match(U"a"), 0u);
}

TEST(BuildAutomaton, TakesRulesAsCalls) {
  ExprPool pool;
  ExprId first = pool.Rule(7), again = pool.Rule(7), token = pool.Token(3);
  ExprId expr = pool.Choice({pool.Sequence({first, pool.Text(U"x")}),
                             pool.Sequence({again, pool.Text(U"y")}), pool.Text(U"z"), token});
  TextAutomaton a = *BuildAutomaton(pool, expr);
  EXPECT_EQ(a.Validate(), "");
  ASSERT_EQ(a.state_count(), 3u);
  ASSERT_EQ(a.CallsOf(0).size(), 2u);
  EXPECT_EQ(pool.payload(a.CallsOf(0)[0].expr), 7u);
  EXPECT_EQ(a.CallsOf(0)[1].expr, token);
  EXPECT_EQ(a.EdgesOf(0).size(), 1u);
}

TEST(BuildAutomaton, LeavesLongRepeatsToRunTime) {
  ExprPool pool;
  ExprId repeat = pool.Repeat(pool.Class({{'a', 'z'}}), 2, 1000000);
  ExprId expr = pool.Sequence({pool.Text(U"<"), repeat, pool.Text(U">")});
  TextAutomaton a = *BuildAutomaton(pool, expr, {.max_unrolled = 100});
  EXPECT_EQ(a.state_count(), 4u);
  ASSERT_EQ(a.CallsOf(1).size(), 1u);
  EXPECT_EQ(a.CallsOf(1)[0].expr, repeat);
  ExprId star = pool.Repeat(pool.Text(std::u32string(200, U'a')), 0, kUnbounded);
  EXPECT_FALSE(BuildAutomaton(pool, star, {.max_unrolled = 100})->has_calls());
}

TEST(BuildAutomaton, KeepsAssertionsExactAroundRepeatsLeftToRunTime) {
  ExprPool pool;
  ExprId letters = pool.Class({{'a', 'z'}});
  ExprId some = pool.Repeat(letters, 2, 1000), any = pool.Repeat(letters, 0, 1000);
  ExprId begin = pool.AssertBegin(), end = pool.AssertEnd(), x = pool.Text(U"x");
  const BuildOptions options{.max_unrolled = 100};
  TextAutomaton plain = *BuildAutomaton(pool, some, options);
  EXPECT_TRUE(plain.has_calls());
  EXPECT_EQ(*BuildAutomaton(pool, pool.Sequence({begin, some, end}), options), plain);
  EXPECT_TRUE(BuildAutomaton(pool, pool.Sequence({some, begin, x}), options)->empty());
  // Only the empty repeat leaves the begin where it is.
  EXPECT_EQ(*BuildAutomaton(pool, pool.Sequence({any, begin, x}), options),
            *BuildAutomaton(pool, x, options));
  EXPECT_EQ(*BuildAutomaton(pool, pool.Sequence({x, end, any}), options),
            *BuildAutomaton(pool, x, options));
  ExprId anchored = pool.Repeat(pool.Sequence({begin, x}), 0, 1000);
  EXPECT_FALSE(BuildAutomaton(pool, anchored, options)->has_calls());
}

TEST(BuildAutomaton, UnrollsAThousandLetters) {
  ExprPool pool;
  ExprId letters = pool.Repeat(pool.Class({{'a', 'z'}}), 1, 1000);
  TextAutomaton a = *BuildAutomaton(pool, letters);
  EXPECT_EQ(a.state_count(), 1001u);
  EXPECT_NE(a.Match(std::u32string(1000, U'q')), 0u);
  EXPECT_EQ(a.Match(std::u32string(1001, U'q')), 0u);
}

TEST(BuildAutomaton, RefusesWhatExceedsTheBudget) {
  ExprPool pool;
  ExprId a = pool.Text(U"a");
  ExprId ab = pool.Class({{'a', 'b'}});
  ExprId blow_up = pool.Sequence({pool.Repeat(ab, 0, kUnbounded), a, pool.Repeat(ab, 40, 40)});
  auto result = BuildAutomaton(pool, blow_up, {.max_states = 10000});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.status().code(), StatusCode::kResourceLimit);

  ExprId tower = a;
  for (int i = 0; i < 20; ++i) tower = pool.Repeat(tower, 1000, 1000);
  result = BuildAutomaton(pool, tower);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.status().code(), StatusCode::kResourceLimit);
  EXPECT_NE(result.status().message().find("unrolls to"), std::string::npos);

  ExprId long_text = pool.Text(std::u32string(1000000, U'a'));
  EXPECT_EQ(BuildSearchAutomaton(pool, long_text).status().code(), StatusCode::kResourceLimit);
}

TEST(BuildAutomaton, BoundsRepeatsOfNothing) {
  ExprPool pool;
  ExprId nothing = pool.Repeat(pool.AssertBegin(), 4000000000u, 4000000000u);
  EXPECT_EQ(BuildAutomaton(pool, nothing)->state_count(), 1u);
  ExprId star = pool.Repeat(pool.Text(U"a"), 0, kUnbounded);
  ExprId stars = pool.Repeat(star, 4000000000u, 4000000000u);
  EXPECT_EQ(*BuildAutomaton(pool, stars), *BuildAutomaton(pool, star));
}

TEST(BuildAutomaton, SurvivesDeepNesting) {
  ExprPool pool;
  ExprId b = pool.Text(U"b");
  ExprId sequences = pool.Text(U"a"), choices = sequences, optionals = sequences;
  for (int i = 0; i < 100000; ++i) {
    sequences = pool.Sequence({sequences, b});
    choices = pool.Choice({choices, b});
    optionals = pool.Repeat(pool.Sequence({optionals, b}), 0, 1);
  }
  EXPECT_EQ(BuildAutomaton(pool, sequences)->state_count(), 100002u);
  EXPECT_EQ(BuildAutomaton(pool, choices)->state_count(), 2u);
  // Every state of this one can be in any of the 100,000 levels.
  EXPECT_EQ(BuildAutomaton(pool, optionals).status().code(), StatusCode::kResourceLimit);
}

}  // namespace
}  // namespace maskloom
