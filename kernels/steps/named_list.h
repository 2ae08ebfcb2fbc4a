// Masks at the keys of an object: where it takes no other keys, whether a token may come depends on
// whether some name that it can spell was not seen yet. So one list serves all sets of names:
//
//   ids      `"`   `"a`   `age`   `am`
//   names    all   age    age     amount
//            amount
//
// A list is words of StepTables::records:
//   the mask of what may come whatever the names, a place in masks | the number of ids |
//   the ids, ascending | for each id the names that it can spell, as many words as the object has
//   cells of names
// Beside that mask a row has the ids of which some name is not among its cells.
#pragma once

#include <cstdint>

#include "kernels/portable.h"
#include "kernels/steps/step_row.h"

namespace maskloom::kernels {

// Ids that a list may have, and so a row.
inline constexpr uint32_t kMostListIds = 256;

// The names that the head's object has seen.
struct SeenNames {
  uint32_t cells[kMostNameCells] = {};
  uint32_t cell_count = 0;
};

// Requires: the row has a list.
template <class Tables, class Row>
MASKLOOM_DEVICE inline SeenNames SeenNamesOf(const Tables& tables, const Row& row) {
  const HeadInfo head = HeadOf(tables, row);
  const WordRegisters registers = tables.registers[uint32_t{head.registers}];
  const uint32_t first = row.cell_count - registers.cells;
  SeenNames seen;
  seen.cell_count = registers.name_cells;
  seen.cells[0] = row.cells[first];
  if (seen.cell_count > 1) seen.cells[1] = row.cells[first + 1];
  return seen;
}

// May the id at `index` of the list come?
template <class List>
MASKLOOM_DEVICE inline bool MayComeBy(const List& list, const SeenNames& seen, uint32_t index) {
  static_assert(kMostNameCells == 2);
  const uint32_t count = list[1];
  const uint32_t at = 2 + count + index * seen.cell_count;
  const uint32_t low = list[at];
  if ((low & ~seen.cells[0]) != 0) return true;
  if (seen.cell_count < 2) return false;
  const uint32_t high = list[at + 1];
  return (high & ~seen.cells[1]) != 0;
}

// Writes the ids of the list that may come to `ids`, which has room for kMostListIds. Returns how
// many there are.
template <class List, class Ids>
inline uint32_t WriteIds(const List& list, const SeenNames& seen, Ids ids) {
  uint32_t written = 0;
  const uint32_t count = list[1];
  for (uint32_t i = 0; i < count; ++i) {
    if (MayComeBy(list, seen, i)) ids[written++] = list[2 + i];
  }
  return written;
}

// Finds the mask of a row, on the host. Ids that it has beside the pool go to `ids`, which has room
// for kMostListIds. Returns false where it is unknown.
inline bool FindMask(const StepTables& tables, const RowState& row, RowMask* mask, uint32_t* ids) {
  bool is_named = false;
  const uint32_t place = FindMaskPlace(tables, row, &is_named);
  if (place == kAbsent) return false;
  if (!is_named) {
    *mask = tables.masks[place];
    return true;
  }
  const uint32_t* list = tables.records + place;
  *mask = tables.masks[list[0]];
  mask->sent_begin = 0;
  mask->sent_count = static_cast<uint16_t>(WriteIds(list, SeenNamesOf(tables, row), ids));
  return true;
}

}  // namespace maskloom::kernels
