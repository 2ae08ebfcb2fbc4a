// Follows the grammar of one row by tables: the same source beside the logits and on the host.
//
// A row's state is a stack of words, each the number of a piece of a configuration, with a count
// and registers: the word on top, the head, says where in the innermost value the text is, those
// below where it goes on behind it. What a token does depends on the head and on as many words
// below as it returns to. So a look-up begins with (head, token); what it finds is either a record,
// or the number of a context: then it goes on with (context, next word).
//
//   head  token        record: take 1 word off, put none on, add 3 to the count
//   head  `",`         context 91
//   91    next word    record: take 2 words off, put word 17 on
//
// Registers are cells of 32 bits that lie beside the words of objects and arrays: which names an
// object has, whether other keys with some first letter, how many members or items. What a token
// leads to does not depend on them, given that it is allowed; what it does to them is to set bits
// and to add. So an object has the same words in whatever order its keys come:
//
//   key head  `":`     record: take 1 word off, put word 23 on, set bit 5 of its first cell
//
// Masks are found as records are, from (head, its count as far as it matters), but behind each word
// they are also told apart by as much of its registers as matters to them: names that a single
// token tells apart, whether one that is required is missing, whether any may still come.
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
inline constexpr uint32_t kMostRowCells = 31;

// Functions below take any `Row` that has these, `words` and `cells` arrays or pointers.
struct RowState {
  uint32_t count = 0;       // code points of the string that the head is in, if it counts them
  uint32_t depth = 0;       // words; 0: unknown, or ended
  uint32_t cell_count = 0;  // of all words
  uint32_t words[kMostRowWords] = {};  // the head is the last
  uint32_t cells[kMostRowCells] = {};  // those of the head are the last
};
static_assert(sizeof(RowState) == 384);

// Are both rows in the same state?
MASKLOOM_DEVICE inline bool IsSameState(const RowState& a, const RowState& b) {
  if (a.depth != b.depth) return false;
  if (a.depth == 0) return true;
  bool same = a.count == b.count && a.cell_count == b.cell_count;
  for (uint32_t i = 0; i < a.depth; ++i) same = same && a.words[i] == b.words[i];
  for (uint32_t i = 0; same && i < a.cell_count; ++i) same = a.cells[i] == b.cells[i];
  return same;
}

// What is known of a head besides its steps.
struct HeadInfo {
  uint32_t min = 0;    // of the count
  uint32_t max = 0;    // kNoMaximumCount: none
  uint32_t reach = 0;  // distances to min and max beyond this are alike for masks
  uint8_t is_counted = 0;
  uint8_t is_text = 0;     // any text may follow, up to the bounds
  uint16_t registers = 0;  // of StepTables::registers, of any word; 0: it has none
};
inline constexpr uint32_t kNoMaximumCount = 0xFFFFFFFF;

// The cells of a word: bits of the names that the object has, then its other keys, then the number
// of its members or items.
inline constexpr uint32_t kNamesPerCell = 30;
inline constexpr uint32_t kMostNameCells = 2;
struct WordRegisters {
  uint8_t cells = 0;  // in all
  uint8_t name_cells = 0;
  uint8_t has_others = 0;  // bit i: some other key has a first letter of class i
  uint8_t has_count = 0;
  uint32_t told[kMostNameCells] = {};  // names that masks tell apart
  uint32_t required[kMostNameCells] = {};
  uint32_t allowed[kMostNameCells] = {};  // but for those of an object that takes others, too
  uint32_t blind = 0;  // with one of these bits of the other keys masks are unknown
  // Of the count, as in HeadInfo.
  uint32_t min = 0, max = 0, reach = 0;
};

struct StepEntry {
  uint32_t left = 0;   // a head or context; 0: the entry is empty
  uint32_t right = 0;  // a token, a word, cells as masks tell them, or kMaskBit and a count
  uint32_t value = 0;  // a place in records or masks, or kContextBit and a context
};
inline constexpr uint32_t kMaskBit = 1u << 31;
inline constexpr uint32_t kNamedBit = 1u << 30;  // beside it: a list by names (named_list.h)
inline constexpr uint32_t kContextBit = 1u << 31;
inline constexpr uint32_t kAbsent = 0xFFFFFFFF;
// Distances to bounds fit so many bits in StepEntry::right.
inline constexpr uint32_t kReachBits = 15;

// A record is words of StepTables::records:
//   pushed words | flags << 8 | cells of the words that were looked at << 16 | cells that stay <<
//   24 the change of the count the words to be pushed, the head last; those that were looked at are
//   taken off
// and with kChangesCells, after the lowest of the cells that were looked at have stayed:
//   changes | further cells << 8
//   for each change: cell | number to be added << 8, bits to be set, bits that must not be set yet,
//   and the most that it becomes
//   the further cells
enum RecordFlags : uint32_t { kAddCount = 1, kChangesCells = 2 };
inline constexpr uint32_t kWordsPerChange = 4;

// `Pointer` is how memory is reached: PlainPointer, or what a stand-in for devices has instead.
template <template <class> class Pointer>
struct StepTablesBy {
  Pointer<const StepEntry> entries = nullptr;  // open addressing
  uint32_t entry_mask = 0;                     // slots - 1, a power of two less one
  Pointer<const HeadInfo> heads = nullptr;     // by word
  Pointer<const WordRegisters> registers = nullptr;
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

// Changes the cells of `row` as the part of a record at `part` says, `bottom` being the first that
// was looked at. Returns false where the row cannot say it, and changes nothing.
template <class Part, class Row>
MASKLOOM_DEVICE inline bool ChangeCells(const Part& part, uint32_t bottom, uint32_t kept,
                                        Row* row) {
  const uint32_t counts = part[0];
  const uint32_t changes = counts & 0xFF;
  const uint32_t further = counts >> 8;
  if (bottom + kept + further > kMostRowCells) return false;
  bool fits = true;
  for (uint32_t i = 0; i < changes; ++i) {
    const uint32_t at = part[1 + kWordsPerChange * i] & 0xFF;
    const uint32_t unset = part[3 + kWordsPerChange * i];
    const uint32_t cell = row->cells[bottom + at];
    fits = fits && (cell & unset) == 0;
  }
  if (!fits) return false;
  for (uint32_t i = 0; i < changes; ++i) {
    const uint32_t what = part[1 + kWordsPerChange * i];
    const uint32_t bits = part[2 + kWordsPerChange * i];
    const uint32_t most = part[4 + kWordsPerChange * i];
    const uint32_t cell = row->cells[bottom + (what & 0xFF)];
    const uint32_t value = (cell | bits) + (what >> 8);
    row->cells[bottom + (what & 0xFF)] = value < most ? value : most;
  }
  for (uint32_t i = 0; i < further; ++i) {
    const uint32_t cell = part[1 + kWordsPerChange * changes + i];
    row->cells[bottom + kept + i] = cell;
  }
  row->cell_count = bottom + kept + further;
  return true;
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
  const uint32_t flags = kind >> 8 & 0xFF;
  const uint32_t bottom = row->depth - looked_at;
  if (bottom + pushed > kMostRowWords) return StepOutcome::kUnknown;
  const uint32_t bottom_cell = row->cell_count - (kind >> 16 & 0xFF);
  const uint32_t kept_cells = kind >> 24;
  if ((flags & kChangesCells) == 0) {
    row->cell_count = bottom_cell + kept_cells;
  } else if (!ChangeCells(record + 2 + pushed, bottom_cell, kept_cells, row)) {
    return StepOutcome::kUnknown;
  }
  for (uint32_t i = 0; i < pushed; ++i) {
    const uint32_t word = record[2 + i];
    row->words[bottom + i] = word;
  }
  row->depth = bottom + pushed;
  const HeadInfo& next = HeadOf(tables, *row);
  const uint32_t count = record[1];
  row->count = (flags & kAddCount) != 0 ? AddToCount(next, row->count, count) : count;
  return StepOutcome::kDone;
}

// Returns what of a count matters to masks, in less than kMaskBit.
template <class Bounds>
MASKLOOM_DEVICE inline uint32_t DistancesOf(const Bounds& bounds, uint32_t count) {
  uint32_t owed = bounds.min > count ? bounds.min - count : 0;
  if (owed > bounds.reach) owed = bounds.reach;
  uint32_t left = bounds.reach;
  if (bounds.max != kNoMaximumCount && bounds.max - count < left) left = bounds.max - count;
  return owed << kReachBits | left;
}

// Returns what of the count of a head matters to masks, as StepEntry::right has it.
MASKLOOM_DEVICE inline uint32_t MaskWordOf(const HeadInfo& head, uint32_t count) {
  return head.is_counted == 0 ? kMaskBit : kMaskBit | DistancesOf(head, count);
}

// By how many words the registers of a word tell masks apart.
MASKLOOM_DEVICE inline uint32_t MaskCellCount(const WordRegisters& registers) {
  return registers.name_cells + uint32_t{registers.has_count};
}
// Returns the one at `index`; `first` is the word's first cell in `cells`.
template <class Cells>
MASKLOOM_DEVICE inline uint32_t MaskCell(const WordRegisters& registers, const Cells& cells,
                                         uint32_t first, uint32_t index) {
  static_assert(kMostNameCells == 2);
  if (index == registers.name_cells) {
    const uint32_t count = cells[first + index + registers.has_others];
    return DistancesOf(registers, count);
  }
  const uint32_t low = cells[first];
  uint32_t high = 0;
  if (registers.name_cells > 1) high = cells[first + 1];
  if (index > 0) return high & registers.told[1];
  const bool is_missing =
      (registers.required[0] & ~low) != 0 || (registers.required[1] & ~high) != 0;
  const bool is_left = (registers.allowed[0] & ~low) != 0 || (registers.allowed[1] & ~high) != 0;
  return (low & registers.told[0]) | uint32_t{is_missing} << kNamesPerCell |
         uint32_t{is_left} << (kNamesPerCell + 1);
}
// Are there other keys by which masks are unknown?
template <class Cells>
MASKLOOM_DEVICE inline bool IsBlind(const WordRegisters& registers, const Cells& cells,
                                    uint32_t first) {
  if (registers.has_others == 0) return false;
  const uint32_t others = cells[first + registers.name_cells];
  return (others & registers.blind) != 0;
}

// Finds the mask of a row: a place in masks or, with *is_named, of a list by names in records.
// Returns kAbsent where it is unknown. One loop, as in FindByWords: what is asked first is the mask
// for just these registers, then the list for all that the head's object may have.
template <class Tables, class Row>
MASKLOOM_DEVICE inline uint32_t FindMaskPlace(const Tables& tables, const Row& row,
                                              bool* is_named) {
  *is_named = false;
  if (row.depth == 0) return kAbsent;
  const HeadInfo head = HeadOf(tables, row);
  uint32_t left = row.words[row.depth - 1];
  uint32_t right = MaskWordOf(head, row.count);
  uint32_t depth = row.depth;
  uint32_t cell_end = row.cell_count;  // behind those of the word at `depth`
  uint32_t cells_told = 0;             // of these, so many were looked at
  bool is_below = false;               // `right` is a word, whose registers are not read yet
  WordRegisters registers = tables.registers[uint32_t{head.registers}];
  uint32_t slot = HashStep(left, right);
  for (;;) {
    const StepEntry entry = tables.entries[slot & tables.entry_mask];
    const bool is_there = entry.left == left && entry.right == right;
    if (!is_there && entry.left != 0) {
      ++slot;
      continue;
    }
    if (is_there && is_below) {
      // Only now: a row may have words below its head that these tables do not know.
      const HeadInfo below = tables.heads[right];
      registers = tables.registers[uint32_t{below.registers}];
      cells_told = 0;
      is_below = false;
    }
    bool is_known = is_there && !IsBlind(registers, row.cells, cell_end - registers.cells);
    if (is_known && (entry.value & kContextBit) == 0) return entry.value;
    left = entry.value & ~kContextBit;
    if (is_known && cells_told < MaskCellCount(registers)) {
      right = MaskCell(registers, row.cells, cell_end - registers.cells, cells_told);
      ++cells_told;
    } else if (is_known) {
      --depth;
      is_known = depth != 0;
      cell_end -= registers.cells;
      right = is_known ? row.words[depth - 1] : 0;
      is_below = true;
    }
    if (!is_known) {
      registers = tables.registers[uint32_t{head.registers}];
      if (*is_named || registers.name_cells == 0) return kAbsent;
      *is_named = true;
      left = row.words[row.depth - 1];
      right = MaskWordOf(head, row.count) | kNamedBit;
      depth = row.depth;
      cell_end = row.cell_count;
      cells_told = MaskCellCount(registers);
      is_below = false;
    }
    slot = HashStep(left, right);
  }
}

// Finds the mask of a row for just its registers. Returns null where it is unknown.
template <class Tables, class Row>
MASKLOOM_DEVICE inline auto FindRowMask(const Tables& tables, const Row& row)
    -> decltype(tables.masks) {
  bool is_named = false;
  const uint32_t place = FindMaskPlace(tables, row, &is_named);
  return place == kAbsent || is_named ? nullptr : tables.masks + place;
}

}  // namespace maskloom::kernels
