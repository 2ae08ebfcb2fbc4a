// Partition refinement by signatures.
//
// States start in one class per label. The signature of a state is its edges with targets replaced
// by their classes and touching ranges of one class joined. States of a class with different
// signatures differ, so the class splits; then the signatures of the predecessors may have changed.
// Only those *dirty* states are looked at again: the clean states of a class agreed when last seen
// and no target of theirs changed class, so they still agree and one of them speaks for all. The
// largest part of a split keeps the name of the class, so a state changes class at most log2(n)
// times, and each change costs the edges of its predecessors.
//
// Working on ranges rather than on symbols keeps a wide class one edge: an enumeration of thousands
// of words next to "anything else" stays as sparse as it was built.
//
// Example, over {a}: 0 -a-> 1 -a-> 2, all but 2 rejecting. Classes {0,1}, {2}; signatures of 0 and
// 1 are a->{0,1} and a->{2}: split. Nothing is dirty but 0, alone in its class: done.
//
// Source: J. Jacobs, T. Wissmann, "Fast coalgebraic bisimilarity minimization", POPL 2023.
#include "grammar/regular/minimize.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "grammar/regular/interner.h"

namespace maskloom {
namespace {

constexpr uint32_t kNone = 0xFFFFFFFF;
constexpr uint32_t kCallMark = 0xFFFFFFFE;  // separates edges from calls in a signature

class Refiner {
 public:
  explicit Refiner(const TextAutomaton& raw) : raw_(raw) {}

  // Fills class_of() for live states. Returns false if the language is empty.
  bool Run();
  uint32_t ClassOf(uint32_t state) const { return class_of_[state]; }
  uint32_t class_count() const { return static_cast<uint32_t>(classes_.size()); }
  uint32_t RepresentativeOf(uint32_t c) const { return order_[classes_[c].begin]; }

 private:
  struct Class {
    uint32_t begin;
    uint32_t dirty;  // clean states lie before, dirty ones behind
    uint32_t end;
    bool queued;
  };
  struct Signature {
    uint64_t hash;
    uint32_t begin;
    uint32_t length;
    uint32_t state;
  };

  void FindLiveStates();
  void MakeInitialClasses();
  void MarkPredecessorsDirty(uint32_t begin, uint32_t end);
  void Split(uint32_t c);
  void AddClass(uint32_t begin, uint32_t end);
  Signature Sign(uint32_t state);
  std::span<const uint32_t> ItemsOf(const Signature& s) const {
    return std::span(items_).subspan(s.begin, s.length);
  }
  bool Same(const Signature& a, const Signature& b) const {
    if (a.hash != b.hash) return false;
    auto x = ItemsOf(a), y = ItemsOf(b);
    return std::equal(x.begin(), x.end(), y.begin(), y.end());
  }

  const TextAutomaton& raw_;
  std::vector<uint32_t> source_begins_, sources_;  // predecessors by state
  std::vector<uint32_t> class_of_;                 // kNone for states that are not live
  std::vector<uint32_t> order_;                    // live states; classes are runs of it
  std::vector<uint32_t> place_;                    // index in order_, by state
  std::vector<Class> classes_;
  std::vector<uint32_t> queue_;
  std::vector<uint32_t> items_;  // signatures of one split
  std::vector<Signature> signatures_;
};

void Refiner::FindLiveStates() {
  const uint32_t n = raw_.state_count();
  source_begins_.assign(n + 1, 0);
  for (const auto& edge : raw_.edges) ++source_begins_[edge.target + 1];
  for (const auto& call : raw_.calls) ++source_begins_[call.target + 1];
  std::partial_sum(source_begins_.begin(), source_begins_.end(), source_begins_.begin());
  sources_.resize(source_begins_.back());
  std::vector<uint32_t> fill(source_begins_.begin(), source_begins_.end() - 1);
  for (uint32_t state = 0; state < n; ++state) {
    for (const auto& edge : raw_.EdgesOf(state)) sources_[fill[edge.target]++] = state;
    for (const auto& call : raw_.CallsOf(state)) sources_[fill[call.target]++] = state;
  }

  std::vector<char> live(n, 0), reached(n, 0);
  std::vector<uint32_t> work;
  for (uint32_t state = 0; state < n; ++state) {
    if (raw_.labels[state] != TextAutomaton::kNotAccepting) live[state] = 1, work.push_back(state);
  }
  while (!work.empty()) {
    uint32_t state = work.back();
    work.pop_back();
    for (uint32_t i = source_begins_[state]; i < source_begins_[state + 1]; ++i) {
      if (!live[sources_[i]]) live[sources_[i]] = 1, work.push_back(sources_[i]);
    }
  }
  const auto visit = [&](uint32_t state) {
    if (live[state] && !reached[state]) reached[state] = 1, work.push_back(state);
  };
  if (n > 0) visit(0);
  class_of_.assign(n, kNone);
  while (!work.empty()) {
    uint32_t state = work.back();
    work.pop_back();
    order_.push_back(state);
    for (const auto& edge : raw_.EdgesOf(state)) visit(edge.target);
    for (const auto& call : raw_.CallsOf(state)) visit(call.target);
  }
}

void Refiner::MakeInitialClasses() {
  std::sort(order_.begin(), order_.end(), [this](uint32_t a, uint32_t b) {
    return raw_.labels[a] != raw_.labels[b] ? raw_.labels[a] < raw_.labels[b] : a < b;
  });
  place_.assign(raw_.state_count(), kNone);
  for (uint32_t i = 0; i < order_.size(); ++i) {
    if (i == 0 || raw_.labels[order_[i]] != raw_.labels[order_[i - 1]]) {
      classes_.push_back({i, i, i, true});
      queue_.push_back(class_count() - 1);
    }
    ++classes_.back().end;
    place_[order_[i]] = i;
    class_of_[order_[i]] = class_count() - 1;
  }
}

Refiner::Signature Refiner::Sign(uint32_t state) {
  const auto begin = static_cast<uint32_t>(items_.size());
  for (const auto& edge : raw_.EdgesOf(state)) {
    uint32_t c = class_of_[edge.target];
    if (c == kNone) continue;
    const size_t size = items_.size();
    if (size > begin && items_[size - 1] == c && items_[size - 2] + 1 == edge.first) {
      items_[size - 2] = edge.last;
    } else {
      items_.insert(items_.end(), {edge.first, edge.last, c});
    }
  }
  for (const auto& call : raw_.CallsOf(state)) {
    if (class_of_[call.target] == kNone) continue;
    items_.insert(items_.end(), {kCallMark, call.expr, class_of_[call.target]});
  }
  const auto length = static_cast<uint32_t>(items_.size() - begin);
  return {HashSequence(std::span(items_).subspan(begin, length)), begin, length, state};
}

// Makes order_[begin, end) a new clean class.
void Refiner::AddClass(uint32_t begin, uint32_t end) {
  const uint32_t c = class_count();
  classes_.push_back({begin, end, end, false});
  for (uint32_t i = begin; i < end; ++i) class_of_[order_[i]] = c;
}

void Refiner::MarkPredecessorsDirty(uint32_t begin, uint32_t end) {
  // States move within their classes, never out of order_[begin, end) as a set, but their places
  // may change under the loop; so the states are listed first.
  std::vector<uint32_t> changed(order_.begin() + begin, order_.begin() + end);
  for (uint32_t state : changed) {
    for (uint32_t i = source_begins_[state]; i < source_begins_[state + 1]; ++i) {
      const uint32_t source = sources_[i];
      const uint32_t c = class_of_[source];
      if (c == kNone) continue;
      Class& known = classes_[c];
      if (known.end - known.begin == 1 || place_[source] >= known.dirty) continue;
      const uint32_t other = order_[--known.dirty];
      std::swap(order_[place_[source]], order_[known.dirty]);
      std::swap(place_[source], place_[other]);
      if (!known.queued) known.queued = true, queue_.push_back(c);
    }
  }
}

void Refiner::Split(uint32_t c) {
  Class known = classes_[c];
  classes_[c].queued = false;
  if (known.end - known.begin == 1) return;
  items_.clear();
  signatures_.clear();
  for (uint32_t i = known.dirty; i < known.end; ++i) signatures_.push_back(Sign(order_[i]));
  const bool has_clean = known.dirty > known.begin;
  Signature clean{};
  if (has_clean) clean = Sign(order_[known.begin]);
  std::sort(signatures_.begin(), signatures_.end(), [this](const auto& a, const auto& b) {
    if (a.hash != b.hash) return a.hash < b.hash;
    auto x = ItemsOf(a), y = ItemsOf(b);
    int order = 0;
    for (size_t i = 0; i < x.size() && i < y.size() && order == 0; ++i) {
      order = x[i] < y[i] ? -1 : x[i] > y[i];
    }
    if (order != 0) return order < 0;
    return x.size() != y.size() ? x.size() < y.size() : a.state < b.state;
  });

  // Parts as bounds in order_: first the clean states and the dirty ones that still agree.
  std::vector<uint32_t> bounds{known.begin};
  uint32_t next = known.dirty;
  const auto place = [&](uint32_t state) {
    order_[next] = state;
    place_[state] = next++;
  };
  if (has_clean) {
    for (const Signature& s : signatures_) {
      if (Same(s, clean)) place(s.state);
    }
    bounds.push_back(next);
  }
  const Signature* previous = nullptr;
  for (const Signature& s : signatures_) {
    if (has_clean && Same(s, clean)) continue;
    if (previous != nullptr && !Same(*previous, s)) bounds.push_back(next);
    previous = &s;
    place(s.state);
  }
  if (bounds.back() != known.end) bounds.push_back(known.end);

  size_t largest = 0;
  for (size_t part = 1; part + 1 < bounds.size(); ++part) {
    if (bounds[part + 1] - bounds[part] > bounds[largest + 1] - bounds[largest]) largest = part;
  }
  // The largest part is not visited: its states have their class already.
  classes_[c] = {bounds[largest], bounds[largest + 1], bounds[largest + 1], false};
  for (size_t part = 0; part + 1 < bounds.size(); ++part) {
    if (part != largest) AddClass(bounds[part], bounds[part + 1]);
  }
  for (size_t part = 0; part + 1 < bounds.size(); ++part) {
    if (part != largest) MarkPredecessorsDirty(bounds[part], bounds[part + 1]);
  }
}

bool Refiner::Run() {
  FindLiveStates();
  if (order_.empty()) return false;
  MakeInitialClasses();
  while (!queue_.empty()) {
    uint32_t c = queue_.back();
    queue_.pop_back();
    Split(c);
  }
  return true;
}

// Copies the part of an automaton that a breadth-first walk from its start meets, one state for
// each class; `number_of` maps classes.
template <typename ClassOf, typename StateOf>
TextAutomaton CopyBreadthFirst(const TextAutomaton& raw, uint32_t start, uint32_t class_count,
                               ClassOf class_of, StateOf state_of) {
  TextAutomaton result;
  std::vector<uint32_t> number_of(class_count, kNone);
  std::vector<uint32_t> queue;  // states to copy, in the order of their numbers
  const auto number = [&](uint32_t c) {
    if (number_of[c] == kNone) {
      number_of[c] = static_cast<uint32_t>(queue.size());
      queue.push_back(state_of(c));
    }
    return number_of[c];
  };
  if (raw.has_calls()) result.call_begins.push_back(0);
  number(class_of(start));
  for (size_t i = 0; i < queue.size(); ++i) {
    const uint32_t state = queue[i];
    const size_t first_edge = result.edges.size();
    for (const auto& edge : raw.EdgesOf(state)) {
      uint32_t c = class_of(edge.target);
      if (c == kNone) continue;
      const uint32_t target = number(c);
      auto& edges = result.edges;
      if (edges.size() > first_edge && edges.back().target == target &&
          edges.back().last + 1 == edge.first) {
        edges.back().last = edge.last;
      } else {
        edges.push_back({edge.first, edge.last, target});
      }
    }
    for (const auto& call : raw.CallsOf(state)) {
      uint32_t c = class_of(call.target);
      if (c != kNone) result.calls.push_back({call.expr, number(c)});
    }
    result.edge_begins.push_back(static_cast<uint32_t>(result.edges.size()));
    if (raw.has_calls()) result.call_begins.push_back(static_cast<uint32_t>(result.calls.size()));
    result.labels.push_back(raw.labels[state]);
  }
  if (result.calls.empty()) result.call_begins.clear();
  return result;
}

}  // namespace

TextAutomaton Minimize(const TextAutomaton& raw) {
  Refiner refiner(raw);
  if (!refiner.Run()) return {};
  return CopyBreadthFirst(
      raw, 0, refiner.class_count(), [&](uint32_t state) { return refiner.ClassOf(state); },
      [&](uint32_t c) { return refiner.RepresentativeOf(c); });
}

TextAutomaton NumberBreadthFirst(const TextAutomaton& raw, uint32_t start) {
  const auto same = [](uint32_t state) { return state; };
  return CopyBreadthFirst(raw, start, raw.state_count(), same, same);
}

}  // namespace maskloom
