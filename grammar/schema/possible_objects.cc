// Which objects cannot be, seen by what their members may be.
//
// Formulas name the rules of members and do not look at them, so that some contradict without its
// showing. Let A be closed to the keys a and b, B to b and c, C to b and d:
//   kept A, kept B, broken C      what A and B leave is the key b, which C has as well
// A rule can be broken where what is kept leaves a member that it forbids, or whose value it does
// not accept; which is asked of every key that is declared, and of the others at once. Values are
// asked the same, a few levels down. Several broken rules are asked one by one: members break them
// independently. Whatever is not understood is taken to be possible.
#include <algorithm>
#include <optional>

#include "grammar/schema/node_builder.h"

namespace maskloom {

bool NodeBuilder::MayExist(const NormalForm& form, size_t depth) {
  if (form.allows_null || form.allows_true || form.allows_false) return true;
  const bool other = form.strings != kFalseFormula || form.numbers != kFalseFormula ||
                     form.arrays != kFalseFormula;
  return other || MayBeObject(form.objects, depth);
}

bool NodeBuilder::MayBeObject(FormulaId formula, size_t depth) {
  if (pool_->IsConstant(formula)) return formula == kTrueFormula;
  if (depth == kMaxLookedInto || !pool_->IsAnd(formula)) return true;
  if (auto it = may_be_object_[depth].find(formula); it != may_be_object_[depth].end()) {
    return it->second;
  }
  const auto keeps = [&](FormulaId part) {
    return pool_->IsLiteral(part) && pool_->kind(part) == LiteralKind::kKeeps;
  };
  const std::vector<FormulaId> parts = pool_->PartsOf(formula);
  std::vector<FormulaId> kept;
  for (const FormulaId part : parts) {
    if (keeps(part) && pool_->positive(part)) kept.push_back(part);
  }
  const auto may_hold = [&](FormulaId part) {
    return !keeps(part) || pool_->positive(part) || MayBreak(kept, pool_->index(part), depth);
  };
  const bool possible = std::all_of(parts.begin(), parts.end(), [&](FormulaId part) {
    if (!pool_->IsOr(part)) return may_hold(part);
    const std::vector<FormulaId> branches = pool_->PartsOf(part);
    return std::any_of(branches.begin(), branches.end(), may_hold);
  });
  may_be_object_[depth].emplace(formula, possible);
  return possible;
}

// May some member break `rule`, in an object that keeps `kept`?
bool NodeBuilder::MayBreak(const std::vector<FormulaId>& kept, RuleId rule, size_t depth) {
  Result<const MemberRule*> broken = MemberRuleOf(rule);
  if (!broken.ok()) return true;  // it will be met again where errors are reported
  std::vector<const MemberRule*> rules;
  const MemberRule* listing = nullptr;  // lists all keys that there are
  bool patterns = !(*broken)->patterns.empty();
  for (const FormulaId literal : kept) {
    Result<const MemberRule*> read = MemberRuleOf(pool_->index(literal));
    if (!read.ok()) return true;
    rules.push_back(*read);
    const bool lists = (*read)->closed && (*read)->patterns.empty();
    const bool shorter =
        listing == nullptr || (*read)->properties.size() < listing->properties.size();
    if (lists && shorter) listing = *read;
    patterns |= !(*read)->patterns.empty();
  }
  const auto may_break = [&](const MemberRule& declaring) {
    return std::any_of(declaring.properties.begin(), declaring.properties.end(),
                       [&](const MemberRule::Property& property) {
                         return MayBreakAt(property.name, rules, **broken, depth);
                       });
  };
  if (listing != nullptr) return may_break(*listing);
  if (patterns) return true;
  return MayBreakElsewhere(rules, **broken, depth) || may_break(**broken) ||
         std::any_of(rules.begin(), rules.end(),
                     [&](const MemberRule* one) { return may_break(*one); });
}

// The same for the member `name`.
bool NodeBuilder::MayBreakAt(NameId name, const std::vector<const MemberRule*>& kept,
                             const MemberRule& rule, size_t depth) {
  const RuleOutcome outcome = OutcomeFor(rule, name);
  if (!outcome.forbidden && outcome.schemas.empty()) return false;
  SchemaSet schemas;
  for (const MemberRule* one : kept) {
    if (!AddOutcome(*one, name, &schemas)) return false;
  }
  return MayDiffer(schemas, outcome, depth);
}

// The same for members that no rule declares. Requires: no patterns.
bool NodeBuilder::MayBreakElsewhere(const std::vector<const MemberRule*>& kept,
                                    const MemberRule& rule, size_t depth) {
  SchemaSet schemas;
  for (const MemberRule* one : kept) {
    if (one->closed) return false;
    if (one->additional != kNoSchema) schemas.push_back(one->additional);
  }
  RuleOutcome outcome{rule.closed, {}};
  if (rule.additional != kNoSchema) outcome.schemas.push_back(rule.additional);
  return MayDiffer(schemas, outcome, depth);
}

// May a value that satisfies `kept` be one that `outcome` does not allow?
bool NodeBuilder::MayDiffer(const SchemaSet& kept, const RuleOutcome& outcome, size_t depth) {
  const std::optional<NormalForm> values = JointForm(kept);
  if (outcome.forbidden) return !values || MayExist(*values, depth + 1);
  const std::optional<NormalForm> allowed = JointForm(outcome.schemas);
  if (!values || !allowed) return true;
  if (*values == *allowed) return false;
  return MayExist(Join(pool_, *values, Opposite(*allowed)), depth + 1);
}

// Returns what all of `schemas` accept; none where one of them cannot be evaluated, which will be
// met again where errors are reported.
std::optional<NormalForm> NodeBuilder::JointForm(const SchemaSet& schemas) {
  std::optional<NormalForm> joint;
  for (const SchemaId schema : schemas) {
    Result<NormalForm> form = normalizer_->Evaluate(schema);
    if (!form.ok()) return std::nullopt;
    if (!joint) {
      joint = *form;
    } else if (*joint != *form) {
      joint = Join(pool_, *joint, *form);
    }
  }
  return joint ? joint : NormalForm::Everything();
}

}  // namespace maskloom
