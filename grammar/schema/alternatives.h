// A union over the six JSON types: the normal form of a schema, and how such unions join and unite.
#pragma once

#include <string>
#include <vector>

#include "grammar/base/status.h"
#include "grammar/schema/constraints.h"

namespace maskloom {

// A value is accepted if it is an allowed literal or satisfies one constraint listed for its type.
// Invariant: the lists are sorted and simplified.
struct Alternatives {
  bool allows_null = false;
  bool allows_true = false;
  bool allows_false = false;
  std::vector<ConstraintId> strings;
  std::vector<ConstraintId> numbers;
  std::vector<ConstraintId> arrays;
  std::vector<ConstraintId> objects;

  bool IsEmpty() const {
    return !allows_null && !allows_true && !allows_false && strings.empty() && numbers.empty() &&
           arrays.empty() && objects.empty();
  }
  bool operator==(const Alternatives&) const = default;
  // Accepts every JSON value.
  static Alternatives Everything();
};

// Returns a key under which equal unions meet.
std::string KeyOf(const Alternatives& alternatives);

class AlternativesAlgebra {
 public:
  // Budgets: members of one type in a union, and joins of two members in all. Beyond them a schema
  // is refused by kResourceLimit.
  static constexpr size_t kMaxMembers = 20'000;
  static constexpr uint64_t kMaxJoins = 4'000'000;

  explicit AlternativesAlgebra(ConstraintPool* pool) : pool_(pool) {}

  // Returns the values that both accept. Types meet only themselves, so unions of different types
  // cost no product.
  // On error: kResourceLimit.
  Result<Alternatives> Join(const Alternatives& a, const Alternatives& b);
  // Returns the values that some part accepts.
  // On error: kResourceLimit.
  Result<Alternatives> Unite(const std::vector<const Alternatives*>& parts);

 private:
  using JoinFunction = ConstraintId (ConstraintPool::*)(ConstraintId, ConstraintId);
  using SimplifyFunction = void (ConstraintPool::*)(std::vector<ConstraintId>*);
  struct TypeOperations {
    std::vector<ConstraintId> Alternatives::*members;
    JoinFunction join;
    SimplifyFunction simplify;
  };
  static const TypeOperations kOperations[4];

  Status JoinMembers(const Alternatives& a, const Alternatives& b, const TypeOperations& operations,
                     Alternatives* joint);

  ConstraintPool* pool_;
  uint64_t join_count_ = 0;
};

}  // namespace maskloom
