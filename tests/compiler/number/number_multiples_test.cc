// Divisors, excluded values, spellings and the values behind a prefix, as facts; and large random
// divisors against exact decimal arithmetic.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/number_automaton.h"
#include "grammar/number_conditions.h"

namespace maskloom {
namespace {

Decimal Value(std::string_view text) { return Decimal::Parse(text).value(); }

std::vector<Decimal> Values(const std::vector<std::string_view>& texts) {
  std::vector<Decimal> values;
  for (std::string_view text : texts) values.push_back(Value(text));
  std::sort(values.begin(), values.end());
  return values;
}

std::unique_ptr<NumberAutomaton> Make(const NumberNode& node, uint32_t max_digits = 64) {
  auto automaton = NumberAutomaton::Create(node, max_digits, std::bitset<256>().set());
  EXPECT_TRUE(automaton.ok());
  return std::move(*automaton);
}

NumberNode MultipleOf(const std::vector<std::string_view>& divisors) {
  NumberNode node;
  node.multiples_of = Values(divisors);
  return node;
}

uint32_t Walk(const NumberAutomaton& automaton, std::string_view text) {
  uint32_t state = automaton.start();
  for (char c : text) {
    if (state == NumberAutomaton::kDead) break;
    state = automaton.Step(state, static_cast<uint8_t>(c));
  }
  return state;
}

bool Accepts(const NumberAutomaton& automaton, std::string_view text) {
  const uint32_t state = Walk(automaton, text);
  return state != NumberAutomaton::kDead && automaton.accepting(state);
}

bool IsLive(const NumberAutomaton& automaton, std::string_view text) {
  return Walk(automaton, text) != NumberAutomaton::kDead;
}

void ExpectTexts(const NumberAutomaton& automaton, const std::vector<std::string_view>& accepted,
                 const std::vector<std::string_view>& rejected) {
  for (std::string_view text : accepted) EXPECT_TRUE(Accepts(automaton, text)) << text;
  for (std::string_view text : rejected) EXPECT_FALSE(Accepts(automaton, text)) << text;
}

TEST(NumberMultiples, CountByValueHoweverSpelled) {
  ExpectTexts(*Make(MultipleOf({"10"})), {"10", "1e1", "1e2", "100e-1", "-0", "0.0e7", "12.0e1"},
              {"1", "15", "1e0", "105e-1", "12.5e1"});
  ExpectTexts(*Make(MultipleOf({"0.01"})), {"0.07", "19.99", "1", "7e-2", "0.070", "1e300"},
              {"0.075", "7e-3", "1.001"});
  ExpectTexts(*Make(MultipleOf({"1.5"})), {"4.5", "3", "1.5e1", "15e-1", "-450e-2"},
              {"35", "1", "0.5", "1.5e-1"});
  ExpectTexts(*Make(MultipleOf({"1e-8"})), {"12391239123", "0.00000001", "1e-8"}, {"1e-9"});
  ExpectTexts(*Make(MultipleOf({"123456789.123"})), {"123456789.123", "370370367.369", "0"},
              {"123456789.124", "123456789", "1e308"});
  ExpectTexts(*Make(MultipleOf({"1024"})), {"1024", "1e10", "2048e3", "1e999"}, {"1e9", "512"});
}

TEST(NumberMultiples, OfSeveralDivisorsAreThoseOfTheirLeastCommonMultiple) {
  ExpectTexts(*Make(MultipleOf({"0.4", "0.6"})), {"1.2", "12", "2.4", "-3.6"}, {"0.4", "0.6", "1"});
  NumberNode node = MultipleOf({"0.5", "0.75"});
  node.integer = true;
  ExpectTexts(*Make(node), {"3", "0.6e1"}, {"1.5", "1", "2"});
}

TEST(NumberMultiples, DieWhereNoDigitsCanHelp) {
  auto automaton = Make(MultipleOf({"0.01"}));
  EXPECT_TRUE(IsLive(*automaton, "0.070"));
  EXPECT_TRUE(IsLive(*automaton, "0.075"));     // 0.075e1
  EXPECT_TRUE(IsLive(*automaton, "0.075e00"));  // 0.075e001
  EXPECT_FALSE(IsLive(*automaton, "0.075e000"));
  EXPECT_FALSE(IsLive(*automaton, "0.075e-"));
  NumberNode node = MultipleOf({"7"});
  node.lower = NumberBound{Value("10"), false};
  node.upper = NumberBound{Value("22"), false};
  auto few = Make(node);
  EXPECT_TRUE(Accepts(*few, "14") && Accepts(*few, "21") && Accepts(*few, "1.4e1"));
  EXPECT_FALSE(IsLive(*few, "15"));
  EXPECT_FALSE(IsLive(*few, "2.2"));
  EXPECT_TRUE(IsLive(*few, "2.1"));
  EXPECT_FALSE(IsLive(*few, "3"));
}

TEST(NumberMultiples, ToAvoidAreAvoided) {
  NumberNode node;
  node.no_multiples_of = Values({"1"});
  auto fractions = Make(node);
  ExpectTexts(*fractions, {"0.5", "15e-1", "-1e-999"}, {"0", "1", "1.0", "15e0", "1.5e1", "1e9"});
  EXPECT_TRUE(IsLive(*fractions, "1.0"));
  EXPECT_FALSE(IsLive(*fractions, "1.5e1"));
  node.no_multiples_of = Values({"3", "5"});
  node.integer = true;
  ExpectTexts(*Make(node), {"1", "7e0", "14", "1e0", "1.4e1"}, {"0", "3", "15", "1e1", "0.5"});
}

TEST(NumberMultiples, ExcludedValuesAreExcludedHoweverSpelled) {
  NumberNode node;
  node.none_of = Values({"0", "10", "2.5"});
  ExpectTexts(*Make(node), {"1", "11", "10.01", "25", "1e2", "100e0", "0.1"},
              {"0", "-0.0", "10", "1e1", "10.0", "100e-1", "2.50", "25e-1"});
  node = MultipleOf({"5"});
  node.lower = NumberBound{Value("1"), false};
  node.upper = NumberBound{Value("14"), false};
  node.none_of = Values({"10"});
  auto only_five = Make(node);
  EXPECT_TRUE(Accepts(*only_five, "5") && Accepts(*only_five, "50e-1"));
  EXPECT_FALSE(IsLive(*only_five, "1"));
}

TEST(NumberMultiples, SpellingIsWithOrWithoutFractionAndExponent) {
  NumberNode node;
  node.spelling = NumberNode::Spelling::kPlain;
  ExpectTexts(*Make(node), {"0", "-0", "12", "-100"}, {"1.0", "1e0", "0.5"});
  EXPECT_FALSE(IsLive(*Make(node), "1."));
  EXPECT_FALSE(IsLive(*Make(node), "1e"));
  node.spelling = NumberNode::Spelling::kNotPlain;
  ExpectTexts(*Make(node), {"0.0", "1e0", "-1.5", "12e-1"}, {"0", "12", "-1"});
  EXPECT_EQ(Make(node)->ShortestFrom(Make(node)->start()).size(), 3u);
  node.one_of = Values({"12"});
  ExpectTexts(*Make(node), {"12.0", "12e0", "1.2e1"}, {"12"});
  node.spelling = NumberNode::Spelling::kPlain;
  ExpectTexts(*Make(node), {"12"}, {"12.0", "12e0", "1.2e1"});
}

TEST(NumberMultiples, ThePolicyWidensForWhatNeedsIt) {
  NumberNode node = MultipleOf({"1e-100"});
  node.lower = NumberBound{Value("0"), true};
  node.upper = NumberBound{Value("1e-100"), false};
  EXPECT_TRUE(Accepts(*Make(node), "1e-100"));
  const std::string low = "1." + std::string(70, '0') + "1";
  node = MultipleOf({"0." + std::string(70, '0') + "1"});
  node.lower = NumberBound{Value(low), false};
  node.upper = NumberBound{Value(low), false};
  // Within the policy it has a spelling, so nothing widens.
  EXPECT_TRUE(
      Accepts(*Make(node), "1" + std::string(60, '0') + "." + std::string(10, '0') + "1e-60"));
  EXPECT_TRUE(Accepts(*Make(node, 20), low));
  node = {};
  node.one_of = Values({low});
  EXPECT_TRUE(Accepts(*Make(node), low));
  node = MultipleOf({"7"});
  node.lower = NumberBound{Value("1e2000"), false};
  node.upper = NumberBound{Value("2e2000"), false};
  auto far = Make(node);
  EXPECT_FALSE(far->empty());
  const std::string text = far->ShortestFrom(far->start());
  EXPECT_TRUE(Satisfies(node, Value(text))) << text;
  node = {};
  node.spelling = NumberNode::Spelling::kPlain;
  node.lower = NumberBound{Value("1e100"), false};
  node.upper = NumberBound{Value("1e100"), false};
  EXPECT_TRUE(Accepts(*Make(node), "1" + std::string(100, '0')));
}

TEST(NumberMultiples, ContradictionsAreEmpty) {
  NumberNode node = MultipleOf({"1"});
  node.lower = NumberBound{Value("0"), true};
  node.upper = NumberBound{Value("1"), true};
  EXPECT_TRUE(Make(node)->empty());
  node = MultipleOf({"2"});
  node.no_multiples_of = Values({"1"});
  EXPECT_TRUE(Make(node)->empty());
  EXPECT_TRUE(Make(node, kUnbounded)->empty());
  node = {};
  node.one_of = Values({"1", "2.5"});
  node.no_multiples_of = Values({"0.5"});
  EXPECT_TRUE(Make(node)->empty());
  node = {};
  node.spelling = NumberNode::Spelling::kPlain;
  node.no_multiples_of = Values({"0.01"});
  EXPECT_TRUE(Make(node)->empty());
  EXPECT_TRUE(Make(node, kUnbounded)->empty());
}

TEST(NumberMultiples, RefusesDivisorsOfTooManyDigits) {
  NumberNode node = MultipleOf({std::string(1500, '7'), std::string(1499, '9')});
  auto automaton = NumberAutomaton::Create(node, 64, std::bitset<256>().set());
  ASSERT_FALSE(automaton.ok());
  EXPECT_EQ(automaton.status().code(), StatusCode::kResourceLimit);
}

TEST(NumberValues, AreThoseOfAllSpellingsOnce) {
  NumberNode node;
  node.integer = true;
  node.lower = NumberBound{Value("-1"), false};
  auto automaton = Make(node);
  EXPECT_EQ(automaton->ValuesFrom("-", 2), Values({"-1", "0"}));
  EXPECT_FALSE(automaton->ValuesFrom("-", 1));
  EXPECT_FALSE(automaton->ValuesFrom("", 1000));
  EXPECT_EQ(automaton->ValuesFrom("1.5e1", 100), std::nullopt);
  node.upper = NumberBound{Value("10"), false};
  automaton = Make(node);
  EXPECT_EQ(automaton->ValuesFrom("", 12)->size(), 12u);
  EXPECT_FALSE(automaton->ValuesFrom("", 11));
  EXPECT_EQ(automaton->ValuesFrom("1", 12), Values({"1", "10"}));
  EXPECT_EQ(automaton->ValuesFrom("7", 12), Values({"7"}));
  EXPECT_EQ(automaton->ValuesFrom("1e", 12), Values({"1", "10"}));
  EXPECT_EQ(automaton->ValuesFrom("-0.00", 12), Values({"0", "-1"}));  // -0.001e3
  EXPECT_EQ(automaton->ValuesFrom("11", 12), Values({}));
  node.none_of = Values({"1"});
  EXPECT_EQ(Make(node)->ValuesFrom("1", 12), Values({"10"}));
}

TEST(NumberValues, AreNotBoundToOneSpelling) {
  NumberNode node = MultipleOf({"0.25"});
  node.lower = NumberBound{Value("0"), false};
  node.upper = NumberBound{Value("1"), false};
  EXPECT_EQ(Make(node)->ValuesFrom("", 9), Values({"0", "0.25", "0.5", "0.75", "1"}));
  EXPECT_EQ(Make(node)->ValuesFrom("2", 9), Values({"0.25"}));
  EXPECT_EQ(Make(node)->ValuesFrom("0.7", 9), Values({"0.75"}));
  node.spelling = NumberNode::Spelling::kPlain;
  EXPECT_EQ(Make(node)->ValuesFrom("", 9), Values({"0", "1"}));
}

TEST(NumberMultiples, StatesOfUsualDivisorsAreFew) {
  // Every text of up to three characters from the start and behind a few digits.
  const auto count = [](const NumberNode& node) {
    auto automaton = Make(node);
    for (std::string_view prefix : {"", "1", "-12.", "1234.5", "0.0"}) {
      std::vector<uint32_t> states{Walk(*automaton, prefix)};
      for (int length = 0; length < 3; ++length) {
        std::vector<uint32_t> next_states;
        for (uint32_t state : states) {
          for (char byte : std::string_view("0123456789-+.eE")) {
            const uint32_t next = automaton->Step(state, static_cast<uint8_t>(byte));
            if (next != NumberAutomaton::kDead) next_states.push_back(next);
          }
        }
        std::sort(next_states.begin(), next_states.end());
        next_states.erase(std::unique(next_states.begin(), next_states.end()), next_states.end());
        states = std::move(next_states);
      }
    }
    return automaton->state_count();
  };
  for (std::string_view divisor : {"0.01", "1", "1e-8", "10", "1000"}) {
    EXPECT_LT(count(MultipleOf({divisor})), 90u) << divisor;
  }
  for (std::string_view divisor : {"5", "0.5", "2", "3", "0.25"}) {
    EXPECT_LT(count(MultipleOf({divisor})), 300u) << divisor;
  }
}

// Spells `value` plainly or with an exponent; the number of digits may be long.
std::string Spell(const Decimal& value, std::mt19937* random) {
  if (value.IsZero()) return "0";
  std::string digits = value.digits();
  int64_t point = value.exponent();
  const int64_t written = (*random)() % 2 == 0 ? 0 : static_cast<int64_t>((*random)() % 9) - 4;
  point -= written;
  if (point <= 0) {
    digits.insert(0, static_cast<size_t>(1 - point), '0');
    point = 1;
  }
  if (point > static_cast<int64_t>(digits.size())) digits.resize(static_cast<size_t>(point), '0');
  std::string text = (value.negative() ? "-" : "") + digits.substr(0, static_cast<size_t>(point));
  if (static_cast<size_t>(point) < digits.size()) text += "." + digits.substr(size_t(point));
  if (written != 0) text += "e" + std::to_string(written);
  return text;
}

TEST(NumberMultiples, EveryPrefixOfALargeMultipleIsLiveAndOnlyMultiplesAreAccepted) {
  std::mt19937 random(12);
  const auto digits = [&](int most) {
    std::string text(1 + random() % static_cast<uint32_t>(most), '0');
    for (char& c : text) c = static_cast<char>('0' + random() % 10);
    text[0] = static_cast<char>('1' + random() % 9);
    return text;
  };
  int accepted = 0;
  for (int n = 0; n < 400; ++n) {
    NumberNode node;
    const Decimal divisor =
        Decimal::FromParts(false, digits(30), static_cast<int>(random() % 20) - 5);
    node.multiples_of = {divisor};
    if (random() % 3 == 0) {
      node.no_multiples_of = {
          Decimal::FromParts(false, digits(12), static_cast<int>(random() % 20))};
    }
    if (random() % 3 == 0) node.lower = NumberBound{Value(digits(20)), random() % 2 == 0};
    if (random() % 3 == 0) node.upper = NumberBound{Value("1" + digits(40)), random() % 2 == 0};
    const auto exists = FindValue(node);
    ASSERT_TRUE(exists.ok());
    auto automaton = Make(node);
    ASSERT_EQ(automaton->empty(), !exists->has_value());
    if (automaton->empty()) continue;
    for (int i = 0; i < 6; ++i) {
      const std::string factor = digits(12);
      const Natural product = Natural::FromDigits(divisor.digits()) * Natural::FromDigits(factor);
      const std::string text_digits = product.Digits();
      const int64_t place = divisor.exponent() - static_cast<int64_t>(divisor.digits().size());
      Decimal value = Decimal::FromParts(random() % 4 == 0, text_digits,
                                         place + static_cast<int64_t>(text_digits.size()));
      if (i == 5) value = Value(digits(20));
      const std::string text = Spell(value, &random);
      const bool expected = Satisfies(node, value);
      ASSERT_EQ(Accepts(*automaton, text), expected) << text;
      accepted += expected ? 1 : 0;
    }
    // What a walk through the states says can be ended is ended rightly.
    uint32_t state = automaton->start();
    std::string text;
    for (int steps = static_cast<int>(random() % 30); steps > 0; --steps) {
      const char byte = "0123456789-.e"[random() % 13];
      const uint32_t next = automaton->Step(state, static_cast<uint8_t>(byte));
      if (next == NumberAutomaton::kDead) continue;
      state = next;
      text += byte;
    }
    text += automaton->ShortestFrom(state);
    const auto value = Decimal::Parse(text);
    ASSERT_TRUE(value) << text;
    ASSERT_TRUE(Satisfies(node, *value)) << text << " " << divisor.ToString();
    ASSERT_TRUE(Accepts(*automaton, text)) << text;
  }
  EXPECT_GT(accepted, 600);
}

// The values behind prefixes are told by which powers have any, not by going through powers or
// digits, of which these budgets have billions.
TEST(NumberValues, AreToldAtOnceWhereDigitsAreUnbounded) {
  const auto start = std::chrono::steady_clock::now();
  NumberNode fractions;
  fractions.no_multiples_of = Values({"1"});
  NumberNode cents = MultipleOf({"0.01"});
  NumberNode odd = MultipleOf({"1"});
  odd.no_multiples_of = Values({"2"});
  NumberNode above;
  above.lower = NumberBound{Value("5"), false};
  above.upper = NumberBound{Value("7e400"), false};
  above.no_multiples_of = Values({"3"});
  NumberNode few = MultipleOf({"0.25"});
  few.lower = NumberBound{Value("0"), true};
  few.upper = NumberBound{Value("1"), false};
  few.no_multiples_of = Values({"0.5"});
  for (const uint32_t max_digits : {1000000u, 4000000000u, kUnbounded}) {
    for (const NumberNode& node : {fractions, cents, odd, above}) {
      const auto automaton = Make(node, max_digits);
      for (const char* text : {"", "-", "1", "129", "0.0"}) {
        if (!IsLive(*automaton, text)) continue;
        EXPECT_FALSE(automaton->ValuesFrom(text, 1000)) << text;
        EXPECT_FALSE(automaton->ValuesFrom(text, 0)) << text;
      }
      EXPECT_LE(automaton->ShortestFrom(Walk(*automaton, "1")).size(), 4u);
    }
    const auto automaton = Make(few, max_digits);
    EXPECT_EQ(automaton->ValuesFrom("", 9), Values({"0.25", "0.75"}));
    EXPECT_EQ(automaton->ValuesFrom("7", 9), Values({"0.75"}));
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

TEST(NumberValues, ThatTakeVeryManyDigitsToWriteAreRefused) {
  const auto status_of = [](const NumberNode& node, uint32_t max_digits) {
    return NumberAutomaton::Create(node, max_digits, std::bitset<256>().set()).status().code();
  };
  NumberNode large;
  large.lower = NumberBound{Value("1e99999"), false};
  NumberNode small;
  small.lower = NumberBound{Value("0"), true};
  small.upper = NumberBound{Value("1e-99999"), false};
  NumberNode listed;
  listed.one_of = Values({"2", "1e99999"});
  for (const NumberNode& node : {large, small, listed, MultipleOf({"1e99999"})}) {
    // Exponents of three digits do not reach so far, and a billion digits do.
    EXPECT_EQ(status_of(node, 1000000000), StatusCode::kResourceLimit);
    EXPECT_EQ(status_of(node, kUnbounded), StatusCode::kOk);
    EXPECT_EQ(status_of(node, 15), StatusCode::kOk);
  }
  NumberNode plain = MultipleOf({"1e99999"});
  plain.spelling = NumberNode::Spelling::kPlain;
  EXPECT_EQ(status_of(plain, kUnbounded), StatusCode::kResourceLimit);
  NumberNode wide;  // what bounds allow and nobody has to write
  wide.lower = NumberBound{Value("-1e99999"), false};
  wide.upper = NumberBound{Value("1e99999"), false};
  wide.no_multiples_of = Values({"0.5"});
  EXPECT_EQ(status_of(wide, 1000000000), StatusCode::kOk);
  EXPECT_EQ(status_of(wide, kUnbounded), StatusCode::kOk);
}

}  // namespace
}  // namespace maskloom
