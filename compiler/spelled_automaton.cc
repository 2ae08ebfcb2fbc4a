#include "compiler/spelled_automaton.h"

#include <algorithm>
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

std::vector<uint32_t> CountAccepted(const TextAutomaton& automaton, uint32_t limit) {
  const uint32_t states = automaton.state_count();
  std::vector<uint32_t> open_edges(states, 0);
  std::vector<uint64_t> sums(states, 0);
  std::vector<std::vector<std::pair<uint32_t, uint32_t>>> sources(states);
  std::vector<uint32_t> ready;
  for (uint32_t state = 0; state < states; ++state) {
    for (const TextAutomaton::Edge& edge : automaton.EdgesOf(state)) {
      sources[edge.target].push_back({state, edge.last - edge.first + 1});
      ++open_edges[state];
    }
    sums[state] = automaton.labels[state] != TextAutomaton::kNotAccepting;
    if (open_edges[state] == 0) ready.push_back(state);
  }
  // A state is counted once all states behind it are; those on or before a cycle never are.
  std::vector<uint32_t> counts(states, kUnreachable);
  while (!ready.empty()) {
    const uint32_t state = ready.back();
    ready.pop_back();
    if (sums[state] <= limit) counts[state] = static_cast<uint32_t>(sums[state]);
    for (const auto& [source, width] : sources[state]) {
      sums[source] = std::min<uint64_t>(sums[source] + sums[state] * width, uint64_t{limit} + 1);
      if (--open_edges[source] == 0) ready.push_back(source);
    }
  }
  return counts;
}

SpelledAutomaton CutToSpelling(const std::shared_ptr<const TextAutomaton>& automaton,
                               const Spelling& spelling) {
  if (automaton->empty()) return {};
  const CodePointSet& code_points = spelling.code_points();
  const bool complete = code_points == CodePointSet::All();
  if (complete) {
    const std::vector<uint32_t> distances = DistancesToAccept(*automaton);
    if (distances[0] == kUnreachable) return {};
    if (std::find(distances.begin(), distances.end(), kUnreachable) == distances.end()) {
      return {automaton, automaton};
    }
  }
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
