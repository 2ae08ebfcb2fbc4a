// Rules and counted repeats at admission; see admission.h.
#include <algorithm>

#include "compiler/admission.h"
#include "grammar/base/budget.h"
#include "grammar/base/utf8.h"

namespace maskloom {
namespace {

// Repeats of more positions than this are counted at run time instead of unrolled.
constexpr uint32_t kMaxUnrolledPositions = 256;
constexpr int kMaxRuleRounds = 1000;

bool ContainsAssertion(const ExprPool& pool, ExprId root) {
  std::vector<ExprId> stack{root};
  while (!stack.empty()) {
    const ExprId id = stack.back();
    stack.pop_back();
    if (pool.kind(id) == ExprKind::kAssertBegin || pool.kind(id) == ExprKind::kAssertEnd) {
      return true;
    }
    for (const ExprId child : pool.children(id)) stack.push_back(child);
  }
  return false;
}

}  // namespace

// Children have smaller ids than parents, so one pass an iteration; rules refer to each other, so
// passes repeat until nothing changes.
void Admission::FindNullable() {
  const Grammar& grammar = machine_.grammar_;
  const ExprPool& pool = grammar.exprs;
  nullable_exprs_.assign(pool.size(), false);
  for (bool changed = true; changed;) {
    changed = false;
    for (ExprId id = 0; id < pool.size(); ++id) {
      if (nullable_exprs_[id]) continue;
      const auto children = pool.children(id);
      const auto nullable = [&](ExprId child) { return nullable_exprs_[child]; };
      bool value = false;
      switch (pool.kind(id)) {
        case ExprKind::kEmpty:
        case ExprKind::kAssertBegin:
        case ExprKind::kAssertEnd:
          value = true;
          break;
        case ExprKind::kSequence:
          value = std::all_of(children.begin(), children.end(), nullable);
          break;
        case ExprKind::kChoice:
          value = std::any_of(children.begin(), children.end(), nullable);
          break;
        case ExprKind::kRepeat:
          value = pool.min(id) == 0 || nullable(children[0]);
          break;
        case ExprKind::kRule:
          value = nullable(grammar.rules[pool.payload(id)].body);
          break;
        default:
          break;
      }
      if (value) nullable_exprs_[id] = changed = true;
    }
  }
}

Status Admission::BuildRules() {
  Machine& m = machine_;
  const Grammar& grammar = m.grammar_;
  const ExprPool& pool = grammar.exprs;
  if (m.is_json_) return Status::Ok();
  FindNullable();
  // Rules first, so that rule i is table i; then the root, then bodies of counted repeats as the
  // automata turn out to need them.
  std::vector<ExprId> bodies;
  for (const Rule& rule : grammar.rules) bodies.push_back(rule.body);
  if (pool.kind(grammar.root) == ExprKind::kRule) {
    m.root_rule_ = pool.payload(grammar.root);
  } else {
    m.root_rule_ = static_cast<uint32_t>(bodies.size());
    bodies.push_back(grammar.root);
  }
  m.callees_.assign(pool.size(), {});
  BuildOptions options;
  options.max_unrolled = Budget(kMaxUnrolledPositions);
  for (size_t i = 0; i < bodies.size(); ++i) {
    Result<TextAutomaton> automaton = BuildAutomaton(pool, bodies[i], options);
    if (!automaton.ok()) return automaton.status();
    RuleTable table;
    table.nullable = nullable_exprs_[bodies[i]];
    for (const TextAutomaton::Call& call : automaton->calls) {
      Machine::CalleeOfExpr& callee = m.callees_[call.expr];
      if (callee.index != Machine::kNoCallee) continue;
      switch (pool.kind(call.expr)) {
        case ExprKind::kRule:
          callee = {static_cast<uint32_t>(FrameKind::kRule), pool.payload(call.expr)};
          break;
        case ExprKind::kValue:
          callee = {static_cast<uint32_t>(FrameKind::kValue), pool.payload(call.expr)};
          break;
        case ExprKind::kRepeat: {
          if (ContainsAssertion(pool, call.expr)) {
            return Status(StatusCode::kUnsupported,
                          "an anchor inside a repeat of more than " +
                              std::to_string(kMaxUnrolledPositions) +
                              " positions is not supported; move ^ or $ out of the repeat");
          }
          const ExprId body = pool.children(call.expr)[0];
          RepeatTable repeat;
          repeat.body = static_cast<uint32_t>(bodies.size());
          repeat.min = nullable_exprs_[body] ? 0 : pool.min(call.expr);
          repeat.max = pool.max(call.expr);
          repeat.nullable = nullable_exprs_[call.expr];
          callee = {static_cast<uint32_t>(FrameKind::kRepeat),
                    static_cast<uint32_t>(m.repeats_.size())};
          m.repeats_.push_back(repeat);
          bodies.push_back(body);
          break;
        }
        default:
          return Status(StatusCode::kUnsupported,
                        "special tokens inside a grammar are not supported");
      }
    }
    table.automaton = std::make_shared<TextAutomaton>(std::move(*automaton));
    table.costs.assign(table.automaton->state_count(), kNoText);
    m.rules_.push_back(std::move(table));
  }
  return Status::Ok();
}

bool Admission::ImproveRule(RuleTable* table) {
  const TextAutomaton& automaton = *table->automaton;
  if (automaton.empty()) return false;
  const CodePointSet& spelled = machine_.utf8_spelling_.code_points();
  const bool all_spelled = machine_.utf8_spelling_.complete();
  const auto edge_cost = [&](const TextAutomaton::Edge& edge) -> TextCost {
    if (all_spelled) return edge.first < 0x80 ? 1 : 2;
    const CodePointSet part = CodePointSet{{edge.first, edge.last}}.Intersect(spelled);
    return part.empty() ? kNoText : part.ranges()[0].first < 0x80 ? 1 : 2;
  };
  bool changed = false;
  for (bool lowered = true; lowered;) {
    lowered = false;
    for (uint32_t state = automaton.state_count(); state-- > 0;) {
      TextCost cost = automaton.labels[state] != 0 ? 0 : kNoText;
      for (const TextAutomaton::Edge& edge : automaton.EdgesOf(state)) {
        if (table->costs[edge.target] < cost) {
          cost = std::min(cost, AddCosts(edge_cost(edge), table->costs[edge.target]));
        }
      }
      for (const TextAutomaton::Call& call : automaton.CallsOf(state)) {
        const Callee callee = machine_.CalleeOf(call);
        const TextCost rest = table->costs[call.target];
        cost = std::min(cost, callee.nullable ? rest : AddCosts(callee.cost, rest));
      }
      lowered |= LowerCost(&table->costs[state], cost);
    }
    changed |= lowered;
  }
  // A non-empty text: skip nullable calls at the start, then read something. States that the start
  // reaches by skipping are few.
  std::vector<uint32_t> starts{0};
  TextCost cost = kNoText;
  for (size_t i = 0; i < starts.size(); ++i) {
    for (const TextAutomaton::Edge& edge : automaton.EdgesOf(starts[i])) {
      cost = std::min(cost, AddCosts(edge_cost(edge), table->costs[edge.target]));
    }
    for (const TextAutomaton::Call& call : automaton.CallsOf(starts[i])) {
      const Callee callee = machine_.CalleeOf(call);
      cost = std::min(cost, AddCosts(callee.cost, table->costs[call.target]));
      if (callee.nullable && std::find(starts.begin(), starts.end(), call.target) == starts.end()) {
        starts.push_back(call.target);
      }
    }
  }
  return LowerCost(&table->cost, cost) || changed;
}

bool Admission::ImproveRules() {
  Machine& m = machine_;
  bool any = false;
  for (int round = 0; round < kMaxRuleRounds; ++round) {
    bool changed = false;
    for (RepeatTable& table : m.repeats_) {
      const TextCost body = m.rules_[table.body].cost;
      if (body == kNoText || table.max == 0) continue;
      const uint64_t times = std::max(table.min, 1u);
      changed |= LowerCost(&table.cost, TimesCost(times, body));
    }
    for (size_t i = m.rules_.size(); i-- > 0;) changed |= ImproveRule(&m.rules_[i]);
    any |= changed;
    if (!changed) break;
  }
  return any;
}

void Admission::CutRules() {
  for (RuleTable& table : machine_.rules_) {
    const TextAutomaton& automaton = *table.automaton;
    if (automaton.empty()) continue;
    auto cut = std::make_shared<TextAutomaton>();
    cut->labels = automaton.labels;
    if (automaton.has_calls()) cut->call_begins.push_back(0);
    const auto live = [&](uint32_t state) { return table.costs[state] != kNoText; };
    for (uint32_t state = 0; state < automaton.state_count(); ++state) {
      for (const TextAutomaton::Edge& edge : automaton.EdgesOf(state)) {
        if (live(edge.target)) cut->edges.push_back(edge);
      }
      cut->edge_begins.push_back(static_cast<uint32_t>(cut->edges.size()));
      for (const TextAutomaton::Call& call : automaton.CallsOf(state)) {
        const Callee callee = machine_.CalleeOf(call);
        if (live(call.target) && (callee.cost != kNoText || callee.nullable)) {
          cut->calls.push_back(call);
        }
      }
      if (automaton.has_calls()) {
        cut->call_begins.push_back(static_cast<uint32_t>(cut->calls.size()));
      }
    }
    if (*cut != automaton) table.automaton = std::move(cut);
  }
}

}  // namespace maskloom
