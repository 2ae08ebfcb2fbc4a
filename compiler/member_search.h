// One search of the member solver (member_solver.h).
#pragma once

#include <tsl/robin_map.h>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "compiler/member_solver.h"

namespace maskloom {

// Scratch memory for one thread, meant to be reused. Not thread-safe.
class MemberSearch {
 public:
  // Searches with choices whose value costs at most `most`. Returns whether the object can be
  // finished. `table` and `state` must outlive what follows.
  bool Run(const ObjectTable& table, const MemberState& state, TextCost most);

  // Behind a Run that succeeded: names that some way of finishing adds, as bits.
  void FindNames(std::vector<uint64_t>* names);
  // Behind a Run that succeeded: a way of finishing, few and cheap members first.
  std::vector<PlannedMember> MakePlan();

 private:
  struct Entry {
    uint32_t node;
    uint64_t marks;
    uint32_t moves_begin, moves_end;
  };
  struct Move {
    uint32_t target;  // entry
    uint32_t choice;  // 1 + index of the choice that is added; 0 if nothing is
  };
  using SizeRange = std::pair<int64_t, int64_t>;
  using SizeRanges = std::vector<SizeRange>;  // ascending, apart
  // What undeclared keys lead to: marks, and how many of them were added.
  using Outcomes = std::vector<std::pair<uint64_t, SizeRanges>>;
  // The end of a way: what was read, and what may still be added.
  struct Tail {
    uint32_t node = 0;
    uint64_t marks = 0;
    int64_t added = 0;
    int64_t free_least = 0;  // names that the condition does not depend on
    int64_t free_most = 0;
    std::vector<uint32_t> class_left;
  };

  bool Seen(uint32_t name) const { return state_->seen[name / 64] >> (name % 64) & 1; }
  bool IsRequired(uint32_t name) const { return table_->required[name / 64] >> (name % 64) & 1; }
  // Can the name be added, by its order and by a value that is cheap enough?
  bool IsOpen(uint32_t name) const;
  bool Fits(const MemberChoice& choice) const { return choice.cost <= most_; }
  bool CountFreeNames();
  void ExpandLevel(const ConditionDiagram::Level& level, size_t begin, size_t end);
  uint32_t EntryAt(size_t level_begin, uint32_t node, uint64_t marks);
  void AddMove(size_t level_begin, uint32_t node, uint64_t marks, uint32_t choice);

  // What the choices of undeclared class `k` may count, less that which other choices are always at
  // least as good as: conditions are monotone, so nothing is lost without it.
  const std::vector<uint64_t>& BestCounts(size_t k);
  Outcomes OutcomesOf(uint64_t marks, const std::vector<uint32_t>& class_left);
  // The same where neither size nor number of keys matters; the numbers mean nothing.
  Outcomes ReachedFrom(uint64_t marks);
  // As fits the keys that are left at first; kept for the next time.
  const Outcomes& FirstOutcomesOf(uint64_t marks);
  // Calls `visit(least, most, low, high)` for ways to finish `tail` with undeclared keys as in
  // `outcomes`: least to most members come, and low to high are fine, both beside its `added`.
  template <typename Visit>
  void VisitSizes(const Tail& tail, const Outcomes& outcomes, Visit visit) const;
  // How many more members finish `tail` at least; -1 if none do.
  int64_t FewestOf(const Tail& tail);
  void PlanTail(Tail tail, std::vector<PlannedMember>* plan);
  uint32_t CheapestChoice(uint32_t slot) const;

  uint64_t* Bits(std::vector<uint64_t>* rows, size_t entry) const {
    return rows->data() + entry * words_;
  }
  static bool Test(const uint64_t* bits, uint64_t i) { return bits[i / 64] >> (i % 64) & 1; }

  const ObjectTable* table_ = nullptr;
  const MemberState* state_ = nullptr;
  TextCost most_ = 0;
  bool sized_ = false;   // does the size matter?
  size_t words_ = 1;     // of a row of bits
  uint64_t places_ = 1;  // bits of a row that are used
  int64_t free_required_ = 0, free_optional_ = 0;
  std::vector<Entry> entries_;
  std::vector<Move> moves_;
  std::vector<size_t> level_begins_;
  std::vector<uint64_t> backward_, forward_;
  tsl::robin_map<uint64_t, Outcomes> first_outcomes_;  // by marks
  std::vector<std::vector<uint64_t>> best_counts_;     // BestCounts, of classes before this number
  std::vector<uint32_t> buckets_;  // of the level that is being filled: 1 + entry
  size_t bucket_mask_ = 0;
};

}  // namespace maskloom
