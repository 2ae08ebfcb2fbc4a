// Interning, conjunction and evaluation of formulas; literals merge in formula_literals.cc.
#include "grammar/schema/formula.h"

#include <algorithm>
#include <utility>

#include "grammar/base/budget.h"
#include "grammar/base/divisor.h"
#include "grammar/base/utf8.h"

namespace maskloom {
namespace {

// Of so many unions each is compared with each.
constexpr size_t kMaxComparedUnions = 32;

template <typename T>
void Put(T value, std::string* key) {
  key->append(reinterpret_cast<const char*>(&value), sizeof(T));
}

}  // namespace

NameId NameTable::Add(std::string_view utf8) {
  auto [it, added] = ids_.try_emplace(std::string(utf8), size());
  if (added) names_.push_back(ToUtf32(utf8));
  return it->second;
}

NameId NameTable::Add(const std::u32string& name) { return Add(ToUtf8(name)); }

FormulaId FormulaPool::Literal(LiteralKind kind, uint32_t index, uint64_t number) {
  if ((kind == LiteralKind::kSizeAtLeast || kind == LiteralKind::kLengthAtLeast ||
       kind == LiteralKind::kContains) &&
      number == 0) {
    return kTrueFormula;
  }
  if (kind == LiteralKind::kTextIn && text_sets[index].empty()) return kFalseFormula;
  if (kind == LiteralKind::kNumberIn && decimal_sets[index].empty()) return kFalseFormula;
  std::string key(1, static_cast<char>(kind));
  Put(index, &key);
  Put(number, &key);
  auto [it, added] = ids_.try_emplace(std::move(key), static_cast<FormulaId>(nodes_.size() * 2));
  if (added) {
    const bool distinct = kind == LiteralKind::kDistinct;
    const bool keeps = distinct || kind == LiteralKind::kKeeps;
    nodes_.push_back({kind, keeps, distinct, index, number, 1});
  }
  return it->second;
}

std::vector<FormulaId> FormulaPool::PartsOf(FormulaId id) const {
  if (!IsAnd(id) && !IsOr(id)) return {id};
  const Node& node = nodes_[id / 2];
  const auto begin = parts_.begin() + node.index;
  std::vector<FormulaId> parts(begin, begin + static_cast<ptrdiff_t>(node.number));
  if (IsOr(id)) {
    for (FormulaId& part : parts) part = Negation(part);
  }
  return parts;
}

bool FormulaPool::KeepsSomeRule(FormulaId id) const {
  const Node& node = nodes_[id / 2];
  return id % 2 == 0 ? node.keeps : node.breaks;
}

FormulaId FormulaPool::Intern(const std::vector<FormulaId>& parts) {
  std::string key(1, static_cast<char>(LiteralKind::kConjunction));
  key.append(reinterpret_cast<const char*>(parts.data()), parts.size() * sizeof(FormulaId));
  auto [it, added] = ids_.try_emplace(std::move(key), static_cast<FormulaId>(nodes_.size() * 2));
  if (!added) return it->second;
  Node node;
  node.index = static_cast<uint32_t>(parts_.size());
  node.number = parts.size();
  for (const FormulaId part : parts) {
    node.keeps |= KeepsSomeRule(part);
    node.breaks |= KeepsSomeRule(Negation(part));
    node.depth = std::max(node.depth, nodes_[part / 2].depth + 1);
  }
  parts_.insert(parts_.end(), parts.begin(), parts.end());
  if (parts_.size() > Budget(kMaxParts) || node.depth > Budget(kMaxDepth)) exhausted_ = true;
  nodes_.push_back(node);
  return it->second;
}

FormulaId FormulaPool::Or(std::vector<FormulaId> parts) {
  for (FormulaId& part : parts) part = Negation(part);
  return Negation(And(std::move(parts)));
}

FormulaId FormulaPool::And(std::vector<FormulaId> parts) {
  if (exhausted_) return kFalseFormula;
  bool changed = true;
  while (changed) {
    changed = false;
    for (size_t i = 0; i < parts.size();) {
      if (!IsAnd(parts[i])) {
        ++i;
        continue;
      }
      const std::vector<FormulaId> inner = PartsOf(parts[i]);
      parts[i] = parts.back();
      parts.pop_back();
      parts.insert(parts.end(), inner.begin(), inner.end());
    }
    std::sort(parts.begin(), parts.end());
    parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
    if (!parts.empty() && parts[0] == kFalseFormula) return kFalseFormula;
    if (!parts.empty() && parts[0] == kTrueFormula) parts.erase(parts.begin());
    for (size_t i = 1; i < parts.size(); ++i) {
      if (parts[i] == Negation(parts[i - 1])) return kFalseFormula;
    }
    if (parts.size() < 2) break;
    made_parts_ += parts.size();
    if (made_parts_ > 16 * Budget(kMaxParts)) {
      exhausted_ = true;
      return kFalseFormula;
    }
    changed = MergeLiterals(&parts) || ReduceUnions(&parts) || DropImpliedUnions(&parts);
  }
  if (parts.empty()) return kTrueFormula;
  if (parts.size() == 1) return parts[0];
  return Intern(parts);
}

bool FormulaPool::ReduceUnions(std::vector<FormulaId>* parts) {
  const auto is_union = [this](FormulaId part) { return IsOr(part); };
  if (std::none_of(parts->begin(), parts->end(), is_union)) return false;
  const std::vector<FormulaId> all = *parts;  // sorted
  const auto holds = [&](FormulaId id) { return std::binary_search(all.begin(), all.end(), id); };
  bool changed = false;
  for (FormulaId& part : *parts) {
    if (!IsOr(part)) continue;
    std::vector<FormulaId> branches = PartsOf(part);
    const size_t count = branches.size();
    bool implied = false;
    std::erase_if(branches, [&](FormulaId branch) {
      if (holds(branch)) implied = true;
      if (holds(Negation(branch))) return true;
      if (!IsAnd(branch)) return false;
      // A conjunction is refuted by one part, and implied by all.
      bool all_hold = true;
      for (const FormulaId inner : PartsOf(branch)) {
        if (holds(Negation(inner))) return true;
        all_hold &= holds(inner);
      }
      implied |= all_hold;
      return false;
    });
    if (implied) {
      part = kTrueFormula;
      changed = true;
    } else if (branches.size() != count) {
      part = Or(std::move(branches));
      changed = true;
    }
  }
  return changed;
}

bool FormulaPool::DropImpliedUnions(std::vector<FormulaId>* parts) const {
  std::vector<std::pair<FormulaId, std::vector<FormulaId>>> unions;
  for (const FormulaId part : *parts) {
    if (IsOr(part)) unions.push_back({part, PartsOf(part)});
    if (unions.size() > kMaxComparedUnions) return false;
  }
  if (unions.size() < 2) return false;
  for (auto& [id, branches] : unions) std::sort(branches.begin(), branches.end());
  std::vector<FormulaId> implied;
  for (const auto& [wide, wide_branches] : unions) {
    for (const auto& [narrow, narrow_branches] : unions) {
      if (wide == narrow || narrow_branches.size() >= wide_branches.size()) continue;
      if (std::includes(wide_branches.begin(), wide_branches.end(), narrow_branches.begin(),
                        narrow_branches.end())) {
        implied.push_back(wide);
        break;
      }
    }
  }
  std::erase_if(*parts, [&](FormulaId part) {
    return std::find(implied.begin(), implied.end(), part) != implied.end();
  });
  return !implied.empty();
}

bool FormulaPool::AcceptsText(FormulaId id, const std::u32string& text) const {
  if (IsConstant(id)) return id == kTrueFormula;
  if (!IsLiteral(id)) {
    const std::vector<FormulaId> parts = PartsOf(id);
    const auto accepts = [&](FormulaId part) { return AcceptsText(part, text); };
    return IsAnd(id) ? std::all_of(parts.begin(), parts.end(), accepts)
                     : std::any_of(parts.begin(), parts.end(), accepts);
  }
  bool holds = false;
  switch (kind(id)) {
    case LiteralKind::kMatches: {
      const PatternTable::Automaton& automaton = patterns_->language(index(id)).automaton;
      holds = automaton == nullptr || automaton->Match(text) != TextAutomaton::kNotAccepting;
      break;
    }
    case LiteralKind::kLengthAtLeast:
      holds = text.size() >= number(id);
      break;
    default: {
      const TextSet& set = text_sets[index(id)];
      holds = std::binary_search(set.begin(), set.end(), text);
    }
  }
  return holds == positive(id);
}

FormulaPool::Truth FormulaPool::AcceptsNumber(FormulaId id, const Decimal& value) const {
  if (IsConstant(id)) return id == kTrueFormula ? Truth::kTrue : Truth::kFalse;
  if (!IsLiteral(id)) {
    const Truth decisive = IsAnd(id) ? Truth::kFalse : Truth::kTrue;
    Truth result = IsAnd(id) ? Truth::kTrue : Truth::kFalse;
    for (const FormulaId part : PartsOf(id)) {
      const Truth truth = AcceptsNumber(part, value);
      if (truth == decisive) return decisive;
      if (truth == Truth::kUnknown) result = Truth::kUnknown;
    }
    return result;
  }
  bool holds = false;
  switch (kind(id)) {
    case LiteralKind::kAtLeast:
      holds = value >= decimals[index(id)];
      break;
    case LiteralKind::kAbove:
      holds = value > decimals[index(id)];
      break;
    case LiteralKind::kMultiple:
      holds = IsMultipleOf(value, decimals[index(id)]);
      break;
    case LiteralKind::kPlain:
      // Only integers can be spelled plainly; each of them can be spelled otherwise, too.
      if (value.IsInteger()) return Truth::kUnknown;
      break;
    default: {
      const DecimalSet& set = decimal_sets[index(id)];
      holds = std::binary_search(set.begin(), set.end(), value);
    }
  }
  return holds == positive(id) ? Truth::kTrue : Truth::kFalse;
}

}  // namespace maskloom
