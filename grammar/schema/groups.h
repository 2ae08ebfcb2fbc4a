// A formula of arrays or objects as a union of groups, each of which becomes one node.
//
// What every item or member keeps decides the values of a node, so formulas are split by it: a
// group is the rules that are kept (and whether items are distinct), and the rest of the formula,
// which may hold whatever a node can keep track of. Example, K1 and K2 being kept rules:
//   (K1 and present a) or (K1 and present b) or K2   ->   {K1: present a or present b}, {K2: true}
// A union inside a conjunction is multiplied out while the groups stay few; beyond kMaxGroups its
// rules stay in the rest, as things to count.
#pragma once

#include <vector>

#include "grammar/schema/formula.h"

namespace maskloom {

struct Group {
  std::vector<FormulaId> kept;  // literals kKeeps and kDistinct, or its opposite; sorted
  FormulaId rest = kTrueFormula;
};

inline constexpr size_t kMaxGroups = 64;

std::vector<Group> SplitByRules(FormulaPool* pool, FormulaId formula);

}  // namespace maskloom
