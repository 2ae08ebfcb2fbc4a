// The byte alphabet of byte-level BPE.
//
// GPT-2's tokenizer files are text, so each byte is written as one printable character: the 188
// bytes that are printable in Latin-1 stand for themselves, and the other 68 (controls, space, soft
// hyphen, ...) are U+0100, U+0101, ... in ascending order. Space is therefore "Ġ" (U+0120).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace maskloom {

// Returns the character that writes `byte`.
uint32_t ByteLevelCharacter(uint8_t byte);

// Reads `text` in the byte alphabet and puts its bytes into `*bytes`.
// On error: returns false when a character is not of the alphabet or `text` is not UTF-8; such a
// token stands for its text as it is, which is then in `*bytes`.
bool DecodeByteLevel(std::string_view text, std::string* bytes);

}  // namespace maskloom
