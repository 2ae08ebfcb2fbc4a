// Number nodes judged and solved by value: examples, and all decimals of few digits as the judge.
#include "grammar/number_conditions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace maskloom {
namespace {

Decimal Value(std::string_view text) { return Decimal::Parse(text).value(); }

std::optional<Decimal> Find(const NumberNode& node) {
  auto value = FindValue(node);
  EXPECT_TRUE(value.ok());
  return *value;
}

NumberNode Between(std::string_view low, std::string_view high) {
  NumberNode node;
  node.lower = NumberBound{Value(low), false};
  node.upper = NumberBound{Value(high), false};
  return node;
}

TEST(NumberConditions, ZeroIsAMultipleOfEverything) {
  NumberNode node;
  node.multiples_of = {Value("3.7")};
  EXPECT_TRUE(Satisfies(node, Value("-0.0")));
  node.multiples_of.clear();
  node.no_multiples_of = {Value("3.7")};
  EXPECT_FALSE(Satisfies(node, Value("-0.0")));
  EXPECT_TRUE(Satisfies(node, Value("3.6")));
}

TEST(NumberConditions, ExcludedValuesAreExcludedHoweverSpelled) {
  NumberNode node;
  node.none_of = {Value("10")};
  for (const char* text : {"10", "1e1", "10.0", "0.1e2"})
    EXPECT_FALSE(Satisfies(node, Value(text)));
  EXPECT_TRUE(Satisfies(node, Value("10.1")));
}

TEST(NumberConditions, FindsValuesThatTakeManyDigits) {
  NumberNode node = Between("1." + std::string(70, '0') + "1", "1." + std::string(70, '0') + "1");
  EXPECT_EQ(Find(node), node.lower->value);
  node.upper->value = Value("1." + std::string(70, '0') + "2");
  node.lower->exclusive = node.upper->exclusive = true;
  ASSERT_TRUE(Find(node));
  EXPECT_TRUE(Satisfies(node, *Find(node)));
  node = Between("1e-90", "1e-80");
  node.multiples_of = {Value("7e-84")};
  ASSERT_TRUE(Find(node));
  EXPECT_TRUE(Satisfies(node, *Find(node)));
  node = Between("1e300", "1e900");
  node.integer = true;
  node.no_multiples_of = {Value("7"), Value("1e299")};
  ASSERT_TRUE(Find(node));
  EXPECT_TRUE(Satisfies(node, *Find(node)));
}

TEST(NumberConditions, KnowsContradictions) {
  NumberNode node = Between("0", "1");
  node.lower->exclusive = node.upper->exclusive = true;
  node.multiples_of = {Value("1")};
  EXPECT_FALSE(Find(node));
  node = {};
  node.multiples_of = {Value("2")};
  node.no_multiples_of = {Value("1")};
  EXPECT_FALSE(Find(node));
  node = Between("1", "3");
  node.integer = true;
  node.none_of = {Value("1"), Value("2"), Value("3")};
  EXPECT_FALSE(Find(node));
  node = Between("2", "1e1000000");
  node.upper->value = Value("1");
  EXPECT_FALSE(Find(node));
}

TEST(NumberConditions, RefusesWhatTakesTooManyDigits) {
  NumberNode node;
  node.integer = true;
  node.lower = NumberBound{Value("1e100000"), false};
  node.no_multiples_of = {Value("2")};
  auto value = FindValue(node);
  ASSERT_FALSE(value.ok());
  EXPECT_EQ(value.status().code(), StatusCode::kResourceLimit);
}

// All multiples of 0.01 in [-3, 3] and nodes on that grid.
TEST(NumberConditions, AgreesWithEnumerationOnAGrid) {
  std::mt19937 random(6);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<uint32_t>(n)); };
  const auto cents = [](int n) { return Value(std::to_string(n) + "e-2"); };
  int empty = 0;
  for (int i = 0; i < 3000; ++i) {
    const int low = below(600) - 300;
    NumberNode node;
    node.lower = NumberBound{cents(low), below(2) == 0};
    node.upper = NumberBound{cents(std::min(300, low + below(30))), below(2) == 0};
    node.integer = below(8) == 0;
    if (below(6) == 0) node.spelling = NumberNode::Spelling::kPlain;
    const auto divisors = [&](int most) {
      std::vector<Decimal> list;
      for (int count = below(most + 1); count > 0; --count) list.push_back(cents(1 + below(40)));
      std::sort(list.begin(), list.end());
      list.erase(std::unique(list.begin(), list.end()), list.end());
      return list;
    };
    node.multiples_of = divisors(2);
    if (node.multiples_of.empty()) node.multiples_of = {Value("0.01")};
    node.no_multiples_of = divisors(3);
    for (int n = low; n < low + 30; ++n) {
      if (below(3) == 0) node.none_of.push_back(cents(n));
    }
    std::sort(node.none_of.begin(), node.none_of.end());
    bool expected = false;
    for (int n = -300; n <= 300; ++n) expected = expected || Satisfies(node, cents(n));
    const std::optional<Decimal> found = Find(node);
    ASSERT_EQ(found.has_value(), expected) << i;
    if (found) {
      ASSERT_TRUE(Satisfies(node, *found)) << i;
    }
    empty += expected ? 0 : 1;
  }
  EXPECT_GT(empty, 300);
  EXPECT_LT(empty, 2700);
}

}  // namespace
}  // namespace maskloom
