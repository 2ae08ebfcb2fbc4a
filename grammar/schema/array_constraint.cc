// Arrays: sets of item rules and counts.
#include <algorithm>
#include <utility>

#include "grammar/schema/constraints.h"

namespace maskloom {

ConstraintId ConstraintPool::AddArray(ArrayConstraint constraint) {
  if (constraint.min_items > constraint.max_items) return kNoConstraint;
  return arrays.Add(std::move(constraint));
}

ConstraintId ConstraintPool::JoinArrays(ConstraintId a, ConstraintId b) {
  if (a == b || b == kUnconstrained) return a;
  if (a == kUnconstrained) return b;
  const ArrayConstraint& x = arrays[a];
  const ArrayConstraint& y = arrays[b];
  return AddArray({UniteSorted(x.rules, y.rules), std::max(x.min_items, y.min_items),
                   std::min(x.max_items, y.max_items)});
}

void ConstraintPool::SimplifyArrays(std::vector<ConstraintId>* members) {
  DropContained(members, [this](ConstraintId outer, ConstraintId inner) {
    const ArrayConstraint& o = arrays[outer];
    const ArrayConstraint& i = arrays[inner];
    return o.min_items <= i.min_items && o.max_items >= i.max_items &&
           IncludesSorted(i.rules, o.rules);
  });
}

}  // namespace maskloom
