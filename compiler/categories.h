// Categories of characters, so that dense masks need not be walked token by token.
//
// Characters fall into 51 categories: every ASCII punctuation and white space mark by itself,
// digits, letters by case and hex, controls, and those beyond ASCII by the block that the lead of
// their UTF-8 opens. Of these, white space, line ends and controls have a category of their own,
// since patterns such as `.` and `\S` tell them from the rest. Their leads count as the leads of
// others; what they are shows at their last byte.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "compiler/text_coding.h"
#include "grammar/base/code_point_set.h"

namespace maskloom {

// A set of categories, one bit each.
using CategorySet = uint64_t;

// The category of `byte`, 0 to 63; continuation bytes have one of their own.
extern const std::array<uint8_t, 256> kCategoryOfByte;
inline uint8_t CategoryOf(uint8_t byte) { return kCategoryOfByte[byte]; }
// Is `code_point` white space, a line end or a control beyond ASCII?
bool IsSpecialSpace(uint32_t code_point);
// ... some code point in [first, last]?
bool HasSpecialSpace(uint32_t first, uint32_t last);
// The category of those.
inline constexpr uint8_t kSpecialSpace = 13;

// The code points of category `bit`; none for that of continuation bytes and for numbers that name
// no category.
struct CategoryRange {
  CategorySet bit;
  CodePointRange range;
};
// All ranges, ascending; a category may have several.
const std::vector<CategoryRange>& CategoryRanges();
// Categories that are more than a single mark: whole letters and the like.
CategorySet WideCategories();
// Digits and letters of hexadecimal numbers.
CategorySet HexCategories();
// Categories of ASCII characters; the category of continuation bytes.
CategorySet AsciiCategories();
CategorySet ContinuationCategory();
// JSON's white space.
CategorySet WhiteSpaceCategories();
// The kind of `code_point`, of category `bit`, named by a category of it: all that words are made
// of, letters, digits and what lies beyond ASCII, is one kind, every mark is its own, and blanks
// beyond ASCII are one. 0: controls, each of which is a run of its own.
CategorySet KindOf(CategorySet bit, uint32_t code_point);
CategorySet CategoryBit(char c);
// The code point of `category`, if that is a single mark.
std::optional<char> MarkOf(uint8_t category);

// Reads a text as UTF-8 from a boundary and tells of every byte what it is.
class CategoryReader {
 public:
  // Returns whether `byte` may follow; if not, nothing else is asked for.
  bool Read(uint8_t byte);
  // Of the byte, and of special spaces at their last one.
  CategorySet categories() const { return categories_; }
  // The character that ended with the byte, if one did.
  std::optional<uint32_t> code_point() const { return code_point_; }
  Partial partial() const { return partial_; }

 private:
  Partial partial_ = kBoundary;
  CategorySet categories_ = 0;
  std::optional<uint32_t> code_point_;
};

// What stands in a text that is read as UTF-8 from a boundary.
struct TextParts {
  bool is_valid = true;          // as far as it goes
  Partial partial = kBoundary;   // behind it
  CategorySet categories = 0;    // of its bytes, and of special spaces
  CategorySet behind_space = 0;  // the same of what follows if the text begins with a space, else
                                 // all categories
  uint32_t code_points = 0;      // that begin
  // Runs of characters of one kind (KindOf), or more: in a JSON string the text has no more of
  // them, as backslashes and what follows them are runs of their own.
  uint32_t runs = 0;
};
TextParts PartsOf(std::string_view text);

}  // namespace maskloom
