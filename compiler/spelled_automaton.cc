#include "compiler/spelled_automaton.h"

#include <utility>
#include <vector>

namespace maskloom {
namespace {

// Keeps what `keep(edge, emit)` passes on of each edge; labels and numbering stay.
template <typename Keep>
std::shared_ptr<TextAutomaton> FilterEdges(const TextAutomaton& automaton, Keep keep) {
  auto result = std::make_shared<TextAutomaton>();
  result->labels = automaton.labels;
  for (uint32_t state = 0; state < automaton.state_count(); ++state) {
    for (const TextAutomaton::Edge& edge : automaton.EdgesOf(state)) keep(edge, &result->edges);
    result->edge_begins.push_back(static_cast<uint32_t>(result->edges.size()));
  }
  return result;
}

}  // namespace

std::vector<uint32_t> DistancesToAccept(const TextAutomaton& automaton) {
  const uint32_t count = automaton.state_count();
  // Edges backwards, as one array by target.
  std::vector<uint32_t> begins(count + 1), sources(automaton.edges.size());
  for (const TextAutomaton::Edge& edge : automaton.edges) ++begins[edge.target + 1];
  for (uint32_t i = 0; i < count; ++i) begins[i + 1] += begins[i];
  std::vector<uint32_t> next(begins.begin(), begins.end() - 1);
  for (uint32_t state = 0; state < count; ++state) {
    for (const TextAutomaton::Edge& edge : automaton.EdgesOf(state)) {
      sources[next[edge.target]++] = state;
    }
  }
  std::vector<uint32_t> distances(count, kUnreachable);
  std::vector<uint32_t> queue;
  for (uint32_t state = 0; state < count; ++state) {
    if (automaton.labels[state] != TextAutomaton::kNotAccepting) {
      distances[state] = 0;
      queue.push_back(state);
    }
  }
  for (size_t i = 0; i < queue.size(); ++i) {
    for (uint32_t j = begins[queue[i]]; j < begins[queue[i] + 1]; ++j) {
      if (distances[sources[j]] != kUnreachable) continue;
      distances[sources[j]] = distances[queue[i]] + 1;
      queue.push_back(sources[j]);
    }
  }
  return distances;
}

SpelledAutomaton CutToSpelling(const std::shared_ptr<const TextAutomaton>& automaton,
                               const Spelling& spelling) {
  if (automaton->empty()) return {};
  if (spelling.complete()) return {automaton, automaton};
  const CodePointSet& code_points = spelling.code_points();
  auto spelled = FilterEdges(*automaton, [&](const TextAutomaton::Edge& edge, auto* edges) {
    const CodePointSet part = CodePointSet{{edge.first, edge.last}}.Intersect(code_points);
    for (const CodePointRange& range : part.ranges()) {
      edges->push_back({range.first, range.last, edge.target});
    }
  });
  const std::vector<uint32_t> distances = DistancesToAccept(*spelled);
  if (distances[0] == kUnreachable) return {};
  const auto keep_live = [&](const TextAutomaton::Edge& edge, auto* edges) {
    if (distances[edge.target] != kUnreachable) edges->push_back(edge);
  };
  return {FilterEdges(*automaton, keep_live), FilterEdges(*spelled, keep_live)};
}

}  // namespace maskloom
