#include "compiler/category_index.h"

#include <algorithm>
#include <bit>

#include "grammar/base/utf8.h"

namespace maskloom {
namespace {

// Tokens of a mark that are more than this are walked among all tokens.
constexpr size_t kMaxExits = 8000;

// Are all of `code_points` special spaces?
bool AreSpecialSpaces(const CodePointSet& code_points) {
  for (const CodePointRange& range : code_points.ranges()) {
    for (uint32_t c = range.first; c <= range.last; ++c) {
      if (!IsSpecialSpace(c)) return false;
    }
  }
  return true;
}

// May `partial`, of UTF-8, become a special space?
bool MayBecomeSpecialSpace(Partial partial) {
  const PartialRanges ranges = RangesOf(partial);
  return std::any_of(ranges.ranges, ranges.ranges + ranges.count, [](const CodePointRange& range) {
    return HasSpecialSpace(range.first, range.last);
  });
}

}  // namespace

CategoryIndex::CategoryIndex(const Vocabulary& vocabulary, const Spelling& utf8,
                             const TokenTrie& trie)
    : row_words_((vocabulary.size() + 31) / 32) {
  std::vector<uint32_t> boundary_row(row_words_);
  std::vector<uint32_t> contains_rows(size_t{row_words_} * 128);
  std::vector<uint32_t> length_rows(size_t{row_words_} * (kMaxLengthRow + 1));
  std::vector<uint32_t> spaced_rows(size_t{row_words_} * 2);
  const auto contains_row = [&](uint32_t node) {
    return contains_rows.data() + size_t{row_words_} * node;
  };
  const auto set = [](uint32_t* row, TokenId id) { row[id / 32] |= 1u << (id % 32); };
  for (TokenId id = 0; id < vocabulary.size(); ++id) {
    if (vocabulary.kind(id) != TokenKind::kNormal) continue;
    TextParts parts = PartsOf(vocabulary.bytes(id));
    if (!parts.is_valid) continue;
    if (parts.partial != kBoundary && !utf8.FinishesAll(parts.partial)) {
      const auto finishable = utf8.FinishableFrom(parts.partial);
      if (finishable->empty()) continue;
      const bool special = AreSpecialSpaces(*finishable);
      if (special) parts.categories |= CategorySet{1} << kSpecialSpace;
      if (special) parts.behind_space |= CategorySet{1} << kSpecialSpace;
    }
    const auto [categories, code_points] = std::pair(parts.categories, parts.code_points);
    set(boundary_row.data(), id);
    const bool is_spaced = parts.behind_space != ~CategorySet{0};
    if (is_spaced) set(spaced_rows.data(), id);
    if (is_spaced && (parts.behind_space & CategoryBit(' ')) != 0) {
      set(spaced_rows.data() + row_words_, id);
    }
    if ((categories & ~WhiteSpaceCategories()) == 0) white_space_tokens_.push_back(id);
    if (categories == CategoryBit('0')) longest_digits_ = std::max(longest_digits_, code_points);
    for (int category = 0; category < 64; ++category) {
      if (categories >> category & 1) set(contains_row(64 + category), id);
    }
    const LongToken token{id, code_points, categories, parts.behind_space, parts.runs};
    if (parts.runs > kMaxRuns) mixed_tokens_.push_back(token);
    if (code_points <= kMaxLengthRow) {
      set(length_rows.data() + size_t{row_words_} * code_points, id);
    } else {
      long_tokens_.push_back(token);
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
  spaced_rows_ = std::move(spaced_rows);
  std::vector<uint32_t> digits_row(row_words_);
  FillRow(CategoryBit('0'), kAnyLength, digits_row.data());
  digits_row_ = std::move(digits_row);
  for (const uint32_t word : digits_row_) digits_count_ += std::popcount(word);
  MakeExits(vocabulary);
  below_ = CategoriesBelow(trie);
}

void CategoryIndex::MakeExits(const Vocabulary& vocabulary) {
  std::array<std::vector<ExitIndex::Split>, 64> tokens;
  const CategorySet special = CategorySet{1} << kSpecialSpace;
  const CategorySet marks = (AsciiCategories() & ~WideCategories()) | special;
  for (TokenId id = 0; id < vocabulary.size(); ++id) {
    if (vocabulary.kind(id) != TokenKind::kNormal) continue;
    const std::string_view bytes = vocabulary.bytes(id);
    CategorySet found = 0;
    Partial partial = kBoundary;
    uint32_t begin = 0;  // of the character
    for (uint32_t i = 0; i < bytes.size(); ++i) {
      const uint8_t byte = static_cast<uint8_t>(bytes[i]);
      if (partial == kBoundary) begin = i;
      const CodingStep step = StepCoding(TextCoding::kUtf8, partial, byte);
      if (step.outcome == CodingStep::Outcome::kDead) break;
      partial = step.partial;
      CategorySet category = CategorySet{1} << CategoryOf(byte);
      if (byte >= 0x80) {
        const bool is_whole = step.outcome == CodingStep::Outcome::kCodePoint;
        category = is_whole && IsSpecialSpace(step.code_point) ? special : 0;
      }
      if (byte == ' ' && i == 0) continue;
      if ((category & marks & ~found) == 0) continue;
      found |= category;
      tokens[std::countr_zero(category)].push_back({bytes, begin, id});
    }
    if (partial != kBoundary && (found & special) == 0 && MayBecomeSpecialSpace(partial)) {
      tokens[kSpecialSpace].push_back({bytes, begin, id});
    }
  }
  for (int category = 0; category < 64; ++category) {
    if ((marks >> category & 1) == 0 || tokens[category].size() > kMaxExits) continue;
    has_exits_ |= CategorySet{1} << category;
    exits_[category] = ExitIndex(tokens[category]);
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
  const uint32_t* contains = contains_row(node);
  for (uint32_t word = 0; word < row_words_; ++word) row[word] &= ~contains[word];
}

void CategoryIndex::FillRow(CategorySet allowed, uint32_t length, uint32_t* row) const {
  std::copy_n(boundary_row_.data(), row_words_, row);
  // Continuation bytes belong to whatever lead they follow.
  RemoveCategories(~(allowed | ContinuationCategory()), 1, row);
  if (length != kAnyLength) KeepLengths(length, row);
}

void CategoryIndex::FillSpacedRow(CategorySet allowed, uint32_t length, uint32_t* row) const {
  const uint32_t* spaced = spaced_rows_.data();
  const uint32_t* again = spaced + row_words_;
  for (uint32_t word = 0; word < row_words_; ++word) row[word] = boundary_row_[word] & spaced[word];
  const CategorySet space = CategoryBit(' ');
  if ((allowed & space) == 0) {
    for (uint32_t word = 0; word < row_words_; ++word) row[word] &= ~again[word];
  }
  RemoveCategories(~(allowed | space | ContinuationCategory()), 1, row);
  if (length != kAnyLength) KeepLengths(length + 1, row);
}

void CategoryIndex::KeepLengths(uint32_t length, uint32_t* row) const {
  const uint32_t* lengths = length_rows_.data() + size_t{row_words_} * RowLength(length);
  for (uint32_t word = 0; word < row_words_; ++word) row[word] &= lengths[word];
}

size_t CategoryIndex::MemoryBytes() const {
  size_t total = (digits_row_.size() + boundary_row_.size() + contains_rows_.size() +
                  length_rows_.size() + spaced_rows_.size()) *
                     4 +
                 (long_tokens_.size() + mixed_tokens_.size()) * sizeof(LongToken) +
                 below_.MemoryBytes();
  for (const ExitIndex& exits : exits_) total += exits.MemoryBytes();
  return total;
}

}  // namespace maskloom
