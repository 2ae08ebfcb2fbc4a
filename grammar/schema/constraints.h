// Conjunctive constraints on values of one type, interned so that equal ones have one id.
//
// The normal form of a schema is a union over the six JSON types; what a union member says about a
// value of its type is one constraint of this file. Joining two constraints of a type gives the
// constraint of both, or nothing where they contradict. Members and items are not joined here: a
// constraint keeps the set of schemas whose member or item rules apply, and the children's
// conjunctions are made when the node is emitted. That is what lets recursion close.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "grammar/ir.h"
#include "grammar/schema/pattern_table.h"
#include "grammar/schema/schema_facts.h"

namespace maskloom {

using ConstraintId = uint32_t;
inline constexpr ConstraintId kUnconstrained = 0;          // in every table: any value of the type
inline constexpr ConstraintId kNoConstraint = 0xFFFFFFFF;  // no value

struct StringConstraint {
  std::vector<PatternId> patterns;  // sorted; none matches all texts
  uint64_t min_length = 0;
  uint64_t max_length = kNoMaximum;
  // Only these texts (sorted, distinct); then the members above are at rest.
  std::shared_ptr<const std::vector<std::u32string>> one_of;
};

struct NumberConstraint {
  bool integer = false;
  std::optional<NumberBound> lower;
  std::optional<NumberBound> upper;
  // Only these values (sorted, distinct); then the members above are at rest.
  std::shared_ptr<const std::vector<Decimal>> one_of;
};

struct ArrayConstraint {
  std::vector<SchemaId> rules;  // sorted: schemas with item rules
  uint64_t min_items = 0;
  uint64_t max_items = kNoMaximum;
};

using NameId = uint32_t;

struct ObjectConstraint {
  std::vector<SchemaId> rules;   // sorted: schemas with member rules
  std::vector<NameId> required;  // sorted
  uint64_t min_properties = 0;
  uint64_t max_properties = kNoMaximum;
};

// Constraints by id, equal constraints once. Id 0 is the unconstrained one.
template <typename Constraint>
class ConstraintTable {
 public:
  ConstraintTable() { Add(Constraint()); }
  ConstraintId Add(Constraint constraint) {
    auto [it, added] = ids_.try_emplace(KeyOf(constraint), size());
    if (added) items_.push_back(std::move(constraint));
    return it->second;
  }
  const Constraint& operator[](ConstraintId id) const { return items_[id]; }
  ConstraintId size() const { return static_cast<ConstraintId>(items_.size()); }

 private:
  std::unordered_map<std::string, ConstraintId> ids_;
  std::vector<Constraint> items_;
};

std::string KeyOf(const StringConstraint& constraint);
std::string KeyOf(const NumberConstraint& constraint);
std::string KeyOf(const ArrayConstraint& constraint);
std::string KeyOf(const ObjectConstraint& constraint);

// Decoded object keys by id.
class NameTable {
 public:
  NameId Add(std::string_view utf8);
  NameId Add(const std::u32string& name);
  const std::u32string& operator[](NameId id) const { return names_[id]; }
  NameId size() const { return static_cast<NameId>(names_.size()); }

 private:
  std::unordered_map<std::string, NameId> ids_;
  std::vector<std::u32string> names_;
};

class ConstraintPool {
 public:
  explicit ConstraintPool(PatternTable* patterns) : patterns_(patterns) {}

  ConstraintTable<StringConstraint> strings;
  ConstraintTable<NumberConstraint> numbers;
  ConstraintTable<ArrayConstraint> arrays;
  ConstraintTable<ObjectConstraint> objects;
  NameTable names;

  // Each adds a constraint in its simplest form, or returns kNoConstraint if nothing satisfies it
  // as far as it shows without its children.
  ConstraintId AddString(StringConstraint constraint);
  ConstraintId AddNumber(NumberConstraint constraint);
  ConstraintId AddArray(ArrayConstraint constraint);
  ConstraintId AddObject(ObjectConstraint constraint);

  // Each joins two constraints: what satisfies both, or kNoConstraint.
  ConstraintId JoinStrings(ConstraintId a, ConstraintId b);
  ConstraintId JoinNumbers(ConstraintId a, ConstraintId b);
  ConstraintId JoinArrays(ConstraintId a, ConstraintId b);
  ConstraintId JoinObjects(ConstraintId a, ConstraintId b);

  // Each makes a union of constraints smaller without changing it: finite sets become one, what
  // another member evidently contains is dropped. The result is sorted.
  void SimplifyStrings(std::vector<ConstraintId>* members);
  void SimplifyNumbers(std::vector<ConstraintId>* members);
  void SimplifyArrays(std::vector<ConstraintId>* members);
  void SimplifyObjects(std::vector<ConstraintId>* members);

  PatternTable* patterns() { return patterns_; }

 private:
  bool Accepts(const StringConstraint& constraint, const std::u32string& text) const;
  bool Accepts(const NumberConstraint& constraint, const Decimal& value) const;

  PatternTable* patterns_;
};

// Shared by the files of the types.
inline constexpr size_t kMaxComparedMembers = 256;  // of a union, compared pairwise
std::vector<uint32_t> UniteSorted(const std::vector<uint32_t>& a, const std::vector<uint32_t>& b);
bool IncludesSorted(const std::vector<uint32_t>& set, const std::vector<uint32_t>& subset);
// Sorts, makes distinct and drops each member that `contains(other, member)` another.
template <typename Contains>
void DropContained(std::vector<ConstraintId>* members, Contains contains) {
  std::sort(members->begin(), members->end());
  members->erase(std::unique(members->begin(), members->end()), members->end());
  if (!members->empty() && members->front() == kUnconstrained) members->resize(1);
  if (members->size() < 2 || members->size() > kMaxComparedMembers) return;
  std::vector<ConstraintId> kept;
  for (size_t i = 0; i < members->size(); ++i) {
    ConstraintId member = (*members)[i];
    bool contained = false;
    for (size_t j = 0; j < members->size() && !contained; ++j) {
      ConstraintId other = (*members)[j];
      // Of two that contain each other the first stays.
      contained = i != j && contains(other, member) && !(j > i && contains(member, other));
    }
    if (!contained) kept.push_back(member);
  }
  *members = std::move(kept);
}

}  // namespace maskloom
