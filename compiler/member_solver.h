// Which members may still come where an object has a condition: can it be finished, by what.
//
// An object is finishable if further members make its condition true, its required keys complete
// and its size fit: names not seen yet, each with one of its choices, and undeclared keys of
// classes that have some left. The search walks the condition's diagram level by level over pairs
// of a node and marks; names that are seen only follow their edge. Names that the condition does
// not depend on, and undeclared keys, are taken at the end, by number. Sizes are kept as bits: bit
// i of a pair stands for i members added so far, forwards from the object as it is, backwards from
// a finished one. A member may come where both meet.
//
// Cost: at most ConditionDiagram::kMaxStates pairs (admission counted them), each of as many words
// as names / 64; only one bit if no bound asks for the size. Answers are kept for each thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "compiler/machine_tables.h"

namespace maskloom {

// The registers of an object, as far as they matter here.
struct MemberState {
  std::span<const uint64_t> seen;  // bit i: name i
  uint64_t marks = 0;
  uint32_t count = 0;
  bool declared_order = false;
  uint32_t last = 0;                     // in declared order: names before this cannot come
  std::span<const uint32_t> class_left;  // undeclared keys left by class, kNoLimit: infinitely many
};

// A member of a plan, `times` of them if undeclared.
struct PlannedMember {
  uint32_t slot = 0;
  MemberChoice choice;
  uint64_t times = 1;
};

// Requires: table.is_conditional(). Thread safety: const calls from any thread.
class MemberSolver {
 public:
  explicit MemberSolver(const ObjectTable& table) : table_(table) {}

  bool MayFinish(const MemberState& state) const;
  // May name `index`, or a key of a class, come next?
  bool MayAddName(const MemberState& state, uint32_t index) const;
  // May some name in [begin, end)?
  bool MayAddNameIn(const MemberState& state, uint32_t begin, uint32_t end) const;
  bool MayAddClass(const MemberState& state, uint32_t index) const;
  // Returns members that finish the object, in no order, nothing if there are none. Their values'
  // largest cost is the least possible: values of a plan then cost less than the object does, so
  // completions end.
  std::optional<std::vector<PlannedMember>> Plan(const MemberState& state) const;

 private:
  struct Answer;
  Answer& Find(const MemberState& state) const;
  const Answer& FindOptions(const MemberState& state) const;

  const ObjectTable& table_;
};

}  // namespace maskloom
