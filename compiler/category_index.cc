#include "compiler/category_index.h"

#include <algorithm>
#include <bit>

#include "grammar/base/utf8.h"

namespace maskloom {
namespace {

// Tokens of a mark that are more than this are walked among all tokens.
constexpr size_t kMaxHolders = 8000;

constexpr uint8_t kControls = 0;
constexpr uint8_t kDigits = 1;
constexpr uint8_t kLowerHex = 2;
constexpr uint8_t kLowerOther = 3;
constexpr uint8_t kUpperHex = 4;
constexpr uint8_t kUpperOther = 5;
constexpr uint8_t kTwoBytes = 6;          // U+0080 to U+07FF
constexpr uint8_t kThreeLow = 7;          // leads E0 and E1
constexpr uint8_t kThreePunctuation = 8;  // lead E2: U+2000 to U+2FFF
constexpr uint8_t kThreeHigh = 9;         // leads E3 to EF
constexpr uint8_t kFourBytes = 10;
constexpr uint8_t kContinuation = 11;
constexpr uint8_t kNoCharacter = 12;  // bytes that are in no UTF-8 text
constexpr uint8_t kFirstMark = 13;    // space, DEL and punctuation, one each

constexpr std::array<uint8_t, 256> MakeCategories() {
  std::array<uint8_t, 256> categories{};
  uint8_t next_mark = kFirstMark;
  for (int b = 0; b < 256; ++b) {
    uint8_t category = kNoCharacter;
    if (b == '\t' || b == '\n' || b == '\r') {
      category = next_mark++;
    } else if (b < 0x20) {
      category = kControls;
    } else if (b >= '0' && b <= '9') {
      category = kDigits;
    } else if (b >= 'a' && b <= 'z') {
      category = b <= 'f' ? kLowerHex : kLowerOther;
    } else if (b >= 'A' && b <= 'Z') {
      category = b <= 'F' ? kUpperHex : kUpperOther;
    } else if (b < 0x80) {
      category = next_mark++;
    } else if (b < 0xC0) {
      category = kContinuation;
    } else if (b >= 0xC2 && b <= 0xF4) {
      category = b < 0xE0    ? kTwoBytes
                 : b < 0xE2  ? kThreeLow
                 : b == 0xE2 ? kThreePunctuation
                 : b < 0xF0  ? kThreeHigh
                             : kFourBytes;
    }
    categories[b] = category;
  }
  return categories;
}

struct Tables {
  std::vector<CategoryRange> ranges;

  Tables() {
    for (uint32_t c = 0; c < 0x80;) {
      uint32_t last = c;
      while (last + 1 < 0x80 && CategoryOf(last + 1) == CategoryOf(c)) ++last;
      Add(CategoryOf(c), c, last);
      c = last + 1;
    }
    Add(kTwoBytes, 0x80, 0x7FF);
    Add(kThreeLow, 0x800, 0x1FFF);
    Add(kThreePunctuation, 0x2000, 0x2FFF);
    Add(kThreeHigh, 0x3000, 0xD7FF);
    Add(kThreeHigh, 0xE000, 0xFFFF);
    Add(kFourBytes, 0x10000, kMaxCodePoint);
  }

  void Add(uint8_t category, uint32_t first, uint32_t last) {
    ranges.push_back({CategorySet{1} << category, {first, last}});
  }
};

const Tables& GetTables() {
  static const Tables tables;
  return tables;
}

}  // namespace

constinit const std::array<uint8_t, 256> kCategoryOfByte = MakeCategories();

const std::vector<CategoryRange>& CategoryRanges() { return GetTables().ranges; }
CategorySet CategoryBit(char c) { return CategorySet{1} << CategoryOf(static_cast<uint8_t>(c)); }

CategorySet WideCategories() {
  return CategorySet{1} << kLowerOther | CategorySet{1} << kUpperOther |
         CategorySet{1} << kTwoBytes | CategorySet{1} << kThreeHigh;
}

CategorySet WhiteSpaceCategories() {
  return CategoryBit(' ') | CategoryBit('\t') | CategoryBit('\n') | CategoryBit('\r');
}

CategorySet ContinuationCategory() { return CategorySet{1} << kContinuation; }

CategorySet AsciiCategories() {
  static const CategorySet ascii = [] {
    CategorySet set = 0;
    for (const CategoryRange& range : CategoryRanges()) {
      if (range.range.last < 0x80) set |= range.bit;
    }
    return set;
  }();
  return ascii;
}

CategoryIndex::CategoryIndex(const Vocabulary& vocabulary, const Spelling& utf8,
                             const TokenTrie& trie)
    : row_words_((vocabulary.size() + 31) / 32) {
  std::vector<uint32_t> boundary_row(row_words_);
  std::vector<uint32_t> contains_rows(size_t{row_words_} * 128);
  std::vector<uint32_t> length_rows(size_t{row_words_} * (kMaxLengthRow + 1));
  const auto contains_row = [&](uint32_t node) {
    return contains_rows.data() + size_t{row_words_} * node;
  };
  const auto set = [](uint32_t* row, TokenId id) { row[id / 32] |= 1u << (id % 32); };
  for (TokenId id = 0; id < vocabulary.size(); ++id) {
    if (vocabulary.kind(id) != TokenKind::kNormal) continue;
    Partial partial = kBoundary;
    uint32_t code_points = 0;
    bool valid = true;
    CategorySet categories = 0;
    for (const char c : vocabulary.bytes(id)) {
      const uint8_t byte = static_cast<uint8_t>(c);
      categories |= CategorySet{1} << CategoryOf(byte);
      code_points += BeginsCodePoint(byte);
      const CodingStep step = StepCoding(TextCoding::kUtf8, partial, byte);
      valid = step.outcome != CodingStep::Outcome::kDead;
      if (!valid) break;
      partial = step.partial;
    }
    if (!valid) continue;
    if (partial != kBoundary && !utf8.FinishesAll(partial) &&
        utf8.FinishableFrom(partial)->empty()) {
      continue;
    }
    set(boundary_row.data(), id);
    if ((categories & ~WhiteSpaceCategories()) == 0) white_space_tokens_.push_back(id);
    if (categories == CategoryBit('0')) longest_digits_ = std::max(longest_digits_, code_points);
    for (int category = 0; category < 64; ++category) {
      if (categories >> category & 1) set(contains_row(64 + category), id);
    }
    if (code_points <= kMaxLengthRow) {
      set(length_rows.data() + size_t{row_words_} * code_points, id);
    }
  }
  for (uint32_t count = 1; count <= kMaxLengthRow; ++count) {
    uint32_t* row = length_rows.data() + size_t{row_words_} * count;
    const uint32_t* previous = row - row_words_;
    for (uint32_t word = 0; word < row_words_; ++word) row[word] |= previous[word];
  }
  for (uint32_t node = 64; node-- > 1;) {
    for (uint32_t word = 0; word < row_words_; ++word) {
      contains_row(node)[word] = contains_row(2 * node)[word] | contains_row(2 * node + 1)[word];
    }
  }
  boundary_row_ = std::move(boundary_row);
  contains_rows_ = std::move(contains_rows);
  length_rows_ = std::move(length_rows);
  std::vector<uint32_t> digits_row(row_words_);
  FillRow(CategoryBit('0'), kAnyLength, digits_row.data());
  digits_row_ = std::move(digits_row);
  for (const uint32_t word : digits_row_) digits_count_ += std::popcount(word);
  MakeHolders(vocabulary);
  std::vector<CategorySet> categories_below(trie.node_count());
  std::vector<uint16_t> code_points_below(trie.node_count());
  for (uint32_t i = trie.node_count(); i-- > 0;) {
    const TokenTrie::Node& node = trie.node(i);
    CategorySet categories = CategorySet{1} << CategoryOf(node.byte);
    uint32_t code_points = 0;
    for (const TokenTrie::Node& child : trie.children(node)) {
      const uint32_t index = trie.IndexOf(child);
      categories |= categories_below[index];
      code_points = std::max<uint32_t>(code_points, code_points_below[index]);
    }
    categories_below[i] = categories;
    code_points += BeginsCodePoint(node.byte);
    code_points_below[i] = static_cast<uint16_t>(std::min<uint32_t>(code_points, 0xFFFF));
  }
  categories_below_ = std::move(categories_below);
  code_points_below_ = std::move(code_points_below);
}

void CategoryIndex::MakeHolders(const Vocabulary& vocabulary) {
  std::array<std::vector<TokenTrie::Entry>, 64> entries;
  const CategorySet marks = AsciiCategories() & ~WideCategories() & ~CategoryBit(' ');
  for (TokenId id = 0; id < vocabulary.size(); ++id) {
    if (vocabulary.kind(id) != TokenKind::kNormal) continue;
    CategorySet rest = 0;
    for (const char c : vocabulary.bytes(id)) rest |= CategoryBit(c);
    for (rest &= marks; rest != 0; rest &= rest - 1) {
      entries[std::countr_zero(rest)].push_back({vocabulary.bytes(id), id});
    }
  }
  for (int category = 0; category < 64; ++category) {
    if ((marks >> category & 1) == 0 || entries[category].size() > kMaxHolders) continue;
    has_holders_ |= CategorySet{1} << category;
    holders_[category] = TokenTrie(std::move(entries[category]));
  }
}

// Removes from `row` the tokens with a category of `removed`, as far as row `node` of the tree
// goes.
void CategoryIndex::RemoveCategories(CategorySet removed, uint32_t node, uint32_t* row) const {
  const uint32_t width = 64 / std::bit_floor(node);
  const uint32_t first = (node - std::bit_floor(node)) * width;
  const CategorySet own = (width == 64 ? ~CategorySet{0} : (CategorySet{1} << width) - 1) << first;
  if ((own & removed) == 0) return;
  if ((own & ~removed) != 0) {
    RemoveCategories(removed, 2 * node, row);
    return RemoveCategories(removed, 2 * node + 1, row);
  }
  const uint32_t* contains = contains_rows_.data() + size_t{row_words_} * node;
  for (uint32_t word = 0; word < row_words_; ++word) row[word] &= ~contains[word];
}

void CategoryIndex::FillRow(CategorySet allowed, uint32_t length, uint32_t* row) const {
  std::copy_n(boundary_row_.data(), row_words_, row);
  // Continuation bytes belong to whatever lead they follow.
  RemoveCategories(~(allowed | ContinuationCategory()), 1, row);
  if (length == kAnyLength) return;
  const uint32_t* lengths = length_rows_.data() + size_t{row_words_} * RowLength(length);
  for (uint32_t word = 0; word < row_words_; ++word) row[word] &= lengths[word];
}

size_t CategoryIndex::MemoryBytes() const {
  size_t total =
      (digits_row_.size() + boundary_row_.size() + contains_rows_.size() + length_rows_.size()) *
          4 +
      categories_below_.size() * 10;
  for (const TokenTrie& trie : holders_) total += trie.MemoryBytes();
  return total;
}

}  // namespace maskloom
