#include "runtime/tokenizer/sentencepiece_bytes.h"

#include <charconv>

namespace maskloom {

std::string DecodeSentencePiece(std::string_view text) {
  constexpr std::string_view kSpaceMark = "\xE2\x96\x81";
  std::string bytes;
  bytes.reserve(text.size());
  while (!text.empty()) {
    if (text.starts_with(kSpaceMark)) {
      bytes.push_back(' ');
      text.remove_prefix(kSpaceMark.size());
    } else {
      bytes.push_back(text[0]);
      text.remove_prefix(1);
    }
  }
  return bytes;
}

std::optional<uint8_t> ParseByteFallback(std::string_view text) {
  if (text.size() != 6 || !text.starts_with("<0x") || text[5] != '>') return std::nullopt;
  uint8_t byte = 0;
  const auto [end, error] = std::from_chars(text.data() + 3, text.data() + 5, byte, 16);
  if (error != std::errc() || end != text.data() + 5) return std::nullopt;
  return byte;
}

}  // namespace maskloom
