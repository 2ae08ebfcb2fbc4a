// Sets of characters: the tokens that have others, and automata that count them.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "compiler/code_point_index.h"
#include "compiler/counted_loop.h"

namespace maskloom {
namespace {

Vocabulary VocabularyOf(const std::vector<std::string>& texts) {
  std::vector<Vocabulary::Token> tokens;
  for (const std::string& text : texts) tokens.push_back({text, TokenKind::kNormal});
  const auto end = static_cast<TokenId>(tokens.size());
  tokens.push_back({"<end>", TokenKind::kControl});
  return *Vocabulary::Create(std::move(tokens), {end}, end + 1);
}

// Which of `texts` are in `row`.
std::vector<std::string> Chosen(const std::vector<std::string>& texts, uint32_t row) {
  std::vector<std::string> chosen;
  for (size_t id = 0; id < texts.size(); ++id) {
    if ((row >> id & 1) != 0) chosen.push_back(texts[id]);
  }
  return chosen;
}

// Which of `texts` are left where only `kept` may stand beyond ASCII.
std::vector<std::string> Kept(const std::vector<std::string>& texts,
                              const std::vector<CodePointRange>& kept,
                              const std::bitset<256>& spellable) {
  const CodePointIndex index(VocabularyOf(texts));
  uint32_t row = 0xFFFFFFFF;
  index.KeepOnly(kept, Spelling(TextCoding::kUtf8, spellable), &row);
  return Chosen(texts, row);
}

// Which of `texts` are left where of `later` only `first` may come first.
std::vector<std::string> KeptFirst(const std::vector<std::string>& texts,
                                   const std::vector<CodePointRange>& later,
                                   const std::vector<CodePointRange>& first,
                                   const std::bitset<256>& spellable) {
  uint32_t row = 0xFFFFFFFF;
  RemoveBeginnings(TokenTrie::OfVocabulary(VocabularyOf(texts)), later, first,
                   Spelling(TextCoding::kUtf8, spellable), &row);
  return Chosen(texts, row);
}

TEST(CodePointIndex, KeepsTokensOfASetAlone) {
  const std::string a = "\u00e9", b = "\u03b1", c = "\u4e2d", d = "\U0001F600";
  const std::vector<std::string> texts = {"x", a, "x" + b, a + b + a, b + c, c + "x", d};
  std::bitset<256> all;
  all.set();
  using Texts = std::vector<std::string>;
  EXPECT_EQ(Kept(texts, {}, all), Texts{"x"});
  EXPECT_EQ(Kept(texts, {{0xE9, 0xE9}}, all), (Texts{"x", a}));
  EXPECT_EQ(Kept(texts, {{0x80, 0x3B0}, {0x3B1, 0x3B1}}, all), (Texts{"x", a, "x" + b, a + b + a}));
  EXPECT_EQ(Kept(texts, {{0x61, 0x10FFFF}}, all), texts);
}

TEST(CodePointIndex, KeepsTokensThatEndInsideOfWhatCanBecomeOne) {
  const std::vector<std::string> texts = {"\xC3", "x\xCE", "\xE4\xB8", "\xE4", "\xF0\x9F"};
  std::bitset<256> all;
  all.set();
  using Texts = std::vector<std::string>;
  EXPECT_EQ(Kept(texts, {}, all), Texts());
  EXPECT_EQ(Kept(texts, {{0xE9, 0xE9}}, all), Texts{"\xC3"});
  EXPECT_EQ(Kept(texts, {{0x4E2D, 0x4E2D}}, all), (Texts{"\xE4\xB8", "\xE4"}));
  EXPECT_EQ(Kept(texts, {{0x4FFF, 0x4FFF}}, all), Texts{"\xE4"});
  // With bytes that are there.
  std::bitset<256> few;
  for (const int byte : {0xC3, 0xA9, 0xE4, 0xB8, 0xAD}) few.set(byte);
  EXPECT_EQ(Kept(texts, {{0xE9, 0xE9}}, few), Texts{"\xC3"});
  EXPECT_EQ(Kept(texts, {{0xEA, 0xEA}}, few), Texts());
}

TEST(CodePointIndex, RemovesTokensThatBeginAsNoneMay) {
  const std::string acute = "\u0301", grave = "\u0300", greek = "\u03b1";
  const std::vector<std::string> texts = {"-",         "-a",        "a-",   acute,
                                          acute + "x", "a" + acute, grave,  greek + acute,
                                          "\xCC",      "\xCE",      "\xE2", "a\xCC"};
  std::bitset<256> all;
  all.set();
  using Texts = std::vector<std::string>;
  EXPECT_EQ(KeptFirst(texts, {{'a', 'z'}}, {{'a', 'z'}}, all), texts);
  EXPECT_EQ(
      KeptFirst(texts, {{'-', '-'}, {'a', 'z'}, {0x300, 0x3C9}}, {{'a', 'z'}, {0x3B1, 0x3C9}}, all),
      (Texts{"a-", "a" + acute, greek + acute, "\xCE", "\xE2", "a\xCC"}));
  EXPECT_EQ(KeptFirst(texts, {{'a', 'z'}, {0x300, 0x3C9}},
                      {{'b', 'y'}, {0x300, 0x300}, {0x302, 0x3C9}}, all),
            (Texts{"-", "-a", grave, greek + acute, "\xCC", "\xCE", "\xE2"}));
  // With bytes that are there.
  std::bitset<256> few;
  for (const int byte : {0xCC, 0x81, 0xCE, 0xB1}) few.set(byte);
  EXPECT_EQ(KeptFirst({"\xCC", "\xCE"}, {{0x300, 0x3C9}}, {{0x300, 0x300}, {0x3A0, 0x3C9}}, few),
            Texts{"\xCE"});
}

// An automaton of a chain of states in which each but the last leads to the next by `set`; the last
// leads to `back`, if that is a state.
TextAutomaton Chain(const std::vector<CodePointRange>& set, const std::vector<uint32_t>& labels,
                    uint32_t back = TextAutomaton::kDead) {
  TextAutomaton automaton;
  std::vector<uint32_t> begins{0};
  std::vector<TextAutomaton::Edge> edges;
  for (uint32_t state = 0; state < labels.size(); ++state) {
    const uint32_t target = state + 1 < labels.size() ? state + 1 : back;
    for (const CodePointRange& range : set) {
      if (target != TextAutomaton::kDead) edges.push_back({range.first, range.last, target});
    }
    begins.push_back(static_cast<uint32_t>(edges.size()));
  }
  automaton.edge_begins = std::move(begins);
  automaton.edges = std::move(edges);
  automaton.labels = labels;
  return automaton;
}

TEST(CountedLoop, IsWhatAChainIs) {
  const std::vector<CodePointRange> set = {{'a', 'f'}, {'x', 'z'}};
  const auto counted = AsCountedLoop(Chain(set, {0, 0, 1, 1}));
  ASSERT_TRUE(counted);
  EXPECT_EQ(counted->min, 2u);
  EXPECT_EQ(counted->max, 3u);
  EXPECT_EQ(*counted->loop, Chain(set, {1}, 0));
  EXPECT_EQ(AsCountedLoop(Chain(set, {1, 1}))->min, 0u);
  const auto endless = AsCountedLoop(Chain(set, {0, 1, 1}, 2));
  ASSERT_TRUE(endless);
  EXPECT_EQ(endless->min, 1u);
  EXPECT_EQ(endless->max, std::nullopt);
}

TEST(CountedLoop, IsNothingElse) {
  const std::vector<CodePointRange> set = {{'a', 'f'}};
  EXPECT_FALSE(AsCountedLoop(Chain(set, {1}, 0)));
  EXPECT_FALSE(AsCountedLoop(Chain(set, {0, 1, 0, 1})));
  EXPECT_FALSE(AsCountedLoop(Chain(set, {0, 2})));
  // Cycles of several states.
  EXPECT_FALSE(AsCountedLoop(Chain(set, {1, 1, 1}, 0)));
  EXPECT_FALSE(AsCountedLoop(Chain(set, {0, 1, 1}, 1)));
  // Another set, or another state behind a part of it.
  TextAutomaton other = Chain(set, {0, 1, 1});
  std::vector<TextAutomaton::Edge> edges(other.edges.begin(), other.edges.end());
  edges[1].last = 'g';
  other.edges = edges;
  EXPECT_FALSE(AsCountedLoop(other));
  TextAutomaton parted = Chain({{'a', 'f'}, {'x', 'z'}}, {0, 1, 1});
  edges.assign(parted.edges.begin(), parted.edges.end());
  edges[1].target = 2;
  parted.edges = edges;
  EXPECT_FALSE(AsCountedLoop(parted));
}

}  // namespace
}  // namespace maskloom
