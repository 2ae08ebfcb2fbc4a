// Regular expressions to automata, by way of the shared regular-language algebra.
#include "grammar/schema/pattern_table.h"

#include <algorithm>
#include <utility>

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
  Result<ExprId> expr = ParseEcmaRegex(pattern, &pool);
  if (!expr.ok()) return expr.status();
  Entry entry;
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
    if (auto texts = EnumerateTexts(*automaton, kMaxEnumeratedTexts)) {
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

Result<PatternTable::Automaton> PatternTable::Joint(const std::vector<PatternId>& ids) {
  std::vector<PatternId> parts;
  for (PatternId id : ids) {
    if (language(id).automaton != nullptr) parts.push_back(id);
  }
  if (parts.empty()) return Automaton();
  if (parts.size() == 1) return language(parts[0]).automaton;
  auto it = joints_.find(parts);
  if (it != joints_.end()) return it->second;
  Automaton joint = language(parts[0]).automaton;
  for (size_t i = 1; i < parts.size(); ++i) {
    Result<TextAutomaton> next = Intersect(*joint, *language(parts[i]).automaton);
    if (!next.ok()) return next.status();
    joint = std::make_shared<const TextAutomaton>(std::move(*next));
  }
  joints_.emplace(std::move(parts), joint);
  return joint;
}

}  // namespace maskloom
