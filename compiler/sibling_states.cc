#include "compiler/sibling_states.h"

#include <tsl/robin_map.h>
#include <tsl/robin_set.h>

#include <algorithm>
#include <span>
#include <unordered_map>
#include <vector>

#include "compiler/categories.h"

namespace maskloom {
namespace {

// States that stand for others which are compared with a new one, the latest first.
constexpr size_t kMaxCompared = 3;
// Edges that are looked at for one state: some microseconds.
constexpr size_t kMaxEdges = 2000;

// Two states, and the edges that are left to look at for them.
class Pairs {
 public:
  struct Pair {
    uint32_t a, b;
    uint64_t key() const { return uint64_t{a} << 32 | b; }
  };

  // `edges_left`: how many may be looked at, which it counts down.
  Pairs(const TextAutomaton& automaton, size_t* edges_left)
      : automaton_(automaton), edges_left_(*edges_left) {}

  bool HaveOneLabel(Pair pair) const {
    return automaton_.labels[pair.a] == automaton_.labels[pair.b];
  }
  // Calls `visit(pair, edge)` for what follows the two by a part of an edge of the first. Returns
  // whether they have the same edges, as far as it may look: if not, it may have stopped anywhere.
  template <typename Visit>
  bool Step(Pair pair, Visit visit) {
    const std::span<const TextAutomaton::Edge> a = automaton_.EdgesOf(pair.a);
    const std::span<const TextAutomaton::Edge> b = automaton_.EdgesOf(pair.b);
    if (a.size() + b.size() > edges_left_) return false;
    edges_left_ -= a.size() + b.size();
    size_t i = 0, j = 0;
    // Edges may be cut in different places; both have been read up to the same code point.
    for (uint32_t next = 0; i < a.size() && j < b.size();) {
      const uint32_t first = std::max(a[i].first, next);
      if (first != std::max(b[j].first, next)) return false;
      const uint32_t last = std::min(a[i].last, b[j].last);
      visit(Pair{a[i].target, b[j].target}, a[i]);
      i += a[i].last == last;
      j += b[j].last == last;
      next = last + 1;
    }
    return i == a.size() && j == b.size();
  }

 private:
  const TextAutomaton& automaton_;
  size_t& edges_left_;
};

// For how many code points do `start`'s two agree? At least; kAnyReach from `most` on.
uint32_t CodePointReach(Pairs* pairs, Pairs::Pair start, uint32_t most) {
  std::vector<Pairs::Pair> met;
  tsl::robin_set<uint64_t> keys;
  const auto meet = [&](Pairs::Pair pair, const TextAutomaton::Edge&) {
    if (pair.a != pair.b && keys.insert(pair.key()).second) met.push_back(pair);
  };
  meet(start, {});
  size_t layer = 0;
  for (uint32_t length = 0; length < most; ++length) {
    const size_t layer_end = met.size();
    if (layer == layer_end) break;
    for (; layer < layer_end; ++layer) {
      const Pairs::Pair pair = met[layer];
      if (!pairs->HaveOneLabel(pair) || !pairs->Step(pair, meet)) return length;
    }
  }
  return SiblingStates::kAnyReach;
}

// Stands for the characters that are runs of their own; the category of no character.
constexpr CategorySet kAlone = CategorySet{1} << 63;

// The kinds of characters of an automaton's edges, told when they are asked for.
class EdgeKinds {
 public:
  explicit EdgeKinds(const TextAutomaton& automaton)
      : edges_(automaton.edges), kinds_(automaton.edges.size()) {}

  CategorySet Of(const TextAutomaton::Edge& edge) {
    CategorySet& kinds = kinds_[static_cast<size_t>(&edge - edges_.data())];
    if (kinds != 0) return kinds;
    for (const CategoryRange& category : CategoryRanges()) {
      if (category.range.first > edge.last || edge.first > category.range.last) continue;
      const CategorySet kind = KindOf(category.bit, category.range.first);
      kinds |= kind == 0 ? kAlone : kind;
    }
    return kinds;
  }

 private:
  const std::span<const TextAutomaton::Edge> edges_;
  std::vector<CategorySet> kinds_;  // 0: not yet
};

// As CodePointReach for runs of characters of one kind, by layers: what is met behind so many runs,
// the last of which may go on.
class RunComparison {
 public:
  RunComparison(Pairs* pairs, EdgeKinds* kinds) : pairs_(*pairs), kinds_(*kinds) {}

  // Returns for how many runs `start`'s two agree, at least; no more than `most`, but kAnyReach if
  // for ever.
  uint32_t Reach(Pairs::Pair start, uint32_t most) {
    seen_[start.key()] = 0;
    layer_.assign(1, {start, 0});
    for (uint32_t runs = 0; runs < most; ++runs) {
      for (size_t i = 0; i < layer_.size(); ++i) {
        // Texts of as many runs as here may be told by how the last one goes on.
        if (!StepBoth(layer_[i])) return std::max(runs, 1u) - 1;
      }
      layer_.clear();
      for (const Place& place : next_) Meet(place, &layer_);
      next_.clear();
      if (layer_.empty()) return SiblingStates::kAnyReach;
    }
    return most;
  }

 private:
  // Two states behind a run of any of these kinds; 0: behind nothing.
  struct Place {
    Pairs::Pair pair;
    CategorySet kinds;
  };

  // Appends `place` to `places`, less the kinds with which its pair was met before.
  void Meet(Place place, std::vector<Place>* places) {
    CategorySet& seen = seen_[place.pair.key()];
    place.kinds &= ~seen;
    seen |= place.kinds;
    if (place.kinds != 0) places->push_back(place);
  }

  // Meets what follows. Returns whether both may end, and go on, alike.
  bool StepBoth(const Place place) {
    targets_.clear();
    const auto add = [&](Pairs::Pair pair, const TextAutomaton::Edge& edge) {
      if (pair.a == pair.b) return;
      const auto known = std::find_if(targets_.begin(), targets_.end(), [&](const Place& target) {
        return target.pair.key() == pair.key();
      });
      if (known == targets_.end()) {
        targets_.push_back({pair, kinds_.Of(edge)});
      } else {
        known->kinds |= kinds_.Of(edge);
      }
    };
    if (!pairs_.HaveOneLabel(place.pair) || !pairs_.Step(place.pair, add)) return false;
    for (const auto& [pair, kinds] : targets_) {
      const CategorySet same_run = kinds & place.kinds & ~kAlone;
      Meet({pair, same_run}, &layer_);
      if (kinds != same_run) next_.push_back({pair, kinds & ~same_run});
    }
    return true;
  }

  Pairs& pairs_;
  EdgeKinds& kinds_;
  std::vector<Place> layer_, next_, targets_;
  tsl::robin_map<uint64_t, CategorySet> seen_;  // by pair
};

}  // namespace

class SiblingStates::Known {
 public:
  struct Automaton {
    explicit Automaton(const TextAutomaton& automaton) : kinds(automaton) {}
    EdgeKinds kinds;
    tsl::robin_map<uint32_t, Sibling> siblings;
    std::vector<uint32_t> standing;  // for themselves and others, the latest last
  };
  std::unordered_map<const TextAutomaton*, Automaton> automata;
};

SiblingStates::SiblingStates() : known_(std::make_unique<Known>()) {}
SiblingStates::~SiblingStates() = default;

SiblingStates::Sibling SiblingStates::Find(const TextAutomaton& automaton, uint32_t state,
                                           const Reach& least, const Reach& most) {
  // Of so few states any two differ sooner, unless they are the same.
  if (automaton.state_count() <= std::min(least.code_points, least.runs)) return {state};
  const std::lock_guard<std::mutex> lock(mutex_);
  Known::Automaton& known = known_->automata.try_emplace(&automaton, automaton).first->second;
  const auto [it, added] = known.siblings.insert({state, {state}});
  if (!added || automaton.has_calls()) return it->second;
  size_t edges_left = kMaxEdges;
  Pairs pairs(automaton, &edges_left);
  const size_t count = std::min(known.standing.size(), kMaxCompared);
  for (size_t i = 0; i < count; ++i) {
    const uint32_t other = known.standing[known.standing.size() - 1 - i];
    if (automaton.EdgesOf(other).size() != automaton.EdgesOf(state).size()) continue;
    Reach reach{0, RunComparison(&pairs, &known.kinds).Reach({other, state}, most.runs)};
    if (reach.runs < least.runs) {
      reach = {CodePointReach(&pairs, {other, state}, most.code_points), 0};
      if (reach.code_points < least.code_points) continue;
    }
    return it.value() = {other, reach};
  }
  known.standing.push_back(state);
  return it->second;
}

}  // namespace maskloom
