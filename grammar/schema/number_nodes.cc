// Formulas about numbers to number nodes.
//
// A union of plain conjunctions is a node each. What nests deeper is cut at all bounds and values
// that it mentions: between two of them the formula only asks for multiples, so each such interval
// has a union of conjunctions, and neighbours that ask for the same are one interval again. The
// points themselves are decided one by one. Example:
//   (x >= 1 or x <= -1) and (x >= 2 or x <= -2)   ->   x <= -2 or x >= 2
#include <algorithm>
#include <map>
#include <utility>

#include "grammar/base/budget.h"
#include "grammar/number_conditions.h"
#include "grammar/schema/node_builder.h"

namespace maskloom {
namespace {

constexpr size_t kMaxTerms = 256;

void CollectPoints(const FormulaPool& pool, FormulaId formula, DecimalSet* points) {
  if (pool.IsConstant(formula)) return;
  if (!pool.IsLiteral(formula)) {
    for (const FormulaId part : pool.PartsOf(formula)) CollectPoints(pool, part, points);
    return;
  }
  switch (pool.kind(formula)) {
    case LiteralKind::kAtLeast:
    case LiteralKind::kAbove:
      points->push_back(pool.decimals[pool.index(formula)]);
      break;
    case LiteralKind::kNumberIn: {
      const DecimalSet& set = pool.decimal_sets[pool.index(formula)];
      points->insert(points->end(), set.begin(), set.end());
      break;
    }
    default:
      break;
  }
}

// What is left of `formula` at `value`: constant, or a matter of spelling.
FormulaId AtPoint(FormulaPool* pool, FormulaId formula, const Decimal& value) {
  return pool->Substitute(formula, [&](FormulaId literal) {
    switch (pool->AcceptsNumber(literal, value)) {
      case FormulaPool::Truth::kFalse:
        return kFalseFormula;
      case FormulaPool::Truth::kTrue:
        return kTrueFormula;
      default:
        return literal;
    }
  });
}

// What is left of `formula` for values above `point` (null: below all points) and below the next.
FormulaId Beyond(FormulaPool* pool, FormulaId formula, const Decimal* point) {
  return pool->Substitute(formula, [&](FormulaId literal) {
    const LiteralKind kind = pool->kind(literal);
    bool holds = false;
    if (kind == LiteralKind::kAtLeast || kind == LiteralKind::kAbove) {
      holds = point != nullptr && *point >= pool->decimals[pool->index(literal)];
    } else if (kind != LiteralKind::kNumberIn) {
      return literal;
    }
    return holds == pool->positive(literal) ? kTrueFormula : kFalseFormula;
  });
}

}  // namespace

Result<std::vector<FormulaId>> NodeBuilder::Terms(FormulaId formula) {
  const Status too_many(StatusCode::kResourceLimit,
                        "the conditions on numbers combine in more than " +
                            std::to_string(kMaxTerms) + " ways, which is the limit");
  if (formula == kFalseFormula) return std::vector<FormulaId>();
  if (pool_->IsConstant(formula) || pool_->IsLiteral(formula)) return std::vector{formula};
  std::vector<FormulaId> terms;
  const bool is_or = pool_->IsOr(formula);
  if (!is_or) terms.push_back(kTrueFormula);
  for (const FormulaId part : pool_->PartsOf(formula)) {
    Result<std::vector<FormulaId>> more = Terms(part);
    if (!more.ok()) return more;
    if (is_or) {
      terms.insert(terms.end(), more->begin(), more->end());
    } else {
      std::vector<FormulaId> product;
      for (const FormulaId a : terms) {
        for (const FormulaId b : *more) {
          const FormulaId both = pool_->And({a, b});
          if (both != kFalseFormula) product.push_back(both);
        }
      }
      std::sort(product.begin(), product.end());
      product.erase(std::unique(product.begin(), product.end()), product.end());
      terms = std::move(product);
    }
    if (terms.size() > Budget(kMaxTerms)) return too_many;
  }
  return terms;
}

bool NodeBuilder::AddNumberLiterals(FormulaId conjunction, NumberNode* node) const {
  for (const FormulaId literal : pool_->PartsOf(conjunction)) {
    if (literal == kTrueFormula) continue;
    const bool positive = pool_->positive(literal);
    const uint32_t index = pool_->index(literal);
    switch (pool_->kind(literal)) {
      case LiteralKind::kAtLeast:
        (positive ? node->lower : node->upper) = NumberBound{pool_->decimals[index], !positive};
        break;
      case LiteralKind::kAbove:
        (positive ? node->lower : node->upper) = NumberBound{pool_->decimals[index], positive};
        break;
      case LiteralKind::kMultiple: {
        const Decimal& divisor = pool_->decimals[index];
        if (positive && divisor == Decimal::FromInteger(1)) {
          node->integer = true;
        } else {
          (positive ? node->multiples_of : node->no_multiples_of).push_back(divisor);
        }
        break;
      }
      case LiteralKind::kPlain: {
        const auto spelling =
            positive ? NumberNode::Spelling::kPlain : NumberNode::Spelling::kNotPlain;
        if (node->spelling != NumberNode::Spelling::kAny && node->spelling != spelling) {
          return false;
        }
        node->spelling = spelling;
        break;
      }
      default:
        if (positive) {
          node->one_of = pool_->decimal_sets[index];
        } else {
          const DecimalSet& excluded = pool_->decimal_sets[index];
          node->none_of.insert(node->none_of.end(), excluded.begin(), excluded.end());
        }
    }
  }
  std::sort(node->multiples_of.begin(), node->multiples_of.end());
  std::sort(node->no_multiples_of.begin(), node->no_multiples_of.end());
  std::sort(node->none_of.begin(), node->none_of.end());
  return true;
}

Result<std::vector<NumberNode>> NodeBuilder::NumbersByRegions(FormulaId formula) {
  std::vector<NumberNode> nodes;
  DecimalSet points;
  CollectPoints(*pool_, formula, &points);
  std::sort(points.begin(), points.end());
  points.erase(std::unique(points.begin(), points.end()), points.end());
  std::vector<FormulaId> between;  // [i]: below points[i], and behind the last
  for (size_t i = 0; i <= points.size(); ++i) {
    between.push_back(Beyond(pool_, formula, i == 0 ? nullptr : &points[i - 1]));
  }
  std::vector<FormulaId> at;
  for (const Decimal& point : points) at.push_back(AtPoint(pool_, formula, point));
  std::vector<bool> covered(points.size());
  for (size_t i = 0; i < between.size();) {
    size_t end = i + 1;
    while (end < between.size() && between[end] == between[i]) ++end;
    if (between[i] == kFalseFormula) {
      i = end;
      continue;
    }
    // Where the union of conjunctions says the same as the formula, a point needs no care.
    const auto agrees = [&](size_t point) {
      return at[point] == AtPoint(pool_, between[i], points[point]);
    };
    NumberNode range;
    for (size_t point = i; point + 1 < end; ++point) {
      if (agrees(point)) {
        covered[point] = true;
      } else {
        range.none_of.push_back(points[point]);
      }
    }
    if (i > 0) {
      range.lower = NumberBound{points[i - 1], !agrees(i - 1)};
      covered[i - 1] = covered[i - 1] || !range.lower->exclusive;
    }
    if (end < between.size()) {
      range.upper = NumberBound{points[end - 1], !agrees(end - 1)};
      covered[end - 1] = covered[end - 1] || !range.upper->exclusive;
    }
    Result<std::vector<FormulaId>> terms = Terms(between[i]);
    if (!terms.ok()) return terms.status();
    for (const FormulaId term : *terms) {
      NumberNode node = range;
      if (AddNumberLiterals(term, &node)) nodes.push_back(std::move(node));
    }
    i = end;
  }
  std::map<FormulaId, DecimalSet> alone;
  for (size_t point = 0; point < points.size(); ++point) {
    if (at[point] != kFalseFormula && !covered[point]) alone[at[point]].push_back(points[point]);
  }
  for (auto& [spelling, values] : alone) {
    Result<std::vector<FormulaId>> terms = Terms(spelling);
    if (!terms.ok()) return terms.status();
    for (const FormulaId term : *terms) {
      NumberNode node;
      if (!AddNumberLiterals(term, &node)) continue;
      node.one_of = values;
      nodes.push_back(std::move(node));
    }
  }
  return nodes;
}

Result<std::vector<NumberNode>> NodeBuilder::NumbersOf(FormulaId formula) {
  std::vector<NumberNode> nodes;
  if (formula == kFalseFormula) return nodes;
  const auto is_plain = [&](FormulaId term) {
    if (pool_->IsOr(term)) return false;
    const std::vector<FormulaId> parts = pool_->PartsOf(term);
    return std::all_of(parts.begin(), parts.end(), [&](FormulaId part) {
      return pool_->IsConstant(part) || pool_->IsLiteral(part);
    });
  };
  const std::vector<FormulaId> terms =
      pool_->IsOr(formula) ? pool_->PartsOf(formula) : std::vector{formula};
  if (!std::all_of(terms.begin(), terms.end(), is_plain)) return NumbersByRegions(formula);
  for (const FormulaId term : terms) {
    NumberNode node;
    if (AddNumberLiterals(term, &node)) nodes.push_back(std::move(node));
  }
  return nodes;
}

Result<std::vector<NodeId>> NodeBuilder::NumberNodesOf(FormulaId formula) {
  if (auto it = number_nodes_.find(formula); it != number_nodes_.end()) return it->second;
  Result<std::vector<NumberNode>> nodes = NumbersOf(formula);
  if (!nodes.ok()) return nodes.status();
  std::vector<NodeId> ids;
  for (NumberNode& node : *nodes) {
    // Divisors and bounds may leave nothing.
    const bool divides = node.integer || !node.multiples_of.empty();
    const bool may_be_empty =
        (divides && node.lower && node.upper && !Satisfies(node, node.lower->value)) ||
        !node.no_multiples_of.empty();
    if (may_be_empty) {
      Result<std::optional<Decimal>> value = FindValue(node);
      if (value.ok() && !*value) continue;
    }
    ids.push_back(static_cast<NodeId>(grammar_->numbers.size()));
    grammar_->numbers.push_back(std::move(node));
  }
  number_nodes_.emplace(formula, ids);
  return ids;
}

}  // namespace maskloom
