// The algebra against set operations on all short texts.
#include <gtest/gtest.h>

#include <algorithm>

#include "grammar/regular/regular.h"
#include "tests/grammar/regular/slow_matcher.h"

namespace maskloom {
namespace {

using testing::AllTexts;
using testing::RandomAutomaton;

constexpr uint32_t kNo = TextAutomaton::kNotAccepting;

TEST(RegularAlgebra, AgreesWithSetsOfTexts) {
  std::mt19937 random(3);
  const auto texts = AllTexts(3, 6);
  for (int round = 0; round < 150; ++round) {
    TextAutomaton a = RandomAutomaton(&random, 4), b = RandomAutomaton(&random, 4);
    TextAutomaton both = *Intersect(a, b), either = *Unite(a, b), other = Complement(a);
    TextAutomaton difference = *Product({&a, &b}, [](const std::vector<uint32_t>& labels) {
      return labels[0] != kNo && labels[1] == kNo ? 5u : kNo;
    });
    for (const TextAutomaton* result : {&both, &either, &other, &difference}) {
      ASSERT_EQ(result->Validate(), "");
    }
    for (const auto& text : texts) {
      const bool in_a = a.Match(text) != kNo, in_b = b.Match(text) != kNo;
      ASSERT_EQ(both.Match(text) != kNo, in_a && in_b);
      ASSERT_EQ(either.Match(text) != kNo, in_a || in_b);
      ASSERT_EQ(other.Match(text) != kNo, !in_a);
      ASSERT_EQ(difference.Match(text), in_a && !in_b ? 5u : kNo);
    }
    ASSERT_EQ(Complement(other), a);
    ASSERT_EQ(Complement(*Unite(other, Complement(b))), both);  // De Morgan
    ASSERT_EQ(*Intersect(a, AnyText()), a);
    ASSERT_TRUE(Intersect(a, other)->empty());
    ASSERT_TRUE(IsAnyText(*Unite(a, other)));
    uint32_t pairs = 10000;
    ASSERT_EQ(AreDisjoint(a, b, &pairs), both.empty());
    ASSERT_TRUE(AreDisjoint(a, other, &pairs));
  }
}

TEST(RegularAlgebra, TellsDisjointLanguagesByFewPairs) {
  const TextAutomaton cargo = AutomatonOfTexts({U"pkg:cargo"});
  const TextAutomaton composer = AutomatonOfTexts({U"pkg:composer"});
  uint32_t pairs = 20;
  EXPECT_TRUE(AreDisjoint(cargo, composer, &pairs));
  EXPECT_EQ(pairs, 14u);  // behind "", p, pk, pkg, pkg: and pkg:c
  EXPECT_FALSE(AreDisjoint(cargo, cargo, &pairs));
  EXPECT_EQ(pairs, 4u);
  EXPECT_FALSE(AreDisjoint(cargo, composer, &pairs));  // too few are left
  EXPECT_EQ(pairs, 0u);
  EXPECT_TRUE(AreDisjoint(cargo, TextAutomaton(), &pairs));
}

TEST(RegularAlgebra, LabelsClassesOfTexts) {
  ExprPool pool;
  TextAutomaton a = *BuildSearchAutomaton(pool, pool.Text(U"a"));
  TextAutomaton b = *BuildSearchAutomaton(pool, pool.Text(U"b"));
  TextAutomaton names = AutomatonOfTexts({U"xa", U"yy"}, {2, 1});
  TextAutomaton classes = *Product({&names, &a, &b}, [](const std::vector<uint32_t>& labels) {
    return 1 + labels[0] + 10 * labels[1] + 100 * labels[2];
  });
  EXPECT_EQ(classes.Validate(), "");
  EXPECT_EQ(classes.Match(U""), 1u);
  EXPECT_EQ(classes.Match(U"xa"), 13u);
  EXPECT_EQ(classes.Match(U"yy"), 2u);
  EXPECT_EQ(classes.Match(U"yyb"), 101u);
  EXPECT_EQ(classes.Match(U"\U0001F600"
                          U"ba"),
            111u);
}

TEST(RegularAlgebra, RefusesProductsBeyondTheBudget) {
  ExprPool pool;
  const auto every = [&pool](uint32_t n) {
    return *BuildAutomaton(pool, pool.Repeat(pool.Text(std::u32string(n, U'a')), 0, kUnbounded));
  };
  TextAutomaton x = every(97), y = every(101);
  EXPECT_EQ(Intersect(x, y)->state_count(), 97u * 101u);
  EXPECT_EQ(Intersect(x, y, 5000).status().code(), StatusCode::kResourceLimit);
}

TEST(AutomatonOfTexts, AcceptsExactlyItsTexts) {
  std::mt19937 random(4);
  const auto all = AllTexts(3, 6);
  for (int round = 0; round < 100; ++round) {
    std::vector<std::u32string> texts;
    std::vector<uint32_t> labels;
    for (const auto& text : all) {
      if (random() % 5 != 0) continue;
      texts.push_back(text);
      labels.push_back(1 + random() % 2);
    }
    std::shuffle(texts.begin(), texts.end(), random);
    TextAutomaton plain = AutomatonOfTexts(texts);
    ASSERT_EQ(plain.Validate(), "");
    ASSERT_EQ(CountTexts(plain, 100000), texts.size());
    ASSERT_EQ(Complement(Complement(plain)), plain) << "minimal and canonical";
    TextAutomaton labelled = AutomatonOfTexts(texts, labels);
    for (size_t i = 0; i < texts.size(); ++i) {
      ASSERT_EQ(plain.Match(texts[i]), 1u);
      ASSERT_EQ(labelled.Match(texts[i]), labels[i]);
    }
    TextAutomaton copy =
        *Product({&labelled}, [](const std::vector<uint32_t>& parts) { return parts[0]; });
    ASSERT_EQ(copy, labelled);
    auto listed = *EnumerateTexts(labelled, 100000);
    ASSERT_EQ(listed.size(), texts.size());
    ASSERT_TRUE(std::is_sorted(listed.begin(), listed.end()));
    for (const auto& [text, label] : listed) ASSERT_EQ(labelled.Match(text), label);
  }
}

TEST(AutomatonOfTexts, FoldsWideEnumerations) {
  std::vector<std::u32string> texts;
  for (char32_t c = 0x100; c < 0x1000; ++c) texts.push_back({U'x', c, U'y'});
  TextAutomaton a = AutomatonOfTexts(texts);
  EXPECT_EQ(a.state_count(), 4u);
  EXPECT_EQ(a.edges.size(), 3u);
}

TEST(AutomatonOfTexts, LeavesOutWhatIsNoTextAndKeepsFirstLabels) {
  TextAutomaton a = AutomatonOfTexts({U"a", U"a", std::u32string(1, 0xD800), U"b"}, {3, 4, 1, 0});
  EXPECT_EQ(a.Validate(), "");
  EXPECT_EQ(CountTexts(a, 10), 1u);
  EXPECT_EQ(a.Match(U"a"), 3u);
  EXPECT_TRUE(AutomatonOfTexts({}).empty());
}

TEST(TextsOfAutomaton, AreCountedAndListed) {
  ExprPool pool;
  ExprId digits = pool.Repeat(pool.Class({{'0', '9'}}), 2, 3);
  TextAutomaton a = *BuildAutomaton(pool, digits);
  EXPECT_EQ(CountTexts(a, 1100), 1100u);
  EXPECT_EQ(CountTexts(a, 1099), kUnbounded);
  EXPECT_FALSE(EnumerateTexts(a, 1099).has_value());
  EXPECT_EQ(EnumerateTexts(a, 1100)->at(1).first, U"000");
  EXPECT_EQ(CountTexts(AnyText(), 1u << 31), kUnbounded);
  EXPECT_EQ(CountTexts({}, 5), 0u);
  EXPECT_TRUE(EnumerateTexts({}, 5)->empty());
  ExprId huge = pool.Repeat(pool.Class(CodePointSet::All()), 40, 40);
  EXPECT_EQ(CountTexts(*BuildAutomaton(pool, huge), 4000000000u), kUnbounded);
}

TEST(TextsOfAutomaton, HaveALeastShortest) {
  std::mt19937 random(5);
  auto texts = AllTexts(3, 5);
  for (int round = 0; round < 300; ++round) {
    TextAutomaton a = RandomAutomaton(&random, 4);
    auto shortest = ShortestText(a);
    ASSERT_EQ(shortest.has_value(), !a.empty());
    // AllTexts goes by length, then by letters.
    auto least = std::find_if(texts.begin(), texts.end(),
                              [&a](const auto& text) { return a.Match(text) != kNo; });
    if (least == texts.end()) continue;
    ASSERT_EQ(*shortest, *least);
  }
}

}  // namespace
}  // namespace maskloom
