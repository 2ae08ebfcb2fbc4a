// The texts of automata, one at a time: all of them, each once, the last first.
#include "compiler/finite_texts.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace maskloom {
namespace {

using Edge = TextAutomaton::Edge;

TextAutomaton Make(const std::vector<std::vector<Edge>>& edges, std::vector<uint32_t> labels) {
  std::vector<uint32_t> begins{0};
  std::vector<Edge> all;
  for (const std::vector<Edge>& some : edges) {
    all.insert(all.end(), some.begin(), some.end());
    begins.push_back(static_cast<uint32_t>(all.size()));
  }
  TextAutomaton automaton;
  automaton.edge_begins = begins;
  automaton.edges = all;
  automaton.labels = std::move(labels);
  return automaton;
}

std::vector<std::string> AllOf(FiniteTexts* texts) {
  std::vector<std::string> all;
  while (const std::string* text = texts->Next()) all.push_back(*text);
  return all;
}

// a, ab, ac, b-d each before x, and ä.
TextAutomaton Small() {
  return Make(
      {{{'a', 'a', 1}, {'b', 'd', 2}, {0xE4, 0xE4, 3}}, {{'b', 'c', 3}}, {{'x', 'x', 3}}, {}},
      {0, 1, 0, 1});
}

TEST(FiniteTexts, AreToldLastFirst) {
  const TextAutomaton automaton = Small();
  FiniteTexts all(automaton, 0, "");
  EXPECT_EQ(AllOf(&all), (std::vector<std::string>{"\xC3\xA4", "dx", "cx", "bx", "ac", "ab", "a"}));
  EXPECT_EQ(all.Next(), nullptr);
}

TEST(FiniteTexts, BeginWithWhatWasRead) {
  const TextAutomaton automaton = Small();
  FiniteTexts some(automaton, 1, "a");
  EXPECT_EQ(*some.Next(), "ac");
  EXPECT_EQ(*some.Next(), "ab");
  EXPECT_EQ(*some.Next(), "a");
  EXPECT_EQ(some.Next(), nullptr);
  FiniteTexts one(automaton, 3, "ac");
  EXPECT_EQ(*one.Next(), "ac");
  EXPECT_EQ(one.Next(), nullptr);
}

TEST(FiniteTexts, GoOnWithTheCharactersGiven) {
  const TextAutomaton automaton = Small();
  FiniteTexts some(automaton, {{'a', 'a', 1}, {'c', 'd', 2}}, "-");
  EXPECT_EQ(AllOf(&some), (std::vector<std::string>{"-dx", "-cx", "-ac", "-ab", "-a"}));
  FiniteTexts none(automaton, std::vector<Edge>(), "");
  EXPECT_EQ(none.Next(), nullptr);
}

}  // namespace
}  // namespace maskloom
