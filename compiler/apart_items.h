// Where arrays that compare their items need not: no value that was seen can come again soon.
//
// Following the text of an item costs a walk ten times what it costs otherwise, and nearly always
// in vain: what was read of the item already differs from all values seen, or there are none. Then
// a token can be refused for an equal value only if it holds a whole item, or begins one behind
// another; such tokens are few (held_items.h), and are read again with care. All others are walked
// as if items were not compared, if values of the arrays around never run out, or the arrays may
// end behind this item. An item that parted from all values once stays so, which its trace notes;
// its masks depend on no more of these values than such tokens can tell (mask_key.h).
//
// An item that may still become a value that was seen is near to it. It is walked so too, and then
// once more along what stays near (near_walk.cc): whatever parts from all those values on its way
// is as above. Where one of several readings is refused on such a way, what the others accept there
// is asked token by token.
//
// Arrays in which two items must be equal, whenever these come, are walked as if none were. So a
// walk misses only tokens that close such an array behind the second one: those that hold an item
// whole and a bracket behind it, and others on the ways that stay near to values seen.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "compiler/frame.h"
#include "compiler/held_items.h"
#include "compiler/machine.h"

namespace maskloom {

// Values close to an item: the array in whose frame its item is being read.
struct CloseValues {
  const SeenValue* seen;  // of the array
  uint32_t begin;         // its frame's `state`
  size_t first, end;      // in Nearness::values, in the order of `seen`
};

struct Nearness {
  enum class Kind : uint8_t {
    kApart,    // may be walked without care
    kNear,     // may become one of `values`, or stands between items
    kUnknown,  // it would take too long to tell, arrays around ask for equal items, or none
               // compares
  };
  Kind kind = Kind::kUnknown;
  // May values of the arrays around run out, so that a comma behind an item may be refused?
  bool counts = false;
  // May a token close an array in which two items must be equal?
  bool repeats = false;
  HeldKinds items;                       // which tokens must be read again with care
  std::vector<std::string_view> values;  // keys of values seen
  std::vector<CloseValues> arrays;       // those that have seen any, where `kind` is not kUnknown
};

// Does `frame` stand inside of a string or key?
inline bool IsInText(const Frame& frame) {
  return frame.kind == FrameKind::kString ||
         (frame.kind == FrameKind::kObject && frame.phase == Phase::kKey);
}

// At admission: finds ArrayTable::item_kinds, simple_kinds and scarce_kinds. Requires: the value
// space is built.
void SetItemKinds(const Machine& machine, ArrayTable* table);

// How near is `item` to the values that the arrays around it have seen? `held`: of the vocabulary
// with whose tokens it goes on. Cost: linear in these values and the text of the item, if there are
// any.
Nearness FindNearness(const Machine& machine, const HeldItems& held, const Item& item);

}  // namespace maskloom
