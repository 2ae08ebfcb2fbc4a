#include "runtime/tokenizer/bpe_merger.h"

#include <gtest/gtest.h>

#include <random>

namespace maskloom {
namespace {

ByteSymbols LetterSymbols() {
  ByteSymbols symbols;
  symbols.tokens.fill(kNoToken);
  for (int c = 'a'; c <= 'z'; ++c) symbols.tokens[c] = static_cast<TokenId>(c - 'a');
  return symbols;
}

std::vector<TokenId> Encode(const BpeMerger& merger, std::string_view piece) {
  BpeMerger::Scratch scratch;
  std::vector<TokenId> ids;
  merger.Encode(piece, &scratch, &ids);
  return ids;
}

// The definition itself: look through all pairs for the lowest rank, merge it, start again.
std::vector<TokenId> EncodeByDefinition(const ByteSymbols& symbols,
                                        const std::vector<MergeRule>& rules,
                                        std::string_view piece) {
  std::vector<TokenId> ids;
  for (const char c : piece) ids.push_back(symbols.tokens[static_cast<uint8_t>(c)]);
  while (true) {
    size_t best_rank = rules.size();
    size_t best_place = 0;
    for (size_t i = 0; i + 1 < ids.size(); ++i) {
      for (size_t rank = 0; rank < best_rank; ++rank) {
        if (rules[rank].left == ids[i] && rules[rank].right == ids[i + 1]) {
          best_rank = rank;
          best_place = i;
        }
      }
    }
    if (best_rank == rules.size()) return ids;
    ids[best_place] = rules[best_rank].result;
    ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(best_place) + 1);
  }
}

TEST(BpeMerger, MergesByRankNotByPlace) {
  const ByteSymbols symbols = LetterSymbols();
  // "bc" goes before "ab" although "ab" comes first in the text.
  const BpeMerger merger(symbols, {{1, 2, 26}, {0, 1, 27}, {27, 2, 28}});
  EXPECT_EQ(Encode(merger, "abc"), (std::vector<TokenId>{0, 26}));
  EXPECT_EQ(Encode(merger, "abab"), (std::vector<TokenId>{27, 27}));
  EXPECT_EQ(Encode(merger, ""), std::vector<TokenId>{});
}

TEST(BpeMerger, LeftmostOfEqualsGoesFirst) {
  const BpeMerger merger(LetterSymbols(), {{0, 0, 26}});
  EXPECT_EQ(Encode(merger, "aaaaa"), (std::vector<TokenId>{26, 26, 0}));
}

TEST(BpeMerger, BytesWithoutATokenAreLeftOutOrUnknown) {
  ByteSymbols symbols = LetterSymbols();
  EXPECT_EQ(Encode(BpeMerger(symbols, {}), "a..b"), (std::vector<TokenId>{0, 1}));
  symbols.unknown = 99;
  EXPECT_EQ(Encode(BpeMerger(symbols, {}), "a..b"), (std::vector<TokenId>{0, 99, 99, 1}));
  symbols.fuse_unknown = true;
  EXPECT_EQ(Encode(BpeMerger(symbols, {}), "a..b."), (std::vector<TokenId>{0, 99, 1, 99}));
}

TEST(BpeMerger, EqualsItsDefinitionOnRandomRules) {
  std::mt19937 random(7);
  const ByteSymbols symbols = LetterSymbols();
  for (int round = 0; round < 60; ++round) {
    std::vector<MergeRule> rules;
    TokenId next = 26;
    const auto any = [&] {
      const auto pick = static_cast<TokenId>(random() % 3);
      return next > 26 && random() % 2 == 0 ? 26 + static_cast<TokenId>(random() % (next - 26))
                                            : pick;
    };
    for (int i = 0; i < 25; ++i) {
      const MergeRule rule = {any(), any(), next};
      bool known = false;
      for (const MergeRule& other : rules) {
        known = known || (other.left == rule.left && other.right == rule.right);
      }
      if (known) continue;
      rules.push_back(rule);
      ++next;
    }
    const BpeMerger merger(symbols, rules);
    for (int text = 0; text < 10; ++text) {
      std::string piece;
      const size_t length = random() % 60;
      for (size_t i = 0; i < length; ++i) piece.push_back(static_cast<char>('a' + random() % 3));
      EXPECT_EQ(Encode(merger, piece), EncodeByDefinition(symbols, rules, piece)) << piece;
    }
  }
}

TEST(BpeMerger, LongPiecesDoNotTakeQuadraticTime) {
  const BpeMerger merger(LetterSymbols(), {{0, 0, 26}, {26, 26, 27}, {27, 27, 28}});
  EXPECT_EQ(Encode(merger, std::string(1 << 20, 'a')).size(), size_t{1} << 17);
}

}  // namespace
}  // namespace maskloom
