// UTF-8 over Unicode scalar values (no surrogates, nothing above U+10FFFF, shortest forms only).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace maskloom {

inline constexpr uint32_t kMaxCodePoint = 0x10FFFF;
inline constexpr uint32_t kInvalidCodePoint = 0xFFFFFFFF;

inline bool IsSurrogate(uint32_t code_point) { return (code_point & ~0x7FFu) == 0xD800; }
inline bool IsScalarValue(uint32_t code_point) {
  return code_point <= kMaxCodePoint && !IsSurrogate(code_point);
}

// Appends the UTF-8 form of `code_point`. Requires: IsScalarValue(code_point).
void AppendUtf8(uint32_t code_point, std::string* out);

// Reads one scalar value at `*offset` and moves `*offset` behind it.
// On error: returns kInvalidCodePoint and leaves `*offset`.
uint32_t DecodeUtf8(std::string_view text, size_t* offset);

// Returns the offset of the first byte that is not part of well-formed UTF-8, or npos.
size_t FindInvalidUtf8(std::string_view text);

// Requires: `text` is well-formed.
std::u32string ToUtf32(std::string_view text);
std::string ToUtf8(std::u32string_view text);

}  // namespace maskloom
