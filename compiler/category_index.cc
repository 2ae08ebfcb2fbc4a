#include "compiler/category_index.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "grammar/base/utf8.h"

namespace maskloom {
namespace {

// Tokens of a mark that are more than this are walked among all tokens.
constexpr size_t kMaxExits = 8000;

// Words of rows that are worked on together.
constexpr uint32_t kBlockWords = 64;

constexpr uint32_t kLetterCount = 62;

// The place of `byte` among ASCII's digits and letters.
std::optional<uint32_t> LetterNumber(uint8_t byte) {
  if (byte >= '0' && byte <= '9') return byte - '0';
  if (byte >= 'A' && byte <= 'Z') return 10 + byte - 'A';
  if (byte >= 'a' && byte <= 'z') return 36 + byte - 'a';
  return std::nullopt;
}

// Has `set` all `width` categories, a power of two, from `first` on?
bool HoldsRun(CategorySet set, uint32_t first, uint32_t width) {
  const CategorySet run = width == 64 ? ~CategorySet{0} : (CategorySet{1} << width) - 1;
  return (set >> first & run) == run;
}

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
    if ((categories & ~HexCategories()) == 0) {
      hex_tokens_.push_back({id, code_points, categories});
    }
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
  std::stable_sort(hex_tokens_.begin(), hex_tokens_.end(), [](const auto& a, const auto& b) {
    return std::pair(a.categories != CategoryBit('0'), a.code_points) <
           std::pair(b.categories != CategoryBit('0'), b.code_points);
  });
  MakeExits(vocabulary);
  MakeLetterRows(vocabulary);
  below_ = CategoriesBelow(trie);
  code_points_ = CodePointIndex(vocabulary);
}

void CategoryIndex::MakeExits(const Vocabulary& vocabulary) {
  std::array<std::vector<ExitIndex::Split>, 64> tokens;
  const CategorySet special = CategorySet{1} << kSpecialSpace;
  const CategorySet marks = (AsciiCategories() & ~WideCategories()) | special;
  for (TokenId id = 0; id < vocabulary.size(); ++id) {
    if (vocabulary.kind(id) != TokenKind::kNormal) continue;
    const std::string_view bytes = vocabulary.bytes(id);
    CategorySet found = 0;
    CategoryReader reader;
    uint32_t begin = 0;  // of the character
    for (uint32_t i = 0; i < bytes.size(); ++i) {
      if (reader.partial() == kBoundary) begin = i;
      if (!reader.Read(static_cast<uint8_t>(bytes[i]))) break;
      const CategorySet mark = reader.categories() & marks & ~found;
      if (mark == 0 || (i == 0 && bytes[i] == ' ')) continue;
      found |= mark;
      tokens[std::countr_zero(mark)].push_back({bytes, begin, id});
    }
    const Partial partial = reader.partial();
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

void CategoryIndex::MakeLetterRows(const Vocabulary& vocabulary) {
  std::vector<uint32_t> rows(size_t{row_words_} * kLetterCount);
  for (TokenId id = 0; id < vocabulary.size(); ++id) {
    if (vocabulary.kind(id) != TokenKind::kNormal) continue;
    for (const char c : vocabulary.bytes(id)) {
      const std::optional<uint32_t> letter = LetterNumber(static_cast<uint8_t>(c));
      if (letter) rows[size_t{row_words_} * *letter + id / 32] |= 1u << (id % 32);
    }
  }
  letter_rows_ = std::move(rows);
}

std::vector<const uint32_t*> CategoryIndex::RowsWith(const std::bitset<128>& characters) const {
  std::vector<const uint32_t*> rows;
  for (size_t c = 0; c < characters.size(); ++c) {
    if (!characters[c]) continue;
    const auto byte = static_cast<uint8_t>(c);
    if (const std::optional<uint32_t> letter = LetterNumber(byte)) {
      rows.push_back(letter_rows_.data() + size_t{row_words_} * *letter);
    } else if (MarkOf(CategoryOf(byte))) {
      rows.push_back(contains_row(64 + CategoryOf(byte)));
    }
  }
  return rows;
}

void CategoryIndex::AppendTokensWith(const std::bitset<128>& letters,
                                     std::vector<TokenId>* tokens) const {
  const std::vector<const uint32_t*> rows = RowsWith(letters);
  uint32_t block[kBlockWords];
  for (uint32_t begin = 0; begin < row_words_; begin += kBlockWords) {
    const uint32_t count = std::min(kBlockWords, row_words_ - begin);
    std::copy_n(boundary_row_.data() + begin, count, block);
    for (const uint32_t* row : rows) {
      for (uint32_t i = 0; i < count; ++i) block[i] &= row[begin + i];
    }
    for (uint32_t i = 0; i < count; ++i) {
      for (uint32_t rest = block[i]; rest != 0; rest &= rest - 1) {
        tokens->push_back((begin + i) * 32 + static_cast<uint32_t>(std::countr_zero(rest)));
      }
    }
  }
}

// In one pass, block by block: so the rows, which are in far memory, are fetched together.
void CategoryIndex::RemoveRows(std::span<const uint32_t* const> rows, uint32_t* row) const {
  for (uint32_t begin = 0; begin < row_words_; begin += kBlockWords) {
    const uint32_t end = std::min(begin + kBlockWords, row_words_);
    for (const uint32_t* removed : rows) {
      for (uint32_t word = begin; word < end; ++word) row[word] &= ~removed[word];
    }
  }
}

void CategoryIndex::RemoveCharacters(const std::bitset<128>& characters, uint32_t* row) const {
  RemoveRows(RowsWith(characters), row);
}

void CategoryIndex::RemoveCategories(CategorySet removed, uint32_t* row) const {
  const uint32_t* rows[64];
  size_t count = 0;
  // The nodes all of whose categories are removed, but those below others.
  for (CategorySet rest = removed; rest != 0;) {
    const auto first = static_cast<uint32_t>(std::countr_zero(rest));
    uint32_t node = 64 + first, width = 1;
    while (node > 1 && node % 2 == 0 && HoldsRun(removed, first, 2 * width)) {
      node /= 2;
      width *= 2;
    }
    rows[count++] = contains_row(node);
    rest = width == 64 ? 0 : rest & ~(((CategorySet{1} << width) - 1) << first);
  }
  RemoveRows(std::span(rows, count), row);
}

void CategoryIndex::FillRow(CategorySet allowed, uint32_t length, uint32_t* row) const {
  std::copy_n(boundary_row_.data(), row_words_, row);
  // Continuation bytes belong to whatever lead they follow.
  RemoveCategories(~(allowed | ContinuationCategory()), row);
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
  RemoveCategories(~(allowed | space | ContinuationCategory()), row);
  if (length != kAnyLength) KeepLengths(length + 1, row);
}

void CategoryIndex::KeepLengths(uint32_t length, uint32_t* row) const {
  const uint32_t* lengths = length_rows_.data() + size_t{row_words_} * RowLength(length);
  for (uint32_t word = 0; word < row_words_; ++word) row[word] &= lengths[word];
}

size_t CategoryIndex::MemoryBytes() const {
  size_t total = (digits_row_.size() + boundary_row_.size() + contains_rows_.size() +
                  length_rows_.size() + spaced_rows_.size() + letter_rows_.size()) *
                     4 +
                 (long_tokens_.size() + mixed_tokens_.size()) * sizeof(LongToken) +
                 hex_tokens_.size() * sizeof(HexToken) + below_.MemoryBytes() +
                 code_points_.MemoryBytes();
  for (const ExitIndex& exits : exits_) total += exits.MemoryBytes();
  return total;
}

}  // namespace maskloom
