// From the rest of a group to bounds, counters and conditions of a node.
//
// Literals that say something of all members or of some are counted: "some member breaks rule r"
// is a counter of members that do, which must reach one; "all keep r", where that is only one of
// several ways, is the same counter, which must stay zero. `contains` counts items likewise. What
// is asked of one member is an event: its value is in some set or it is not, and either may raise
// counters. The choices of a slot are what remains possible of all combinations.
#pragma once

#include <functional>
#include <unordered_map>
#include <vector>

#include "grammar/ir.h"
#include "grammar/schema/formula.h"

namespace maskloom {

// Does a member keep rule `index`, or is an item an instance of schema `index`?
struct Event {
  LiteralKind kind = LiteralKind::kKeeps;  // or kContains
  uint32_t index = 0;
  uint64_t in_counts = 0;   // bits of the counters that go up where it does
  uint64_t out_counts = 0;  // and where it does not
};

// What is counted in a node.
struct Events {
  std::vector<Counter> counters;
  std::vector<Event> events;
  std::unordered_map<FormulaId, uint32_t> counter_of;  // by literal

  // Bits of the counters of which more is better.
  uint64_t AtLeastBits() const;
};

// What an event is for the values of one slot.
struct EventEffect {
  enum class Kind : uint8_t {
    kAlwaysIn,
    kAlwaysOut,
    kSplit,  // in if the value satisfies all of `schemas`
  };
  Kind kind = Kind::kAlwaysIn;
  std::vector<SchemaId> schemas;
};

// The events of `rest`. Literals about presence, sizes and distinctness are none.
Events EventsOf(const FormulaPool& pool, FormulaId rest);

// Does `formula` speak of distinct items?
bool HoldsDistinctness(const FormulaPool& pool, FormulaId formula);

// What is left of a formula for a node.
struct ContainerCondition {
  bool impossible = false;
  uint64_t min_size = 0;
  uint64_t max_size = kNoMaximum;
  std::vector<NameId> required;
  std::vector<NameId> forbidden;
  std::vector<Condition> conditions;
};

// Turns `rest` into a condition. `raised` has the bits of the counters that some choice raises;
// `property_of` gives the index of a declared name.
ContainerCondition ConditionOf(FormulaPool* pool, FormulaId rest, const Events& events,
                               uint64_t raised, const std::function<uint32_t(NameId)>& property_of);

}  // namespace maskloom
