// Which values the nodes of a grammar have: few, many, or without end.
//
// Arrays of distinct items ask, before every byte, whether a value is left that was not seen.
// Nearly always the answer is that values never run out: some string that is still to come may hold
// any text. Where they may run out they are listed: values as keys (json_value_key.h), up to a
// limit that the question sets, and a list that would be longer is just "many".
//
// A list grows level by level so that everything on the way to a value can still become one; a
// level wider than the limit therefore proves that there are more values than that.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "compiler/frame.h"
#include "compiler/json_value_key.h"
#include "compiler/machine_tables.h"
#include "grammar/base/status.h"

namespace maskloom {

class Machine;

struct ValueList {
  bool many = false;           // more than were asked for; `keys` does not matter then
  std::vector<ValueKey> keys;  // distinct

  template <typename Archive, typename Self>
  static void Describe(Archive& archive, Self& self) {
    archive.Value(self.many);
    archive.Texts(self.keys);
  }
};

class ValueSpace {
 public:
  // Values of nodes with no more than this many are listed once.
  static constexpr uint64_t kListed = 1024;

  explicit ValueSpace(const Machine& machine) : machine_(machine) {}
  // Requires: the machine's costs are settled and its arrays and objects cut. On error:
  // kResourceLimit where the values of recursive items under conditions cannot be told.
  Status Build();

  // Are there more values than an array can hold?
  bool IsEndless(ValueId id) const { return endless_values_[id]; }
  // ... of those that finish `frame` with what may still come in it? False if it takes more to see.
  bool IsEndless(const Frame& frame) const;
  // How many values the string in `frame` can surely become, at least.
  uint64_t FewestTexts(const Frame& frame) const;
  // How many code points may be read inside a string, whichever they are, while that stays so;
  // kNoLimit: any number.
  uint32_t EndlessReach(const Frame& frame) const;

  // The values of node `id`; those that a text can become that stands in `frame`, where `text` is
  // what an unfinished string holds so far or the text of an unfinished number, and `container`
  // what an array or object holds so far. Lists have no more than `limit` keys.
  // `scratch` is memory for a list that is not kept.
  const ValueList& ValuesOf(ValueId id, uint64_t limit, ValueList* scratch) const;
  ValueList ValuesFrom(const Frame& frame, std::u32string_view text, std::string_view number,
                       const OpenContainer* container, uint64_t limit) const;

  // What Build finds.
  template <typename Archive, typename Self>
  static void Describe(Archive& archive, Self& self) {
    archive.Value(self.alphabet_);
    archive.Bits(self.endless_values_);
    archive.Bits(self.endless_numbers_);
    archive.ArrayLists(self.text_counts_);
    archive.ArrayLists(self.lengths_of_many_);
    archive.Bits(self.all_states_endless_);
    archive.Parts(self.lists_);
  }

 private:
  bool FindEndless();
  bool ArrayIsEndless(const ArrayTable& table, uint32_t count) const;
  bool SlotIsEndless(const ObjectTable& table, uint32_t slot) const;
  bool ObjectIsEndless(NodeId id, const Frame& frame) const;
  bool NumberIsEndless(NodeId id) const;
  bool FindCycle(ValueId id, Status* status);
  // Calls `visit(value)` for the values that node `id` holds and that have a text.
  template <typename Visit>
  void VisitArrayParts(NodeId id, Visit visit) const;
  template <typename Visit>
  void VisitObjectParts(NodeId id, Visit visit) const;
  bool IsConditioned(bool array, NodeId id) const;

  const Machine& machine_;
  uint64_t alphabet_ = 0;  // code points that strings can spell
  std::vector<bool> endless_values_;
  std::vector<bool> endless_numbers_;
  std::vector<std::vector<uint32_t>> text_counts_;  // by string node and state; kNoLimit: endless
  std::vector<bool> all_states_endless_;            // by string node
  // By string node of bounded length, and state: with so many code points left it never runs out.
  std::vector<std::vector<uint32_t>> lengths_of_many_;
  std::vector<ValueList> lists_;  // by value, of up to kListed values
  std::vector<uint8_t> colors_;   // of the search for cycles
  struct OnPath {
    ValueId value;
    bool conditioned;
  };
  std::vector<OnPath> path_;
};

}  // namespace maskloom
