// How the mask of a row is named beside the logits: a row and a list of ids that lie in the pool of
// masks already, and a few ids that come with the step.
//
//   allowed(id)  ==  bit id of the row at slot * row_words
//                    or id among pool[list_begin, list_begin + list_count)
//                    or id among sent[sent_begin, sent_begin + sent_count)
//
// The pool is an array of 32-bit words; ids are words of it, too. The ids of a list ascend; an id
// may be in several places. Who has plain rows of bits makes them the pool: row r is slot r.
#pragma once

#include <cstdint>

#include "kernels/portable.h"

namespace maskloom::kernels {

inline constexpr uint32_t kNoSlot = 0xFFFFFFFF;    // the empty row
inline constexpr uint32_t kOpenSlot = 0xFFFFFFFE;  // the row of all tokens

// Ids that may be sent with the mask of a row.
inline constexpr uint32_t kMostSentIds = 11;

struct RowMask {
  uint32_t slot = kNoSlot;  // of the row
  uint32_t list_begin = 0;  // word of the pool
  uint16_t list_count = 0;
  uint16_t sent_count = 0;
  uint32_t sent_begin = 0;  // in the ids that are sent with the step
};
static_assert(sizeof(RowMask) == 16);

// The masks of a batch, beside the logits. Pointers are of the memory that kernels see.
struct BatchMasks {
  const RowMask* rows = nullptr;   // [batch]; null: all tokens of all rows are allowed
  const uint32_t* pool = nullptr;  // null where no mask names a slot or a list
  const uint32_t* sent = nullptr;  // null where no mask names sent ids
  uint32_t row_words = 0;          // of a slot; tokens beyond are in none of its rows
};

// Is token `id` allowed by `mask`? Meant for single tokens; passes over a row read it by words.
MASKLOOM_DEVICE inline bool IsAllowedIn(const RowMask& mask, const uint32_t* pool,
                                        uint32_t row_words, const uint32_t* sent, uint32_t id) {
  if (mask.slot == kOpenSlot) return true;
  if (mask.slot != kNoSlot && id / 32 < row_words) {
    const uint64_t word = uint64_t{mask.slot} * row_words + id / 32;
    if (pool[word] >> (id % 32) & 1) return true;
  }
  for (uint32_t i = 0; i < mask.list_count; ++i) {
    if (pool[mask.list_begin + i] == id) return true;
  }
  for (uint32_t i = 0; i < mask.sent_count; ++i) {
    if (sent[mask.sent_begin + i] == id) return true;
  }
  return false;
}

}  // namespace maskloom::kernels
