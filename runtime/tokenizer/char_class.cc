#include "runtime/tokenizer/char_class.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "grammar/base/utf8.h"

namespace maskloom {
namespace {

// White_Space of the Unicode character database above ASCII.
bool IsWideSpace(uint32_t c) {
  return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 ||
         c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

constexpr std::array<uint8_t, 128> MakeAsciiClasses() {
  std::array<uint8_t, 128> classes = {};
  for (int c = 'A'; c <= 'Z'; ++c) classes[c] = kClassLetter | kClassUpper;
  for (int c = 'a'; c <= 'z'; ++c) classes[c] = kClassLetter | kClassLower;
  for (int c = '0'; c <= '9'; ++c) classes[c] = kClassNumber;
  for (int c = '\t'; c <= '\r'; ++c) classes[c] = kClassSpace;
  classes[' '] = kClassSpace;
  classes['\r'] |= kClassNewline;
  classes['\n'] |= kClassNewline;
  return classes;
}

constexpr std::array<uint8_t, 128> kAsciiClasses = MakeAsciiClasses();

constexpr uint8_t kUpper = kClassLetter | kClassUpper;
constexpr uint8_t kLower = kClassLetter | kClassLower;

struct ClassRange {
  uint32_t first;
  uint32_t last;
  uint8_t bits;
};

// Letters, numbers and marks that Unicode 15.1 and 16.0 assigned. Builds of utf8proc with older
// tables call them unassigned, while the tokenizers' own pattern engines know them. Ascending.
constexpr ClassRange kLateAdditions[] = {
    {0x00897, 0x00897, kClassMark},   {0x01C89, 0x01C89, kUpper},
    {0x01C8A, 0x01C8A, kLower},       {0x0A7CB, 0x0A7CC, kUpper},
    {0x0A7CD, 0x0A7CD, kLower},       {0x0A7DA, 0x0A7DA, kUpper},
    {0x0A7DB, 0x0A7DB, kLower},       {0x0A7DC, 0x0A7DC, kUpper},
    {0x105C0, 0x105F3, kClassLetter}, {0x10D40, 0x10D49, kClassNumber},
    {0x10D4A, 0x10D4F, kClassLetter}, {0x10D50, 0x10D65, kUpper},
    {0x10D69, 0x10D6D, kClassMark},   {0x10D6F, 0x10D6F, kClassLetter},
    {0x10D70, 0x10D85, kLower},       {0x10EC2, 0x10EC4, kClassLetter},
    {0x10EFC, 0x10EFC, kClassMark},   {0x11380, 0x11389, kClassLetter},
    {0x1138B, 0x1138B, kClassLetter}, {0x1138E, 0x1138E, kClassLetter},
    {0x11390, 0x113B5, kClassLetter}, {0x113B7, 0x113B7, kClassLetter},
    {0x113B8, 0x113C0, kClassMark},   {0x113C2, 0x113C2, kClassMark},
    {0x113C5, 0x113C5, kClassMark},   {0x113C7, 0x113CA, kClassMark},
    {0x113CC, 0x113D0, kClassMark},   {0x113D1, 0x113D1, kClassLetter},
    {0x113D2, 0x113D2, kClassMark},   {0x113D3, 0x113D3, kClassLetter},
    {0x113E1, 0x113E2, kClassMark},   {0x116D0, 0x116E3, kClassNumber},
    {0x11BC0, 0x11BE0, kClassLetter}, {0x11BF0, 0x11BF9, kClassNumber},
    {0x11F5A, 0x11F5A, kClassMark},   {0x13460, 0x143FA, kClassLetter},
    {0x16100, 0x1611D, kClassLetter}, {0x1611E, 0x1612F, kClassMark},
    {0x16130, 0x16139, kClassNumber}, {0x16D40, 0x16D6C, kClassLetter},
    {0x16D70, 0x16D79, kClassNumber}, {0x18CFF, 0x18CFF, kClassLetter},
    {0x1CCF0, 0x1CCF9, kClassNumber}, {0x1E5D0, 0x1E5ED, kClassLetter},
    {0x1E5EE, 0x1E5EF, kClassMark},   {0x1E5F0, 0x1E5F0, kClassLetter},
    {0x1E5F1, 0x1E5FA, kClassNumber}, {0x2EBF0, 0x2EE5D, kClassLetter},
};

uint8_t LateAddition(uint32_t code_point) {
  const auto range = std::partition_point(std::begin(kLateAdditions), std::end(kLateAdditions),
                                          [&](const ClassRange& r) { return r.last < code_point; });
  return range != std::end(kLateAdditions) && range->first <= code_point ? range->bits : 0;
}

}  // namespace

uint8_t CharClassOf(uint32_t code_point) {
  if (code_point < 128) return kAsciiClasses[code_point];
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(code_point))) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LT:
      return kUpper;
    case UTF8PROC_CATEGORY_LL:
      return kLower;
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
      return kClassLetter;
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
      return kClassMark;
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO:
      return kClassNumber;
    case UTF8PROC_CATEGORY_CN:
      return LateAddition(code_point);
    default:
      return IsWideSpace(code_point) ? kClassSpace : 0;
  }
}

ClassifiedText::ClassifiedText(std::string_view source) : text(source) {
  classes.reserve(text.size());
  offsets.reserve(text.size() + 1);
  size_t offset = 0;
  while (offset < text.size()) {
    offsets.push_back(offset);
    const auto byte = static_cast<uint8_t>(text[offset]);
    if (byte < 128) {
      classes.push_back(kAsciiClasses[byte]);
      ++offset;
      continue;
    }
    const uint32_t code_point = DecodeUtf8(text, &offset);
    if (code_point == kInvalidCodePoint) {
      classes.push_back(0);
      ++offset;
    } else {
      classes.push_back(CharClassOf(code_point));
    }
  }
  offsets.push_back(text.size());
}

}  // namespace maskloom
