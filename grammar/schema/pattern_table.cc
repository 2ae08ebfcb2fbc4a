// Regular expressions to automata, by way of the shared regular-language algebra.
#include "grammar/schema/pattern_table.h"

#include <utility>

#include "grammar/regex/ecma_parser.h"
#include "grammar/regular/regular.h"

namespace maskloom {

Result<PatternId> PatternTable::Add(std::string_view pattern) {
  auto [it, added] =
      ids_.try_emplace(std::string(pattern), static_cast<PatternId>(entries_.size()));
  if (!added) return it->second;
  auto fail = [&](Status status) {
    ids_.erase(it);
    return status;
  };
  ExprPool pool;
  Result<ExprId> expr = ParseEcmaRegex(pattern, &pool);
  if (!expr.ok()) return fail(expr.status());
  Result<TextAutomaton> automaton = BuildSearchAutomaton(pool, *expr);
  if (!automaton.ok()) return fail(automaton.status());
  Entry entry;
  entry.matches_all = IsAnyText(*automaton);
  if (!entry.matches_all) {
    if (auto texts = EnumerateTexts(*automaton, kMaxEnumeratedTexts)) {
      entry.texts.emplace();
      for (auto& [text, label] : *texts) entry.texts->push_back(std::move(text));
    }
  }
  entry.automaton = std::make_shared<const TextAutomaton>(std::move(*automaton));
  entries_.push_back(std::move(entry));
  return it->second;
}

Result<PatternTable::Automaton> PatternTable::Joint(const std::vector<PatternId>& ids) {
  std::vector<PatternId> parts;
  for (PatternId id : ids) {
    if (!matches_all(id)) parts.push_back(id);
  }
  if (parts.empty()) return Automaton();
  if (parts.size() == 1) return automaton(parts[0]);
  auto it = joints_.find(parts);
  if (it != joints_.end()) return it->second;
  Automaton joint = automaton(parts[0]);
  for (size_t i = 1; i < parts.size(); ++i) {
    Result<TextAutomaton> next = Intersect(*joint, *automaton(parts[i]));
    if (!next.ok()) return next.status();
    joint = std::make_shared<const TextAutomaton>(std::move(*next));
  }
  joints_.emplace(std::move(parts), joint);
  return joint;
}

}  // namespace maskloom
