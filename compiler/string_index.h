// Masks of "inside a JSON string", made once per vocabulary and shared by all grammars.
//
// Most tokens, in the middle of a string that may hold any text, stay inside it: those are one row,
// or one row per number of code points that are left. What remains are the few tokens with an
// unescaped quote; they stand in a trie of their own, walked from the state at hand.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "compiler/mask.h"
#include "compiler/text_coding.h"
#include "compiler/token_trie.h"
#include "compiler/vocabulary.h"

namespace maskloom {

class StringIndex {
 public:
  static constexpr uint32_t kMaxLengthRow = 40;
  // Base ids of rows, for MaskInfo: 0 is the empty row.
  static constexpr uint32_t kStayBase = 1;
  static constexpr uint32_t kFirstLengthBase = 2;
  static constexpr uint32_t kPlainBases =
      kFirstLengthBase + kMaxLengthRow;  // added in plain strings
  static constexpr uint32_t kBaseCount = kFirstLengthBase + kMaxLengthRow + 1 + kPlainBases;

  StringIndex() = default;
  // Of strings in `coding`, kJsonString or kPlainString; `spelling` is that of the same.
  StringIndex(const Vocabulary& vocabulary, TextCoding coding, const Spelling& spelling);

  // Tokens that stay inside any string from a boundary. Those that end within a character are
  // members if it can be finished.
  MaskBase Stay() const { return {first_base_ + kStayBase, stay_.data(), stay_count_}; }
  // Of these the tokens that begin at most `count` code points; for counts beyond kMaxLengthRow the
  // row of kMaxLengthRow, to which the tokens of LongerThanRows up to the count must be added.
  MaskBase AtMost(uint32_t count) const;
  struct LongToken {
    TokenId id;
    uint32_t code_points;
  };
  std::span<const LongToken> LongerThanRows() const { return long_tokens_; }
  // Tokens with an unescaped quote, as read from a boundary.
  const TokenTrie& exits() const { return exits_; }
  // The same tokens by what follows their string text, from the quote on: enough where the text
  // before it does not matter.
  const TokenTrie& tails() const { return tails_; }
  // Most code points before the quote of such a token.
  uint32_t longest_exit() const { return longest_exit_; }
  // Is `id` such a token?
  bool IsExit(TokenId id) const { return exit_table_[SlotOfExit(id)].id == id; }
  // Code points before the quote of `id`, which is such a token.
  uint32_t LengthOfExit(TokenId id) const { return exit_table_[SlotOfExit(id)].code_points; }
  // What stands before the quote of such a token, as a number below beginning_count().
  uint32_t BeginningOfExit(TokenId id) const { return exit_table_[SlotOfExit(id)].beginning; }
  // What of that is spelled as itself; ids are those numbers.
  const TokenTrie& beginnings() const { return beginnings_; }
  // All other, with the quote.
  const TokenTrie& coded_beginnings() const { return coded_beginnings_; }
  uint32_t beginning_count() const { return beginning_count_; }
  // Most runs of these; see TextParts.
  uint32_t most_exit_runs() const { return most_exit_runs_; }
  size_t MemoryBytes() const;

  template <typename Archive, typename Self>
  static void Describe(Archive& archive, Self& self) {
    archive.Value(self.row_words_);
    archive.Value(self.first_base_);
    archive.Array(self.stay_);
    archive.Value(self.stay_count_);
    archive.Array(self.length_rows_);
    archive.Array(self.length_counts_);
    archive.Array(self.long_tokens_);
    archive.Part(self.exits_);
    archive.Part(self.tails_);
    archive.Value(self.longest_exit_);
    archive.Array(self.exit_table_);
    archive.Part(self.beginnings_);
    archive.Part(self.coded_beginnings_);
    archive.Value(self.beginning_count_);
    archive.Value(self.most_exit_runs_);
  }

 private:
  uint32_t row_words_ = 0;
  uint32_t first_base_ = 0;
  FlatArray<uint32_t> stay_;
  uint32_t stay_count_ = 0;
  FlatArray<uint32_t> length_rows_;  // kMaxLengthRow + 1 rows
  std::vector<uint32_t> length_counts_;
  std::vector<LongToken> long_tokens_;
  TokenTrie exits_;
  TokenTrie tails_;
  uint32_t longest_exit_ = 0;
  // A hash table of the tokens of exits_, at least half of it free.
  struct Exit {
    TokenId id = kFree;
    uint32_t code_points = 0;
    uint32_t beginning = 0;
  };
  static constexpr TokenId kFree = 0xFFFFFFFF;
  // Of `exits` and, for each, the text before its quote, with that.
  void MakeExitTable(std::vector<Exit> exits, std::span<const std::string_view> beginnings);
  // Where `id` stands or would stand.
  size_t SlotOfExit(TokenId id) const;
  FlatArray<Exit> exit_table_;
  TokenTrie beginnings_, coded_beginnings_;
  uint32_t beginning_count_ = 0;
  uint32_t most_exit_runs_ = 0;
};

}  // namespace maskloom
