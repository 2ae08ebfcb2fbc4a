#include "grammar/base/text_automaton.h"

#include <algorithm>

#include "grammar/base/utf8.h"

namespace maskloom {

uint32_t TextAutomaton::Step(uint32_t state, uint32_t code_point) const {
  std::span<const Edge> list = EdgesOf(state);
  if (list.size() <= 8) {
    for (const Edge& edge : list) {
      if (code_point <= edge.last) return code_point >= edge.first ? edge.target : kDead;
    }
    return kDead;
  }
  auto it = std::lower_bound(list.begin(), list.end(), code_point,
                             [](const Edge& edge, uint32_t value) { return edge.last < value; });
  return it != list.end() && it->first <= code_point ? it->target : kDead;
}

uint32_t TextAutomaton::Match(std::u32string_view text) const {
  if (empty()) return kNotAccepting;
  uint32_t state = 0;
  for (char32_t c : text) {
    state = Step(state, c);
    if (state == kDead) return kNotAccepting;
  }
  return labels[state];
}

std::string TextAutomaton::Validate() const {
  const uint32_t count = state_count();
  if (edge_begins.size() != count + 1 || edge_begins.back() != edges.size()) {
    return "edge_begins does not cover the edges";
  }
  if (!calls.empty() && (call_begins.size() != count + 1 || call_begins.back() != calls.size())) {
    return "call_begins does not cover the calls";
  }
  std::vector<std::vector<uint32_t>> sources(count);
  std::vector<bool> reached(count), live(count);
  std::vector<uint32_t> work;
  for (uint32_t state = 0; state < count; ++state) {
    uint32_t next = 0;
    for (const Edge& edge : EdgesOf(state)) {
      if (edge.first < next || edge.last < edge.first || edge.last > kMaxCodePoint) {
        return "edges of state " + std::to_string(state) + " are not sorted and disjoint";
      }
      if (edge.first <= 0xDFFF && edge.last >= 0xD800) {
        return "an edge of state " + std::to_string(state) + " holds surrogates";
      }
      if (edge.target >= count) return "an edge leads nowhere";
      next = edge.last + 1;
      sources[edge.target].push_back(state);
    }
    for (const Call& call : CallsOf(state)) {
      if (call.target >= count) return "a call leads nowhere";
      sources[call.target].push_back(state);
    }
    if (labels[state] != kNotAccepting) live[state] = true, work.push_back(state);
  }
  while (!work.empty()) {
    uint32_t state = work.back();
    work.pop_back();
    for (uint32_t source : sources[state]) {
      if (!live[source]) live[source] = true, work.push_back(source);
    }
  }
  if (count > 0) reached[0] = true, work.push_back(0);
  while (!work.empty()) {
    uint32_t state = work.back();
    work.pop_back();
    const auto visit = [&](uint32_t target) {
      if (!reached[target]) reached[target] = true, work.push_back(target);
    };
    for (const Edge& edge : EdgesOf(state)) visit(edge.target);
    for (const Call& call : CallsOf(state)) visit(call.target);
  }
  for (uint32_t state = 0; state < count; ++state) {
    if (!live[state]) return "state " + std::to_string(state) + " cannot reach an accepting state";
    if (!reached[state]) return "state " + std::to_string(state) + " cannot be reached";
  }
  return "";
}

}  // namespace maskloom
