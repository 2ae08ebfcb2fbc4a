#include "runtime/tokenizer/char_class.h"

#include <utf8proc.h>

#include <array>

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

}  // namespace

uint8_t CharClassOf(uint32_t code_point) {
  if (code_point < 128) return kAsciiClasses[code_point];
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(code_point))) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LT:
      return kClassLetter | kClassUpper;
    case UTF8PROC_CATEGORY_LL:
      return kClassLetter | kClassLower;
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
