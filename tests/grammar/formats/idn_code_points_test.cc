// Derives the code points of internationalised labels again, by the rules of RFC 5892 from the
// properties that libutf8proc knows, and compares them with the table.
#include <gtest/gtest.h>
#include <utf8proc.h>

#include <cstdlib>
#include <initializer_list>
#include <string>

#include "grammar/base/utf8.h"
#include "grammar/formats/idn_labels.h"

namespace maskloom {
namespace {

struct Block {
  uint32_t first;
  uint32_t last;
};

bool IsIn(std::initializer_list<Block> blocks, uint32_t c) {
  for (const Block& block : blocks) {
    if (c >= block.first && c <= block.last) return true;
  }
  return false;
}

std::string Map(const std::string& text, int options) {
  utf8proc_uint8_t* out = nullptr;
  const auto size = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                 static_cast<utf8proc_ssize_t>(text.size()), &out,
                                 static_cast<utf8proc_option_t>(options));
  std::string result;
  if (size >= 0) result.assign(reinterpret_cast<const char*>(out), static_cast<size_t>(size));
  std::free(out);
  return result;
}

// RFC 5892, section 2.2.
bool IsUnstable(uint32_t c) {
  constexpr int kNfkc = UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT;
  const std::string text = ToUtf8(std::u32string(1, c));
  return Map(Map(Map(text, kNfkc), kNfkc | UTF8PROC_CASEFOLD), kNfkc) != text;
}

// RFC 5892, section 3, for code points beyond ASCII; digits under CONTEXTO count.
bool IsInLabels(uint32_t c) {
  if (IsIn({{0xDF, 0xDF}, {0x3C2, 0x3C2}, {0x6FD, 0x6FE}, {0xF0B, 0xF0B}, {0x3007, 0x3007}}, c)) {
    return true;
  }
  if (IsIn({{0x660, 0x669}, {0x6F0, 0x6F9}}, c)) return true;
  if (IsIn({{0xB7, 0xB7},
            {0x375, 0x375},
            {0x5F3, 0x5F4},
            {0x640, 0x640},
            {0x7FA, 0x7FA},
            {0x200C, 0x200D},
            {0x302E, 0x302F},
            {0x3031, 0x3035},
            {0x303B, 0x303B},
            {0x30FB, 0x30FB}},
           c)) {
    return false;
  }
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(c))) {
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
      break;
    default:
      return false;
  }
  // Default_Ignorable_Code_Point, ignorable blocks, old Hangul jamo: sections 2.3, 2.4, 2.9.
  if (IsIn({{0x34F, 0x34F},
            {0x17B4, 0x17B5},
            {0x180B, 0x180F},
            {0x3164, 0x3164},
            {0xFE00, 0xFE0F},
            {0xFFA0, 0xFFA0},
            {0xE0000, 0xE0FFF},
            {0x20D0, 0x20FF},
            {0x1D100, 0x1D24F},
            {0x1100, 0x11FF},
            {0xA960, 0xA97C},
            {0xD7B0, 0xD7C6},
            {0xD7CB, 0xD7FB}},
           c)) {
    return false;
  }
  return !IsUnstable(c);
}

bool IsMark(IdnKind kind) { return kind >= IdnKind::kSpacingMark && kind <= IdnKind::kVirama; }

bool IsRightToLeft(IdnKind kind) {
  return kind >= IdnKind::kHebrew && kind <= IdnKind::kRtlNonJoining;
}

void CheckKind(uint32_t c, IdnKind kind) {
  const utf8proc_property_t* property = utf8proc_get_property(static_cast<utf8proc_int32_t>(c));
  const bool is_mark =
      property->category == UTF8PROC_CATEGORY_MN || property->category == UTF8PROC_CATEGORY_MC;
  EXPECT_EQ(IsMark(kind), is_mark) << std::hex << c;
  EXPECT_EQ(kind == IdnKind::kVirama || kind == IdnKind::kSpacingVirama,
            property->combining_class == 9)
      << std::hex << c;
  EXPECT_EQ(kind == IdnKind::kVirama || kind == IdnKind::kNonspacingMark,
            property->bidi_class == UTF8PROC_BIDI_CLASS_NSM)
      << std::hex << c;
  EXPECT_EQ(IsRightToLeft(kind), property->bidi_class == UTF8PROC_BIDI_CLASS_R ||
                                     property->bidi_class == UTF8PROC_BIDI_CLASS_AL)
      << std::hex << c;
  EXPECT_EQ(kind == IdnKind::kArabicNumber, property->bidi_class == UTF8PROC_BIDI_CLASS_AN)
      << std::hex << c;
  EXPECT_EQ(kind == IdnKind::kEuropeanNumber, property->bidi_class == UTF8PROC_BIDI_CLASS_EN)
      << std::hex << c;
}

TEST(IdnCodePoints, AreThoseThatTheRulesDerive) {
  if (std::string(utf8proc_unicode_version()) != "15.0.0") {
    GTEST_SKIP() << "libutf8proc knows Unicode " << utf8proc_unicode_version() << ", not 15.0.0";
  }
  auto range = IdnRanges().begin();
  for (uint32_t c = 0x80; c <= kMaxCodePoint; ++c) {
    if (IsSurrogate(c)) continue;
    if (range != IdnRanges().end() && range->last < c) ++range;
    const bool is_listed = range != IdnRanges().end() && range->first <= c;
    ASSERT_EQ(is_listed, IsInLabels(c)) << std::hex << c;
    if (is_listed) CheckKind(c, range->kind);
  }
}

}  // namespace
}  // namespace maskloom
