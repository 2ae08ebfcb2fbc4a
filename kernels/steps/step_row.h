// Follows the grammar of one row by tables: the same source beside the logits and on the host.
//
// A row's state is a stack of words, each the number of a piece of a configuration, and a count:
// the word on top, the head, says where in the innermost value the text is, those below where it
// goes on behind it. What a token does depends on the head and on as many words below as it returns
// to. So a look-up begins with (head, token); what it finds is either a record, or the number of a
// context: then it goes on with (context, next word).
//
//   head  token        record: take 1 word off, put none on, add 3 to the count
//   head  `",`         context 91
//   91    next word    record: take 2 words off, put word 17 on
//
// Masks are found in the same way from (head, its count as far as it matters).
//
// Inside a string that may hold any text a token that stays there leaves the row as it is, but for
// the count, and needs no look-up. The code points of bounded strings are counted in the row, not
// in the word, so that a string has the same words wherever it is.
//
// Everything that a table holds is exact for all rows, provided that the token is allowed. What it
// does not hold is unknown: the row stays as it is and the host goes on with it.
#pragma once

#include <cstdint>

#include "kernels/portable.h"
#include "kernels/steps/row_mask.h"

namespace maskloom::kernels {

inline constexpr uint32_t kMostRowWords = 62;

// Functions below take any `Row` that has these, `words` an array or a pointer.
struct RowState {
  uint32_t count = 0;  // code points of the string that the head is in, if it counts them
  uint32_t depth = 0;  // words; 0: unknown, or ended
  uint32_t words[kMostRowWords] = {};  // the head is the last
};

// What is known of a head besides its steps.
struct HeadInfo {
  uint32_t min = 0;    // of the count
  uint32_t max = 0;    // kNoMaximumCount: none
  uint32_t reach = 0;  // distances to min and max beyond this are alike for masks
  uint16_t is_counted = 0;
  uint16_t is_text = 0;  // any text may follow, up to the bounds
};
inline constexpr uint32_t kNoMaximumCount = 0xFFFFFFFF;

struct StepEntry {
  uint32_t left = 0;   // a head or context; 0: the entry is empty
  uint32_t right = 0;  // a token, a word, or kMaskBit and a count
  uint32_t value = 0;  // a place in records or masks, or kContextBit and a context
};
inline constexpr uint32_t kMaskBit = 1u << 31;
inline constexpr uint32_t kContextBit = 1u << 31;
inline constexpr uint32_t kAbsent = 0xFFFFFFFF;
// Distances to bounds fit so many bits in StepEntry::right.
inline constexpr uint32_t kReachBits = 15;

enum CountChange : uint32_t { kSetCount = 0, kAddCount = 1 };

// A record is words of StepTables::records: pushed words | CountChange << 8, the change of the
// count, then the words to be pushed, the head last. The words that were looked at are taken off.

// `Pointer` is how memory is reached: PlainPointer, or what a stand-in for devices has instead.
template <template <class> class Pointer>
struct StepTablesBy {
  Pointer<const StepEntry> entries = nullptr;  // open addressing
  uint32_t entry_mask = 0;                     // slots - 1, a power of two less one
  Pointer<const HeadInfo> heads = nullptr;     // by word
  Pointer<const uint32_t> records = nullptr;
  Pointer<const RowMask> masks = nullptr;
  // By token: one more than its code points, if it stays inside any string and ends at a character;
  // else 0.
  Pointer<const uint8_t> text_lengths = nullptr;
  Pointer<const uint32_t> end_tokens = nullptr;
  uint32_t end_token_count = 0;
};
template <class T>
using PlainPointer = T*;
using StepTables = StepTablesBy<PlainPointer>;

MASKLOOM_DEVICE inline uint32_t HashStep(uint32_t left, uint32_t right) {
  uint64_t hash = (uint64_t{left} << 32 | right) * 0x9E3779B97F4A7C15u;
  hash ^= hash >> 29;
  return static_cast<uint32_t>(hash * 0xBF58476D1CE4E5B9u >> 32);
}

// Looks (head, right) up, and further words as long as contexts are found. Returns the value, or
// kAbsent; `looked_at` becomes the number of words that it depends on. One loop does both, as loops
// in loops take more convergence barriers than devices have registers for.
template <class Tables, class Row>
MASKLOOM_DEVICE inline uint32_t FindByWords(const Tables& tables, const Row& row, uint32_t right,
                                            uint32_t* looked_at) {
  uint32_t left = row.words[row.depth - 1];
  uint32_t slot = HashStep(left, right);
  *looked_at = 1;
  for (;;) {
    const StepEntry& entry = tables.entries[slot & tables.entry_mask];
    if (entry.left != left || entry.right != right) {
      if (entry.left == 0) return kAbsent;
      ++slot;
      continue;
    }
    const bool is_context = (entry.value & kContextBit) != 0;
    if (!is_context || *looked_at == row.depth) return is_context ? kAbsent : entry.value;
    left = entry.value & ~kContextBit;
    right = row.words[row.depth - 1 - *looked_at];
    slot = HashStep(left, right);
    ++*looked_at;
  }
}

// Returns what is known of a row's head. Requires: it has one.
template <class Tables, class Row>
MASKLOOM_DEVICE inline decltype(auto) HeadOf(const Tables& tables, const Row& row) {
  const uint32_t head = row.words[row.depth - 1];
  return tables.heads[head];
}

// Without a maximum only the distance to the minimum is counted.
MASKLOOM_DEVICE inline uint32_t AddToCount(const HeadInfo& head, uint32_t count, uint32_t more) {
  const uint32_t sum = count + more;
  return head.max == kNoMaximumCount && sum > head.min ? head.min : sum;
}

enum class StepOutcome : uint32_t {
  kDone,
  kEnded,    // an end token: the row has no state any more
  kUnknown,  // the row is as it was
};

// Takes `token`. Requires: it is allowed.
template <class Tables, class Row>
MASKLOOM_DEVICE inline StepOutcome StepRow(const Tables& tables, uint32_t token, Row* row) {
  if (row->depth == 0) return StepOutcome::kUnknown;
  bool ends = false;
  for (uint32_t i = 0; i < tables.end_token_count; ++i) ends |= tables.end_tokens[i] == token;
  if (ends) {
    row->depth = 0;
    return StepOutcome::kEnded;
  }
  const HeadInfo& head = HeadOf(tables, *row);
  if (head.is_text != 0 && tables.text_lengths[token] != 0) {
    const uint32_t length = tables.text_lengths[token] - 1u;
    if (head.is_counted != 0) row->count = AddToCount(head, row->count, length);
    return StepOutcome::kDone;
  }
  uint32_t looked_at = 0;
  const uint32_t value = FindByWords(tables, *row, token, &looked_at);
  if (value == kAbsent) return StepOutcome::kUnknown;
  const auto record = tables.records + value;
  const uint32_t kind = record[0];
  const uint32_t pushed = kind & 0xFF;
  const uint32_t bottom = row->depth - looked_at;
  if (bottom + pushed > kMostRowWords) return StepOutcome::kUnknown;
  for (uint32_t i = 0; i < pushed; ++i) {
    const uint32_t word = record[2 + i];
    row->words[bottom + i] = word;
  }
  row->depth = bottom + pushed;
  const HeadInfo& next = HeadOf(tables, *row);
  const uint32_t count = record[1];
  row->count = kind >> 8 == kAddCount ? AddToCount(next, row->count, count) : count;
  return StepOutcome::kDone;
}

// Returns what of a count matters to masks, as StepEntry::right has it.
MASKLOOM_DEVICE inline uint32_t MaskWordOf(const HeadInfo& head, uint32_t count) {
  if (head.is_counted == 0) return kMaskBit;
  uint32_t owed = head.min > count ? head.min - count : 0;
  if (owed > head.reach) owed = head.reach;
  uint32_t left = head.reach;
  if (head.max != kNoMaximumCount && head.max - count < left) left = head.max - count;
  return kMaskBit | owed << kReachBits | left;
}

// Finds the mask of a row. Returns null where it is unknown.
template <class Tables, class Row>
MASKLOOM_DEVICE inline auto FindRowMask(const Tables& tables, const Row& row)
    -> decltype(tables.masks) {
  if (row.depth == 0) return nullptr;
  uint32_t looked_at = 0;
  const HeadInfo& head = HeadOf(tables, row);
  const uint32_t value = FindByWords(tables, row, MaskWordOf(head, row.count), &looked_at);
  if (value == kAbsent) return nullptr;
  return tables.masks + value;
}

}  // namespace maskloom::kernels
