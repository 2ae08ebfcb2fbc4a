// A formula of arrays or objects as a union of groups, each of which becomes one node.
//
// What every item or member keeps decides the values of a node, so formulas are split by it: a
// group is the rules that are kept (and whether items are distinct), and the rest of the formula,
// which may hold whatever a node can keep track of. Example, K1 and K2 being kept rules:
//   (K1 and present a) or (K1 and present b) or K2   ->   {K1: present a or present b}, {K2: true}
// A union inside a conjunction is multiplied out while the groups stay few; beyond kMaxGroups its
// rules stay in the rest, as things to count. Groups that the caller knows to be impossible, such
// as those of two branches that a required member tells apart, do not count.
//
// Where many unions of a conjunction ask about the same thing, the caller may know cases in which
// they are settled (key_cases.cc); then the groups are those of the cases, one by one.
#pragma once

#include <functional>
#include <vector>

#include "grammar/schema/formula.h"

namespace maskloom {

struct Group {
  std::vector<FormulaId> kept;  // literals kKeeps and kDistinct, or its opposite; sorted
  FormulaId rest = kTrueFormula;
};

inline constexpr size_t kMaxGroups = 256;
// Pairs of groups that are looked at for that.
inline constexpr size_t kMaxGroupPairs = 4096;

// So many unions are worth cases.
inline constexpr size_t kMinUnionsForCases = 4;

// What the caller knows of the formulas that are split.
struct GroupGuide {
  // May say no only of groups that nothing satisfies.
  std::function<bool(const Group&)> is_possible;
  // Returns formulas whose union is that one, at most `max_cases`; none where it knows of none.
  std::function<std::vector<FormulaId>(FormulaId, size_t max_cases)> cases_of;
};

std::vector<Group> SplitByRules(FormulaPool* pool, FormulaId formula, const GroupGuide& guide);

}  // namespace maskloom
