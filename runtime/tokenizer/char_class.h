// Unicode classes of characters, as far as pre-tokenizers ask for them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace maskloom {

// Bits of a character's class; see \p{L}, \p{N}, \p{M} and \s in the patterns.
enum CharClassBits : uint8_t {
  kClassLetter = 1,    // L*
  kClassNumber = 2,    // N*
  kClassMark = 4,      // M*
  kClassSpace = 8,     // White_Space
  kClassNewline = 16,  // only CR and LF
  kClassUpper = 32,    // Lu, Lt
  kClassLower = 64,    // Ll
};

// Returns the bits of a scalar value.
uint8_t CharClassOf(uint32_t code_point);

// A text as a row of classified characters: character i has class classes[i] and the bytes from
// offsets[i] up to offsets[i + 1]. A byte outside well-formed UTF-8 is a character of class 0.
struct ClassifiedText {
  std::string_view text;
  std::vector<uint8_t> classes;
  std::vector<size_t> offsets;  // one more than classes

  explicit ClassifiedText(std::string_view text);
  size_t size() const { return classes.size(); }
};

}  // namespace maskloom
