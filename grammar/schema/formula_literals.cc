// Conjunctions of literals about the same thing: bounds, counts, finite sets and patterns.
#include <algorithm>
#include <optional>
#include <utility>

#include "grammar/schema/formula.h"

namespace maskloom {
namespace {

// Of so many patterns each is compared with each.
constexpr size_t kMaxComparedPatterns = 32;

bool IsCount(LiteralKind kind) {
  return kind == LiteralKind::kLengthAtLeast || kind == LiteralKind::kSizeAtLeast ||
         kind == LiteralKind::kContains;
}

bool IsBound(LiteralKind kind) {
  return kind == LiteralKind::kAtLeast || kind == LiteralKind::kAbove;
}

void Remove(std::vector<FormulaId>* parts, const std::vector<FormulaId>& removed) {
  std::erase_if(*parts, [&](FormulaId part) {
    return std::find(removed.begin(), removed.end(), part) != removed.end();
  });
}

template <typename T>
std::vector<T> IntersectionOf(const std::vector<T>& a, const std::vector<T>& b) {
  std::vector<T> result;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result));
  return result;
}

template <typename T>
std::vector<T> UnionOf(const std::vector<T>& a, const std::vector<T>& b) {
  std::vector<T> result;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result));
  return result;
}

}  // namespace

bool FormulaPool::MergeLiterals(std::vector<FormulaId>* parts) {
  bool has_bounds = false;
  bool has_texts = false;
  bool has_numbers = false;
  bool has_patterns = false;
  std::vector<FormulaId> removed;
  for (size_t i = 0; i < parts->size(); ++i) {
    const FormulaId a = (*parts)[i];
    if (!IsLiteral(a)) continue;
    has_bounds |= IsBound(kind(a));
    has_texts |= kind(a) == LiteralKind::kTextIn;
    has_numbers |= kind(a) == LiteralKind::kNumberIn;
    has_patterns |= kind(a) == LiteralKind::kMatches && positive(a);
    if (!IsCount(kind(a))) continue;
    for (size_t j = i + 1; j < parts->size(); ++j) {
      const FormulaId b = (*parts)[j];
      if (!IsLiteral(b) || kind(b) != kind(a) || index(b) != index(a)) continue;
      if (positive(a) == positive(b)) {
        // The larger minimum and the smaller maximum say more.
        removed.push_back((number(a) < number(b)) == positive(a) ? a : b);
      } else if (number(positive(a) ? a : b) >= number(positive(a) ? b : a)) {
        *parts = {kFalseFormula};
        return true;
      }
    }
  }
  if (!removed.empty()) {
    Remove(parts, removed);
    return true;
  }
  return (has_bounds && MergeBounds(parts)) || (has_texts && MergeTextSets(parts)) ||
         (has_numbers && MergeNumberSets(parts)) || (has_patterns && MergePatterns(parts));
}

bool FormulaPool::MergeBounds(std::vector<FormulaId>* parts) {
  std::optional<FormulaId> lower;
  std::optional<FormulaId> upper;
  std::vector<FormulaId> removed;
  const auto value = [this](FormulaId id) -> const Decimal& { return decimals[index(id)]; };
  // `>=` and `<=` are inclusive: the first is kAtLeast itself, the second the opposite of kAbove.
  const auto inclusive = [this](FormulaId id) {
    return (kind(id) == LiteralKind::kAtLeast) == positive(id);
  };
  for (const FormulaId part : *parts) {
    if (!IsLiteral(part) || !IsBound(kind(part))) continue;
    std::optional<FormulaId>& kept = positive(part) ? lower : upper;
    if (!kept) {
      kept = part;
      continue;
    }
    bool tighter = positive(part) ? value(part) > value(*kept) : value(part) < value(*kept);
    if (value(part) == value(*kept)) tighter = !inclusive(part);
    removed.push_back(tighter ? *kept : part);
    if (tighter) kept = part;
  }
  if (lower && upper) {
    const bool both = inclusive(*lower) && inclusive(*upper);
    if (value(*lower) > value(*upper) || (value(*lower) == value(*upper) && !both)) {
      *parts = {kFalseFormula};
      return true;
    }
    if (value(*lower) == value(*upper)) {
      removed.push_back(*lower);
      removed.push_back(*upper);
      const FormulaId single = Literal(LiteralKind::kNumberIn, decimal_sets.Add({value(*lower)}));
      Remove(parts, removed);
      parts->push_back(single);
      return true;
    }
  }
  Remove(parts, removed);
  return !removed.empty();
}

bool FormulaPool::MergeTextSets(std::vector<FormulaId>* parts) {
  std::optional<TextSet> only;
  std::optional<TextSet> excluded;
  std::vector<FormulaId> sets;
  std::vector<FormulaId> others;
  for (const FormulaId part : *parts) {
    if (!IsLiteral(part) || kind(part) != LiteralKind::kTextIn) {
      others.push_back(part);
      continue;
    }
    sets.push_back(part);
    const TextSet& set = text_sets[index(part)];
    if (positive(part)) {
      only = only ? IntersectionOf(*only, set) : set;
    } else {
      excluded = excluded ? UnionOf(*excluded, set) : set;
    }
  }
  const auto accepted = [&](const std::u32string& text) {
    return std::all_of(others.begin(), others.end(),
                       [&](FormulaId other) { return AcceptsText(other, text); });
  };
  if (only) {
    // A finite set decides all else.
    std::erase_if(*only, [&](const std::u32string& text) {
      if (excluded && std::binary_search(excluded->begin(), excluded->end(), text)) return true;
      return !accepted(text);
    });
    const FormulaId result = Literal(LiteralKind::kTextIn, text_sets.Add(std::move(*only)));
    const bool changed = parts->size() != 1 || parts->front() != result;
    *parts = {result};
    return changed;
  }
  // What the other parts reject need not be excluded.
  std::erase_if(*excluded, [&](const std::u32string& text) { return !accepted(text); });
  const FormulaId result =
      Negation(Literal(LiteralKind::kTextIn, text_sets.Add(std::move(*excluded))));
  if (sets.size() == 1 && sets[0] == result) return false;
  others.push_back(result);
  *parts = std::move(others);
  return true;
}

bool FormulaPool::MergePatterns(std::vector<FormulaId>* parts) {
  std::vector<FormulaId> patterns;
  for (const FormulaId part : *parts) {
    if (IsLiteral(part) && kind(part) == LiteralKind::kMatches) patterns.push_back(part);
  }
  if (patterns.size() > kMaxComparedPatterns) return false;
  std::vector<FormulaId> implied;
  for (const FormulaId a : patterns) {
    for (const FormulaId b : patterns) {
      if (a == b || !positive(a) || !patterns_->AreDisjoint(index(a), index(b))) continue;
      if (positive(b)) {
        *parts = {kFalseFormula};
        return true;
      }
      implied.push_back(b);
    }
  }
  Remove(parts, implied);
  return !implied.empty();
}

bool FormulaPool::MergeNumberSets(std::vector<FormulaId>* parts) {
  std::optional<DecimalSet> only;
  std::optional<DecimalSet> excluded;
  std::vector<FormulaId> sets;
  std::vector<FormulaId> others;
  for (const FormulaId part : *parts) {
    if (!IsLiteral(part) || kind(part) != LiteralKind::kNumberIn) {
      others.push_back(part);
      continue;
    }
    sets.push_back(part);
    const DecimalSet& set = decimal_sets[index(part)];
    if (positive(part)) {
      only = only ? IntersectionOf(*only, set) : set;
    } else {
      excluded = excluded ? UnionOf(*excluded, set) : set;
    }
  }
  const auto truth = [&](const Decimal& value) {
    Truth all = Truth::kTrue;
    for (const FormulaId other : others) {
      const Truth one = AcceptsNumber(other, value);
      if (one == Truth::kFalse) return Truth::kFalse;
      if (one == Truth::kUnknown) all = Truth::kUnknown;
    }
    return all;
  };
  FormulaId result;
  if (only) {
    bool decided = true;
    std::erase_if(*only, [&](const Decimal& value) {
      if (excluded && std::binary_search(excluded->begin(), excluded->end(), value)) return true;
      const Truth accepted = truth(value);
      decided &= accepted != Truth::kUnknown;
      return accepted == Truth::kFalse;
    });
    result = Literal(LiteralKind::kNumberIn, decimal_sets.Add(std::move(*only)));
    if (decided) others.clear();
  } else {
    std::erase_if(*excluded, [&](const Decimal& value) { return truth(value) == Truth::kFalse; });
    result = Negation(Literal(LiteralKind::kNumberIn, decimal_sets.Add(std::move(*excluded))));
  }
  others.push_back(result);
  std::sort(others.begin(), others.end());
  if (others == *parts) return false;
  *parts = std::move(others);
  return true;
}

}  // namespace maskloom
