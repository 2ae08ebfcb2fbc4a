#include "compiler/condition_diagram.h"

#include <tsl/robin_map.h>

#include <algorithm>
#include <set>
#include <string>

#include "grammar/base/budget.h"

namespace maskloom {
namespace {

// Steps of simplification that building may take.
constexpr size_t kMaxWork = 20'000'000;
// States before undeclared keys, times those behind them, times choices: a question may go from
// each to each.
constexpr size_t kMaxClosures = 1 << 18;

using FormulaId = uint32_t;
constexpr FormulaId kFalse = 0;
constexpr FormulaId kTrue = 1;

// Formulas without duplicates: equal ones have equal ids. Parts come before the whole.
class FormulaPool {
 public:
  struct Formula {
    Condition::Kind kind = Condition::Kind::kAny;
    uint32_t index = 0;
    uint64_t number = 0;
    std::vector<FormulaId> parts;  // ascending
  };

  FormulaPool() {
    formulas_.push_back({Condition::Kind::kAny, 0, 0, {}});  // kFalse
    formulas_.push_back({Condition::Kind::kAll, 0, 0, {}});  // kTrue
  }

  const Formula& at(FormulaId id) const { return formulas_[id]; }
  size_t work() const { return work_; }

  FormulaId Leaf(Condition::Kind kind, uint32_t index, uint64_t number) {
    return Intern({kind, index, number, {}});
  }

  // Returns "all" or "any" of `parts`, simplified.
  FormulaId Join(Condition::Kind kind, const std::vector<FormulaId>& parts) {
    const bool all = kind == Condition::Kind::kAll;
    const FormulaId neutral = all ? kTrue : kFalse;
    const FormulaId absorbing = all ? kFalse : kTrue;
    std::vector<FormulaId> flat;
    for (const FormulaId part : parts) {
      if (part == absorbing) return absorbing;
      if (part == neutral) continue;
      const Formula& formula = formulas_[part];
      if (formula.kind == kind) {
        flat.insert(flat.end(), formula.parts.begin(), formula.parts.end());
      } else {
        flat.push_back(part);
      }
    }
    std::sort(flat.begin(), flat.end());
    flat.erase(std::unique(flat.begin(), flat.end()), flat.end());
    // x and (x or y) is x; x or (x and y) is x.
    const auto absorbed = [&](FormulaId part) {
      const Formula& formula = formulas_[part];
      work_ += formula.parts.size() + 1;
      return std::any_of(formula.parts.begin(), formula.parts.end(), [&](FormulaId inner) {
        return std::binary_search(flat.begin(), flat.end(), inner);
      });
    };
    std::vector<FormulaId> kept;
    for (const FormulaId part : flat) {
      if (!absorbed(part)) kept.push_back(part);
    }
    if (kept.empty()) return neutral;
    if (kept.size() == 1) return kept[0];
    return Intern({kind, 0, 0, std::move(kept)});
  }

  // Replaces every leaf for which `decide(formula)` is kFalse or kTrue by that; other results leave
  // it. Parts have smaller ids, so one pass over what `root` reaches, ascending, is enough.
  template <typename Decide>
  FormulaId Replace(FormulaId root, Decide decide) {
    if (root <= kTrue) return root;
    reached_.assign(1, root);
    in_reached_.resize(formulas_.size());
    in_reached_[root] = true;
    for (size_t i = 0; i < reached_.size(); ++i) {
      for (const FormulaId part : formulas_[reached_[i]].parts) {
        if (!in_reached_[part]) {
          in_reached_[part] = true;
          reached_.push_back(part);
        }
      }
    }
    std::sort(reached_.begin(), reached_.end());
    work_ += reached_.size();
    replaced_.resize(formulas_.size());
    std::vector<FormulaId> parts;
    for (const FormulaId id : reached_) {
      in_reached_[id] = false;
      FormulaId result = id;
      const Condition::Kind kind = formulas_[id].kind;
      if (kind == Condition::Kind::kAll || kind == Condition::Kind::kAny) {
        parts.clear();
        bool changed = false;
        for (const FormulaId part : formulas_[id].parts) {
          parts.push_back(replaced_[part]);
          changed |= replaced_[part] != part;
        }
        if (changed) result = Join(kind, parts);
      } else {
        const FormulaId decided = decide(formulas_[id]);
        if (decided <= kTrue) result = decided;
      }
      replaced_[id] = result;
    }
    return replaced_[root];
  }

 private:
  FormulaId Intern(Formula formula) {
    std::string key;
    const auto append = [&key](uint64_t word) {
      key.append(reinterpret_cast<const char*>(&word), sizeof(word));
    };
    append(static_cast<uint64_t>(formula.kind) << 32 | formula.index);
    append(formula.number);
    for (const FormulaId part : formula.parts) append(part);
    work_ += formula.parts.size() + 1;
    const auto [it, is_new] =
        ids_.insert({std::move(key), static_cast<FormulaId>(formulas_.size())});
    if (is_new) formulas_.push_back(std::move(formula));
    return it->second;
  }

  std::vector<Formula> formulas_;
  tsl::robin_map<std::string, FormulaId> ids_;
  std::vector<FormulaId> reached_, replaced_;
  std::vector<bool> in_reached_;
  size_t work_ = 0;
};

}  // namespace

// Explores the diagram of one order of names.
class DiagramBuilder {
 public:
  DiagramBuilder(const ConditionDiagram::Input& input, ConditionDiagram* diagram)
      : input_(input), marks_(*input.marks), diagram_(*diagram) {}

  bool Run() {
    MakeRoot();
    for (const std::vector<uint32_t>& order : Orders()) {
      if (Explore(order)) return true;
    }
    return false;
  }

 private:
  using Kind = Condition::Kind;
  using State = std::pair<FormulaId, uint64_t>;  // residue, marks
  using States = std::vector<State>;             // ascending

  void MakeRoot() {
    std::vector<FormulaId> ids;
    for (const Condition& node : input_.condition->nodes()) {
      FormulaId id = kTrue;
      std::vector<FormulaId> parts;
      switch (node.kind) {
        case Kind::kAll:
        case Kind::kAny:
          for (const uint32_t part : node.parts) parts.push_back(ids[part]);
          id = pool_.Join(node.kind, parts);
          break;
        case Kind::kPresent:
        case Kind::kAbsent:
          if (input_.counts[node.index].empty()) {
            id = node.kind == Kind::kPresent ? kFalse : kTrue;
          } else if (input_.required[node.index]) {
            id = node.kind == Kind::kPresent ? kTrue : kFalse;
          } else {
            id = pool_.Leaf(node.kind, node.index, 0);
          }
          break;
        case Kind::kAtLeast:
        case Kind::kMinSize:
          id = node.number == 0 ? kTrue : pool_.Leaf(node.kind, node.index, node.number);
          break;
        case Kind::kAtMost:
        case Kind::kMaxSize:
          id = pool_.Leaf(node.kind, node.index, node.number);
          break;
      }
      ids.push_back(id);
    }
    root_ = ids.empty() ? kTrue : ids.back();
  }

  // Calls `visit` for each leaf below `root`.
  template <typename Visit>
  void VisitLeaves(FormulaId root, Visit visit) const {
    std::vector<FormulaId> stack{root};
    tsl::robin_map<FormulaId, bool> seen;
    while (!stack.empty()) {
      const FormulaId id = stack.back();
      stack.pop_back();
      if (!seen.insert({id, true}).second) continue;
      const FormulaPool::Formula& formula = pool_.at(id);
      if (formula.kind != Kind::kAll && formula.kind != Kind::kAny) visit(formula);
      for (size_t i = formula.parts.size(); i-- > 0;) stack.push_back(formula.parts[i]);
    }
  }

  uint64_t CountersOf(FormulaId root) const {
    uint64_t counters = 0;
    VisitLeaves(root, [&](const FormulaPool::Formula& leaf) {
      if (leaf.kind == Kind::kAtLeast || leaf.kind == Kind::kAtMost) {
        counters |= uint64_t{1} << leaf.index;
      }
    });
    return counters;
  }

  // Names that `formula` depends on, those that raise its counters first.
  std::vector<uint32_t> NamesOf(FormulaId root) const {
    std::vector<uint32_t> counted, named;
    const uint64_t counters = CountersOf(root);
    VisitLeaves(root, [&](const FormulaPool::Formula& leaf) {
      if (leaf.kind == Kind::kPresent || leaf.kind == Kind::kAbsent) named.push_back(leaf.index);
    });
    for (uint32_t i = 0; counters != 0 && i < input_.name_count; ++i) {
      if (Raises(i) & counters) counted.push_back(i);
    }
    counted.insert(counted.end(), named.begin(), named.end());
    return counted;
  }

  uint64_t Raises(uint32_t slot) const {
    uint64_t raised = 0;
    for (const uint64_t counts : input_.counts[slot]) raised |= counts;
    return raised;
  }

  // Orders of the names that matter, to be tried in turn: clause by clause, those of few names
  // first, so that names that meet in a clause stand together; then as they are declared.
  std::vector<std::vector<uint32_t>> Orders() const {
    std::vector<std::vector<uint32_t>> clauses;
    if (pool_.at(root_).kind == Kind::kAll) {
      for (const FormulaId part : pool_.at(root_).parts) clauses.push_back(NamesOf(part));
    } else {
      clauses.push_back(NamesOf(root_));
    }
    std::stable_sort(clauses.begin(), clauses.end(),
                     [](const auto& a, const auto& b) { return a.size() < b.size(); });
    std::vector<uint32_t> by_clause;
    std::vector<bool> placed(input_.name_count);
    for (const std::vector<uint32_t>& names : clauses) {
      for (const uint32_t name : names) {
        if (!placed[name]) by_clause.push_back(name);
        placed[name] = true;
      }
    }
    std::vector<uint32_t> ascending = by_clause;
    std::sort(ascending.begin(), ascending.end());
    if (ascending == by_clause) return {by_clause};
    return {by_clause, ascending};
  }

  // Lays out levels: names in order, each counter behind the last name that raises it.
  void MakeLevels(const std::vector<uint32_t>& order) {
    using Reads = ConditionDiagram::Reads;
    uint64_t left = CountersOf(root_);  // those that are not read yet
    uint64_t by_others = 0;
    for (size_t slot = input_.name_count; slot < input_.counts.size(); ++slot) {
      by_others |= Raises(static_cast<uint32_t>(slot));
    }
    std::vector<uint64_t> later(order.size() + 1);  // raised by names from here on
    for (size_t i = order.size(); i-- > 0;) later[i] = later[i + 1] | Raises(order[i]);
    std::vector<ConditionDiagram::Level>& levels = diagram_.levels_;
    levels.clear();
    const auto read = [&](uint64_t counters) {
      for (uint32_t c = 0; c < marks_.fields().size(); ++c) {
        if ((counters & left) >> c & 1) levels.push_back({Reads::kCounter, c});
      }
      left &= ~counters;
    };
    read(~(later[0] | by_others));
    for (size_t i = 0; i < order.size(); ++i) {
      levels.push_back({Reads::kAbsence, order[i]});
      read(~(later[i + 1] | by_others));
    }
    diagram_.others_level_ = levels.size();
    read(~uint64_t{0});
  }

  FormulaId Read(FormulaId formula, const ConditionDiagram::Level& level, uint64_t value) {
    const uint32_t index = level.index;
    const bool name = level.reads == ConditionDiagram::Reads::kAbsence;
    return pool_.Replace(formula, [&](const FormulaPool::Formula& leaf) -> FormulaId {
      constexpr FormulaId kLeave = kTrue + 1;
      if (leaf.index != index) return kLeave;
      switch (leaf.kind) {
        case Kind::kPresent:
          return name ? (value == 1 ? kTrue : kFalse) : kLeave;
        case Kind::kAbsent:
          return name ? (value == 0 ? kTrue : kFalse) : kLeave;
        case Kind::kAtLeast:
          return name ? kLeave : value >= leaf.number ? kTrue : kFalse;
        case Kind::kAtMost:
          return name ? kLeave : value <= leaf.number ? kTrue : kFalse;
        default:
          return kLeave;
      }
    });
  }

  // Adds everything that undeclared keys can count.
  bool CloseOthers(States* states) {
    const size_t before = states->size();
    size_t choices = 0;
    for (size_t slot = input_.name_count; slot < input_.counts.size(); ++slot) {
      choices += input_.counts[slot].size();
    }
    if (choices == 0) {
      diagram_.state_count_ += before;
      return true;
    }
    States queue = *states;
    std::set<State> known(states->begin(), states->end());
    for (size_t i = 0; i < queue.size(); ++i) {
      for (size_t slot = input_.name_count; slot < input_.counts.size(); ++slot) {
        for (const uint64_t counts : input_.counts[slot]) {
          const State next{queue[i].first, marks_.Add(queue[i].second, counts)};
          if (known.insert(next).second) queue.push_back(next);
        }
      }
      if (before * queue.size() * choices > Budget(kMaxClosures)) return false;
    }
    diagram_.state_count_ += queue.size();
    states->assign(known.begin(), known.end());
    return true;
  }

  bool Explore(const std::vector<uint32_t>& order) {
    MakeLevels(order);
    diagram_.nodes_.clear();
    diagram_.edges_.clear();
    diagram_.sizes_.clear();
    diagram_.state_count_ = 0;
    diagram_.root_ = ConditionDiagram::kDead;
    if (root_ == kFalse) return true;
    States states{{root_, 0}};
    diagram_.root_ = 0;
    diagram_.nodes_.push_back({});
    // Nodes of the level by residue; both are ascending, as are the states.
    std::vector<std::pair<FormulaId, uint32_t>> here{{root_, 0}};
    for (size_t i = 0; i < diagram_.levels_.size(); ++i) {
      if (i == diagram_.others_level_ && !CloseOthers(&states)) return false;
      if (!ExploreLevel(diagram_.levels_[i], &states, &here)) return false;
    }
    for (const auto& [formula, node] : here) AddSizes(formula, node);
    return true;
  }

  bool ExploreLevel(const ConditionDiagram::Level& level, States* states,
                    std::vector<std::pair<FormulaId, uint32_t>>* here) {
    States next_states;
    tsl::robin_map<FormulaId, uint32_t> next_nodes;
    auto state = states->begin();
    for (const auto& [formula, node] : *here) {
      diagram_.nodes_[node].begin = static_cast<uint32_t>(diagram_.edges_.size());
      std::vector<std::pair<uint64_t, FormulaId>> read;  // value, residue
      const auto residue_of = [&](uint64_t value) {
        for (const auto& [known, residue] : read) {
          if (known == value) return residue;
        }
        const FormulaId residue = Read(formula, level, value);
        read.push_back({value, residue});
        if (residue == kFalse) return residue;
        const auto [it, is_new] =
            next_nodes.insert({residue, static_cast<uint32_t>(diagram_.nodes_.size())});
        if (is_new) diagram_.nodes_.push_back({});
        diagram_.edges_.push_back({value, it->second});
        return residue;
      };
      for (; state != states->end() && state->first == formula; ++state) {
        const uint64_t marks = state->second;
        const auto reach = [&](FormulaId residue, uint64_t next_marks) {
          if (residue != kFalse) next_states.push_back({residue, next_marks});
        };
        ++diagram_.state_count_;
        if (level.reads == ConditionDiagram::Reads::kCounter) {
          const uint64_t mask = marks_.fields()[level.index].mask;
          reach(residue_of(marks_.Get(marks, level.index)), marks & ~mask);
          continue;
        }
        const std::vector<uint64_t>& choices = input_.counts[level.index];
        diagram_.state_count_ += choices.size();
        if (!input_.required[level.index]) reach(residue_of(0), marks);
        for (const uint64_t counts : choices) reach(residue_of(1), marks_.Add(marks, counts));
      }
      diagram_.nodes_[node].end = static_cast<uint32_t>(diagram_.edges_.size());
      if (diagram_.state_count_ > Budget(ConditionDiagram::kMaxStates) ||
          pool_.work() > Budget(kMaxWork)) {
        return false;
      }
    }
    std::sort(next_states.begin(), next_states.end());
    next_states.erase(std::unique(next_states.begin(), next_states.end()), next_states.end());
    *states = std::move(next_states);
    here->assign(next_nodes.begin(), next_nodes.end());
    std::sort(here->begin(), here->end());
    return true;
  }

  // Between the numbers that the residue asks for, sizes are alike.
  void AddSizes(FormulaId formula, uint32_t node) {
    std::vector<uint64_t> begins{0};
    for (const Condition& condition : input_.condition->nodes()) {
      if (condition.kind == Kind::kMinSize) begins.push_back(condition.number);
      if (condition.kind == Kind::kMaxSize && condition.number != kNoMaximum) {
        begins.push_back(condition.number + 1);
      }
    }
    std::sort(begins.begin(), begins.end());
    begins.erase(std::unique(begins.begin(), begins.end()), begins.end());
    EditableArray<ConditionDiagram::SizeRange>& sizes = diagram_.sizes_;
    const uint32_t first = static_cast<uint32_t>(sizes.size());
    for (size_t i = 0; i < begins.size(); ++i) {
      const FormulaId fine =
          pool_.Replace(formula, [&](const FormulaPool::Formula& leaf) -> FormulaId {
            const bool holds =
                leaf.kind == Kind::kMinSize ? begins[i] >= leaf.number : begins[i] <= leaf.number;
            return holds ? kTrue : kFalse;
          });
      if (fine != kTrue) continue;
      const uint64_t last = i + 1 < begins.size() ? begins[i + 1] - 1 : kNoMaximum;
      if (sizes.size() > first && sizes.back().last + 1 == begins[i]) {
        sizes.back().last = last;
      } else {
        sizes.push_back({begins[i], last});
      }
    }
    diagram_.nodes_[node] = {first, static_cast<uint32_t>(sizes.size())};
  }

  const ConditionDiagram::Input& input_;
  const MarkLayout& marks_;
  ConditionDiagram& diagram_;
  FormulaPool pool_;
  FormulaId root_ = kTrue;
};

bool ConditionDiagram::Build(const Input& input) { return DiagramBuilder(input, this).Run(); }

size_t ConditionDiagram::MemoryBytes() const {
  return sizeof(*this) + levels_.size() * sizeof(Level) + nodes_.size() * sizeof(Node) +
         edges_.size() * sizeof(edges_[0]) + sizes_.size() * sizeof(SizeRange);
}

}  // namespace maskloom
