// Tokens by what they are made of, so that dense masks need not be walked token by token.
//
// Bytes fall into 50 categories: every ASCII punctuation and white space mark by itself, digits,
// letters by case and hex, controls, and the leads of UTF-8 sequences by the block they open. Of a
// set of categories and a number of code points the index makes the row "tokens of only these
// categories and at most that long" by ORing one row a category, and for every node of the token
// trie it knows which categories and how many code points stand below.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "compiler/text_coding.h"
#include "compiler/token_trie.h"
#include "compiler/vocabulary.h"
#include "grammar/base/code_point_set.h"

namespace maskloom {

// A set of categories, one bit each.
using CategorySet = uint64_t;

// The category of `byte`, 0 to 63; continuation bytes have one of their own.
extern const std::array<uint8_t, 256> kCategoryOfByte;
inline uint8_t CategoryOf(uint8_t byte) { return kCategoryOfByte[byte]; }
// The code points whose spelling begins with a byte of category `category`; empty for that of
// continuation bytes and for numbers that name none.
struct CategoryRange {
  CategorySet bit;
  CodePointRange range;
};
// All ranges, ascending; a category may have several.
const std::vector<CategoryRange>& CategoryRanges();
// Categories that are more than a single mark: whole letters and the like.
CategorySet WideCategories();
// Categories of ASCII characters; the category of continuation bytes.
CategorySet AsciiCategories();
CategorySet ContinuationCategory();
// JSON's white space.
CategorySet WhiteSpaceCategories();
CategorySet CategoryBit(char c);

class CategoryIndex {
 public:
  static constexpr uint32_t kMaxLengthRow = 40;
  static constexpr uint32_t kAnyLength = 0xFFFFFFFF;

  CategoryIndex() = default;
  CategoryIndex(const Vocabulary& vocabulary, const Spelling& utf8, const TokenTrie& trie);

  // Sets `row` to the tokens that are UTF-8 from a boundary on (their end may be inside a character
  // that can be finished), have only `allowed` categories and at most `length` code points.
  // `length` counts up to kMaxLengthRow; beyond it only kAnyLength has a row: ask RowLength.
  // Cost: one pass over a row for each category left out.
  void FillRow(CategorySet allowed, uint32_t length, uint32_t* row) const;
  // The length that FillRow can honour for `length`.
  static uint32_t RowLength(uint32_t length) {
    return length == kAnyLength || length <= kMaxLengthRow ? length : kMaxLengthRow;
  }

  // Of the tokens that end at or below a trie node, counted from that node's byte on: all
  // categories, and the most code points that begin.
  struct Below {
    CategorySet categories = 0;
    uint32_t code_points = 0;
  };
  Below below(uint32_t node) const { return {categories_below_[node], code_points_below_[node]}; }
  // Tokens of JSON's white space only.
  const std::vector<TokenId>& white_space_tokens() const { return white_space_tokens_; }
  // Length of the longest token of digits only; 0 if there is none.
  uint32_t longest_digits() const { return longest_digits_; }
  size_t MemoryBytes() const;

 private:
  uint32_t row_words_ = 0;
  std::vector<uint32_t> boundary_row_;
  std::vector<uint32_t> contains_rows_;  // 64 rows, by category
  std::vector<uint32_t> length_rows_;    // kMaxLengthRow + 1 rows
  std::vector<TokenId> white_space_tokens_;
  uint32_t longest_digits_ = 0;
  std::vector<CategorySet> categories_below_;
  std::vector<uint16_t> code_points_below_;
};

}  // namespace maskloom
