#include "grammar/base/utf8.h"

#include <cstring>

namespace maskloom {

void AppendUtf8(uint32_t c, std::string* out) {
  auto put = [out](uint32_t byte) { out->push_back(static_cast<char>(byte)); };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xC0 | c >> 6), put(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    put(0xE0 | c >> 12), put(0x80 | (c >> 6 & 0x3F)), put(0x80 | (c & 0x3F));
  } else {
    put(0xF0 | c >> 18), put(0x80 | (c >> 12 & 0x3F)), put(0x80 | (c >> 6 & 0x3F));
    put(0x80 | (c & 0x3F));
  }
}

uint32_t DecodeUtf8(std::string_view text, size_t* offset) {
  if (*offset >= text.size()) return kInvalidCodePoint;
  auto byte = [&](size_t i) { return static_cast<unsigned char>(text[*offset + i]); };
  uint32_t first = byte(0);
  if (first < 0x80) {
    ++*offset;
    return first;
  }
  size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() - *offset < length) return kInvalidCodePoint;
  uint32_t c = first & (0x7F >> length);
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return kInvalidCodePoint;
    c = c << 6 | (byte(i) & 0x3F);
  }
  constexpr uint32_t kShortest[] = {0, 0, 0x80, 0x800, 0x10000};
  if (c < kShortest[length] || !IsScalarValue(c)) return kInvalidCodePoint;
  *offset += length;
  return c;
}

size_t FindInvalidUtf8(std::string_view text) {
  constexpr uint64_t kHighBits = 0x8080808080808080;
  size_t offset = 0;
  while (offset < text.size()) {
    // Eight characters of one byte each are passed at once.
    uint64_t word = kHighBits;
    if (text.size() - offset >= sizeof(word)) std::memcpy(&word, &text[offset], sizeof(word));
    if ((word & kHighBits) == 0) {
      offset += sizeof(word);
      continue;
    }
    if (DecodeUtf8(text, &offset) == kInvalidCodePoint) return offset;
  }
  return std::string_view::npos;
}

std::u32string ToUtf32(std::string_view text) {
  std::u32string out;
  for (size_t offset = 0; offset < text.size();) {
    uint32_t c = DecodeUtf8(text, &offset);
    if (c == kInvalidCodePoint) break;
    out.push_back(c);
  }
  return out;
}

std::string ToUtf8(std::u32string_view text) {
  std::string out;
  for (char32_t c : text) AppendUtf8(c, &out);
  return out;
}

}  // namespace maskloom
