// Distances come from sweeps over all edges until nothing changes: slow, and obviously right.
#include "tests/grammar/formats/text_walk.h"

#include <algorithm>
#include <vector>

namespace maskloom {

TextWalk::TextWalk(const TextAutomaton& automaton, uint32_t seed)
    : automaton_(automaton), distances_(automaton.state_count(), 1u << 30), random_(seed) {
  for (uint32_t state = 0; state < automaton.state_count(); ++state) {
    if (automaton.labels[state] != TextAutomaton::kNotAccepting) distances_[state] = 0;
  }
  for (bool changes = true; changes;) {
    changes = false;
    for (uint32_t state = 0; state < automaton.state_count(); ++state) {
      for (const auto& edge : automaton.EdgesOf(state)) {
        if (distances_[edge.target] + 1 >= distances_[state]) continue;
        distances_[state] = distances_[edge.target] + 1;
        changes = true;
      }
    }
  }
}

std::u32string TextWalk::Next() {
  std::u32string text;
  uint32_t state = 0;
  const uint32_t free_steps = Below(30);
  while (automaton_.labels[state] == TextAutomaton::kNotAccepting || text.size() < free_steps) {
    const auto edges = automaton_.EdgesOf(state);
    if (edges.empty()) break;
    const auto* edge = &edges[Below(edges.size())];
    if (text.size() >= free_steps && distances_[edge->target] >= distances_[state]) {
      for (const auto& other : edges) {
        if (distances_[other.target] < distances_[edge->target]) edge = &other;
      }
    }
    const uint32_t width = std::min(edge->last - edge->first + 1, 128u);
    text.push_back(edge->first + Below(width));
    state = edge->target;
  }
  return text;
}

std::u32string TextWalk::Mutate(std::u32string text) {
  static constexpr char32_t kSome[] = U"0123456789abcdefABCDEFZTzt:.-+/?#[]@%{}()\\\"' ,*_~";
  if (text.empty()) return text;
  const uint32_t at = Below(text.size());
  switch (Below(4)) {
    case 0:
      text.erase(at, 1);
      break;
    case 1:
      text.insert(at, 1, text[at]);
      break;
    case 2:
      std::swap(text[at], text[Below(text.size())]);
      break;
    default:
      text[at] = kSome[Below(std::size(kSome) - 1)];
      break;
  }
  return text;
}

}  // namespace maskloom
