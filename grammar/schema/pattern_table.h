// The regular expressions of a schema: each compiled once, joint languages remembered.
//
// A pattern for values with a long counted loop, `^[a-z][a-z0-9_]{0,255}$`, is kept in counted
// form: the same pattern with the loop unbounded, and bounds on the length of the text. That is
// exact where everything but the one loop has a fixed length, and the bounds join those of
// minLength and maxLength, which cost no states.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "grammar/base/budget.h"
#include "grammar/base/expr.h"
#include "grammar/base/status.h"
#include "grammar/base/text_automaton.h"
#include "grammar/schema/schema_facts.h"

namespace maskloom {

class PatternTable {
 public:
  using Automaton = std::shared_ptr<const TextAutomaton>;
  // A pattern with at most this many texts is treated as their enumeration.
  static constexpr uint32_t kMaxEnumeratedTexts = 1000;

  static constexpr uint32_t kMaxComparedStates = 20'000;

  // The texts that `automaton` (null: all) accepts and whose length is within bounds.
  struct Language {
    Automaton automaton;
    uint64_t min_length = 0;
    uint64_t max_length = kNoMaximum;
    std::optional<std::vector<std::u32string>> texts;  // all of them, if they are few
  };

  // Compiles `pattern`, searched for anywhere in a text, or finds it compiled before.
  // On error: as ParseEcmaRegex and BuildSearchAutomaton.
  Result<PatternId> Add(std::string_view pattern);
  // As Add, for a pattern over keys: automaton() may be called for it.
  Result<PatternId> AddForKeys(std::string_view pattern);

  // Adds the language of `automaton` (null: all texts) cut to lengths within the bounds, or finds
  // what was added under `name` before. It can be used for values, and for keys if unbounded.
  PatternId AddAutomaton(const std::string& name, Automaton automaton, uint64_t min_length = 0,
                         uint64_t max_length = kNoMaximum);

  // Says how a pattern is read that is not valid under the `u` flag; empty for others.
  const std::string& widened(PatternId id) const { return entries_[id].widened; }
  const Language& language(PatternId id) const { return entries_[id].language; }
  bool Matches(PatternId id, const std::u32string& text) const;
  // Returns true if no text matches both, whatever its length, as far as kMaxComparedStates pairs
  // of states tell for all questions of a table together.
  bool AreDisjoint(PatternId a, PatternId b);
  // Returns the automaton of the whole language, without bounds on the length; never null.
  // Requires: the pattern was added for keys.
  const Automaton& automaton(PatternId id) const { return entries_[id].whole; }
  // Returns the texts of a pattern that has few of them, else null.
  const std::vector<std::u32string>* small_language(PatternId id) const {
    const auto& texts = entries_[id].language.texts;
    return texts ? &*texts : nullptr;
  }

  // Calls `visit(automaton, name)` for what the automata of whole values came from: "pattern P", or
  // the name under which AddAutomaton got it.
  template <typename Visit>
  void ForEachLanguage(Visit visit) const {
    for (const auto& [key, id] : ids_) {
      const Automaton& automaton = entries_[id].language.automaton;
      if (automaton == nullptr) continue;
      constexpr std::string_view kMade("\0automaton ", 11);
      const std::string_view name(key);
      visit(automaton.get(),
            name.starts_with(kMade) ? std::string(name.substr(kMade.size())) : "pattern " + key);
    }
  }

 private:
  struct Entry {
    Language language;
    Automaton whole;
    std::string widened;
  };
  Result<PatternId> Add(std::string_view pattern, bool for_keys);

  std::unordered_map<std::string, PatternId> ids_;
  std::vector<Entry> entries_;
  std::unordered_map<uint64_t, bool> disjoint_;  // by the lesser id, and the greater above
  uint32_t compared_states_left_ = Budget(kMaxComparedStates);
};

// A pattern as an unbounded one and bounds on the length of the text.
struct CountedForm {
  ExprId expr;
  uint64_t min_length;
  uint64_t max_length;
};

// Returns the counted form of `expr` (adding to `pool`) if it has one that saves states: between
// anchors, single code points and literals around one long counted loop over a class.
std::optional<CountedForm> FindCountedForm(ExprPool* pool, ExprId expr);

}  // namespace maskloom
