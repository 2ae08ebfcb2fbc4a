#include "compiler/categories.h"

#include "grammar/base/utf8.h"

namespace maskloom {
namespace {

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
constexpr uint8_t kFirstMark = 14;    // behind kSpecialSpace: space, DEL and punctuation, one each

// Beyond ASCII: controls lie before it.
constexpr uint32_t kFirstBlank = 0xA0;
constexpr CodePointRange kSpecialSpaces[] = {
    {0x80, kFirstBlank - 1}, {kFirstBlank, kFirstBlank}, {0x1680, 0x1680},
    {0x2000, 0x200A},        {0x2028, 0x2029},           {0x202F, 0x202F},
    {0x205F, 0x205F},        {0x3000, 0x3000},           {0xFEFF, 0xFEFF}};

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
    AddBeyondAscii(kTwoBytes, 0x80, 0x7FF);
    AddBeyondAscii(kThreeLow, 0x800, 0x1FFF);
    AddBeyondAscii(kThreePunctuation, 0x2000, 0x2FFF);
    AddBeyondAscii(kThreeHigh, 0x3000, 0xD7FF);
    AddBeyondAscii(kThreeHigh, 0xE000, 0xFFFF);
    AddBeyondAscii(kFourBytes, 0x10000, kMaxCodePoint);
  }

  void Add(uint8_t category, uint32_t first, uint32_t last) {
    if (first <= last) ranges.push_back({CategorySet{1} << category, {first, last}});
  }

  // Adds [first, last] less the special spaces in it, and those.
  void AddBeyondAscii(uint8_t category, uint32_t first, uint32_t last) {
    for (const CodePointRange& space : kSpecialSpaces) {
      if (space.first < first || space.last > last) continue;
      Add(category, first, space.first - 1);
      Add(kSpecialSpace, space.first, space.last);
      first = space.last + 1;
    }
    Add(category, first, last);
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

CategorySet HexCategories() {
  return CategorySet{1} << kDigits | CategorySet{1} << kLowerHex | CategorySet{1} << kUpperHex;
}

std::optional<char> MarkOf(uint8_t category) {
  if (category < kFirstMark) return std::nullopt;
  for (int c = 0; c < 0x80; ++c) {
    if (CategoryOf(static_cast<uint8_t>(c)) == category) return static_cast<char>(c);
  }
  return std::nullopt;
}

CategorySet KindOf(CategorySet bit, uint32_t code_point) {
  constexpr CategorySet kAsTheyAre = ~CategorySet{0} << kFirstMark | CategorySet{1}
                                                                         << kSpecialSpace;
  if (code_point < 0x20 || (code_point >= 0x80 && code_point < kFirstBlank)) return 0;
  return (bit & kAsTheyAre) != 0 ? bit : CategorySet{1} << kLowerOther;
}

bool CategoryReader::Read(uint8_t byte) {
  const CodingStep step = StepCoding(TextCoding::kUtf8, partial_, byte);
  partial_ = step.partial;
  categories_ = CategorySet{1} << CategoryOf(byte);
  code_point_.reset();
  if (step.outcome == CodingStep::Outcome::kCodePoint) code_point_ = step.code_point;
  if (byte >= 0x80 && code_point_ && IsSpecialSpace(*code_point_)) {
    categories_ |= CategorySet{1} << kSpecialSpace;
  }
  return step.outcome != CodingStep::Outcome::kDead;
}

TextParts PartsOf(std::string_view text) {
  TextParts parts;
  CategoryReader reader;
  CategorySet run = 0;  // its kind; 0: what follows begins another one
  const bool is_spaced = text.starts_with(' ');
  if (!is_spaced) parts.behind_space = ~CategorySet{0};
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<uint8_t>(text[i]);
    parts.is_valid = reader.Read(byte);
    parts.partial = reader.partial();
    if (!parts.is_valid) break;
    const CategorySet categories = reader.categories();
    parts.categories |= categories;
    if (i > 0) parts.behind_space |= categories;
    parts.code_points += BeginsCodePoint(byte);
    if (!reader.code_point()) continue;
    const bool is_special = (categories >> kSpecialSpace & 1) != 0;
    const CategorySet bit = is_special ? CategorySet{1} << kSpecialSpace : categories;
    const CategorySet kind = byte == '\\' ? 0 : KindOf(bit, *reader.code_point());
    parts.runs += kind == 0 || kind != run;
    run = kind;
  }
  parts.runs += parts.partial != kBoundary;
  return parts;
}

bool IsSpecialSpace(uint32_t code_point) { return HasSpecialSpace(code_point, code_point); }

bool HasSpecialSpace(uint32_t first, uint32_t last) {
  for (const CodePointRange& range : kSpecialSpaces) {
    if (last >= range.first && first <= range.last) return true;
  }
  return false;
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

}  // namespace maskloom
