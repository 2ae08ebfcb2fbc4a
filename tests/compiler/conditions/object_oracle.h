// Objects with conditions, judged by plain enumeration: the meaning of ir.h, written down.
//
// Values are scalars spelled in one way, text is compact, so a text splits at its commas. What may
// still come is searched member by member with every choice, each state once.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "grammar/ir.h"

namespace maskloom::conditions {

// The values that members can have, as texts.
inline const std::vector<std::string> kScalars = {"true", "false", "null", "1", "12", "\"x\""};

// An object whose keys are ASCII. `values` are sets of kScalars by ValueId, as bits.
struct ObjectModel {
  ObjectNode node;
  std::vector<uint32_t> values;
  bool declared_order = false;
  std::vector<std::string> other_keys;  // enough undeclared keys to try
};

class ObjectOracle {
 public:
  explicit ObjectOracle(const ObjectModel& model) : model_(model) {}

  bool HasText() { return IsLive(""); }
  // Can `prefix` be completed to a text?
  bool IsLive(const std::string& prefix);
  bool Accepts(const std::string& text);

 private:
  // What a text so far leads to, but for counters.
  struct Known {
    uint32_t seen = 0;  // bit i: property i
    std::vector<std::string> others;
    uint32_t last = 0;  // declared order: 1 + the last property; beyond all behind another key
  };
  using Counts = std::vector<uint64_t>;
  struct State {
    Known known;
    std::set<Counts> counts;
  };

  // Reads one member; false if it cannot be one.
  bool Read(const std::string& key, const std::string& value, State* state) const;
  bool ReadMembers(const std::vector<std::string>& members, State* state) const;
  bool MayClose(const Known& known, const Counts& counts) const;
  bool MayFinish(const State& state);
  bool Search(const Known& known, const Counts& counts);
  bool Evaluate(const Known& known, const Counts& counts) const;
  // The slot of `key`, or -1.
  int SlotOf(const std::string& key) const;
  std::vector<Choice> ChoicesOf(int slot) const;
  bool HasValue(ValueId value) const { return value != kNeverValue && model_.values[value] != 0; }

  const ObjectModel& model_;
  std::map<std::vector<uint64_t>, bool> known_;
};

}  // namespace maskloom::conditions
