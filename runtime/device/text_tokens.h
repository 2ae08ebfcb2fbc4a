// What steps by tables need of a vocabulary: which tokens are text wherever any text may stand, and
// what they can tell of keys.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "compiler/text_coding.h"
#include "compiler/vocabulary_index.h"
#include "runtime/device/key_tokens.h"

namespace maskloom {

// Immutable.
struct TextTokens {
  // Of strings in `coding`, kJsonString or kPlainString. Cost: a pass over all tokens.
  TextTokens(const VocabularyIndex& vocabulary, TextCoding coding);

  // By token: one more than its code points if it stays inside any string, ends at a character and
  // has fewer than 255; else 0.
  std::vector<uint8_t> lengths;
  KeyTokens keys;
};

// Reads `bytes` inside a string from `partial`, which becomes what it is behind them. Returns the
// number of code points that end, or nothing where that is not inside the string any more.
std::optional<uint32_t> CountText(TextCoding coding, std::string_view bytes, Partial* partial);

}  // namespace maskloom
