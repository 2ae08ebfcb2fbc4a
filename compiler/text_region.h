// Where inside an automaton text can go on freely.
//
// The region of a state is a set of categories and a number of code points such that every text of
// only these categories and at most that long keeps the state live. It is found breadth first: all
// states of a layer must have every category's edges, else the layer's depth is the length; when
// that is too short, the categories that were missing are given up and the search begins again.
// Example: `(\S+\s+){0,49}\S+` behind its first word: any category, 97 code points.
#pragma once

#include <cstdint>

#include "compiler/category_index.h"
#include "compiler/frame.h"
#include "compiler/machine.h"

namespace maskloom {

struct TextRegion {
  CategorySet categories = 0;  // 0: none worth having
  uint32_t length = 0;         // code points, or CategoryIndex::kAnyLength
};

// Returns the region of `item`: of a string, a key with undeclared names, or a rule, at a boundary.
TextRegion RegionOf(const Machine& machine, const Item& item);

}  // namespace maskloom
