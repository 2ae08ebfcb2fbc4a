// Which prefixes inside strings, keys and rules can still be completed.
#pragma once

#include <cstdint>

#include "compiler/frame.h"
#include "compiler/machine.h"
#include "compiler/object_registers.h"

namespace maskloom {

// Calls `visit(first, last)` for the ranges of code points that `partial` can become with spellable
// bytes, until it returns true. Returns whether it did.
template <typename Visit>
bool AnyRangeOf(const Spelling& spelling, Partial partial, Visit visit) {
  const PartialRanges ranges = RangesOf(partial);
  if (spelling.FinishesAll(partial)) {
    for (uint32_t i = 0; i < ranges.count; ++i) {
      if (visit(ranges.ranges[i].first, ranges.ranges[i].last)) return true;
    }
    return false;
  }
  const auto finishable = spelling.FinishableFrom(partial);
  for (const CodePointRange& range : finishable->ranges()) {
    if (visit(range.first, range.last)) return true;
  }
  return false;
}

// Calls `visit(edge)` for the edges of `state` that share a code point with [first, last], until it
// returns true. Returns whether it did.
template <typename Visit>
bool AnyEdgeIn(const TextAutomaton& automaton, uint32_t state, uint32_t first, uint32_t last,
               Visit visit) {
  for (const TextAutomaton::Edge& edge : automaton.EdgesOf(state)) {
    if (edge.last < first) continue;
    if (edge.first > last) break;
    if (visit(edge)) return true;
  }
  return false;
}

// Can a string in `state` after `count` code points be finished?
bool IsLiveString(const StringTable& table, uint32_t state, uint32_t count);
// ... inside a character that began behind them?
bool IsLiveStringPartial(const Machine& machine, const StringTable& table, uint32_t state,
                         uint32_t count, Partial partial);
// Moves `frame`, of a string that was at a boundary, over `code_point`. Returns whether it is live.
bool AdvanceString(const StringTable& table, uint32_t code_point, Frame* frame);
// The same for the length alone, where the automaton has moved already. Requires: table.bounded.
bool CountCodePoint(const StringTable& table, Frame* frame);
// How many code points a string owes, and has left, behind `count` of them.
struct LengthRange {
  uint32_t owed = 0;
  uint32_t left = kNoLimit;
  bool Has(uint32_t length) const { return length >= owed && length <= left; }
};
inline LengthRange RoomOf(const StringTable& table, uint32_t count) {
  return {table.min > count ? table.min - count : 0,
          table.max == kNoLimit ? kNoLimit : table.max - count};
}
// May a string end in `state` with `count` code points?
bool MayEndString(const StringTable& table, uint32_t state, uint32_t count);
// Can the key of `frame` (phase kKey, at a boundary or inside a character) be finished?
bool IsLiveKey(const Machine& machine, const ObjectTable& table, const Frame& frame);
// Can a rule be in `state` inside character `partial`?
bool IsLiveRulePartial(const Machine& machine, const TextAutomaton& automaton, uint32_t state,
                       Partial partial);

}  // namespace maskloom
