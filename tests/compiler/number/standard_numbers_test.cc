// Automata that begin with the states of a model read what those read that do not.
#include "compiler/standard_numbers.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace maskloom {
namespace {

constexpr std::string_view kBytes = "0123456789-+.eE";
constexpr uint32_t kDigits = 64;

std::bitset<256> AllBytes() { return std::bitset<256>().set(); }

NumberNode Number(bool integer) {
  NumberNode node;
  node.integer = integer;
  return node;
}

NumberNode From(std::string_view lower, NumberNode node) {
  node.lower = NumberBound{*Decimal::Parse(lower), false};
  return node;
}

NumberNode PlainInteger() {
  NumberNode node;
  node.spelling = NumberNode::Spelling::kPlain;
  return node;
}

// Those that have models.
std::vector<NumberNode> StandardNodes() {
  std::vector<NumberNode> nodes = {Number(false), Number(true), PlainInteger()};
  for (size_t i = 0; i < 3; ++i) {
    nodes.push_back(From("0", nodes[i]));
    nodes.push_back(From("1", nodes[i]));
  }
  return nodes;
}

std::unique_ptr<NumberAutomaton> Made(Result<std::unique_ptr<NumberAutomaton>> made) {
  EXPECT_TRUE(made.ok());
  return std::move(*made);
}

// Texts along which `automaton` stays alive, up to 90 bytes long.
std::vector<std::string> LiveTexts(const NumberAutomaton& automaton, size_t count) {
  std::mt19937 random(5);
  std::vector<std::string> texts;
  for (size_t i = 0; i < count; ++i) {
    std::string text;
    uint32_t state = automaton.start();
    const size_t length = random() % 90;
    for (int tries = 0; text.size() < length && tries < 400; ++tries) {
      // Mostly digits, zeros among them, as in the texts that need many states.
      const char byte = random() % 8 < 3 ? '0' : kBytes[random() % kBytes.size()];
      const uint32_t next = automaton.Step(state, static_cast<uint8_t>(byte));
      if (next == NumberAutomaton::kDead) continue;
      state = next;
      text += byte;
    }
    texts.push_back(text);
  }
  return texts;
}

TEST(StandardNumbers, ReadWhatOthersRead) {
  const StandardNumbers numbers(AllBytes());
  for (const NumberNode& node : StandardNodes()) {
    const auto standard = Made(numbers.Make(node, kDigits));
    const auto plain = Made(NumberAutomaton::Create(node, kDigits, AllBytes()));
    EXPECT_GT(standard->state_count(), 60u);
    for (const std::string& text : LiveTexts(*plain, 100)) {
      uint32_t state = standard->start(), judge = plain->start();
      for (const char c : text) {
        ASSERT_EQ(standard->accepting(state), plain->accepting(judge)) << text;
        ASSERT_EQ(standard->DigitsLeft(state), plain->DigitsLeft(judge)) << text;
        for (const char other : kBytes) {
          const auto byte = static_cast<uint8_t>(other);
          ASSERT_EQ(standard->Step(state, byte) == NumberAutomaton::kDead,
                    plain->Step(judge, byte) == NumberAutomaton::kDead)
              << text << " before " << other;
        }
        state = standard->Step(state, static_cast<uint8_t>(c));
        judge = plain->Step(judge, static_cast<uint8_t>(c));
      }
    }
  }
}

TEST(StandardNumbers, MakeFewStatesOfTheirOwn) {
  const StandardNumbers numbers(AllBytes());
  for (const NumberNode& node : StandardNodes()) {
    const auto standard = Made(numbers.Make(node, kDigits));
    const bool is_plain = node.spelling == NumberNode::Spelling::kPlain;
    uint32_t state = standard->start();
    for (const char c : std::string_view(is_plain ? "12050" : "12.50e1")) {
      state = standard->Step(state, static_cast<uint8_t>(c));
    }
    EXPECT_NE(state, NumberAutomaton::kDead);
    EXPECT_TRUE(standard->Origins().empty());
  }
  // Others have no model.
  for (NumberNode node : {From("2", Number(true)), From("0.1", Number(false)),
                          From("0", Number(true)), PlainInteger()}) {
    if (node.lower && node.lower->value == Decimal()) node.lower->exclusive = true;
    if (!node.lower) node.multiples_of.push_back(*Decimal::Parse("5"));
    EXPECT_EQ(Made(numbers.Make(node, kDigits))->state_count(), 1u);
  }
  const auto other_policy = Made(numbers.Make(Number(true), kDigits - 1));
  EXPECT_EQ(other_policy->state_count(), 1u);
}

TEST(StandardNumbers, GiveStatesTheSameNumbersEverywhere) {
  const auto first = Made(StandardNumbers(AllBytes()).Make(Number(true), kDigits));
  for (const std::string& text : LiveTexts(*first, 50)) {
    uint32_t state = first->start();
    for (const char c : text) state = first->Step(state, static_cast<uint8_t>(c));
  }
  EXPECT_FALSE(first->Origins().empty());
  const StandardNumbers numbers(AllBytes());
  const auto unrelated = Made(numbers.Make(Number(true), kDigits));
  LiveTexts(*unrelated, 5);  // makes states, which are its own
  const auto second = Made(numbers.Make(Number(true), kDigits));
  second->Retrace(first->Origins());
  EXPECT_EQ(second->state_count(), first->state_count());
  for (const std::string& text : LiveTexts(*first, 50)) {
    uint32_t state = first->start(), other = second->start();
    for (const char c : text) {
      state = first->Step(state, static_cast<uint8_t>(c));
      other = second->Step(other, static_cast<uint8_t>(c));
      ASSERT_EQ(state, other) << text;
    }
  }
}

TEST(StandardNumbers, ObeyAVocabularyThatLacksBytes) {
  std::bitset<256> few;
  for (const char c : std::string_view("0123456789.")) few.set(static_cast<uint8_t>(c));
  const StandardNumbers numbers(few);
  const auto standard = Made(numbers.Make(Number(true), kDigits));
  const auto plain = Made(NumberAutomaton::Create(Number(true), kDigits, few));
  for (const std::string& text : LiveTexts(*plain, 50)) {
    uint32_t state = standard->start(), judge = plain->start();
    for (const char c : text) {
      state = standard->Step(state, static_cast<uint8_t>(c));
      judge = plain->Step(judge, static_cast<uint8_t>(c));
      ASSERT_NE(state, NumberAutomaton::kDead) << text;
      ASSERT_EQ(standard->accepting(state), plain->accepting(judge)) << text;
    }
  }
  const StandardNumbers none{std::bitset<256>()};
  EXPECT_TRUE(Made(none.Make(Number(false), kDigits))->empty());
}

}  // namespace
}  // namespace maskloom
