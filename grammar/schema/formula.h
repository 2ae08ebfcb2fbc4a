// Boolean formulas over what can be said of a value of one type: the normal form of schemas.
//
// A schema says of each type one formula: strings match patterns and have lengths, objects keep
// the member rules of schemas, have names, and so on (LiteralKind). Formulas are closed under
// conjunction, union and negation, so `allOf`, `anyOf`, `oneOf`, `not` and `if` are what they say;
// nothing is multiplied out here. Children are named by rules and never looked into, which is what
// lets recursion close.
//
// A formula and its negation are made together and differ in the lowest bit of their id: a literal
// is even, its opposite odd; a conjunction is even, and the union of the opposites of its parts is
// odd. So negation costs nothing, and every simplification is written once, for conjunctions.
//
// Equal formulas have equal ids, and simplification is deterministic. It keeps a formula
// equivalent; what it does is listed at And().
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "grammar/schema/literal_tables.h"
#include "grammar/schema/pattern_table.h"

namespace maskloom {

using FormulaId = uint32_t;
inline constexpr FormulaId kFalseFormula = 0;
inline constexpr FormulaId kTrueFormula = 1;
inline FormulaId Negation(FormulaId id) { return id ^ 1; }

enum class LiteralKind : uint8_t {
  // Strings.
  kMatches,        // pattern `index`, without its length bounds
  kLengthAtLeast,  // `number` code points
  kTextIn,         // text set `index`
  // Numbers.
  kAtLeast,   // >= decimal `index`
  kAbove,     // > decimal `index`
  kMultiple,  // of decimal `index`
  kPlain,     // spelled without fraction and exponent
  kNumberIn,  // decimal set `index`
  // Arrays and objects.
  kKeeps,        // every item or member satisfies rule `index`
  kSizeAtLeast,  // `number` items or members
  kContains,     // at least `number` items are instances of schema `index`
  kDistinct,     // no two items are equal
  kPresent,      // the member with name `index`
  kConjunction,  // no literal
};

class FormulaPool {
 public:
  // Budgets: parts of all conjunctions together, and nesting. Beyond them exhausted() holds and
  // what is made means nothing.
  static constexpr size_t kMaxParts = 4'000'000;
  static constexpr uint32_t kMaxDepth = 2000;

  explicit FormulaPool(PatternTable* patterns) : patterns_(patterns) {}

  FormulaId Literal(LiteralKind kind, uint32_t index, uint64_t number = 0);
  // Returns the conjunction of `parts`, simplified:
  //  - nested conjunctions are flattened, equal parts are one, contradictions are false;
  //  - of bounds on the same thing the tightest stay;
  //  - finite sets keep the members that the other parts accept;
  //  - of patterns that no text matches together one refutes or implies the other;
  //  - a union loses what the other parts refute, and goes where they imply it.
  FormulaId And(std::vector<FormulaId> parts);
  FormulaId Or(std::vector<FormulaId> parts);

  bool IsConstant(FormulaId id) const { return id <= kTrueFormula; }
  bool IsLiteral(FormulaId id) const {
    return id > kTrueFormula && nodes_[id / 2].kind != LiteralKind::kConjunction;
  }
  bool IsAnd(FormulaId id) const {
    return id > kTrueFormula && nodes_[id / 2].kind == LiteralKind::kConjunction && id % 2 == 0;
  }
  bool IsOr(FormulaId id) const {
    return id > kTrueFormula && nodes_[id / 2].kind == LiteralKind::kConjunction && id % 2 == 1;
  }
  // Of literals. An odd id says the opposite.
  LiteralKind kind(FormulaId id) const { return nodes_[id / 2].kind; }
  bool positive(FormulaId id) const { return id % 2 == 0; }
  uint32_t index(FormulaId id) const { return nodes_[id / 2].index; }
  uint64_t number(FormulaId id) const { return nodes_[id / 2].number; }
  // The parts of a conjunction or union; the formula itself where it is neither.
  std::vector<FormulaId> PartsOf(FormulaId id) const;
  // Is there a rule that must be kept, somewhere in `id`?
  bool KeepsSomeRule(FormulaId id) const;

  // Replaces literals: `value_of` says what a literal is (itself, another formula, a constant).
  template <typename ValueOf>
  FormulaId Substitute(FormulaId id, const ValueOf& value_of) {
    std::unordered_map<FormulaId, FormulaId> known;
    return SubstituteIn(id, value_of, &known);
  }

  bool exhausted() const { return exhausted_; }

  // Does a formula about strings accept `text`?
  bool AcceptsText(FormulaId id, const std::u32string& text) const;
  // Does a formula about numbers accept `value`? kUnknown where it depends on the spelling.
  enum class Truth : uint8_t { kFalse, kTrue, kUnknown };
  Truth AcceptsNumber(FormulaId id, const Decimal& value) const;

  NameTable names;
  InternTable<TextSet> text_sets;
  InternTable<DecimalSet> decimal_sets;
  InternTable<Decimal> decimals;
  InternTable<ChildRule> rules;
  InternTable<EvaluatedSet> evaluated_sets;
  PatternTable* patterns() const { return patterns_; }

 private:
  struct Node {
    LiteralKind kind = LiteralKind::kConjunction;
    bool keeps = false;   // a rule is kept in it, or in its opposite
    bool breaks = false;  // the same for its opposite
    uint32_t index = 0;   // of a conjunction: of its first part
    uint64_t number = 0;  // of a conjunction: how many parts
    uint32_t depth = 0;
  };

  FormulaId Intern(const std::vector<FormulaId>& parts);
  bool MergeLiterals(std::vector<FormulaId>* parts);
  bool MergeBounds(std::vector<FormulaId>* parts);
  bool MergeTextSets(std::vector<FormulaId>* parts);
  bool MergePatterns(std::vector<FormulaId>* parts);
  bool MergeNumberSets(std::vector<FormulaId>* parts);
  // Both return whether something changed.
  bool ReduceUnions(std::vector<FormulaId>* parts);
  bool DropImpliedUnions(std::vector<FormulaId>* parts) const;

  template <typename ValueOf>
  FormulaId SubstituteIn(FormulaId id, const ValueOf& value_of,
                         std::unordered_map<FormulaId, FormulaId>* known);

  PatternTable* patterns_;
  std::vector<Node> nodes_{Node{}};  // node 0: the constants
  std::vector<FormulaId> parts_;
  std::unordered_map<std::string, FormulaId> ids_;
  size_t made_parts_ = 0;
  bool exhausted_ = false;
};

template <typename ValueOf>
FormulaId FormulaPool::SubstituteIn(FormulaId id, const ValueOf& value_of,
                                    std::unordered_map<FormulaId, FormulaId>* known) {
  if (IsConstant(id)) return id;
  if (auto it = known->find(id); it != known->end()) return it->second;
  FormulaId result;
  if (IsLiteral(id)) {
    result = value_of(id);
  } else {
    std::vector<FormulaId> parts = PartsOf(id);
    bool changed = false;
    for (FormulaId& part : parts) {
      const FormulaId replaced = SubstituteIn(part, value_of, known);
      changed |= replaced != part;
      part = replaced;
    }
    result = !changed ? id : IsAnd(id) ? And(std::move(parts)) : Or(std::move(parts));
  }
  known->emplace(id, result);
  return result;
}

}  // namespace maskloom
