// Questions about the registers of an object frame: which keys may still come.
//
// Where the object has a condition, member_solver.h answers. Otherwise:
//
// A key may come if it was not seen, can have a value, and leaves room under max_properties for the
// required keys that are still missing; in declared order it must also not pass a required key, nor
// leave too few keys for min_properties. An object may close when no required key is missing and
// min_properties is met. The frame is live if it may close or some key may come: admission proved
// that of the empty object, and every key that these rules let through keeps it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/arena.h"
#include "compiler/frame.h"
#include "compiler/machine_tables.h"
#include "compiler/member_solver.h"

namespace maskloom {

class ObjectRegisters {
 public:
  ObjectRegisters(const ObjectTable& table, bool declared_order, const Frame& frame)
      : table_(table), declared_order_(declared_order), frame_(frame) {}

  bool MayClose() const { return MayCloseWith(frame_.marks); }
  // Can the object be finished if its counters stand at `marks`?
  bool MayFinish(uint64_t marks) const;
  // May any key come?
  bool MayAddKey() const;
  // May declared name `index` come?
  bool MayAddName(uint32_t index) const;
  // May some declared name in [begin, end) come? Cost: a few words, or the range in declared order.
  bool MayAddNameIn(uint32_t begin, uint32_t end) const;
  // May an undeclared key come that extends the key text read so far? `state` is that of
  // other_keys, `names_node` that of the name trie (or NameTrie::kDead).
  bool MayAddOther(uint32_t state, uint32_t names_node, const KeyText* text) const;
  // May one of infinitely many undeclared keys come that are accepted from `state`?
  bool MayAddEndless(uint32_t state) const;
  // Are some keys that are accepted from `state` so few that single ones matter?
  bool CountsKeys(uint32_t state) const;
  // May an undeclared key of class `index` come? Requires: some undeclared key may.
  bool MayAddClass(uint32_t index) const;
  // How many keys of class `index` below the text are left; kNoLimit: infinitely many.
  uint32_t ClassLeft(uint32_t index, uint32_t state, uint32_t names_node,
                     const KeyText* text) const;
  // Was the undeclared key `text` seen?
  bool SawOther(const KeyText* text) const;
  // The registers behind name `index`, or behind another key with `text`.
  void AddName(uint32_t index, Arena* arena, Frame* next) const;
  void AddOther(const KeyText* text, Arena* arena, Frame* next) const;

  // Members that finish the object; see MemberSolver::Plan. Requires: table.is_conditional().
  std::optional<std::vector<PlannedMember>> PlanMembers() const;

  // How many more optional keys max_properties leaves room for; kNoLimit if it does not bound.
  uint32_t Slack() const;

 private:
  uint64_t SeenWord(uint32_t word) const {
    return frame_.seen_words != nullptr ? frame_.seen_words[word]
           : table_.word_count() == 1   ? frame_.seen
                                        : 0;
  }
  bool Saw(uint32_t index) const { return SeenWord(index / 64) >> (index % 64) & 1; }
  // The registers as the solver reads them. `left` is memory for them.
  MemberState State(std::vector<uint32_t>* left) const;
  bool MayCloseWith(uint64_t marks) const;
  uint32_t MissingRequired() const;
  bool MayAddOthersAtAll() const;
  bool MayAddNameInOrder(uint32_t index) const;
  const ObjectTable& table_;
  const bool declared_order_;
  const Frame& frame_;
};

// The same questions about undeclared keys, for many states of one frame's key.
class OtherKeys {
 public:
  // Both must outlive this.
  OtherKeys(const ObjectTable& table, const ObjectRegisters& registers)
      : table_(table), registers_(registers) {}

  bool MayAddClass(uint32_t index) const;
  // As ObjectRegisters::MayAddEndless.
  bool AreEndless(uint32_t state) const;
  // May keys come that are accepted from `state`, and are they so few that single ones matter?
  // Leaves out what was seen or is declared: where it is true MayAdd says more.
  bool AreFew(uint32_t state) const;
  // As ObjectRegisters::MayAddOther.
  bool MayAdd(uint32_t state, uint32_t names_node, const KeyText* text) const;

 private:
  const ObjectTable& table_;
  const ObjectRegisters& registers_;
  // Answers for the first classes: whether they are known, and what they are.
  mutable uint64_t known_ = 0, may_come_ = 0;
};

// Is `text` a prefix of `whole`? Null is the empty text.
bool IsKeyPrefix(const KeyText* text, const KeyText* whole);
bool SameKey(const KeyText* a, const KeyText* b);

}  // namespace maskloom
