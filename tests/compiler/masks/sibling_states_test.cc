// States that count differ in long texts only, and their masks in long tokens only.
#include "compiler/sibling_states.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "compiler/mask_cache.h"
#include "runtime/matcher.h"
#include "tests/suites/definition_case.h"

namespace maskloom::suites {
namespace {

constexpr uint32_t kAnyReach = 0xFFFFFFFF;

// `(a+b){0,count - 1}a+`: states 2i and 2i + 1 are before and in word i, of `count`.
TextAutomaton Words(uint32_t count) {
  std::vector<uint32_t> begins{0}, labels;
  std::vector<TextAutomaton::Edge> edges;
  for (uint32_t word = 0; word < count; ++word) {
    const uint32_t in_word = 2 * word + 1;
    edges.push_back({'a', 'a', in_word});
    begins.push_back(static_cast<uint32_t>(edges.size()));
    labels.push_back(TextAutomaton::kNotAccepting);
    edges.push_back({'a', 'a', in_word});
    if (word + 1 < count) edges.push_back({'b', 'b', in_word + 1});
    begins.push_back(static_cast<uint32_t>(edges.size()));
    labels.push_back(1);
  }
  TextAutomaton words;
  words.edge_begins = std::move(begins);
  words.edges = std::move(edges);
  words.labels = std::move(labels);
  return words;
}

TEST(SiblingStates, StandForOthersAsFarAsTheyAgree) {
  const TextAutomaton words = Words(100);
  SiblingStates states;
  const auto find = [&](uint32_t state) {
    const SiblingStates::Sibling sibling = states.Find(words, state, 40, 120);
    return std::pair(sibling.state, sibling.reach);
  };
  EXPECT_EQ(find(1), std::pair(1u, kAnyReach));
  EXPECT_EQ(find(0), std::pair(0u, kAnyReach));
  EXPECT_EQ(find(3), std::pair(1u, kAnyReach));
  // Behind word 69 there are 30 more: the last one cannot be followed by a `b`.
  EXPECT_EQ(find(2 * 69 + 1), std::pair(1u, 60u));
  EXPECT_EQ(find(2 * 69), std::pair(0u, 61u));
  EXPECT_EQ(find(2 * 79 + 1), std::pair(1u, 40u));
  EXPECT_EQ(find(161), std::pair(161u, kAnyReach));
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
    std::string words, wide;
    for (int i = 0; i < count / 2; ++i) words += "a ";
    for (int i = 0; i < count; ++i) wide += "\xC3\xA9";
    for (const char* tail : {"", "a", "a\"", "\"", "\\n", "\\nb"}) {
      add(words + tail);
      add(wide + tail);
    }
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
        R"("pattern":"^[^x]{0,130}$")"}) {
    DefinitionCase one;
    one.name = one.definition =
        std::string(R"({"type":"array","items":{"type":"string",)") + pattern + "}}";
    ExpectExactAlong(one, vocabulary, text);
  }
}

}  // namespace
}  // namespace maskloom::suites
