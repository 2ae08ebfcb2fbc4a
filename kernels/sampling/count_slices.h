// How many tokens of each slice a mask allows, for files that are compiled with a population count.
#pragma once

#include <cstdint>
#include <cstring>

#include "kernels/sampling/row_ops.h"

namespace maskloom::kernels {

// RowOps::count_slices; `is_closed(words)` tells whether the words of a slice are all zero.
template <class IsClosed>
static inline uint32_t CountSlicesWith(const uint32_t* mask, uint32_t vocab, uint16_t* counts,
                                       IsClosed is_closed) {
  uint32_t allowed = 0;
  uint32_t first = 0;
  for (; first + kSliceTokens <= vocab; first += kSliceTokens) {
    const uint32_t* words = mask + first / 32;
    uint32_t in_slice = 0;
    if (!is_closed(words)) {
      for (uint32_t w = 0; w < kSliceTokens / 32; w += 2) {
        uint64_t pair;
        std::memcpy(&pair, words + w, sizeof(pair));
        in_slice += static_cast<uint32_t>(__builtin_popcountll(pair));
      }
    }
    counts[first / kSliceTokens] = static_cast<uint16_t>(in_slice);
    allowed += in_slice;
  }
  if (first == vocab) return allowed;
  return allowed + PlainRowOps().count_slices(mask + first / 32, vocab - first,
                                              counts + first / kSliceTokens);
}

}  // namespace maskloom::kernels
