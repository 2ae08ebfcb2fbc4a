#include "compiler/counted_loop.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

namespace maskloom {

std::optional<CountedLoop> AsCountedLoop(const TextAutomaton& automaton) {
  if (automaton.state_count() < 2 || automaton.has_calls()) return std::nullopt;
  const std::span<const TextAutomaton::Edge> set = automaton.EdgesOf(0);
  CountedLoop found;
  uint64_t accepting = 0;
  std::vector<bool> met(automaton.state_count());
  uint32_t state = 0;
  for (uint64_t length = 0;; ++length) {
    met[state] = true;
    const uint32_t label = automaton.labels[state];
    if (label != TextAutomaton::kNotAccepting) {
      if (label != 1) return std::nullopt;
      if (accepting++ == 0) found.min = length;
    } else if (accepting > 0) {
      return std::nullopt;
    }
    const std::span<const TextAutomaton::Edge> edges = automaton.EdgesOf(state);
    if (edges.empty()) {
      found.max = length;
      break;
    }
    const uint32_t next = edges[0].target;
    const bool is_same = std::equal(
        edges.begin(), edges.end(), set.begin(), set.end(), [&](const auto& a, const auto& b) {
          return a.first == b.first && a.last == b.last && a.target == next;
        });
    if (!is_same || (met[next] && (next != state || accepting == 0))) return std::nullopt;
    if (next == state) break;
    state = next;
  }
  auto loop = std::make_shared<TextAutomaton>();
  std::vector<TextAutomaton::Edge> edges(set.begin(), set.end());
  for (TextAutomaton::Edge& edge : edges) edge.target = 0;
  loop->edge_begins = std::vector<uint32_t>{0, static_cast<uint32_t>(edges.size())};
  loop->edges = std::move(edges);
  loop->labels = std::vector<uint32_t>{1};
  found.loop = std::move(loop);
  return found;
}

}  // namespace maskloom
