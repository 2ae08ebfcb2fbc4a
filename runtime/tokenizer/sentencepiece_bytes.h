// Token texts of SentencePiece-style vocabularies.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace maskloom {

// Returns what a token text stands for: every U+2581 is a space.
std::string DecodeSentencePiece(std::string_view text);

// Returns the byte that "<0xNN>" stands for, nothing for any other text.
std::optional<uint8_t> ParseByteFallback(std::string_view text);

}  // namespace maskloom
