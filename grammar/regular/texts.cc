// Automata of finitely many texts, and back: counting, listing, shortest texts.
//
// AutomatonOfTexts adds the texts in sorted order. Only the states along the last text can still
// change; when the next text leaves that path, the states behind the fork are frozen from the end
// backwards, each replaced by an equal frozen state if there is one. So the automaton is minimal
// at every moment and never larger than its result plus one text.
// Source: J. Daciuk et al., "Incremental construction of minimal acyclic finite-state automata",
// Computational Linguistics 26(1), 2000.
#include <algorithm>
#include <numeric>
#include <span>

#include "grammar/base/utf8.h"
#include "grammar/regular/interner.h"
#include "grammar/regular/minimize.h"
#include "grammar/regular/regular.h"

namespace maskloom {
namespace {

using Edge = TextAutomaton::Edge;

class TrieFolder {
 public:
  TrieFolder() { path_.emplace_back(); }

  // Requires: `text` is not less than the last one.
  void Add(const std::u32string& text, uint32_t label);
  TextAutomaton Finish();

 private:
  struct OpenState {
    uint32_t label = TextAutomaton::kNotAccepting;
    std::vector<uint32_t> edges;  // code point, target; the last one's target comes when it freezes
  };
  void FreezeBeyond(size_t depth);
  uint32_t Freeze(const OpenState& state);

  std::vector<OpenState> path_;  // states of the last text; those beyond depth_ are spare
  size_t depth_ = 0;
  std::u32string last_;
  SequenceInterner frozen_;  // label, then code points and targets
  std::vector<uint32_t> items_;
};

uint32_t TrieFolder::Freeze(const OpenState& state) {
  items_.assign(1, state.label);
  items_.insert(items_.end(), state.edges.begin(), state.edges.end());
  return frozen_.Intern(items_).first;
}

void TrieFolder::FreezeBeyond(size_t depth) {
  for (; depth_ > depth; --depth_) {
    path_[depth_ - 1].edges.back() = Freeze(path_[depth_]);
    path_[depth_].label = TextAutomaton::kNotAccepting;
    path_[depth_].edges.clear();
  }
}

void TrieFolder::Add(const std::u32string& text, uint32_t label) {
  auto fork = std::mismatch(last_.begin(), last_.end(), text.begin(), text.end()).first;
  FreezeBeyond(fork - last_.begin());
  for (size_t i = depth_; i < text.size(); ++i) {
    path_[i].edges.insert(path_[i].edges.end(), {text[i], 0});
    if (path_.size() == i + 1) path_.emplace_back();
  }
  depth_ = text.size();
  if (path_[depth_].label == TextAutomaton::kNotAccepting) path_[depth_].label = label;
  last_ = text;
}

TextAutomaton TrieFolder::Finish() {
  FreezeBeyond(0);
  const uint32_t start = Freeze(path_[0]);
  TextAutomaton raw;
  for (uint32_t id = 0; id < frozen_.size(); ++id) {
    std::span<const uint32_t> items = frozen_[id];
    raw.labels.push_back(items[0]);
    for (size_t i = 1; i < items.size(); i += 2) {
      raw.edges.push_back({items[i], items[i], items[i + 1]});
    }
    raw.edge_begins.push_back(static_cast<uint32_t>(raw.edges.size()));
  }
  return NumberBreadthFirst(raw, start);
}

// Returns the states in an order where edges lead forward, or nothing if there is a cycle.
std::optional<std::vector<uint32_t>> TopologicalOrder(const TextAutomaton& a) {
  std::vector<uint32_t> incoming(a.state_count(), 0);
  for (const Edge& edge : a.edges) ++incoming[edge.target];
  std::vector<uint32_t> order;
  for (uint32_t state = 0; state < a.state_count(); ++state) {
    if (incoming[state] == 0) order.push_back(state);
  }
  for (size_t i = 0; i < order.size(); ++i) {
    for (const Edge& edge : a.EdgesOf(order[i])) {
      if (--incoming[edge.target] == 0) order.push_back(edge.target);
    }
  }
  if (order.size() != a.state_count()) return std::nullopt;
  return order;
}

}  // namespace

TextAutomaton AutomatonOfTexts(const std::vector<std::u32string>& texts,
                               const std::vector<uint32_t>& labels) {
  const auto label_of = [&labels](size_t i) { return labels.empty() ? 1 : labels[i]; };
  std::vector<uint32_t> order;
  for (uint32_t i = 0; i < texts.size(); ++i) {
    const bool is_text = std::all_of(texts[i].begin(), texts[i].end(), IsScalarValue);
    if (is_text && label_of(i) != TextAutomaton::kNotAccepting) order.push_back(i);
  }
  if (order.empty()) return {};
  std::stable_sort(order.begin(), order.end(),
                   [&texts](uint32_t a, uint32_t b) { return texts[a] < texts[b]; });
  TrieFolder folder;
  for (uint32_t i : order) folder.Add(texts[i], label_of(i));
  return folder.Finish();
}

TextAutomaton AnyText() { return Complement({}); }

bool IsAnyText(const TextAutomaton& a) {
  if (a.empty()) return false;
  for (uint32_t state = 0; state < a.state_count(); ++state) {
    if (a.labels[state] == TextAutomaton::kNotAccepting) return false;
    uint32_t next = 0;
    for (const Edge& edge : a.EdgesOf(state)) {
      if (edge.first != next) return false;
      next = edge.last == 0xD7FF ? 0xE000 : edge.last + 1;
    }
    if (next != kMaxCodePoint + 1) return false;
  }
  return true;
}

uint32_t CountTexts(const TextAutomaton& a, uint32_t limit) {
  if (a.empty()) return 0;
  auto order = TopologicalOrder(a);
  if (!order) return kUnbounded;
  const uint64_t too_many = uint64_t{limit} + 1;  // counts stop growing here
  std::vector<uint64_t> counts(a.state_count(), 0);
  for (size_t i = order->size(); i-- > 0;) {
    const uint32_t state = (*order)[i];
    uint64_t count = a.labels[state] != TextAutomaton::kNotAccepting;
    for (const Edge& edge : a.EdgesOf(state)) {
      count += (edge.last - edge.first + uint64_t{1}) * counts[edge.target];
      count = std::min(count, too_many);
    }
    counts[state] = count;
  }
  return counts[0] > limit ? kUnbounded : static_cast<uint32_t>(counts[0]);
}

std::optional<std::vector<std::pair<std::u32string, uint32_t>>> EnumerateTexts(
    const TextAutomaton& a, uint32_t limit) {
  if (CountTexts(a, limit) == kUnbounded) return std::nullopt;
  std::vector<std::pair<std::u32string, uint32_t>> result;
  if (a.empty()) return result;
  // The path to the current state: for each state on it the edge and code point to try next.
  struct Step {
    uint32_t state;
    size_t edge;
    uint32_t code_point;
  };
  std::vector<Step> path;
  std::u32string text;
  const auto enter = [&](uint32_t state) {
    if (a.labels[state] != TextAutomaton::kNotAccepting) result.emplace_back(text, a.labels[state]);
    auto edges = a.EdgesOf(state);
    path.push_back({state, 0, edges.empty() ? 0 : edges[0].first});
  };
  enter(0);
  while (!path.empty()) {
    Step& step = path.back();
    auto edges = a.EdgesOf(step.state);
    if (step.edge == edges.size()) {
      path.pop_back();
      if (!text.empty()) text.pop_back();
      continue;
    }
    const Edge& edge = edges[step.edge];
    text.push_back(step.code_point);
    if (step.code_point < edge.last) {
      ++step.code_point;
    } else if (++step.edge < edges.size()) {
      step.code_point = edges[step.edge].first;
    }
    enter(edge.target);
  }
  return result;
}

std::optional<std::u32string> ShortestText(const TextAutomaton& a) {
  if (a.empty()) return std::nullopt;
  // Breadth-first with edges in order: states are met by their least shortest texts.
  struct Origin {
    uint32_t state = TextAutomaton::kDead;
    uint32_t code_point = 0;
  };
  std::vector<Origin> origins(a.state_count());
  std::vector<uint32_t> queue{0};
  for (size_t i = 0; i < queue.size(); ++i) {
    uint32_t state = queue[i];
    if (a.labels[state] != TextAutomaton::kNotAccepting) {
      std::u32string text;
      for (; state != 0; state = origins[state].state) text.push_back(origins[state].code_point);
      std::reverse(text.begin(), text.end());
      return text;
    }
    for (const Edge& edge : a.EdgesOf(state)) {
      if (edge.target == 0 || origins[edge.target].state != TextAutomaton::kDead) continue;
      origins[edge.target] = {state, edge.first};
      queue.push_back(edge.target);
    }
  }
  return std::nullopt;
}

}  // namespace maskloom
