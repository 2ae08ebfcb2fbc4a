// Collects the machines of nested look-arounds, from the outside in.
//
// Equal bodies (one ExprId) share a machine, one for looking ahead and one for looking behind. A
// machine that looks behind is a *tracker*: it reads the text from its begin, and says at each
// position whether a match ends there. Trackers are numbered inside out: children have smaller
// ExprIds than their parents, so the order of ids will do.
#include "grammar/regular/look_machines.h"

#include <algorithm>
#include <string>
#include <utility>

#include "tsl/robin_map.h"

namespace maskloom {
namespace {

constexpr uint32_t kMaxTrackers = 64;  // bits of LookMachine::needs
constexpr uint32_t kMaxLookDepth = 50;

}  // namespace

bool LookMachines::Reads(const LookMachine& machine, uint32_t set, uint32_t symbol) const {
  const auto symbols = alphabet_->SymbolsOf(machine.first_set + set);
  return std::binary_search(symbols.begin(), symbols.end(), symbol);
}

void LookMachines::NumberTrackers(const std::vector<ExprId>& bodies,
                                  const std::vector<char>& behind) {
  for (uint32_t m = 0; m < machines_.size(); ++m) {
    if (behind[m]) trackers_.push_back(m);
  }
  std::sort(trackers_.begin(), trackers_.end(),
            [&](uint32_t a, uint32_t b) { return bodies[a] < bodies[b]; });
  std::vector<uint32_t> number_of(machines_.size(), 0);
  for (uint32_t t = 0; t < trackers_.size(); ++t) number_of[trackers_[t]] = t;
  for (LookMachine& machine : machines_) {
    for (LookTest& look : machine.looks) look.tracker = number_of[look.machine];
  }
}

// Requires: the machines inside `machine` have their needs.
void LookMachines::FindNeeds(LookMachine* machine) {
  const Nfa& nfa = machine->nfa;
  machine->needs.assign(nfa.state_count(), 0);
  std::vector<std::vector<uint32_t>> sources(nfa.state_count());
  std::vector<uint32_t> work;
  for (uint32_t state = 0; state < nfa.state_count(); ++state) {
    for (uint32_t e = nfa.first_edges[state]; e != Nfa::kNone; e = nfa.edges[e].next) {
      const Nfa::Edge& edge = nfa.edges[e];
      sources[edge.target].push_back(state);
      if (edge.kind != Nfa::EdgeKind::kLook) continue;
      const LookTest& look = machine->looks[edge.payload];
      const LookMachine& inner = machines_[look.machine];
      machine->needs[state] |= inner.needs[inner.nfa.start];
      if (look.behind) machine->needs[state] |= uint64_t{1} << look.tracker;
    }
    if (machine->needs[state] != 0) work.push_back(state);
  }
  while (!work.empty()) {
    const uint32_t state = work.back();
    work.pop_back();
    for (uint32_t source : sources[state]) {
      const uint64_t needs = machine->needs[source] | machine->needs[state];
      if (needs == machine->needs[source]) continue;
      machine->needs[source] = needs;
      work.push_back(source);
    }
  }
}

void LookMachines::FindWaiting(LookMachine* machine) {
  const Nfa& nfa = machine->nfa;
  machine->waits.assign(nfa.state_count(), 0);
  std::vector<std::vector<uint32_t>> sources(nfa.state_count());
  bool end_matters = false;
  for (uint32_t state = 0; state < nfa.state_count(); ++state) {
    for (uint32_t e = nfa.first_edges[state]; e != Nfa::kNone; e = nfa.edges[e].next) {
      const Nfa::Edge& edge = nfa.edges[e];
      if (edge.kind == Nfa::EdgeKind::kSet) continue;
      sources[edge.target].push_back(state);
      end_matters |= edge.kind == Nfa::EdgeKind::kEnd ||
                     (edge.kind == Nfa::EdgeKind::kLook && machine->looks[edge.payload].behind);
    }
  }
  if (!end_matters) return;
  std::vector<uint32_t> work{nfa.accept};
  machine->waits[nfa.accept] = 1;
  while (!work.empty()) {
    const uint32_t state = work.back();
    work.pop_back();
    for (uint32_t source : sources[state]) {
      if (machine->waits[source]) continue;
      machine->waits[source] = 1;
      work.push_back(source);
    }
  }
}

Result<LookMachines> LookMachines::Collect(const ExprPool& pool, Nfa whole,
                                           const BuildOptions& options) {
  LookMachines result;
  std::vector<LookMachine>& machines = result.machines_;
  std::vector<ExprId> bodies{0};
  std::vector<char> behind{0};
  tsl::robin_map<uint64_t, uint32_t> known;
  std::vector<CodePointSet> sets;
  size_t items = 0;
  machines.emplace_back().nfa = std::move(whole);
  for (uint32_t m = 0; m < machines.size(); ++m) {
    if (m > 0) {
      Result<Nfa> nfa =
          BuildNfa(pool, bodies[m], options, behind[m] ? MatchMode::kSuffix : MatchMode::kFull);
      if (!nfa.ok()) return nfa.status();
      machines[m].nfa = std::move(*nfa);
    }
    const Nfa& nfa = machines[m].nfa;
    items += nfa.edges.size() + nfa.first_edges.size();
    if (!nfa.calls.empty()) {
      return Status(StatusCode::kUnsupported,
                    "look-around cannot look into or past rules, tokens and values");
    }
    machines[m].first_set = static_cast<uint32_t>(sets.size());
    sets.insert(sets.end(), nfa.sets.begin(), nfa.sets.end());
    const uint32_t depth = machines[m].depth + 1;
    for (ExprId look : std::vector<ExprId>(nfa.looks)) {
      LookTest test;
      const Look kind = pool.look(look);
      const ExprId body = pool.children(look)[0];
      test.behind = kind == Look::kBehind || kind == Look::kNotBehind;
      test.negated = kind == Look::kNotAhead || kind == Look::kNotBehind;
      auto [it, is_new] = known.try_emplace(uint64_t{body} << 1 | test.behind,
                                            static_cast<uint32_t>(machines.size()));
      test.machine = it->second;
      if (is_new) {
        machines.emplace_back();
        bodies.push_back(body);
        behind.push_back(test.behind);
      }
      machines[test.machine].depth = std::max(machines[test.machine].depth, depth);
      machines[m].looks.push_back(test);
    }
    if (depth > kMaxLookDepth || items > size_t{12} * options.max_states) {
      return Status(
          StatusCode::kResourceLimit,
          depth > kMaxLookDepth
              ? "look-arounds are nested more than " + std::to_string(kMaxLookDepth) + " deep"
              : "the look-arounds of the pattern unroll to more parts than a budget of " +
                    std::to_string(options.max_states) + " states allows");
    }
  }
  result.NumberTrackers(bodies, behind);
  if (result.trackers_.size() > kMaxTrackers) {
    return Status(StatusCode::kResourceLimit,
                  "the pattern looks behind in " + std::to_string(result.trackers_.size()) +
                      " ways; the limit is " + std::to_string(kMaxTrackers));
  }
  // From the inside out.
  std::vector<uint32_t> order(machines.size());
  for (uint32_t m = 0; m < machines.size(); ++m) order[m] = m;
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return a == 0 || b == 0 ? b == 0 && a != 0 : bodies[a] < bodies[b];
  });
  for (uint32_t m : order) result.FindNeeds(&machines[m]);
  for (uint32_t m : result.trackers_) FindWaiting(&machines[m]);
  result.alphabet_.emplace(sets);
  return result;
}

}  // namespace maskloom
