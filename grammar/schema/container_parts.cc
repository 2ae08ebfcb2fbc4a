#include "grammar/schema/container_parts.h"

#include <algorithm>
#include <array>
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
  ConditionWriter(const FormulaPool& pool, const Events& events,
                  const std::function<uint32_t(NameId)>& property_of)
      : pool_(pool), counter_of_(events.counter_of), property_of_(property_of) {}

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
                property_of_(pool_.index(literal)),
                0,
                {}};
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
  const std::unordered_map<FormulaId, uint32_t>& counter_of_;
  const std::function<uint32_t(NameId)>& property_of_;
  std::unordered_map<FormulaId, uint32_t> written_;
  std::vector<Condition> conditions_;
};

}  // namespace

uint64_t Events::AtLeastBits() const {
  uint64_t bits = 0;
  for (size_t i = 0; i < counters.size(); ++i) {
    if (counters[i].kind == Counter::Kind::kAtLeast) bits |= uint64_t{1} << i;
  }
  return bits;
}

Events EventsOf(const FormulaPool& pool, FormulaId rest) {
  std::unordered_set<FormulaId> seen;
  std::vector<FormulaId> literals;
  CollectLiterals(pool, rest, &seen, &literals);
  std::sort(literals.begin(), literals.end());
  Events result;
  std::unordered_map<uint64_t, size_t> event_of;  // by kind and index
  constexpr uint32_t kNone = 0xFFFFFFFF;
  std::vector<std::array<uint32_t, 2>> counters_of;  // by event, and whether more is better
  for (const FormulaId literal : literals) {
    const LiteralKind kind = pool.kind(literal);
    const bool contains = kind == LiteralKind::kContains;
    if (kind != LiteralKind::kKeeps && !contains) continue;
    const uint64_t key = uint64_t{contains} << 32 | pool.index(literal);
    const auto [known, added] = event_of.try_emplace(key, result.events.size());
    if (added) {
      result.events.push_back({kind, pool.index(literal)});
      counters_of.push_back({kNone, kNone});
    }
    Event* const event = &result.events[known->second];
    // What is counted is instances for `contains`, and breaches of rules.
    uint64_t& counts = contains ? event->in_counts : event->out_counts;
    const bool at_least = contains == pool.positive(literal);
    const Counter::Kind counted = at_least ? Counter::Kind::kAtLeast : Counter::Kind::kAtMost;
    const uint64_t number = contains ? pool.number(literal) : 1;
    const uint64_t limit = at_least ? number : number - 1;
    uint32_t& counter = counters_of[known->second][at_least];
    if (counter == kNone) {
      counter = static_cast<uint32_t>(result.counters.size());
      result.counters.push_back({counted, limit});
      if (counter < 64) counts |= uint64_t{1} << counter;
    } else {
      result.counters[counter].limit = std::max(result.counters[counter].limit, limit);
    }
    result.counter_of.emplace(literal, counter);
  }
  return result;
}

bool HoldsDistinctness(const FormulaPool& pool, FormulaId formula) {
  std::unordered_set<FormulaId> seen;
  std::vector<FormulaId> literals;
  CollectLiterals(pool, formula, &seen, &literals);
  return std::any_of(literals.begin(), literals.end(), [&](FormulaId literal) {
    return pool.kind(literal) == LiteralKind::kDistinct;
  });
}

ContainerCondition ConditionOf(FormulaPool* pool, FormulaId rest, const Events& events,
                               uint64_t raised,
                               const std::function<uint32_t(NameId)>& property_of) {
  // Counters that no choice raises stay zero.
  std::unordered_map<FormulaId, FormulaId> settled;
  for (const auto& [literal, counter] : events.counter_of) {
    if ((raised >> counter & 1) != 0) continue;
    const bool at_least = events.counters[counter].kind == Counter::Kind::kAtLeast;
    settled[literal] = at_least ? kFalseFormula : kTrueFormula;
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
  ConditionWriter writer(*pool, events, property_of);
  writer.Write(pool->And(std::move(left)));
  result.conditions = writer.Take();
  return result;
}

}  // namespace maskloom
