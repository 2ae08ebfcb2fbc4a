#include "grammar/schema/container_parts.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace maskloom {
namespace {

void CollectLiterals(const FormulaPool& pool, FormulaId formula,
                     std::unordered_set<FormulaId>* seen, std::vector<FormulaId>* literals) {
  if (pool.IsConstant(formula) || !seen->insert(formula).second) return;
  if (pool.IsLiteral(formula)) {
    literals->push_back(formula);
    return;
  }
  for (const FormulaId part : pool.PartsOf(formula)) CollectLiterals(pool, part, seen, literals);
}

class ConditionWriter {
 public:
  ConditionWriter(const FormulaPool& pool, const std::vector<Atom>& atoms,
                  const std::function<uint32_t(NameId)>& property_of)
      : pool_(pool), property_of_(property_of) {
    for (const Atom& atom : atoms) counter_of_[atom.literal] = atom.counter;
  }

  uint32_t Write(FormulaId formula) {
    if (auto it = written_.find(formula); it != written_.end()) return it->second;
    Condition condition;
    if (pool_.IsLiteral(formula)) {
      condition = WriteLiteral(formula);
    } else {
      condition.kind = pool_.IsAnd(formula) || formula == kTrueFormula ? Condition::Kind::kAll
                                                                       : Condition::Kind::kAny;
      if (!pool_.IsConstant(formula)) {
        for (const FormulaId part : pool_.PartsOf(formula)) {
          condition.parts.push_back(Write(part));
        }
      }
    }
    conditions_.push_back(std::move(condition));
    const uint32_t index = static_cast<uint32_t>(conditions_.size() - 1);
    written_.emplace(formula, index);
    return index;
  }
  std::vector<Condition> Take() { return std::move(conditions_); }

 private:
  Condition WriteLiteral(FormulaId literal) const {
    const bool positive = pool_.positive(literal);
    switch (pool_.kind(literal)) {
      case LiteralKind::kPresent:
        return {positive ? Condition::Kind::kPresent : Condition::Kind::kAbsent,
                property_of_(pool_.index(literal)), 0, {}};
      case LiteralKind::kSizeAtLeast:
        if (positive) return {Condition::Kind::kMinSize, 0, pool_.number(literal), {}};
        return {Condition::Kind::kMaxSize, 0, pool_.number(literal) - 1, {}};
      case LiteralKind::kContains:
        if (positive) {
          return {Condition::Kind::kAtLeast, counter_of_.at(literal), pool_.number(literal), {}};
        }
        return {Condition::Kind::kAtMost, counter_of_.at(literal), pool_.number(literal) - 1, {}};
      default:
        if (positive) return {Condition::Kind::kAtMost, counter_of_.at(literal), 0, {}};
        return {Condition::Kind::kAtLeast, counter_of_.at(literal), 1, {}};
    }
  }

  const FormulaPool& pool_;
  const std::function<uint32_t(NameId)>& property_of_;
  std::unordered_map<FormulaId, uint32_t> counter_of_;
  std::unordered_map<FormulaId, uint32_t> written_;
  std::vector<Condition> conditions_;
};

}  // namespace

std::vector<Atom> AtomsOf(const FormulaPool& pool, FormulaId rest, std::vector<Counter>* counters) {
  std::unordered_set<FormulaId> seen;
  std::vector<FormulaId> literals;
  CollectLiterals(pool, rest, &seen, &literals);
  std::sort(literals.begin(), literals.end());
  std::vector<Atom> atoms;
  for (const FormulaId literal : literals) {
    const LiteralKind kind = pool.kind(literal);
    if (kind != LiteralKind::kKeeps && kind != LiteralKind::kContains) continue;
    const bool up = (kind == LiteralKind::kContains) == pool.positive(literal);
    const uint64_t limit = kind == LiteralKind::kKeeps ? (up ? 1 : 0)
                           : up                        ? pool.number(literal)
                                                       : pool.number(literal) - 1;
    const Counter::Kind counted = up ? Counter::Kind::kAtLeast : Counter::Kind::kAtMost;
    // One schema is counted once, whatever the numbers.
    uint32_t counter = static_cast<uint32_t>(counters->size());
    for (const Atom& atom : atoms) {
      if (kind == LiteralKind::kContains && pool.kind(atom.literal) == kind &&
          pool.index(atom.literal) == pool.index(literal) && atom.kind == counted) {
        counter = atom.counter;
      }
    }
    if (counter == counters->size()) {
      counters->push_back({counted, limit});
    } else {
      (*counters)[counter].limit = std::max((*counters)[counter].limit, limit);
    }
    atoms.push_back({literal, counted, counter});
  }
  return atoms;
}

bool HoldsDistinctness(const FormulaPool& pool, FormulaId formula) {
  std::unordered_set<FormulaId> seen;
  std::vector<FormulaId> literals;
  CollectLiterals(pool, formula, &seen, &literals);
  return std::any_of(literals.begin(), literals.end(), [&](FormulaId literal) {
    return pool.kind(literal) == LiteralKind::kDistinct;
  });
}

ContainerCondition ConditionOf(FormulaPool* pool, FormulaId rest, const std::vector<Atom>& atoms,
                               const std::vector<bool>& raised,
                               const std::function<uint32_t(NameId)>& property_of) {
  // Counters that no choice raises stay zero.
  std::unordered_map<FormulaId, FormulaId> settled;
  for (const Atom& atom : atoms) {
    if (raised[atom.counter]) continue;
    settled[atom.literal] = atom.kind == Counter::Kind::kAtLeast ? kFalseFormula : kTrueFormula;
  }
  if (!settled.empty()) {
    rest = pool->Substitute(rest, [&](FormulaId literal) {
      auto it = settled.find(literal);
      return it == settled.end() ? literal : it->second;
    });
  }
  ContainerCondition result;
  if (rest == kFalseFormula) result.impossible = true;
  if (pool->IsConstant(rest)) return result;
  std::vector<FormulaId> left;
  for (const FormulaId part : pool->IsAnd(rest) ? pool->PartsOf(rest) : std::vector{rest}) {
    const bool literal = pool->IsLiteral(part);
    if (literal && pool->kind(part) == LiteralKind::kPresent) {
      (pool->positive(part) ? result.required : result.forbidden).push_back(pool->index(part));
    } else if (literal && pool->kind(part) == LiteralKind::kSizeAtLeast) {
      if (pool->positive(part)) {
        result.min_size = pool->number(part);
      } else {
        result.max_size = pool->number(part) - 1;
      }
    } else {
      left.push_back(part);
    }
  }
  if (left.empty()) return result;
  ConditionWriter writer(*pool, atoms, property_of);
  writer.Write(pool->And(std::move(left)));
  result.conditions = writer.Take();
  return result;
}

}  // namespace maskloom
