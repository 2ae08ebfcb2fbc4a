// Moves configurations by one byte: the transition function of the machine.
//
// Every item that a step returns is live: it can be completed with spellable bytes, whatever the
// other items do. (Frames below the top are live by construction: a return frame was checked when
// its callee was started.) A step therefore fails exactly where the text has no completion.
//
// Rules are matched as in generalised LL parsing. A call pushes a StackNode that all calls of the
// same callee at the same position share, and a callee returns to every edge of its node. Callees
// never match the empty text (calls of nullable ones may be skipped instead), so all edges of a
// node are known before it is returned to, and left recursion is a cycle of edges that costs
// nothing. A call in tail position reuses the caller's node, so right recursion needs no stack. A
// node that is as good as an older one gives way to it (stepper_nodes.cc), so neither does
// recursion on both sides.
#pragma once

#include <tsl/robin_set.h>

#include <cstdint>
#include <vector>

#include "compiler/arena.h"
#include "compiler/distinct_items.h"
#include "compiler/frame.h"
#include "compiler/machine.h"
#include "compiler/white_space.h"

namespace maskloom {

// Holds scratch memory for steps, meant to be reused. Not thread-safe. Requires: Bind before use.
class Stepper {
 public:
  Stepper() = default;
  // `arena` receives stack nodes and key texts; it must outlive what steps return.
  void Bind(const Machine& machine, Arena* arena) {
    machine_ = &machine;
    arena_ = arena;
  }

  // While set, arrays that take any item which was not seen do not compare theirs, nor do those
  // that may go on until two are equal; see apart_items.h.
  void IgnoreSeenValues(bool ignore) { ignores_seen_ = ignore; }
  // Did the last step drop an item for what its arrays have seen?
  bool has_refused() const { return has_refused_; }

  // Appends the items of the empty text.
  void Start(std::vector<Item>* items);
  // Reads `byte` in the configuration items[begin, end) and appends the next configuration to
  // `items`. Returns whether it has any item.
  bool Step(std::vector<Item>* items, size_t begin, size_t end, uint8_t byte);

  // Appends what `item` returns to when its frame is complete.
  void AppendReturns(std::vector<Item>* items, const Item& item);

  // The deepest Item::level whose node was returned from since the last ResetLevel; see Item.
  uint32_t deepest_level() const { return deepest_level_; }
  void ResetLevel() {
    deepest_level_ = 0;
    notes_levels_ = true;
  }

 private:
  struct Call {
    uint32_t kind_and_callee;
    StackNode* node;
    size_t edge_count = 1;
    const TraceByte* trace = nullptr;  // of what the callee reads
  };
  struct Arrival {
    FrameKind kind;
    bool is_start;
    uint32_t node, state, count;
    const StackNode* stack;
    bool operator==(const Arrival&) const = default;
  };
  struct HashArrival {
    size_t operator()(const Arrival& arrival) const;
  };
  struct HashEdge {
    size_t operator()(const std::pair<const StackNode*, Arrival>& edge) const;
  };
  // Adds an edge to the node of `call` unless it is there. Requires: frames of rules or repeats.
  void AddEdge(Call* call, const Frame& return_frame, const Item& item);

  void StepItem(const Item& item, uint8_t byte);
  void StepString(const Item& item, uint8_t byte);
  void StepArray(const Item& item, uint8_t byte);
  // Is the item behind which the array in `frame` stands to be compared, and not ignored?
  bool Compares(const ArrayTable& table, const Frame& frame) const {
    return ComparesItems(table, frame) &&
           !(ignores_seen_ &&
             (table.repeats_freely || TakesAnyNewItem(table, frame.count, frame.marks)));
  }
  // Starts an item of an array by each of its choices.
  void StartItem(const ArrayTable& table, const Item& item, uint8_t byte);
  // The trace behind `byte`, where `trace` is the one before.
  const TraceByte* Extend(const TraceByte* trace, uint8_t byte);
  // Returns to the array of `item`, one of whose items has ended; see EndItem. Returns whether it
  // is live.
  bool EndArrayItem(Item* item);
  // Returns `lives`, and notes where an array that compares its items says no.
  bool NoteRefusal(const ArrayTable& table, const Frame& frame, bool lives) {
    has_refused_ |= !lives && ComparesItems(table, frame);
    return lives;
  }
  void StepObject(const Item& item, uint8_t byte);
  // Starts the value of a member by each of its choices.
  void CallChoices(const Item& item, uint8_t byte, Frame* return_frame);
  void StepKey(const Item& item, uint8_t byte);
  void EndKey(const Item& item);
  void StepRule(const Item& item, uint8_t byte);

  // Starts a value whose first byte is `byte`.
  void StartValue(ValueId value, uint8_t byte, const StackNode* stack, uint32_t level,
                  uint32_t depth);
  // Starts `value` with `byte` for `item`, which goes on as `return_frame` behind it. Items that
  // call the same value at the same position share its node, so nested unions stay polynomial.
  void CallValue(ValueId value, uint8_t byte, const Frame& return_frame, const Item& item);
  // The callee of every item that `stack` lists is complete.
  void Return(const StackNode* stack, uint32_t level);
  void ArriveLater(const Item& item, bool is_start);
  void Arrive(const Item& item, bool is_start);
  void ArriveRule(const Item& item, bool is_start);
  void ArriveRepeat(const Item& item, bool is_start);
  void PushCall(FrameKind kind, uint32_t callee, const Frame& return_frame, const Item& item);
  void DrainArrivals();
  // Of the waiting repeats that may end, takes the one with the lowest count, and drops it if one
  // of the same stack went before it: what a higher count accepts, a lower one does too.
  void ArriveLowestRepeat();
  bool FirstVisit(const Item& item, bool is_start);
  void Emit(const Item& item) { out_->push_back(item); }
  // Drops items whose arrays have no value left for them.
  void RemoveDeadItems(size_t begin);
  // Such a question looks at all frames down to the outermost array that compares its items.
  void NoteTracedLevels(const StackNode* node, uint32_t level);
  // Puts older nodes for those of this position that are as good; see stepper_nodes.cc. `begin`: of
  // the items behind it. Not in walks for masks: there levels of nodes count.
  void MergeNodes(size_t begin);
  void Replace(const StackNode* node, const StackNode* by, size_t begin);
  // Drops items that are there already, or as good but for better marks.
  void RemoveDuplicates(size_t begin);
  // Are the frames equal, or differ in marks of which those of `a` are as good?
  bool IsAsGood(const Frame& a, const Frame& b) const;
  bool IsAsGood(const Item& a, const Item& b) const {
    return a.stack == b.stack && IsAsGood(a.frame, b.frame);
  }
  void BeginPosition(std::vector<Item>* items);

  uint16_t Space(SpacePlace place, const Frame& frame, uint8_t byte) const;
  bool SpaceEnds(SpacePlace place, const Frame& frame) const {
    return SpaceMayEnd(machine_->style(), place, frame.depth, frame.space);
  }

  const Machine* machine_ = nullptr;
  Arena* arena_ = nullptr;
  std::vector<Item>* out_ = nullptr;
  uint32_t deepest_level_ = 0;
  bool notes_levels_ = false;  // nobody asks for them before ResetLevel
  bool ignores_seen_ = false;
  bool has_refused_ = false;
  const Frame* closed_ = nullptr;  // of the array that returns, if its items were compared
  std::vector<Call> calls_;        // of the current position
  std::vector<Arrival> visited_;   // of the current position
  tsl::robin_set<Arrival, HashArrival> many_visited_;  // the same, where they are many
  // Edges of the calls that have many, with the callee's node as its address.
  tsl::robin_set<std::pair<const StackNode*, Arrival>, HashEdge> many_edges_;
  struct Pending {
    Item item;
    bool is_start;
  };
  std::vector<Pending> pending_;  // arrivals to be expanded
  std::vector<Item> waiting_;     // repeats that may end, as a heap: lowest count first
  // Repeats that were expanded; their counts do not matter here.
  tsl::robin_set<Arrival, HashArrival> settled_;
  const TraceByte* trace_ = nullptr;  // of the callee that reads or returns
  // Of the current position: traces with what they became, and items that ended.
  std::vector<std::pair<const TraceByte*, const TraceByte*>> extended_;
  struct EndedItem {
    Frame before, after;
    const TraceByte* trace;
    bool live;
  };
  std::vector<EndedItem> ended_items_;
  std::vector<std::pair<size_t, size_t>> hashes_;  // of items with their places
};

// May the text end in `item`?
bool IsAcceptingItem(const Machine& machine, const Item& item);

}  // namespace maskloom
