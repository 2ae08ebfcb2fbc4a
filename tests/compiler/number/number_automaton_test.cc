// States, policies and threads of the number automaton; number_brute_force_test.cc has the judge.
#include "compiler/number_automaton.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace maskloom {
namespace {

constexpr std::string_view kBytes = "0123456789-+.eE";

std::bitset<256> AllBytes() { return std::bitset<256>().set(); }

Decimal Value(std::string_view text) { return *Decimal::Parse(text); }

std::unique_ptr<NumberAutomaton> Make(const NumberNode& node, uint32_t max_digits = 64,
                                      const std::bitset<256>& spellable = AllBytes()) {
  auto automaton = NumberAutomaton::Create(node, max_digits, spellable);
  EXPECT_TRUE(automaton.ok());
  return std::move(*automaton);
}

NumberNode Between(std::string_view lower, std::string_view upper) {
  NumberNode node;
  node.lower = NumberBound{Value(lower), false};
  node.upper = NumberBound{Value(upper), false};
  return node;
}

NumberNode OneOf(const std::vector<std::string_view>& values) {
  NumberNode node;
  node.one_of.emplace();
  for (std::string_view value : values) node.one_of->push_back(Value(value));
  std::sort(node.one_of->begin(), node.one_of->end());
  return node;
}

NumberNode Integer() {
  NumberNode node;
  node.integer = true;
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
  uint32_t state = Walk(automaton, text);
  return state != NumberAutomaton::kDead && automaton.accepting(state);
}

bool IsLive(const NumberAutomaton& automaton, std::string_view text) {
  return Walk(automaton, text) != NumberAutomaton::kDead;
}

// Makes every state, or stops at `limit`.
uint32_t CountStates(const NumberAutomaton& automaton, uint32_t limit) {
  std::set<uint32_t> seen{automaton.start()};
  std::deque<uint32_t> open{automaton.start()};
  while (!open.empty() && seen.size() < limit) {
    uint32_t state = open.front();
    open.pop_front();
    for (char byte : kBytes) {
      uint32_t next = automaton.Step(state, static_cast<uint8_t>(byte));
      if (next != NumberAutomaton::kDead && seen.insert(next).second) open.push_back(next);
    }
  }
  return static_cast<uint32_t>(seen.size());
}

TEST(NumberAutomaton, AcceptsRfc8259NumbersOnly) {
  auto automaton = Make({}, kUnbounded);
  for (const char* text : {"0", "-0", "10", "-1.50", "1e5", "1E+5", "1e-05", "0.0e0", "0e999999"}) {
    EXPECT_TRUE(Accepts(*automaton, text)) << text;
  }
  for (const char* text : {"", "-", "+1", "01", "-01", "1.", ".5", "1e", "1e+", "1.e1", "1e1.5",
                           "0x1", "1 ", "--1", "NaN"}) {
    EXPECT_FALSE(Accepts(*automaton, text)) << text;
  }
}

TEST(NumberAutomaton, PlainNumberOfAnyLengthHasNineStates) {
  EXPECT_EQ(CountStates(*Make({}, kUnbounded), 1000), 9u);
}

TEST(NumberAutomaton, PlainNumberCountsDigitsOnly) {
  // Start, minus, zero, point; 64 + 64 digits; e, its sign, three digits.
  EXPECT_EQ(CountStates(*Make({}, 64), 10000), 4u + 128u + 5u);
}

TEST(NumberAutomaton, PlainIntegerHasFewStates) {
  uint32_t few = CountStates(*Make(Integer(), 4), 100000);
  EXPECT_LT(few, 150u);
  EXPECT_LT(CountStates(*Make(Integer(), 64), 100000), 12000u);
}

TEST(NumberAutomaton, DigitsBeyondThePrecisionOfABoundShareStates) {
  auto automaton = Make(Between("-100", "100"), 16);
  EXPECT_EQ(Walk(*automaton, "3.25"), Walk(*automaton, "4.99"));
  EXPECT_EQ(Walk(*automaton, "23"), Walk(*automaton, "87"));
  EXPECT_NE(Walk(*automaton, "1"), Walk(*automaton, "2"));  // 1e2 is in, 2e2 is not
}

TEST(NumberAutomaton, IntegersMayBeSpelledWithFractionAndExponent) {
  auto automaton = Make(Integer());
  for (const char* text : {"1.0", "1.5e1", "100e-2", "-0.0", "0e-7", "1.50e1", "12.0e0"}) {
    EXPECT_TRUE(Accepts(*automaton, text)) << text;
  }
  for (const char* text : {"1.5", "1e-1", "10e-2", "1.25e1"}) {
    EXPECT_FALSE(Accepts(*automaton, text)) << text;
  }
  EXPECT_TRUE(IsLive(*automaton, "1.5"));
  EXPECT_FALSE(IsLive(*automaton, "1.5e-"));
  EXPECT_TRUE(IsLive(*automaton, "1.5e0"));
  EXPECT_FALSE(IsLive(*automaton, "1.5e000"));
}

TEST(NumberAutomaton, BoundsAreExactFarBeyondDoublePrecision) {
  NumberNode node = Between("0.1000000000000000000000001", "0.1000000000000000000000003");
  auto automaton = Make(node);
  EXPECT_TRUE(Accepts(*automaton, "0.1000000000000000000000002"));
  EXPECT_TRUE(Accepts(*automaton, "1000000000000000000000002e-25"));
  EXPECT_FALSE(Accepts(*automaton, "0.1"));
  EXPECT_FALSE(IsLive(*automaton, "0.10000000000000000000000000"));
}

TEST(NumberAutomaton, MinusZeroIsZero) {
  EXPECT_TRUE(Accepts(*Make(Between("0", "5")), "-0.00e12"));
  EXPECT_FALSE(IsLive(*Make(Between("1", "5")), "-"));
  EXPECT_FALSE(IsLive(*Make(Between("0", "5")), "-1"));
}

TEST(NumberAutomaton, ExactValuesAreComparedByValue) {
  auto automaton = Make(OneOf({"-1.5", "0", "10", "1000"}));
  for (const char* text : {"10", "1e1", "10.0", "0.1e2", "1000e-2", "1e3", "-15e-1", "-0"}) {
    EXPECT_TRUE(Accepts(*automaton, text)) << text;
  }
  for (const char* text : {"1", "100", "1.5", "10.1"}) {
    EXPECT_FALSE(Accepts(*automaton, text)) << text;
  }
  EXPECT_FALSE(IsLive(*automaton, "2"));
  EXPECT_FALSE(IsLive(*automaton, "101"));
}

TEST(NumberAutomaton, ExactValuesOutsideTheBoundsAreDropped) {
  NumberNode node = OneOf({"1", "2.5", "7"});
  node.integer = true;
  node.upper = NumberBound{Value("7"), true};
  auto automaton = Make(node);
  EXPECT_TRUE(Accepts(*automaton, "1"));
  EXPECT_FALSE(Accepts(*automaton, "2.5"));
  EXPECT_FALSE(Accepts(*automaton, "7"));
}

TEST(NumberAutomaton, PolicyWidensForValuesThatNeedIt) {
  auto automaton = Make(OneOf({"3.14159265358979", "1e5000", "7"}), 2);
  EXPECT_TRUE(Accepts(*automaton, "3.14159265358979"));
  EXPECT_TRUE(Accepts(*automaton, "1e5000"));
  EXPECT_TRUE(Accepts(*automaton, "7.0"));
}

TEST(NumberAutomaton, PolicyWidensForBoundsThatNeedIt) {
  EXPECT_TRUE(Accepts(*Make(Between("3.14159", "3.14159"), 2), "3.14159"));
  NumberNode tiny;
  tiny.lower = NumberBound{Value("0"), true};
  tiny.upper = NumberBound{Value("1e-2000"), true};
  EXPECT_TRUE(Accepts(*Make(tiny), "1e-2001"));
  EXPECT_TRUE(Accepts(*Make(Between("1e2000", "2e2000")), "1.5e2000"));
}

TEST(NumberAutomaton, UnsatisfiableNodesAreEmpty) {
  EXPECT_TRUE(Make(Between("2", "1"))->empty());
  EXPECT_TRUE(Make(OneOf({}))->empty());
  NumberNode none = Between("1", "2");
  none.integer = none.lower->exclusive = none.upper->exclusive = true;
  EXPECT_TRUE(Make(none)->empty());
  EXPECT_FALSE(Make(Between("1", "1"))->empty());
}

TEST(NumberAutomaton, CompletionsUseSpellableBytesOnly) {
  std::bitset<256> spellable;
  for (char c : std::string_view("1e")) spellable.set(static_cast<uint8_t>(c));
  auto automaton = Make(Between("10", "20"), 8, spellable);
  EXPECT_TRUE(Accepts(*automaton, "11"));
  EXPECT_TRUE(IsLive(*automaton, "2"));   // 2e1, though the 2 cannot be spelled
  EXPECT_FALSE(IsLive(*automaton, "3"));  // no exponent 0, no digits to come below
  EXPECT_TRUE(Make(Between("2", "9"), 8, spellable)->empty());
}

TEST(NumberAutomaton, LongNumbersStayLiveWhereDigitsAreUnbounded) {
  auto automaton = Make(Between("0", "1"), kUnbounded);
  std::string zeros(500, '0');
  EXPECT_TRUE(Accepts(*automaton, "1" + zeros + "e-500"));
  EXPECT_FALSE(Accepts(*automaton, "1" + zeros + "e-499"));
  EXPECT_TRUE(Accepts(*automaton, "0." + zeros + "1"));
  EXPECT_TRUE(Accepts(*automaton, "0." + zeros + "1e501"));
  EXPECT_FALSE(Accepts(*automaton, "0." + zeros + "1e502"));
}

TEST(NumberAutomaton, ShortestCompletionIsShort) {
  auto automaton = Make(Between("1e60", "2e60"));
  EXPECT_EQ(automaton->ShortestFrom(automaton->start()).size(), 4u);
  EXPECT_EQ(automaton->ShortestFrom(Walk(*automaton, "1e60")), "");
  EXPECT_EQ(automaton->ShortestFrom(Walk(*automaton, "1e6")), "0");
}

TEST(NumberAutomaton, RefusesBoundsOfTooManyDigits) {
  NumberNode node = Between("1", std::string(3000, '1'));
  auto automaton = NumberAutomaton::Create(node, 64, AllBytes());
  ASSERT_FALSE(automaton.ok());
  EXPECT_EQ(automaton.status().code(), StatusCode::kResourceLimit);
}

TEST(NumberAutomaton, ThreadsAgreeOnStates) {
  NumberNode node = Between("-123.456", "98765.4321");
  node.integer = true;
  auto automaton = Make(node, 16);
  std::vector<std::vector<uint32_t>> walks(4);
  std::vector<std::thread> threads;
  for (size_t t = 0; t < walks.size(); ++t) {
    threads.emplace_back([&, t] {
      std::mt19937 random(7);
      for (int i = 0; i < 2000; ++i) {
        uint32_t state = automaton->start();
        for (int step = 0; step < 12; ++step) {
          uint32_t next = automaton->Step(state, static_cast<uint8_t>(kBytes[random() % 15]));
          if (next != NumberAutomaton::kDead) state = next;
        }
        walks[t].push_back(state);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& walk : walks) EXPECT_EQ(walk, walks[0]);
}

}  // namespace
}  // namespace maskloom
