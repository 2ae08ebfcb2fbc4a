// Numbers: integrality, bounds, finite sets, in exact decimals.
#include <algorithm>
#include <utility>

#include "grammar/schema/constraints.h"

namespace maskloom {
namespace {

bool AboveLower(const std::optional<NumberBound>& bound, const Decimal& value) {
  return !bound || value > bound->value || (!bound->exclusive && value == bound->value);
}

bool BelowUpper(const std::optional<NumberBound>& bound, const Decimal& value) {
  return !bound || value < bound->value || (!bound->exclusive && value == bound->value);
}

// Is every value within `inner` within `outer`? `sign` is 1 for lower bounds, -1 for upper ones.
bool Wider(const std::optional<NumberBound>& outer, const std::optional<NumberBound>& inner,
           int sign) {
  if (!outer) return true;
  if (!inner) return false;
  if (outer->value == inner->value) return inner->exclusive || !outer->exclusive;
  return (outer->value < inner->value) == (sign > 0);
}

}  // namespace

bool ConstraintPool::Accepts(const NumberConstraint& constraint, const Decimal& value) const {
  if (constraint.one_of != nullptr) {
    return std::binary_search(constraint.one_of->begin(), constraint.one_of->end(), value);
  }
  return (!constraint.integer || value.IsInteger()) && AboveLower(constraint.lower, value) &&
         BelowUpper(constraint.upper, value);
}

ConstraintId ConstraintPool::AddNumber(NumberConstraint constraint) {
  if (constraint.one_of != nullptr) {
    if (constraint.one_of->empty()) return kNoConstraint;
    return numbers.Add(std::move(constraint));
  }
  if (constraint.lower && constraint.upper) {
    const Decimal& low = constraint.lower->value;
    if (!BelowUpper(constraint.upper, low) &&
        !AboveLower(constraint.lower, constraint.upper->value))
      return kNoConstraint;
    if (low > constraint.upper->value) return kNoConstraint;
    if (low == constraint.upper->value) {
      if (!Accepts(constraint, low)) return kNoConstraint;
      NumberConstraint single;
      single.one_of = std::make_shared<const std::vector<Decimal>>(1, low);
      return numbers.Add(std::move(single));
    }
  }
  return numbers.Add(std::move(constraint));
}

ConstraintId ConstraintPool::JoinNumbers(ConstraintId a, ConstraintId b) {
  if (a == b || b == kUnconstrained) return a;
  if (a == kUnconstrained) return b;
  const NumberConstraint& x = numbers[a];
  const NumberConstraint& y = numbers[b];
  NumberConstraint joint;
  if (x.one_of != nullptr || y.one_of != nullptr) {
    const NumberConstraint& finite = x.one_of != nullptr ? x : y;
    const NumberConstraint& other = x.one_of != nullptr ? y : x;
    auto kept = std::make_shared<std::vector<Decimal>>();
    for (const Decimal& value : *finite.one_of) {
      if (Accepts(other, value)) kept->push_back(value);
    }
    joint.one_of = std::move(kept);
  } else {
    joint.integer = x.integer || y.integer;
    joint.lower = Wider(x.lower, y.lower, 1) ? y.lower : x.lower;
    joint.upper = Wider(x.upper, y.upper, -1) ? y.upper : x.upper;
  }
  return AddNumber(std::move(joint));
}

void ConstraintPool::SimplifyNumbers(std::vector<ConstraintId>* members) {
  if (members->size() < 2) return;
  std::vector<ConstraintId> others;
  std::vector<Decimal> values;
  for (ConstraintId id : *members) {
    if (numbers[id].one_of == nullptr) others.push_back(id);
  }
  DropContained(&others, [this](ConstraintId outer, ConstraintId inner) {
    const NumberConstraint& o = numbers[outer];
    const NumberConstraint& i = numbers[inner];
    return (!o.integer || i.integer) && Wider(o.lower, i.lower, 1) && Wider(o.upper, i.upper, -1);
  });
  for (ConstraintId id : *members) {
    if (numbers[id].one_of == nullptr) continue;
    for (const Decimal& value : *numbers[id].one_of) {
      bool covered = std::any_of(others.begin(), others.end(), [&](ConstraintId other) {
        return Accepts(numbers[other], value);
      });
      if (!covered) values.push_back(value);
    }
  }
  if (!values.empty()) {
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    NumberConstraint finite;
    finite.one_of = std::make_shared<const std::vector<Decimal>>(std::move(values));
    others.push_back(AddNumber(std::move(finite)));
  }
  std::sort(others.begin(), others.end());
  *members = std::move(others);
}

}  // namespace maskloom
