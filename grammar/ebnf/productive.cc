// The least fixed point of "has a finite text": a leaf has one, a sequence needs all its children
// to, a choice needs one, a call needs its rule's body. Every expression counts what it still
// waits for; one that has waited enough tells its parents. So `root ::= "x" root` never gets there,
// while `root ::= "x" root | ""` does.
#include "grammar/ebnf/productive.h"

#include <cstdint>
#include <limits>

namespace maskloom {

std::vector<bool> FindProductiveRules(const Grammar& grammar) {
  constexpr uint32_t kForever = std::numeric_limits<uint32_t>::max();
  const ExprPool& exprs = grammar.exprs;
  std::vector<uint32_t> waiting(exprs.size(), 0);
  std::vector<std::vector<ExprId>> parents(exprs.size());
  for (ExprId id = 0; id < exprs.size(); ++id) {
    switch (exprs.kind(id)) {
      case ExprKind::kNever:
        waiting[id] = kForever;
        break;
      case ExprKind::kSequence:
        waiting[id] = static_cast<uint32_t>(exprs.children(id).size());
        break;
      case ExprKind::kChoice:
        waiting[id] = 1;
        break;
      case ExprKind::kRepeat:
        waiting[id] = exprs.min(id) == 0 ? 0 : 1;
        break;
      case ExprKind::kRule:
        waiting[id] = 1;
        parents[grammar.rules[exprs.payload(id)].body].push_back(id);
        continue;
      default:
        continue;
    }
    for (ExprId child : exprs.children(id)) parents[child].push_back(id);
  }

  std::vector<ExprId> work;
  std::vector<bool> productive(exprs.size());
  const auto reach = [&](ExprId id) {
    if (waiting[id] != 0 || productive[id]) return;
    productive[id] = true;
    work.push_back(id);
  };
  for (ExprId id = 0; id < exprs.size(); ++id) reach(id);
  while (!work.empty()) {
    const ExprId id = work.back();
    work.pop_back();
    for (ExprId parent : parents[id]) {
      if (waiting[parent] == 0 || waiting[parent] == kForever) continue;
      --waiting[parent];
      reach(parent);
    }
  }
  std::vector<bool> rules;
  for (const Rule& rule : grammar.rules) rules.push_back(productive[rule.body]);
  return rules;
}

}  // namespace maskloom
