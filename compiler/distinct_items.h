// Arrays whose items must all differ, or of which two must be equal.
//
// The frame of such an array holds the values of its items so far, as keys (json_value_key.h).
// While an item is read, the bytes since its beginning are remembered with the top of the stack
// (Item::trace), since frames below the top never change; nested arrays of that kind share them,
// each knows where its item began (Frame::state). When the item ends, its text becomes a key.
//
// An item that is read is live if some value that its text can become lets every array around it
// be finished. Three questions settle that, the cheap ones first:
//  1. can values run out at all? Not where the text may still become more different values than
//     the arrays around it hold and owe together; where a string is open that may hold any text,
//     that is known without looking;
//  2. else the values that the innermost open value can become are listed, and from them, frame by
//     frame, those of the containers around it. At every array of distinct items the seen ones are
//     dropped, and those behind which the array could not be finished. Lists stop at the number of
//     values that could be dropped further out, plus one;
//  3. an array can be finished from the values seen if the items that it still needs have distinct
//     representatives: a matching between planned items and values (Hall). Items of which there are
//     more values than seen and planned items together can wait till last and are left out.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/arena.h"
#include "compiler/array_plan.h"
#include "compiler/frame.h"
#include "compiler/machine.h"
#include "compiler/value_space.h"

namespace maskloom {

// Arrays of distinctness kRepeated: were two equal items read?
inline bool IsRepeatedFrame(const Frame& frame) { return frame.state2 != 0; }
// Are the items of the array in `frame` to be compared?
inline bool ComparesItems(const ArrayTable& table, const Frame& frame) {
  return table.distinctness != ArrayNode::Distinctness::kAny && !IsRepeatedFrame(frame);
}

// May an array end after `count` items with `marks`?
bool MayCloseArray(const ArrayTable& table, uint32_t count, uint64_t marks, bool repeated);
// How many more items finish an array of `count` items at most, if it can be finished.
uint64_t ItemsOwed(const ArrayTable& table, uint32_t count);
// Can an array be finished that holds `count` items with `marks` and the values `seen`?
bool CanFinishArray(const Machine& machine, const ArrayTable& table, uint32_t count, uint64_t marks,
                    const std::vector<std::string_view>& seen, bool repeated);

// Are the items of an array distinct, and can it be finished behind each one that was not seen?
inline bool TakesAnyNewItem(const ArrayTable& table) {
  return table.distinctness == ArrayNode::Distinctness::kDistinct &&
         (table.never_runs_out || (table.plain && table.min <= 1));
}
// The same of one with `count` items and `marks`, and of each item behind that.
bool TakesAnyNewItem(const ArrayTable& table, uint32_t count, uint64_t marks);

// Questions about an array frame between items.
bool MayCloseArray(const ArrayTable& table, const Frame& frame);
bool MayAddItem(const Machine& machine, const ArrayTable& table, const Frame& frame);
// May the next item be read as `choice`? Writes the registers behind it to `next`.
bool MayTakeItem(const Machine& machine, const ArrayTable& table, const Frame& frame,
                 const Choice& choice, Frame* next);

// The item ended that began where `frame` says. Adds its value to `frame`. Returns whether the
// array can be finished. `arena` holds the value.
// `closed`: the frame of the array that ended as this item, or null if none did.
bool EndItem(const Machine& machine, const ArrayTable& table, const TraceByte* trace,
             const Frame* closed, Arena* arena, Frame* frame);
// Notes in `node` what its new edge `edge` means for StackNode::blocked and traced_depth.
void NoteEdge(const Machine& machine, const ReturnEdge& edge, StackNode* node);

// Is `item`, which has a trace, live? See above.
bool IsLiveAmongItems(const Machine& machine, const Item& item);

}  // namespace maskloom
