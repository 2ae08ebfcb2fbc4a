#include "runtime/tokenizer/byte_level.h"

#include <array>

#include "grammar/base/utf8.h"

namespace maskloom {
namespace {

constexpr bool StandsForItself(int byte) {
  return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

constexpr int kFirstSubstitute = 0x100;
constexpr int kSubstituteCount = 68;

struct Alphabet {
  std::array<uint16_t, 256> character = {};
  std::array<uint8_t, kSubstituteCount> substituted = {};  // byte behind U+0100 + index
};

constexpr Alphabet MakeAlphabet() {
  Alphabet alphabet;
  int substitutes = 0;
  for (int byte = 0; byte < 256; ++byte) {
    if (StandsForItself(byte)) {
      alphabet.character[byte] = static_cast<uint16_t>(byte);
    } else {
      alphabet.substituted[substitutes] = static_cast<uint8_t>(byte);
      alphabet.character[byte] = static_cast<uint16_t>(kFirstSubstitute + substitutes++);
    }
  }
  return alphabet;
}

constexpr Alphabet kAlphabet = MakeAlphabet();

}  // namespace

uint32_t ByteLevelCharacter(uint8_t byte) { return kAlphabet.character[byte]; }

bool DecodeByteLevel(std::string_view text, std::string* bytes) {
  bytes->clear();
  size_t offset = 0;
  while (offset < text.size()) {
    const uint32_t character = DecodeUtf8(text, &offset);
    if (character < 256 && StandsForItself(static_cast<int>(character))) {
      bytes->push_back(static_cast<char>(character));
    } else if (character >= kFirstSubstitute && character < kFirstSubstitute + kSubstituteCount) {
      bytes->push_back(static_cast<char>(kAlphabet.substituted[character - kFirstSubstitute]));
    } else {
      bytes->assign(text);
      return false;
    }
  }
  return true;
}

}  // namespace maskloom
