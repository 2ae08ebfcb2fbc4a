// Objects that count much, as several nodes.
//
// A group is one node until it shows that it counts much: that is known when what its members
// surely break has been left out. Then two things help. That a member breaks a rule which speaks of
// this member alone is no matter of counting: the member is there, and its value is none of the
// rule's. And the cases of a key (key_cases.cc) settle everything that is asked of this key. Nodes
// that come of it stand beside the first in every value, once all are made. What can be divided no
// further may count as much as one word holds.
#include <algorithm>
#include <string>
#include <unordered_set>
#include <utility>

#include "grammar/base/budget.h"
#include "grammar/schema/node_builder.h"
#include "grammar/schema/object_plan.h"

namespace maskloom {

// Says that a member breaks a rule by what it must be, where the rule describes no other:
//   breaks {a: S}             ->  a is there and not in S
//   a absent, or breaks {a: S}  ->  a is not in S
FormulaId NodeBuilder::PlaceBreaks(FormulaId rest) {
  SchemaTable* schemas = reader_->schemas();
  // The only property of a rule that is broken.
  const auto broken = [&](FormulaId id) -> const MemberRule::Property* {
    if (!pool_->IsLiteral(id) || pool_->positive(id) || pool_->kind(id) != LiteralKind::kKeeps) {
      return nullptr;
    }
    Result<const MemberRule*> rule = MemberRuleOf(pool_->index(id));
    if (!rule.ok() || !(*rule)->IsNarrow() || (*rule)->properties.size() != 1) return nullptr;
    const MemberRule::Property& property = (*rule)->properties[0];
    return property.schema != kNoSchema ? &property : nullptr;
  };
  std::vector<FormulaId> parts = pool_->IsAnd(rest) ? pool_->PartsOf(rest) : std::vector{rest};
  for (FormulaId& part : parts) {
    if (pool_->IsConstant(part)) continue;
    const std::vector<FormulaId> branches =
        pool_->IsOr(part) ? pool_->PartsOf(part) : std::vector{part};
    if (branches.size() > 2) continue;
    const MemberRule::Property* property = broken(branches[0]);
    if (property == nullptr && branches.size() == 2) property = broken(branches[1]);
    if (property == nullptr) continue;
    const FormulaId present = pool_->Literal(LiteralKind::kPresent, property->name);
    const FormulaId differs = KeepsAt(property->name, schemas->Not(property->schema));
    if (branches.size() == 1) {
      part = pool_->And({present, differs});
    } else if (branches[0] == Negation(present) || branches[1] == Negation(present)) {
      part = differs;
    }
  }
  return pool_->And(std::move(parts));
}

// The schema or keyword below which most of what is counted stands.
JsonIndex NodeBuilder::PlaceOf(const Events& events, JsonIndex origin) const {
  std::unordered_map<JsonIndex, size_t> below;  // events at a node or below
  for (const Event& event : events.events) {
    const SchemaId schema =
        event.kind == LiteralKind::kContains ? event.index : pool_->rules[event.index].schema;
    JsonIndex node = reader_->schemas()->node(schema);
    for (; node != kNoJson; node = document_->parent(node)) ++below[node];
  }
  JsonIndex place = origin;
  size_t fewest = events.events.size() + 1;
  for (const auto& [node, count] : below) {
    const bool most = 4 * count >= 3 * events.events.size();
    // Of nodes on one path the deepest, which comes last in its document.
    if (most && (count < fewest || (count == fewest && node > place))) {
      place = node;
      fewest = count;
    }
  }
  return place;
}

Status NodeBuilder::RefuseCounters(const Events& events, JsonIndex origin) const {
  return document_->ErrorAt(
      PlaceOf(events, origin), StatusCode::kResourceLimit,
      "to tell these alternatives apart, " + std::to_string(events.counters.size()) +
          " things must be counted in one object or array; the limit is " +
          std::to_string(kMaxCounters) +
          " (none are where a property that is required has a constant for each alternative)");
}

// Makes several nodes of one that counts much. Returns false where that is not possible.
bool NodeBuilder::DivideObject(const PendingNode& pending, const ObjectPlan& plan) {
  const size_t most = Budget(kMaxDivided) - std::min(Budget(kMaxDivided), divided_count_);
  std::vector<FormulaId> parts = pending.group.kept;
  std::vector<FormulaId> cases;
  const FormulaId placed = PlaceBreaks(plan.rest);
  parts.push_back(placed);
  const FormulaId formula = pool_->And(std::move(parts));
  if (placed != plan.rest) {
    cases.push_back(formula);
  } else {
    cases = CasesByKey(formula, 0, most);
  }
  if (cases.empty()) return false;
  std::vector<Group> groups;
  for (const FormulaId one : cases) {
    std::vector<Group> more = SplitByRules(pool_, one, ObjectGuide());
    groups.insert(groups.end(), std::make_move_iterator(more.begin()),
                  std::make_move_iterator(more.end()));
  }
  if (groups.size() > most) return false;
  divided_count_ += std::max<size_t>(1, groups.size());
  if (groups.empty()) {
    grammar_->objects[pending.node].min_properties = 1;
    grammar_->objects[pending.node].max_properties = 0;
  }
  for (size_t i = 0; i < groups.size(); ++i) {
    NodeId node = pending.node;
    if (i != 0) {
      node = static_cast<NodeId>(grammar_->objects.size());
      grammar_->objects.emplace_back();
      divided_[pending.node].push_back(node);
    }
    pending_objects_.push_back({std::move(groups[i]), node, pending.origin});
  }
  return true;
}

// Puts the nodes that came of divided ones into the values.
void NodeBuilder::AttachDivided() {
  if (divided_.empty()) return;
  for (ValueNode& value : grammar_->values) {
    for (size_t i = 0; i < value.objects.size(); ++i) {
      auto it = divided_.find(value.objects[i]);
      if (it == divided_.end()) continue;
      value.objects.insert(value.objects.end(), it->second.begin(), it->second.end());
    }
  }
}

}  // namespace maskloom
