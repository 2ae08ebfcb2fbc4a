#include "compiler/array_plan.h"

#include <algorithm>
#include <bit>
#include <string>

#include "compiler/machine.h"
#include "grammar/base/budget.h"

namespace maskloom {
namespace {

constexpr size_t kMaxCases = 256;
// Most combinations of numbers that one question may try, and states kept along a prefix.
constexpr uint64_t kMaxCombinations = 20000;
constexpr size_t kMaxStates = 512;

ArrayCase Everything(size_t counters) {
  ArrayCase result;
  result.bounds.assign(counters, kNoMaximum);
  return result;
}

// Both of two cases. `at_least`: by counter.
ArrayCase Both(const ArrayCase& a, const ArrayCase& b, const MarkLayout& layout) {
  ArrayCase both = a;
  both.min_size = std::max(a.min_size, b.min_size);
  both.max_size = std::min(a.max_size, b.max_size);
  for (size_t i = 0; i < both.bounds.size(); ++i) {
    const bool open_a = a.bounds[i] == kNoMaximum, open_b = b.bounds[i] == kNoMaximum;
    if (open_a || open_b) {
      both.bounds[i] = open_a ? b.bounds[i] : a.bounds[i];
    } else if (layout.fields()[i].at_least) {
      both.bounds[i] = std::max(a.bounds[i], b.bounds[i]);
    } else {
      both.bounds[i] = std::min(a.bounds[i], b.bounds[i]);
    }
  }
  return both;
}

// What is left to do: of an at-least counter what is needed, of an at-most counter the room.
struct State {
  std::vector<uint64_t> left;
  TextCost cost = 0;
  std::vector<Choice> path;
};

// One question to the planner.
class Planner {
 public:
  Planner(const Machine& machine, const ArrayTable& table, TextCost below, const AcceptPlan* accept,
          ArrayPlan* plan)
      : machine_(machine), table_(table), below_(below), accept_(accept), plan_(plan) {}

  bool Find(uint32_t count, uint64_t marks, uint64_t min_size) {
    min_size_ = min_size;
    for (const ArrayCase& one : table_.cases) {
      if (FindInCase(one, count, marks)) return true;
    }
    return false;
  }
  // The most states that were kept along the prefix.
  size_t widest() const { return widest_; }
  // How many combinations the rest may take, from no marks at all.
  uint64_t RestCombinations(const ArrayCase& one) {
    State fresh;
    if (!Begin(one, 0, &fresh)) return 0;
    low_ = std::max<uint64_t>(table_.min, one.min_size);
    high_ = std::min<uint64_t>(table_.max == kNoLimit ? kNoMaximum : table_.max, one.max_size);
    CollectRest();
    uint64_t total = 1;
    for (size_t i = 0; i + 1 < rest_.size(); ++i) {
      const uint64_t tries = std::min<uint64_t>(Useful(rest_[i], fresh.left, 0), uint64_t{1} << 40);
      total = std::min<uint64_t>(total * (tries + 1), uint64_t{1} << 40);
      if (total > Budget(kMaxCombinations)) break;
    }
    return total;
  }

 private:
  bool AtLeast(size_t counter) const { return table_.marks.fields()[counter].at_least; }
  TextCost CostOf(const Choice& choice) const {
    return choice.value == kNeverValue ? kNoText : machine_.value(choice.value).cost;
  }
  bool Usable(const Choice& choice) const { return CostOf(choice) < below_; }

  bool Begin(const ArrayCase& one, uint64_t marks, State* state) const {
    state->left.assign(one.bounds.size(), kNoMaximum);
    for (size_t i = 0; i < one.bounds.size(); ++i) {
      const uint64_t number = table_.marks.Get(marks, static_cast<uint32_t>(i));
      const uint64_t bound = one.bounds[i];
      if (AtLeast(i)) {
        state->left[i] = bound == kNoMaximum || number >= bound ? 0 : bound - number;
      } else if (bound != kNoMaximum) {
        if (number > bound) return false;
        state->left[i] = bound - number;
      }
    }
    return true;
  }
  // Takes `choice` once. Returns whether there is room.
  bool Take(const Choice& choice, State* state) const {
    for (uint64_t bits = choice.counts; bits != 0; bits &= bits - 1) {
      const size_t i = static_cast<size_t>(std::countr_zero(bits));
      uint64_t& left = state->left[i];
      if (AtLeast(i)) {
        left -= left > 0;
      } else if (left != kNoMaximum) {
        if (left == 0) return false;
        --left;
      }
    }
    return true;
  }
  bool NeedsNothing(const std::vector<uint64_t>& left) const {
    for (size_t i = 0; i < left.size(); ++i) {
      if (AtLeast(i) && left[i] > 0) return false;
    }
    return true;
  }
  bool AsGood(const State& a, const State& b, bool by_cost) const {
    if (by_cost && a.cost > b.cost) return false;
    for (size_t i = 0; i < a.left.size(); ++i) {
      if (AtLeast(i) ? a.left[i] > b.left[i] : a.left[i] < b.left[i]) return false;
    }
    return true;
  }

  bool FindInCase(const ArrayCase& one, uint32_t count, uint64_t marks) {
    low_ = std::max({uint64_t{table_.min}, one.min_size, min_size_});
    high_ = std::min<uint64_t>(table_.max == kNoLimit ? kNoMaximum : table_.max, one.max_size);
    State first;
    if (count > high_ || low_ > high_ || !Begin(one, marks, &first)) return false;
    std::vector<State> states{std::move(first)};
    uint64_t index = count;
    for (;; ++index) {
      if (index >= low_) {
        for (const State& state : states) {
          if (NeedsNothing(state.left) && Offer(state, {})) return true;
        }
      }
      if (index >= table_.prefix.size()) break;
      if (index == high_) return false;
      states = AfterItem(states, static_cast<uint32_t>(index));
      if (states.empty()) return false;
    }
    if (index == high_) return false;
    CollectRest();
    const uint64_t behind = index;
    low_ = low_ > behind ? low_ - behind : 0;
    high_ = high_ == kNoMaximum ? high_ : high_ - behind;
    for (const State& state : states) {
      numbers_.assign(rest_.size(), 0);
      left_ = state.left;
      if (SearchRest(0, 0, state)) return true;
    }
    return false;
  }

  std::vector<State> AfterItem(const std::vector<State>& states, uint32_t index) {
    std::vector<State> result;
    for (const Choice& choice : ItemChoices(table_, index)) {
      if (!Usable(choice)) continue;
      for (const State& state : states) {
        State next = state;
        if (!Take(choice, &next)) continue;
        next.cost = AddCosts(next.cost, CostOf(choice));
        if (plan_ != nullptr || accept_ != nullptr) next.path.push_back(choice);
        if (accept_ == nullptr) {
          // Where states get many, cheap ones are no longer kept for being cheap.
          const bool by_cost = plan_ != nullptr && result.size() < Budget(kMaxStates) / 2;
          const bool dominated = std::any_of(result.begin(), result.end(), [&](const State& s) {
            return AsGood(s, next, by_cost);
          });
          if (dominated) continue;
          std::erase_if(result, [&](const State& s) { return AsGood(next, s, by_cost); });
        }
        if (result.size() > 2 * Budget(kMaxStates))
          continue;  // admission has refused this, or will
        result.push_back(std::move(next));
      }
    }
    widest_ = std::max(widest_, result.size());
    return result;
  }

  // Is `a` as good as `b` in what it counts?
  bool CountsAsGood(uint64_t a, uint64_t b) const {
    for (size_t i = 0; i < table_.marks.fields().size(); ++i) {
      const bool in_a = a >> i & 1, in_b = b >> i & 1;
      if (AtLeast(i) ? in_b && !in_a : in_a && !in_b) return false;
    }
    return true;
  }
  bool IsFiller(const Choice& choice) const {
    for (size_t i = 0; i < table_.marks.fields().size(); ++i) {
      if ((choice.counts >> i & 1) != 0 && !AtLeast(i)) return false;
    }
    return true;
  }

  void CollectRest() {
    rest_.clear();
    for (const Choice& choice : ItemChoices(table_, static_cast<uint32_t>(table_.prefix.size()))) {
      if (Usable(choice)) rest_.push_back(choice);
    }
    std::stable_sort(rest_.begin(), rest_.end(),
                     [&](const Choice& a, const Choice& b) { return CostOf(a) < CostOf(b); });
    if (accept_ == nullptr && plan_ == nullptr) {
      std::vector<Choice> best;
      for (const Choice& choice : rest_) {
        const auto as_good = [&](const Choice& other) {
          return CountsAsGood(other.counts, choice.counts);
        };
        if (std::any_of(best.begin(), best.end(), as_good)) continue;
        std::erase_if(best, [&](const Choice& b) { return CountsAsGood(choice.counts, b.counts); });
        best.push_back(choice);
      }
      rest_ = std::move(best);
    }
    // The cheapest choice that takes no room fills up at the end.
    const auto filler =
        std::find_if(rest_.begin(), rest_.end(), [&](const Choice& c) { return IsFiller(c); });
    has_filler_ = filler != rest_.end();
    if (has_filler_) std::rotate(filler, filler + 1, rest_.end());
  }

  // The most items that taking `choice` can be good for.
  uint64_t Useful(const Choice& choice, const std::vector<uint64_t>& left, uint64_t used) const {
    uint64_t useful = 0;
    if (!has_filler_ || accept_ != nullptr) useful = low_ > used ? low_ - used : 0;
    uint64_t room = high_ == kNoMaximum ? high_ : high_ - used;
    for (uint64_t bits = choice.counts; bits != 0; bits &= bits - 1) {
      const size_t i = static_cast<size_t>(std::countr_zero(bits));
      if (AtLeast(i)) {
        useful = std::max(useful, left[i]);
      } else {
        room = std::min(room, left[i]);
      }
    }
    return std::min(useful, room);
  }

  bool SearchRest(size_t position, uint64_t used, const State& state) {
    if (rest_.empty()) return false;  // finishing without further items was tried
    const Choice& choice = rest_[position];
    if (position + 1 == rest_.size()) {
      uint64_t least = low_ > used ? low_ - used : 0;
      uint64_t most = high_ == kNoMaximum ? high_ : high_ - used;
      for (size_t i = 0; i < left_.size(); ++i) {
        const bool counts = choice.counts >> i & 1;
        if (AtLeast(i)) {
          if (left_[i] > 0 && !counts) return false;
          least = std::max(least, left_[i]);
        } else if (counts) {
          most = std::min(most, left_[i]);
        }
      }
      if (least > most) return false;
      numbers_[position] = least;
      return Offer(state, numbers_);
    }
    const uint64_t most = Useful(choice, left_, used);
    const std::vector<uint64_t> before = left_;
    for (uint64_t number = 0; number <= most; ++number) {
      numbers_[position] = number;
      if (SearchRest(position + 1, used + number, state)) return true;
      left_ = before;
      if (number == most) break;
      for (uint64_t bits = choice.counts; bits != 0; bits &= bits - 1) {
        const size_t i = static_cast<size_t>(std::countr_zero(bits));
        if (AtLeast(i)) {
          left_[i] -= std::min(left_[i], number + 1);
        } else if (left_[i] != kNoMaximum) {
          left_[i] -= number + 1;
        }
      }
    }
    left_ = before;
    return false;
  }

  // A plan was found.
  bool Offer(const State& state, const std::vector<uint64_t>& numbers) {
    if (accept_ == nullptr && plan_ == nullptr) return true;
    ArrayPlan plan;
    for (const Choice& choice : state.path) plan.push_back({choice, 1});
    for (size_t i = 0; i < numbers.size(); ++i) {
      if (numbers[i] > 0) plan.push_back({rest_[i], numbers[i]});
    }
    if (accept_ != nullptr && !(*accept_)(plan)) return false;
    if (plan_ != nullptr) *plan_ = std::move(plan);
    return true;
  }

  const Machine& machine_;
  const ArrayTable& table_;
  const TextCost below_;
  const AcceptPlan* const accept_;
  ArrayPlan* const plan_;
  uint64_t min_size_ = 0;
  uint64_t low_ = 0, high_ = 0;  // sizes; once the prefix is behind, without it
  std::vector<Choice> rest_;
  bool has_filler_ = false;
  std::vector<uint64_t> numbers_;  // by choice of rest_
  std::vector<uint64_t> left_;
  size_t widest_ = 0;
};

Status TooManyCases() {
  return Status(StatusCode::kResourceLimit,
                "the condition on the items of an array has more than " +
                    std::to_string(kMaxCases) + " cases");
}

}  // namespace

std::vector<Choice> ItemChoices(const ArrayTable& table, uint32_t count) {
  const size_t slot = std::min<size_t>(count, table.prefix.size());
  if (slot < table.choices.size() && !table.choices[slot].empty()) return table.choices[slot];
  return {{table.ItemValue(count), 0}};
}

Status ExpandCases(ArrayTable* table) {
  const size_t counters = table->marks.fields().size();
  std::vector<std::vector<ArrayCase>> by_node;
  for (const Condition& node : table->condition.nodes()) {
    std::vector<ArrayCase> cases;
    ArrayCase one = Everything(counters);
    switch (node.kind) {
      case Condition::Kind::kAll:
        cases.push_back(one);
        for (const uint32_t part : node.parts) {
          std::vector<ArrayCase> product;
          for (const ArrayCase& a : cases) {
            for (const ArrayCase& b : by_node[part]) {
              ArrayCase both = Both(a, b, table->marks);
              if (both.min_size > both.max_size) continue;
              if (std::find(product.begin(), product.end(), both) != product.end()) continue;
              product.push_back(std::move(both));
              if (product.size() > Budget(kMaxCases)) return TooManyCases();
            }
          }
          cases = std::move(product);
        }
        break;
      case Condition::Kind::kAny:
        for (const uint32_t part : node.parts) {
          for (const ArrayCase& a : by_node[part]) {
            if (std::find(cases.begin(), cases.end(), a) == cases.end()) cases.push_back(a);
          }
        }
        if (cases.size() > Budget(kMaxCases)) return TooManyCases();
        break;
      case Condition::Kind::kAtLeast:
        if (node.number > 0) one.bounds[node.index] = node.number;
        cases.push_back(std::move(one));
        break;
      case Condition::Kind::kAtMost:
        one.bounds[node.index] = node.number;
        cases.push_back(std::move(one));
        break;
      case Condition::Kind::kMinSize:
        one.min_size = node.number;
        cases.push_back(std::move(one));
        break;
      case Condition::Kind::kMaxSize:
        one.max_size = node.number;
        cases.push_back(std::move(one));
        break;
      case Condition::Kind::kPresent:
        break;  // arrays have no properties
      case Condition::Kind::kAbsent:
        cases.push_back(std::move(one));
        break;
    }
    by_node.push_back(std::move(cases));
  }
  table->cases.clear();
  if (by_node.empty()) {
    table->cases.push_back(Everything(counters));
  } else {
    table->cases = std::move(by_node.back());
  }
  return Status::Ok();
}

Status CheckPlanEffort(const Machine& machine, const ArrayTable& table, bool all) {
  const AcceptPlan never = [](const ArrayPlan&) { return false; };
  const AcceptPlan* accept = all ? &never : nullptr;
  const Status refused(StatusCode::kResourceLimit,
                       "counting the items of an array by its conditions would take too long");
  const uint32_t prefix = static_cast<uint32_t>(table.prefix.size());
  for (const ArrayCase& one : table.cases) {
    Planner planner(machine, table, kNoText, accept, nullptr);
    if (planner.RestCombinations(one) > Budget(kMaxCombinations)) return refused;
  }
  if (prefix == 0) return Status::Ok();
  // Along the prefix the number of states can at most double, or so, from one item to the next;
  // shorter rests of it are tried first, so that a wide one is noticed while it is small.
  const auto widest_from = [&](uint32_t index) {
    Planner planner(machine, table, kNoText, accept, nullptr);
    planner.Find(index, 0, 0);
    return planner.widest();
  };
  const uint32_t step = std::max(1u, prefix / 64);
  for (uint32_t length = 1; length <= prefix; length += step) {
    if (widest_from(prefix - length) > Budget(kMaxStates)) return refused;
  }
  return widest_from(0) > Budget(kMaxStates) ? refused : Status::Ok();
}

bool PlansAreFew(const Machine& machine, const ArrayTable& table) {
  return std::all_of(table.cases.begin(), table.cases.end(), [&](const ArrayCase& one) {
    return Planner(machine, table, kNoText, nullptr, nullptr).RestCombinations(one) <=
           Budget(kMaxCombinations);
  });
}

bool FindArrayPlan(const Machine& machine, const ArrayTable& table, uint32_t count, uint64_t marks,
                   TextCost below, const AcceptPlan* accept, ArrayPlan* plan, uint64_t min_size) {
  return Planner(machine, table, below, accept, plan).Find(count, marks, min_size);
}

}  // namespace maskloom
