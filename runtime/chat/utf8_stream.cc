// One U+FFFD stands for each maximal beginning of a character that turned out wrong, as the Unicode
// standard recommends (section 3.9, "substitution of maximal subparts").
#include "runtime/chat/utf8_stream.h"

#include <cstdint>

#include "grammar/base/utf8.h"

namespace maskloom {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// Returns how many bytes from the beginning of `text` can begin a well-formed character, without
// being a whole one, and sets `*wanted` to the length of that character (0: none begins so).
size_t BeginningLength(std::string_view text, size_t* wanted) {
  const auto lead = static_cast<uint8_t>(text[0]);
  uint8_t low = 0x80;
  uint8_t high = 0xBF;
  if (lead >= 0xC2 && lead <= 0xDF) {
    *wanted = 2;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    *wanted = 3;
    if (lead == 0xE0) low = 0xA0;   // shortest forms only
    if (lead == 0xED) high = 0x9F;  // no surrogates
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    *wanted = 4;
    if (lead == 0xF0) low = 0x90;
    if (lead == 0xF4) high = 0x8F;  // up to U+10FFFF
  } else {
    *wanted = 0;
    return 1;
  }
  size_t length = 1;
  while (length < text.size() && length < *wanted) {
    const auto byte = static_cast<uint8_t>(text[length]);
    if (byte < low || byte > high) break;
    low = 0x80;
    high = 0xBF;
    ++length;
  }
  return length;
}

}  // namespace

void Utf8Stream::Append(std::string_view bytes, std::string* out) {
  std::string joined;
  if (!held_.empty()) {
    joined = held_;
    joined += bytes;
    held_.clear();
    bytes = joined;
  }
  size_t offset = 0;
  while (offset < bytes.size()) {
    size_t next = offset;
    if (DecodeUtf8(bytes, &next) != kInvalidCodePoint) {
      out->append(bytes.substr(offset, next - offset));
      offset = next;
      continue;
    }
    size_t wanted = 0;
    const size_t length = BeginningLength(bytes.substr(offset), &wanted);
    if (offset + length == bytes.size() && length < wanted) {
      held_ = bytes.substr(offset);
      return;
    }
    out->append(kReplacement);
    offset += length;
  }
}

void Utf8Stream::Finish(std::string* out) {
  if (!held_.empty()) out->append(kReplacement);
  held_.clear();
}

}  // namespace maskloom
