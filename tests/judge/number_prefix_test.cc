// The number search against every text that a few bytes can spell.
#include "tests/judge/number_prefix.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "tests/judge/consistency.h"

namespace maskloom::judge {
namespace {

// All whole numbers that `bytes` and the digit limits can spell, by growing every prefix.
std::vector<std::string> AllNumbers(const std::string& bytes, const NumberStyle& style) {
  std::vector<std::string> whole;
  std::vector<std::string> open = {""};
  while (!open.empty()) {
    std::string text = open.back();
    open.pop_back();
    NumberText parts = NumberText::Read(text, style);
    if (!parts.valid) continue;
    if (parts.Complete()) whole.push_back(text);
    for (char c : bytes) open.push_back(text + c);
  }
  return whole;
}

NumberRule::Bound Bound(const std::string& text, bool exclusive) {
  return {ExactDecimal::FromText(text), exclusive};
}

void CheckRule(const NumberRule& rule, const NumberStyle& style,
               const std::vector<std::string>& numbers, const std::string& name) {
  std::set<std::string> live;
  std::set<std::string> prefixes;
  for (const std::string& text : numbers) {
    bool good = rule.Admits(ExactDecimal::FromText(text));
    for (size_t i = 0; i <= text.size(); ++i) {
      prefixes.insert(text.substr(0, i));
      if (good) live.insert(text.substr(0, i));
    }
  }
  for (const std::string& prefix : prefixes) {
    ASSERT_EQ(NumberLive(prefix, rule, style), live.count(prefix) > 0) << name << ": " << prefix;
  }
}

TEST(ExactDecimal, ComparesByValueWhateverTheSpelling) {
  auto compare = [](const char* a, const char* b) {
    return ExactDecimal::FromText(a).Compare(ExactDecimal::FromText(b));
  };
  EXPECT_EQ(compare("10", "1e1"), 0);
  EXPECT_EQ(compare("-0", "0.0e9"), 0);
  EXPECT_EQ(compare("0.30", "3e-1"), 0);
  EXPECT_LT(compare("-2", "-1.5"), 0);
  EXPECT_GT(compare("100", "99.99999"), 0);
  EXPECT_GT(compare("9007199254740993", "9007199254740992"), 0);
  EXPECT_TRUE(ExactDecimal::FromText("12.50e1").IsInteger());
  EXPECT_FALSE(ExactDecimal::FromText("1.25e1").IsInteger());
}

TEST(NumberLive, AgreesWithEnumerationOnRandomRules) {
  std::mt19937 random(7);
  for (const std::string& bytes : {std::string("01-.e"), std::string("05."), std::string("19-e")}) {
    NumberStyle style{2, BytesOf(bytes)};
    std::vector<std::string> numbers = AllNumbers(bytes, style);
    const std::vector<std::string> bounds = {"0",   "1",     "-1",   "5",     "10",   "0.5", "60",
                                             "100", "0.011", "1e3",  "-0.05", "11.1", "9.9", "1e99",
                                             "55",  "-99",   "1e-9", "1e500", "0.1"};
    for (int round = 0; round < 60; ++round) {
      NumberRule rule;
      std::string name = bytes;
      auto pick = [&]() { return bounds[random() % bounds.size()]; };
      if (random() % 3 == 0) rule.integer = true, name += " integer";
      if (random() % 5 == 0) {
        rule.one_of = {ExactDecimal::FromText(pick()), ExactDecimal::FromText(pick())};
        name += " one_of";
      }
      if (random() % 2 == 0) {
        std::string at = pick();
        rule.JoinLower(Bound(at, random() % 2 == 0));
        name += " lower " + at;
      }
      if (random() % 2 == 0) {
        std::string at = pick();
        rule.JoinUpper(Bound(at, random() % 2 == 0));
        name += " upper " + at;
      }
      CheckRule(rule, style, numbers, name);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(NumberLive, KnowsLeadingDigitsThatCannotReachTheBounds) {
  NumberStyle style;
  style.spellable.set();
  NumberRule rule;
  rule.JoinLower(Bound("60", false));
  rule.JoinUpper(Bound("70", false));
  EXPECT_FALSE(NumberLive("5", rule, style));
  EXPECT_TRUE(NumberLive("6", rule, style));
  EXPECT_TRUE(NumberLive("0.0065", rule, style));
  EXPECT_FALSE(NumberLive("0.0071", rule, style));
  EXPECT_TRUE(NumberLive("7", rule, style));
  EXPECT_FALSE(NumberLive("71", rule, style));
  EXPECT_FALSE(NumberLive("-", rule, style));
  style.max_digits = 0;
  EXPECT_FALSE(NumberLive("5", rule, style));
  EXPECT_TRUE(NumberLive("0.000000", rule, style));
}

}  // namespace
}  // namespace maskloom::judge
