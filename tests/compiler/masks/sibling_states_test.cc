// States that count differ in few texts only, and their masks in few tokens only.
#include "compiler/sibling_states.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/categories.h"
#include "compiler/mask_cache.h"
#include "runtime/matcher.h"
#include "tests/suites/definition_case.h"

namespace maskloom::suites {
namespace {

constexpr uint32_t kAnyReach = SiblingStates::kAnyReach;
using Found = std::array<uint32_t, 3>;  // state, code points, runs

// `(a+Xb?){0,count - 1}a+` with `between` for X: states 2i and 2i + 1 are before and in word i, of
// `count`.
TextAutomaton Words(uint32_t count, char between) {
  const auto mark = static_cast<uint8_t>(between);
  std::vector<uint32_t> begins{0}, labels;
  std::vector<TextAutomaton::Edge> edges;
  for (uint32_t word = 0; word < count; ++word) {
    const uint32_t in_word = 2 * word + 1;
    edges.push_back({'a', 'a', in_word});
    begins.push_back(static_cast<uint32_t>(edges.size()));
    labels.push_back(TextAutomaton::kNotAccepting);
    if (word + 1 < count && mark < 'a') edges.push_back({mark, mark, in_word + 1});
    edges.push_back({'a', 'a', in_word});
    if (word + 1 < count && mark > 'a') edges.push_back({mark, mark, in_word + 1});
    begins.push_back(static_cast<uint32_t>(edges.size()));
    labels.push_back(1);
  }
  TextAutomaton words;
  words.edge_begins = std::move(begins);
  words.edges = std::move(edges);
  words.labels = std::move(labels);
  return words;
}

Found Find(SiblingStates* states, const TextAutomaton& automaton, uint32_t state) {
  const SiblingStates::Sibling sibling = states->Find(automaton, state, {40, 6}, {120, 12});
  return {sibling.state, sibling.reach.code_points, sibling.reach.runs};
}

TEST(SiblingStates, StandForOthersAsFarAsTheyAgree) {
  // What stands between the words is of their kind: runs tell nothing.
  const TextAutomaton words = Words(100, 'b');
  SiblingStates states;
  const auto find = [&](uint32_t state) { return Find(&states, words, state); };
  EXPECT_EQ(find(1), (Found{1, kAnyReach, kAnyReach}));
  EXPECT_EQ(find(0), (Found{0, kAnyReach, kAnyReach}));
  EXPECT_EQ(find(3), (Found{1, kAnyReach, 0}));
  // Behind word 69 there are 30 more: the last one cannot be followed by a `b`.
  EXPECT_EQ(find(2 * 69 + 1), (Found{1, 60, 0}));
  EXPECT_EQ(find(2 * 69), (Found{0, 61, 0}));
  EXPECT_EQ(find(2 * 79 + 1), (Found{1, 40, 0}));
  EXPECT_EQ(find(161), (Found{161, kAnyReach, kAnyReach}));
}

TEST(SiblingStates, AgreeOnRunsHoweverLong) {
  const TextAutomaton words = Words(100, '-');
  SiblingStates states;
  const auto find = [&](uint32_t state) { return Find(&states, words, state); };
  EXPECT_EQ(find(1), (Found{1, kAnyReach, kAnyReach}));
  EXPECT_EQ(find(3), (Found{1, 0, 12}));
  // Behind word 95 there are 4 more: `-a-a-a-a` and one `-` more is refused.
  EXPECT_EQ(find(2 * 95 + 1), (Found{1, 0, 7}));
  EXPECT_EQ(find(2 * 96 + 1), (Found{193, kAnyReach, kAnyReach}));
}

// `([a-z]|\x01-\x1F\x80-\x9F)`: a control leads on, and so does the next one.
TEST(SiblingStates, TakeEachControlForARun) {
  std::vector<uint32_t> begins{0}, labels;
  std::vector<TextAutomaton::Edge> edges;
  constexpr uint32_t kStates = 50;
  for (uint32_t state = 0; state < kStates; ++state) {
    if (state + 1 < kStates) edges.push_back({0x01, 0x1F, state + 1});
    edges.push_back({'a', 'z', state});
    if (state + 1 < kStates) edges.push_back({0x80, 0x9F, state + 1});
    begins.push_back(static_cast<uint32_t>(edges.size()));
    labels.push_back(1);
  }
  TextAutomaton controls;
  controls.edge_begins = std::move(begins);
  controls.edges = std::move(edges);
  controls.labels = std::move(labels);
  SiblingStates states;
  EXPECT_EQ(Find(&states, controls, 0), (Found{0, kAnyReach, kAnyReach}));
  EXPECT_EQ(Find(&states, controls, 1), (Found{0, 0, 12}));
  // 8 controls may follow.
  EXPECT_EQ(Find(&states, controls, 41), (Found{0, 0, 7}));
}

TEST(TextParts, HaveNoFewerRunsThanTheTextOfAnySpelling) {
  const auto runs = [](std::string_view text) { return PartsOf(text).runs; };
  EXPECT_EQ(runs(""), 0u);
  EXPECT_EQ(runs("aZ9\xC3\xA9"), 1u);
  EXPECT_EQ(runs("a  b--"), 4u);
  EXPECT_EQ(runs(" \xC2\xA0\xE3\x80\x80"), 2u);  // blanks beyond ASCII
  EXPECT_EQ(runs("\xC2\x85\xC2\x85"), 2u);       // controls
  EXPECT_EQ(runs("a\xC3"), 2u);                  // what is begun may become anything
  // Line end, `n`, line end; backslash, line end; quote, and the end of the string.
  EXPECT_GE(runs("\\nn\\n"), 3u);
  EXPECT_GE(runs("\\\\\\n"), 2u);
  EXPECT_GE(runs("\\\"\""), 2u);
}

// Single bytes, and long tokens that a pattern may refuse where it counts.
std::shared_ptr<const VocabularyIndex> LongTokens() {
  std::vector<Vocabulary::Token> tokens;
  const auto add = [&](std::string text) {
    tokens.push_back({std::move(text), TokenKind::kNormal});
  };
  for (int byte = 0; byte < 256; ++byte) add(std::string(1, static_cast<char>(byte)));
  for (const int count : {30, 41, 45, 60, 90}) {
    for (const char* piece : {"a", " ", "1"}) {
      std::string run;
      for (int i = 0; i < count; ++i) run += piece;
      for (const char* tail : {"", "\"", "\",", "\\n", "\n", "\xC3", "\xC3\xA9", "\xE2\x80\xA8"}) {
        add(run + tail);
        add("b " + run + tail);
        add("\xC3\xA9" + run + tail);
      }
    }
    std::string words, wide, dashes, blanks;
    for (int i = 0; i < count / 2; ++i) words += "a ";
    for (int i = 0; i < count; ++i) wide += "\xC3\xA9";
    for (int i = 0; i < count / 6; ++i) dashes += "a-";
    for (int i = 0; i < count / 6; ++i) blanks += "a\xC2\xA0";
    for (const char* tail : {"", "a", "a\"", "\"", "\\n", "\\nb"}) {
      add(words + tail);
      add(wide + tail);
      add(dashes + tail);
      add(blanks + tail);
      add(words.substr(0, static_cast<size_t>(count) / 5) + tail);
    }
  }
  // Rows so long that what lies outside of the bases stays a list.
  while (tokens.size() < 16000) {
    tokens.push_back({"<" + std::to_string(tokens.size()) + ">", TokenKind::kControl});
  }
  const auto end = static_cast<TokenId>(tokens.size());
  tokens.push_back({"<end>", TokenKind::kControl});
  return VocabularyIndex::Build(*Vocabulary::Create(std::move(tokens), {end}, end + 1));
}

// Compares the masks along `text` with what steps say of each token.
void ExpectExactAlong(const DefinitionCase& one,
                      const std::shared_ptr<const VocabularyIndex>& vocabulary,
                      const std::string& text) {
  const auto grammar = Compile(one, vocabulary);
  ASSERT_TRUE(grammar.ok()) << one.definition;
  Matcher matcher(*grammar);
  std::vector<uint32_t> row(vocabulary->row_words());
  for (size_t at = 0; at < text.size(); ++at) {
    matcher.FillMask(row.data());
    for (TokenId id = 0; id < vocabulary->size(); ++id) {
      if (vocabulary->vocabulary().kind(id) != TokenKind::kNormal) continue;
      ASSERT_EQ((row[id / 32] >> (id % 32) & 1) != 0, matcher.IsAllowed(id))
          << one.definition << " behind " << at << " bytes: " << vocabulary->vocabulary().bytes(id);
    }
    ASSERT_EQ(matcher.AcceptBytes(text.substr(at, 1)), 1u) << one.definition << " at " << at;
  }
}

TEST(SiblingStates, MakeMasksThatDifferInLongTokensAlone) {
  const auto vocabulary = LongTokens();
  std::string words;
  for (int i = 0; i < 40; ++i) words += i % 7 == 3 ? "ab \\n" : "a ";
  const std::string digits(64, '1');
  const std::string text = "[\"" + words + "a\",\"" + words + "\\u00e9\",\"" + digits + "\"]";
  for (const char* pattern :
       {R"("pattern":"^(?:\\S+\\s+){0,79}\\S+$")", R"("pattern":"^(?:\\S+\\s+){0,41}\\S+$")",
        R"("pattern":"^(?:\\S+\\s+){0,79}\\S+$","maxLength":150)",
        R"("pattern":"^[^x]*$","maxLength":130)", R"("pattern":"^[^x]+$","minLength":5)",
        R"("pattern":"^(..)*$|^[^x]*[^y]$","minLength":1,"maxLength":140)",
        R"("pattern":"^(?:[a\\s]+-)*a*$|^(?:[^-]+-){0,20}[^-]+$")",
        R"("pattern":"^[^x]{0,130}$")"}) {
    DefinitionCase one;
    one.name = one.definition =
        std::string(R"({"type":"array","items":{"type":"string",)") + pattern + "}}";
    ExpectExactAlong(one, vocabulary, text);
  }
}

}  // namespace
}  // namespace maskloom::suites
