// Regular expressions to automata, by way of the shared regular-language algebra.
#include "grammar/schema/pattern_table.h"

#include <algorithm>
#include <utility>

#include "grammar/base/budget.h"
#include "grammar/regex/ecma_parser.h"
#include "grammar/regular/length_looks.h"
#include "grammar/regular/regular.h"

namespace maskloom {

Result<PatternId> PatternTable::Add(std::string_view pattern) { return Add(pattern, false); }

Result<PatternId> PatternTable::AddForKeys(std::string_view pattern) { return Add(pattern, true); }

Result<PatternId> PatternTable::Add(std::string_view pattern, bool for_keys) {
  auto known = ids_.find(std::string(pattern));
  bool is_known = known != ids_.end();
  if (is_known && (!for_keys || entries_[known->second].whole != nullptr)) return known->second;
  ExprPool pool;
  Entry entry;
  Result<ExprId> expr = ParseEcmaRegex(pattern, &pool, &entry.widened);
  if (!expr.ok()) return expr.status();
  if (auto taken = for_keys ? std::nullopt : TakeLengthLooks(*expr, &pool)) {
    *expr = taken->expr;
    entry.language.min_length = taken->min_length;
    entry.language.max_length = taken->max_length;
  }
  if (auto counted = for_keys ? std::nullopt : FindCountedForm(&pool, *expr)) {
    *expr = counted->expr;
    entry.language.min_length = std::max(entry.language.min_length, counted->min_length);
    entry.language.max_length = std::min(entry.language.max_length, counted->max_length);
  }
  Result<TextAutomaton> built = BuildSearchAutomaton(pool, *expr);
  if (!built.ok()) return built.status();
  bool bounded = entry.language.max_length != kNoMaximum;
  auto automaton = std::make_shared<const TextAutomaton>(std::move(*built));
  if (!bounded) entry.whole = automaton;
  if (!IsAnyText(*automaton)) {
    entry.language.automaton = automaton;
    if (auto texts = EnumerateTexts(*automaton, Budget(kMaxEnumeratedTexts))) {
      entry.language.texts.emplace();
      for (auto& [text, label] : *texts) {
        if (text.size() < entry.language.min_length) continue;
        if (text.size() <= entry.language.max_length) {
          entry.language.texts->push_back(std::move(text));
        }
      }
    }
  }
  if (is_known) {
    entries_[known->second].whole = std::move(entry.whole);
    return known->second;
  }
  entries_.push_back(std::move(entry));
  PatternId id = static_cast<PatternId>(entries_.size() - 1);
  ids_.emplace(pattern, id);
  return id;
}

bool PatternTable::Matches(PatternId id, const std::u32string& text) const {
  const Language& language = entries_[id].language;
  return text.size() >= language.min_length && text.size() <= language.max_length &&
         (language.automaton == nullptr ||
          language.automaton->Match(text) != TextAutomaton::kNotAccepting);
}

bool PatternTable::AreDisjoint(PatternId a, PatternId b) {
  const Automaton& x = entries_[a].language.automaton;
  const Automaton& y = entries_[b].language.automaton;
  if (x == nullptr || y == nullptr) return false;
  const auto [it, added] =
      disjoint_.try_emplace(std::min(a, b) | uint64_t{std::max(a, b)} << 32, false);
  if (added) it->second = maskloom::AreDisjoint(*x, *y, &compared_states_left_);
  return it->second;
}

PatternId PatternTable::AddAutomaton(const std::string& name, Automaton automaton,
                                     uint64_t min_length, uint64_t max_length) {
  // No pattern begins with a zero byte and goes on so.
  auto [it, added] = ids_.try_emplace(std::string("\0automaton ", 11) + name,
                                      static_cast<PatternId>(entries_.size()));
  if (!added) return it->second;
  Entry entry;
  entry.language.min_length = min_length;
  entry.language.max_length = max_length;
  entry.whole = automaton != nullptr ? automaton : std::make_shared<const TextAutomaton>(AnyText());
  if (automaton != nullptr) {
    if (auto texts = EnumerateTexts(*automaton, Budget(kMaxEnumeratedTexts))) {
      entry.language.texts.emplace();
      for (auto& [text, label] : *texts) entry.language.texts->push_back(std::move(text));
    }
    entry.language.automaton = std::move(automaton);
  }
  entries_.push_back(std::move(entry));
  return it->second;
}

}  // namespace maskloom
