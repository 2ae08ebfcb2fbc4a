// From the rest of a group to bounds, counters and conditions of a node.
//
// Literals that say something of all members or of some are counted: "some member breaks rule r"
// is a counter of members taken as breaking it, which must reach one; "all keep r", where it is
// only one of several ways, is a counter of members not taken as keeping it, which must stay zero.
// `contains` counts items likewise. Each such literal is an atom; at a key or item it has an
// effect, and the choices of a slot are what remains possible of all combinations.
#pragma once

#include <functional>
#include <vector>

#include "grammar/ir.h"
#include "grammar/schema/formula.h"

namespace maskloom {

struct Atom {
  FormulaId literal = kFalseFormula;  // kKeeps, kContains, or the opposite of one
  Counter::Kind kind = Counter::Kind::kAtLeast;
  uint32_t counter = 0;
};

// What an atom does with a value in one slot. kAtLeast atoms count good values, kAtMost atoms
// count those that are not taken as good.
struct AtomEffect {
  enum class Kind : uint8_t {
    kNever,   // no value is counted
    kAlways,  // every value is counted
    kByGood,  // a value may be taken as good if it satisfies all of `good`
  };
  Kind kind = Kind::kNever;
  std::vector<SchemaId> good;
};

// The counters of `rest`, one for each thing that is counted, and its atoms.
// Literals about presence, sizes and distinctness are no atoms.
std::vector<Atom> AtomsOf(const FormulaPool& pool, FormulaId rest, std::vector<Counter>* counters);

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

// Turns `rest` into a condition. `raised` tells which counters some choice raises; `property_of`
// gives the index of a declared name.
ContainerCondition ConditionOf(FormulaPool* pool, FormulaId rest, const std::vector<Atom>& atoms,
                               const std::vector<bool>& raised,
                               const std::function<uint32_t(NameId)>& property_of);

}  // namespace maskloom
