// Objects: sets of member rules, required names and counts.
#include <algorithm>
#include <utility>

#include "grammar/schema/constraints.h"

namespace maskloom {

ConstraintId ConstraintPool::AddObject(ObjectConstraint constraint) {
  uint64_t required_count = constraint.required.size();
  if (constraint.min_properties <= required_count) constraint.min_properties = 0;
  if (std::max(constraint.min_properties, required_count) > constraint.max_properties) {
    return kNoConstraint;
  }
  return objects.Add(std::move(constraint));
}

ConstraintId ConstraintPool::JoinObjects(ConstraintId a, ConstraintId b) {
  if (a == b || b == kUnconstrained) return a;
  if (a == kUnconstrained) return b;
  const ObjectConstraint& x = objects[a];
  const ObjectConstraint& y = objects[b];
  return AddObject({UniteSorted(x.rules, y.rules), UniteSorted(x.required, y.required),
                    std::max(x.min_properties, y.min_properties),
                    std::min(x.max_properties, y.max_properties)});
}

void ConstraintPool::SimplifyObjects(std::vector<ConstraintId>* members) {
  DropContained(members, [this](ConstraintId outer, ConstraintId inner) {
    const ObjectConstraint& o = objects[outer];
    const ObjectConstraint& i = objects[inner];
    return o.min_properties <= std::max<uint64_t>(i.min_properties, i.required.size()) &&
           o.max_properties >= i.max_properties && IncludesSorted(i.rules, o.rules) &&
           IncludesSorted(i.required, o.required);
  });
}

}  // namespace maskloom
