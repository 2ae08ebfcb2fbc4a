// The regular expressions of a schema: each compiled once, joint languages remembered.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "grammar/base/status.h"
#include "grammar/base/text_automaton.h"
#include "grammar/schema/schema_facts.h"

namespace maskloom {

class PatternTable {
 public:
  using Automaton = std::shared_ptr<const TextAutomaton>;
  // A pattern with at most this many texts is treated as their enumeration.
  static constexpr uint32_t kMaxEnumeratedTexts = 1000;

  // Compiles `pattern`, searched for anywhere in a text, or finds it compiled before.
  // On error: as ParseEcmaRegex and BuildSearchAutomaton.
  Result<PatternId> Add(std::string_view pattern);

  const Automaton& automaton(PatternId id) const { return entries_[id].automaton; }
  // Does the pattern match every text?
  bool matches_all(PatternId id) const { return entries_[id].matches_all; }
  // Returns the texts of a pattern that has few of them, else null.
  const std::vector<std::u32string>* small_language(PatternId id) const {
    return entries_[id].texts ? &*entries_[id].texts : nullptr;
  }
  // Returns the automaton of the texts that all of `ids` (sorted) match; null: every text.
  // On error: kResourceLimit.
  Result<Automaton> Joint(const std::vector<PatternId>& ids);

 private:
  struct Entry {
    Automaton automaton;
    bool matches_all = false;
    std::optional<std::vector<std::u32string>> texts;
  };
  std::unordered_map<std::string, PatternId> ids_;
  std::vector<Entry> entries_;
  std::map<std::vector<PatternId>, Automaton> joints_;
};

}  // namespace maskloom
