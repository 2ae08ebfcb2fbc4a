// Products of two automata of which one may stop to matter.
//
// The labels *ahead* of a state are those of the texts that may still be read from it, and
// kNotAccepting if one of them is rejected. In a pair of states (s, t) the first makes no
// difference if all labels ahead of s, joined with any label ahead of t, give the same; then s is
// replaced by a state that has one of these labels for ever, and by the least label that does it,
// so that all such s become one. The same for t.
//
// Example: keys with `a1b` are integers from 1, keys with `a2b` from 2, and so on. Behind a key
// part that asks for 40 nothing matters that asks for less, whichever of `a1b` to `a39b` were seen
// and however far into one of them the key is.
#include <algorithm>
#include <bit>
#include <span>
#include <utility>
#include <vector>

#include "grammar/base/utf8.h"
#include "grammar/regular/interner.h"
#include "grammar/regular/product.h"
#include "tsl/robin_map.h"

namespace maskloom {
namespace {

constexpr uint32_t kNone = TextAutomaton::kNotAccepting;
// Beyond so many labels a part is taken as it is: looking ahead would cost more than it saves.
constexpr uint32_t kMaxLabelsToLookAhead = 512;

uint32_t LabelCount(const TextAutomaton& automaton) {
  return *std::max_element(automaton.labels.begin(), automaton.labels.end()) + 1;
}

// An automaton, the labels ahead of its states, and for each label a state that has it for ever.
class Part {
 public:
  explicit Part(const TextAutomaton& automaton);

  const TextAutomaton& automaton() const { return automaton_; }
  // Names the set of labels ahead of `state`.
  uint32_t AheadOf(uint32_t state) const {
    return state < first_constant_ ? ahead_of_[state] : set_of_label_[state - first_constant_];
  }
  // The labels of a set, ascending.
  std::span<const uint32_t> LabelsOf(uint32_t set) const { return sets_[set]; }
  uint32_t ConstantState(uint32_t label) const { return first_constant_ + label; }

 private:
  void FindLabelsAhead();

  TextAutomaton automaton_;
  const uint32_t first_constant_;
  const uint32_t label_count_;
  std::vector<uint32_t> ahead_of_;
  std::vector<uint32_t> set_of_label_;
  SequenceInterner sets_;
};

Part::Part(const TextAutomaton& automaton)
    : automaton_(automaton),
      first_constant_(automaton.state_count()),
      label_count_(LabelCount(automaton)) {
  FindLabelsAhead();
  for (uint32_t label = 0; label < label_count_; ++label) {
    const uint32_t state = ConstantState(label);
    automaton_.edges.push_back({0, kLastBeforeSurrogates, state});
    automaton_.edges.push_back({kFirstBehindSurrogates, kMaxCodePoint, state});
    automaton_.edge_begins.push_back(static_cast<uint32_t>(automaton_.edges.size()));
    automaton_.labels.push_back(label);
    set_of_label_.push_back(sets_.Intern(std::span(&label, 1)).first);
  }
}

// Returns whether some text leads from `state` to where nothing is accepted.
bool MayDie(const TextAutomaton& automaton, uint32_t state) {
  constexpr uint32_t kSurrogates = kFirstBehindSurrogates - kLastBeforeSurrogates - 1;
  uint32_t covered = 0;
  for (const TextAutomaton::Edge& edge : automaton.EdgesOf(state)) {
    covered += edge.last - edge.first + 1;
  }
  return covered < kMaxCodePoint + 1 - kSurrogates;
}

void Part::FindLabelsAhead() {
  const uint32_t words = (label_count_ + 63) / 64;
  std::vector<uint64_t> bits(size_t{first_constant_} * words);
  const auto set_of = [&](uint32_t state) {
    return std::span(bits).subspan(size_t{state} * words, words);
  };
  for (uint32_t state = 0; state < first_constant_; ++state) {
    const uint32_t label = automaton_.labels[state];
    set_of(state)[label / 64] |= uint64_t{1} << (label % 64);
    if (MayDie(automaton_, state)) set_of(state)[kNone / 64] |= uint64_t{1} << (kNone % 64);
  }
  // States are numbered breadth-first, so most of what lies ahead has the larger number.
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t state = first_constant_; state-- > 0;) {
      for (const TextAutomaton::Edge& edge : automaton_.EdgesOf(state)) {
        for (uint32_t word = 0; word < words; ++word) {
          const uint64_t added = set_of(edge.target)[word] & ~set_of(state)[word];
          if (added != 0) set_of(state)[word] |= added, changed = true;
        }
      }
    }
  }
  std::vector<uint32_t> labels;
  for (uint32_t state = 0; state < first_constant_; ++state) {
    labels.clear();
    for (uint32_t word = 0; word < words; ++word) {
      for (uint64_t rest = set_of(state)[word]; rest != 0; rest &= rest - 1) {
        labels.push_back(word * 64 + static_cast<uint32_t>(std::countr_zero(rest)));
      }
    }
    ahead_of_.push_back(sets_.Intern(labels).first);
  }
}

// Asks `join` once about each pair of labels.
class JoinTable {
 public:
  JoinTable(uint32_t count_a, uint32_t count_b, const LabelJoin& join)
      : join_(join), count_b_(count_b), joined_(size_t{count_a} * count_b, kNotAsked) {}

  // Returns the joint label, or kAbandoned if there is a problem.
  uint32_t operator()(uint32_t label_a, uint32_t label_b);
  // The latest problem.
  const Status& problem() const { return problem_; }

 private:
  static constexpr uint32_t kNotAsked = kAbandoned - 1;

  const LabelJoin& join_;
  const uint32_t count_b_;
  std::vector<uint32_t> joined_;
  Status problem_;
};

uint32_t JoinTable::operator()(uint32_t label_a, uint32_t label_b) {
  if (label_a == kNone || label_b == kNone) return kNone;
  uint32_t& joined = joined_[size_t{label_a} * count_b_ + label_b];
  if (joined == kNotAsked) {
    Result<uint32_t> label = join_(label_a, label_b);
    if (!label.ok()) problem_ = label.status();
    joined = label.ok() ? *label : kAbandoned;
  }
  return joined;
}

// Leaves out of pairs of states what makes no difference.
class Simplifier {
 public:
  Simplifier(const Part& a, const Part& b, JoinTable* join) : parts_{&a, &b}, join_(join) {}

  void operator()(std::span<uint32_t> states);

 private:
  static constexpr uint32_t kMatters = 0xFFFFFFFF;
  struct HashPair {
    size_t operator()(const std::pair<uint32_t, uint32_t>& pair) const {
      const uint32_t items[2] = {pair.first, pair.second};
      return HashSequence(items);
    }
  };

  bool AreAlike(int side, uint32_t x, uint32_t y, std::span<const uint32_t> others);
  uint32_t FindConstant(int side, std::span<const uint32_t> labels,
                        std::span<const uint32_t> others);
  std::pair<uint32_t, uint32_t> FindConstants(uint32_t set_a, uint32_t set_b);

  const Part* parts_[2];
  JoinTable* join_;
  // By pair of sets of labels ahead: what does for them, a label or kMatters.
  tsl::robin_map<std::pair<uint32_t, uint32_t>, std::pair<uint32_t, uint32_t>, HashPair> constants_;
};

// Are labels x and y of one side the same beside all of `others`?
bool Simplifier::AreAlike(int side, uint32_t x, uint32_t y, std::span<const uint32_t> others) {
  JoinTable& join = *join_;
  return x == y || std::all_of(others.begin(), others.end(), [&](uint32_t other) {
           return side == 0 ? join(x, other) == join(y, other) : join(other, x) == join(other, y);
         });
}

// Returns the least label that does for all of `labels` of `side`, beside any of `others`.
uint32_t Simplifier::FindConstant(int side, std::span<const uint32_t> labels,
                                  std::span<const uint32_t> others) {
  for (const uint32_t label : labels.subspan(1)) {
    if (!AreAlike(side, labels[0], label, others)) return kMatters;
  }
  uint32_t least = 0;
  while (!AreAlike(side, least, labels[0], others)) ++least;
  return least;
}

// One part at a time: what does for the second is asked beside what does for the first.
std::pair<uint32_t, uint32_t> Simplifier::FindConstants(uint32_t set_a, uint32_t set_b) {
  const std::span<const uint32_t> labels_b = parts_[1]->LabelsOf(set_b);
  std::span<const uint32_t> labels_a = parts_[0]->LabelsOf(set_a);
  const uint32_t a = FindConstant(0, labels_a, labels_b);
  if (a != kMatters) labels_a = std::span(&a, 1);
  return {a, FindConstant(1, labels_b, labels_a)};
}

void Simplifier::operator()(std::span<uint32_t> states) {
  const std::pair sets(parts_[0]->AheadOf(states[0]), parts_[1]->AheadOf(states[1]));
  const auto [it, added] = constants_.try_emplace(sets);
  if (added) it.value() = FindConstants(sets.first, sets.second);
  if (it->second.first != kMatters) states[0] = parts_[0]->ConstantState(it->second.first);
  if (it->second.second != kMatters) states[1] = parts_[1]->ConstantState(it->second.second);
}

}  // namespace

Result<TextAutomaton> JoinLabels(const TextAutomaton& a, const TextAutomaton& b,
                                 const LabelJoin& join, uint32_t max_states) {
  if (a.empty() || b.empty()) return TextAutomaton{};
  JoinTable table(LabelCount(a), LabelCount(b), join);
  const LabelFunction label = [&table](const std::vector<uint32_t>& labels) {
    return table(labels[0], labels[1]);
  };
  ProductOptions options{.rejects_any_dead = true, .simplify = nullptr};
  const auto build = [&](const TextAutomaton& x, const TextAutomaton& y) -> Result<TextAutomaton> {
    Result<TextAutomaton> product = BuildProduct({&x, &y}, label, options, max_states);
    if (!product.ok() && !table.problem().ok()) return table.problem();
    return product;
  };
  if (std::max(LabelCount(a), LabelCount(b)) > kMaxLabelsToLookAhead) return build(a, b);
  const Part part_a(a);
  const Part part_b(b);
  options.simplify = Simplifier(part_a, part_b, &table);
  return build(part_a.automaton(), part_b.automaton());
}

}  // namespace maskloom
