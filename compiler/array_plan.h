// Plans of an array's further items: which choices finish it, if any do.
//
// The condition of an array is a tree over its size and its counters. It is expanded once, into
// cases: conjunctions of bounds. To finish an array from `count` items and some marks is to find,
// for one case, items whose choices bring every at-least counter up to its bound and no at-most
// counter above, and a number of items within bounds:
//   * the items of the prefix come one by one. A plan keeps, index by index, what is still needed
//   of
//     each counter and what room is left; of these only the best are kept, since needing less and
//     having more room is never worse;
//   * all further items share a slot, so only how often each choice is taken matters. One number
//     remains free when the others are fixed and lies in an interval; the others are tried, from
//     none to as many as some counter (or the least size) asks for. A choice that is better than
//     another in all counters replaces it. For one `contains` that leaves nothing to try.
// Admission refuses what would leave too much to try.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "compiler/machine_tables.h"
#include "grammar/base/status.h"

namespace maskloom {

class Machine;

// Choices in the order of items, each with how many items in a row take it.
using ArrayPlan = std::vector<std::pair<Choice, uint64_t>>;
// Says whether a plan is acceptable for reasons beyond counters; plans of the rest are offered with
// every distribution that could matter, fewer items first.
using AcceptPlan = std::function<bool(const ArrayPlan& plan)>;

// Expands the condition of `table` into its cases. On error: kResourceLimit.
Status ExpandCases(ArrayTable* table);
// Is the search for plans small from every state? On error: kResourceLimit. Requires: ExpandCases.
// `all`: must every distribution of choices be tried, as distinct items need it?
Status CheckPlanEffort(const Machine& machine, const ArrayTable& table, bool all);
// Are the combinations of choices that the rest of an array may take few, with the values that have
// a text by now?
bool PlansAreFew(const Machine& machine, const ArrayTable& table);

// Can an array be finished from `count` items with `marks`, using choices whose values cost less
// than `below`? Writes the plan found to `plan` unless that is null; it prefers cheap values.
// Arrays of less than `min_size` items do not count.
bool FindArrayPlan(const Machine& machine, const ArrayTable& table, uint32_t count, uint64_t marks,
                   TextCost below, const AcceptPlan* accept, ArrayPlan* plan,
                   uint64_t min_size = 0);

// The choices of the item with index `count`.
std::vector<Choice> ItemChoices(const ArrayTable& table, uint32_t count);

}  // namespace maskloom
