#include "compiler/sibling_states.h"

#include <tsl/robin_map.h>
#include <tsl/robin_set.h>

#include <algorithm>
#include <span>
#include <vector>

namespace maskloom {
namespace {

constexpr uint32_t kAnyReach = 0xFFFFFFFF;
// States that stand for others which are compared with a new one, the latest first.
constexpr size_t kMaxCompared = 3;
// Edges that are looked at for one state: some microseconds.
constexpr size_t kMaxEdges = 2000;

// Runs through two states side by side.
class Comparison {
 public:
  // `edges_left`: how many may be looked at, which it counts down.
  Comparison(const TextAutomaton& automaton, size_t* edges_left)
      : automaton_(automaton), edges_left_(*edges_left) {}

  // For how many code points do `a` and `b` agree? At least; kAnyReach from `most` on.
  uint32_t Reach(uint32_t a, uint32_t b, uint32_t most) {
    Meet(a, b);
    size_t layer = 0;
    for (uint32_t length = 0; length < most; ++length) {
      const size_t layer_end = pairs_.size();
      if (layer == layer_end) break;
      for (; layer < layer_end; ++layer) {
        const Pair pair = pairs_[layer];
        if (!StepBoth(pair)) return length;
      }
    }
    return kAnyReach;
  }

 private:
  struct Pair {
    uint32_t a, b;
  };

  void Meet(uint32_t a, uint32_t b) {
    if (a != b && met_.insert(uint64_t{a} << 32 | b).second) pairs_.push_back({a, b});
  }

  // Meets what follows the two. Returns whether they may end alike and have the same edges.
  bool StepBoth(Pair pair) {
    if (automaton_.labels[pair.a] != automaton_.labels[pair.b]) return false;
    const std::span<const TextAutomaton::Edge> a = automaton_.EdgesOf(pair.a);
    const std::span<const TextAutomaton::Edge> b = automaton_.EdgesOf(pair.b);
    if (a.size() + b.size() > edges_left_) return false;
    edges_left_ -= a.size() + b.size();
    size_t i = 0, j = 0;
    // Edges may be cut in different places; both have been read up to the same code point.
    for (uint32_t next = 0; i < a.size() && j < b.size();) {
      const uint32_t first = std::max(a[i].first, next);
      if (first != std::max(b[j].first, next)) return false;
      Meet(a[i].target, b[j].target);
      const uint32_t last = std::min(a[i].last, b[j].last);
      i += a[i].last == last;
      j += b[j].last == last;
      next = last + 1;
    }
    return i == a.size() && j == b.size();
  }

  const TextAutomaton& automaton_;
  size_t& edges_left_;
  std::vector<Pair> pairs_;
  tsl::robin_set<uint64_t> met_;
};

}  // namespace

class SiblingStates::Known {
 public:
  struct Automaton {
    tsl::robin_map<uint32_t, Sibling> siblings;
    std::vector<uint32_t> standing;  // for themselves and others, the latest last
  };
  tsl::robin_map<const TextAutomaton*, Automaton> automata;
};

SiblingStates::SiblingStates() : known_(std::make_unique<Known>()) {}
SiblingStates::~SiblingStates() = default;

SiblingStates::Sibling SiblingStates::Find(const TextAutomaton& automaton, uint32_t state,
                                           uint32_t least, uint32_t most) {
  // Of so few states any two differ sooner, unless they are the same.
  if (automaton.state_count() <= least) return {state, kAnyReach};
  const std::lock_guard<std::mutex> lock(mutex_);
  Known::Automaton& known = known_->automata[&automaton];
  const auto [it, added] = known.siblings.insert({state, {state, kAnyReach}});
  if (!added || automaton.has_calls()) return it->second;
  size_t edges_left = kMaxEdges;
  const size_t count = std::min(known.standing.size(), kMaxCompared);
  for (size_t i = 0; i < count; ++i) {
    const uint32_t other = known.standing[known.standing.size() - 1 - i];
    if (automaton.EdgesOf(other).size() != automaton.EdgesOf(state).size()) continue;
    const uint32_t reach = Comparison(automaton, &edges_left).Reach(other, state, most);
    if (reach >= least) return it.value() = {other, reach};
  }
  known.standing.push_back(state);
  return it->second;
}

}  // namespace maskloom
