// Tokens by what they are made of, so that dense masks need not be walked token by token.
//
// Of a set of categories (categories.h) and a number of code points the index makes the row "tokens
// of only these categories and at most that long" out of rows "has one of these categories", which
// it holds for each and for groups of them, so that few are needed; for every node of the token
// trie it knows which categories and how many code points stand below; and for each mark it has the
// tokens that hold it (exit_index.h), for walks that look for where a text leaves its categories.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <span>
#include <vector>

#include "compiler/categories.h"
#include "compiler/code_point_index.h"
#include "compiler/exit_index.h"
#include "compiler/text_coding.h"
#include "compiler/token_trie.h"
#include "compiler/vocabulary.h"
#include "grammar/base/flat_array.h"

namespace maskloom {

class CategoryIndex {
 public:
  static constexpr uint32_t kMaxLengthRow = 40;
  static constexpr uint32_t kAnyLength = 0xFFFFFFFF;

  CategoryIndex() = default;
  CategoryIndex(const Vocabulary& vocabulary, const Spelling& utf8, const TokenTrie& trie);

  // Sets `row` to the tokens that are UTF-8 from a boundary on (their end may be inside a character
  // that can be finished), have only `allowed` categories and at most `length` code points.
  // `length` counts up to kMaxLengthRow; beyond it only kAnyLength has a row: ask RowLength.
  // Cost: one pass over a row for each group of categories left out, a dozen at most as a rule.
  void FillRow(CategorySet allowed, uint32_t length, uint32_t* row) const;
  // Removes from `row` the tokens that hold one of `characters`, of ASCII but no controls.
  void RemoveCharacters(const std::bitset<128>& characters, uint32_t* row) const;
  // Sets `row` to the tokens that begin with a space and whose rest is as FillRow asks.
  void FillSpacedRow(CategorySet allowed, uint32_t length, uint32_t* row) const;
  // The length that FillRow can honour for `length`.
  static uint32_t RowLength(uint32_t length) {
    return length == kAnyLength || length <= kMaxLengthRow ? length : kMaxLengthRow;
  }

  // Removes from `row` the tokens of more than `length` code points; see RowLength.
  void KeepLengths(uint32_t length, uint32_t* row) const;

  // Appends the tokens that hold all of `letters`, ASCII characters; of controls it need not.
  void AppendTokensWith(const std::bitset<128>& letters, std::vector<TokenId>* tokens) const;

  // Tokens of digits of hexadecimal numbers only.
  struct HexToken {
    TokenId id;
    uint32_t code_points;
    CategorySet categories;
  };
  // First those of decimal digits only, digits_count() many, then those with a letter; each
  // ascending by code points.
  std::span<const HexToken> hex_tokens() const { return hex_tokens_; }

  // Tokens of which FillRow knows no more than that they are longer than kMaxLengthRow.
  struct LongToken {
    TokenId id;
    uint32_t code_points;
    CategorySet categories, behind_space;  // see TextParts
    uint32_t runs;                         // the same
    uint32_t padding = 0;                  // written out, as it goes into files
  };
  const std::vector<LongToken>& long_tokens() const { return long_tokens_; }
  // Tokens of more runs than kMaxRuns, the long ones included.
  static constexpr uint32_t kMaxRuns = 6;
  const std::vector<LongToken>& mixed_tokens() const { return mixed_tokens_; }

  // By node of the trie of all tokens.
  const CategoriesBelow& below() const { return below_; }
  // The row of tokens of digits only, and their number.
  const uint32_t* digits_row() const { return digits_row_.data(); }
  uint32_t digits_count() const { return digits_count_; }
  // All tokens with a character of `category`, an ASCII mark or a special space, or that end
  // within such a one.
  // Of a space: all tokens with one that is not their first character; there it does not count as
  // a mark. Requires: has_exits() has it.
  const ExitIndex& exits(uint8_t category) const { return exits_[category]; }
  // The categories whose tokens are not so many that a walk of all tokens serves as well.
  CategorySet has_exits() const { return has_exits_; }
  const CodePointIndex& code_points() const { return code_points_; }
  // Tokens of JSON's white space only.
  const std::vector<TokenId>& white_space_tokens() const { return white_space_tokens_; }
  // Length of the longest token of digits only; 0 if there is none.
  uint32_t longest_digits() const { return longest_digits_; }
  size_t MemoryBytes() const;

  template <typename Archive, typename Self>
  static void Describe(Archive& archive, Self& self) {
    archive.Value(self.row_words_);
    archive.Array(self.boundary_row_);
    archive.Array(self.contains_rows_);
    archive.Array(self.length_rows_);
    archive.Array(self.spaced_rows_);
    archive.Array(self.long_tokens_);
    archive.Array(self.mixed_tokens_);
    archive.Array(self.letter_rows_);
    archive.Array(self.hex_tokens_);
    archive.Array(self.digits_row_);
    archive.Value(self.digits_count_);
    for (auto& exits : self.exits_) archive.Part(exits);
    archive.Value(self.has_exits_);
    archive.Array(self.white_space_tokens_);
    archive.Value(self.longest_digits_);
    archive.Part(self.below_);
    archive.Part(self.code_points_);
  }

 private:
  const uint32_t* contains_row(uint32_t node) const {
    return contains_rows_.data() + size_t{row_words_} * node;
  }
  // Removes from `row` the tokens of each of `rows`.
  void RemoveRows(std::span<const uint32_t* const> rows, uint32_t* row) const;
  // The rows "contains `character`", but of controls.
  std::vector<const uint32_t*> RowsWith(const std::bitset<128>& characters) const;
  // Removes from `row` the tokens with a category of `removed`.
  void RemoveCategories(CategorySet removed, uint32_t* row) const;
  void MakeExits(const Vocabulary& vocabulary);
  void MakeLetterRows(const Vocabulary& vocabulary);

  uint32_t row_words_ = 0;
  FlatArray<uint32_t> boundary_row_;
  // Rows "contains one of these categories", a binary tree: row 64 + c is of category c, and row i
  // is the union of rows 2i and 2i + 1.
  FlatArray<uint32_t> contains_rows_;
  FlatArray<uint32_t> length_rows_;  // kMaxLengthRow + 1 rows
  FlatArray<uint32_t> spaced_rows_;  // 2 rows: begins with a space; has another one, too
  std::vector<LongToken> long_tokens_, mixed_tokens_;
  // Rows "contains this letter or digit", in the order of ASCII.
  FlatArray<uint32_t> letter_rows_;
  std::vector<HexToken> hex_tokens_;
  FlatArray<uint32_t> digits_row_;
  uint32_t digits_count_ = 0;
  std::array<ExitIndex, 64> exits_;  // by category
  CategorySet has_exits_ = 0;
  std::vector<TokenId> white_space_tokens_;
  uint32_t longest_digits_ = 0;
  CategoriesBelow below_;
  CodePointIndex code_points_;
};

}  // namespace maskloom
