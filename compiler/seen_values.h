// The items that an array of distinct items has so far: a set that is never changed, only added to,
// so that configurations share it.
//
// A set is its newest value (SeenValue in frame.h). Beside the list of all it holds a tree by bits
// of hashes, in the newest value's terms: others[i] is the newest of the values whose hashes part
// from its own at bit i, and the same set again of these. To look for a hash is to go, from the
// newest value, to the place where the two part; what is found there shares more bits. To add one
// is to walk the same way and to note what is left at its sides. Both take about as many steps as
// the count of values has bits.
#pragma once

#include <string_view>

#include "compiler/arena.h"
#include "compiler/frame.h"

namespace maskloom {

// Is `key` among the values of `seen` (null: none)?
bool IsSeen(const SeenValue* seen, std::string_view key);

// Returns `seen` and `key`, which is not in it. `arena` holds what is added.
const SeenValue* AddSeen(const SeenValue* seen, std::string_view key, Arena* arena);

}  // namespace maskloom
