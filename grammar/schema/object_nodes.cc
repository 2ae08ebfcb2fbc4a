// Groups of objects to object nodes: key classes.
//
// The rules of an object split all keys into classes: the same properties and patterns of each rule
// apply to all keys of a class, and its additional schema where nothing of its own does. A declared
// name is a class by itself. All other keys are classed by the product of the pattern automata,
// whose label is the class.
// Example: {properties: {ab: A}, patternProperties: {^a: P, b$: Q}, additionalProperties: R}
//   ab -> A & P & Q;  a.. -> P;  ..b -> Q;  a..b -> P & Q;  everything else -> R.
// A pattern that matches few keys is replaced by their declaration. Classes with equal values are
// merged while the product is made, pattern by pattern, so patterns that overlap in many ways cost
// only as much as they make a difference; a class without a value is rejected by the automaton.
#include <algorithm>
#include <map>
#include <memory>
#include <unordered_set>
#include <utility>

#include "grammar/base/budget.h"
#include "grammar/base/utf8.h"
#include "grammar/regular/regular.h"
#include "grammar/schema/node_builder.h"
#include "grammar/schema/object_plan.h"

namespace maskloom {

namespace {

void CollectNames(const FormulaPool& pool, FormulaId formula, std::unordered_set<FormulaId>* seen,
                  std::vector<NameId>* names) {
  if (pool.IsConstant(formula) || !seen->insert(formula).second) return;
  if (!pool.IsLiteral(formula)) {
    for (const FormulaId part : pool.PartsOf(formula)) CollectNames(pool, part, seen, names);
  } else if (pool.kind(formula) == LiteralKind::kPresent) {
    names->push_back(pool.index(formula));
  }
}

}  // namespace

// Does a member that must be there surely break `rule`? `required`: the values of such members.
Result<bool> NodeBuilder::SurelyBreaks(const std::vector<std::pair<NameId, NormalForm>>& required,
                                       RuleId rule) {
  Result<const MemberRule*> broken = MemberRuleOf(rule);
  if (!broken.ok()) return broken.status();
  // Finite sets first: they are told apart at once.
  for (const bool finite : {true, false}) {
    for (const auto& [name, values] : required) {
      auto property = (*broken)->index_of.find(name);
      if (property == (*broken)->index_of.end()) continue;
      const SchemaId other = (*broken)->properties[property->second].schema;
      if (other == kNoSchema) continue;
      Result<NormalForm> form = normalizer_->Evaluate(other);
      if (!form.ok()) return form.status();
      if (AreFormsDisjoint(values, *form, finite)) return true;
    }
  }
  return false;
}

// Could the rules of a group of objects hold together? Looks at the members that must be there.
bool NodeBuilder::MayHold(const Group& group) {
  const FormulaId rest = group.rest;
  for (const FormulaId part : pool_->IsAnd(rest) ? pool_->PartsOf(rest) : std::vector{rest}) {
    const bool required = !pool_->IsConstant(part) && pool_->IsLiteral(part) &&
                          pool_->positive(part) && pool_->kind(part) == LiteralKind::kPresent;
    if (!required) continue;
    SchemaSet schemas;
    for (const FormulaId literal : group.kept) {
      Result<const MemberRule*> rule = MemberRuleOf(pool_->index(literal));
      if (!rule.ok()) return true;  // it will be met again where errors are reported
      auto it = (*rule)->index_of.find(pool_->index(part));
      if (it == (*rule)->index_of.end()) continue;
      const SchemaId schema = (*rule)->properties[it->second].schema;
      if (schema == kNoSchema) continue;
      for (const SchemaId other : schemas) {
        Result<bool> disjoint = AreDisjoint({schema}, {other}, false);
        if (disjoint.ok() && *disjoint) return false;
      }
      schemas.push_back(schema);
    }
  }
  return true;
}

// Leaves out unions of which one branch is surely true: that some member breaks a rule, where a
// required one has a value that the rule excludes. This is what makes `oneOf` a plain union where
// a member tells its branches apart.
Result<FormulaId> NodeBuilder::DropRefutedBreaks(const ObjectPlan& plan, FormulaId rest) {
  if (pool_->IsConstant(rest)) return rest;
  std::vector<FormulaId> kept;
  const std::vector<FormulaId> parts =
      pool_->IsAnd(rest) ? pool_->PartsOf(rest) : std::vector{rest};
  std::vector<std::pair<NameId, NormalForm>> required;
  for (const auto& [name, values] : plan.required_values) {
    if (values.empty()) continue;
    Result<NormalForm> form = FormOf(values);
    if (!form.ok()) return form.status();
    required.push_back({name, *form});
  }
  for (const FormulaId part : parts) {
    bool holds = false;
    for (const FormulaId branch : pool_->IsOr(part) ? pool_->PartsOf(part) : std::vector{part}) {
      const bool breaks = pool_->IsLiteral(branch) && !pool_->positive(branch) &&
                          pool_->kind(branch) == LiteralKind::kKeeps;
      if (!breaks) continue;
      Result<bool> sure = SurelyBreaks(required, pool_->index(branch));
      if (!sure.ok()) return sure.status();
      holds = *sure;
      if (holds) break;
    }
    if (!holds) kept.push_back(part);
  }
  return kept.size() == parts.size() ? rest : pool_->And(std::move(kept));
}

Status NodeBuilder::PlanObject(const PendingNode& pending, ObjectPlan* plan) {
  plan->origin = pending.origin;
  // Properties are declared in the order of the document.
  std::vector<std::pair<JsonIndex, const MemberRule*>> rules;
  for (const FormulaId literal : pending.group.kept) {
    Result<const MemberRule*> rule = MemberRuleOf(pool_->index(literal));
    if (!rule.ok()) return rule.status();
    rules.push_back({reader_->schemas()->node(pool_->rules[(*rule)->id].schema), *rule});
  }
  std::stable_sort(rules.begin(), rules.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [node, rule] : rules) plan->rules.push_back(rule);
  const FormulaId rest = pending.group.rest;
  for (const FormulaId part : pool_->IsAnd(rest) ? pool_->PartsOf(rest) : std::vector{rest}) {
    if (!pool_->IsConstant(part) && pool_->IsLiteral(part) && pool_->positive(part) &&
        pool_->kind(part) == LiteralKind::kPresent) {
      plan->required.insert(pool_->index(part));
    }
  }
  for (const NameId name : plan->required) {
    SchemaSet values;
    for (const MemberRule* kept : plan->rules) {
      auto it = kept->index_of.find(name);
      if (it == kept->index_of.end()) continue;
      const SchemaId schema = kept->properties[it->second].schema;
      if (schema != kNoSchema) values.push_back(schema);
    }
    if (!values.empty()) plan->required_values.push_back({name, std::move(values)});
  }
  Result<FormulaId> left = DropRefutedBreaks(*plan, rest);
  if (!left.ok()) return left.status();
  plan->rest = *left;
  plan->events = EventsOf(*pool_, plan->rest);
  for (const Event& event : plan->events.events) {
    Result<const MemberRule*> rule = MemberRuleOf(event.index);
    if (!rule.ok()) return rule.status();
    plan->event_rules.push_back(*rule);
  }
  std::unordered_set<FormulaId> seen;
  CollectNames(*pool_, plan->rest, &seen, &plan->names);
  OrderAsRequired(pending.origin, &plan->names);
  return Status::Ok();
}

// Puts the names that `required` of the schema `origin` lists first, in its order; the others stay
// in theirs, behind.
void NodeBuilder::OrderAsRequired(JsonIndex origin, std::vector<NameId>* names) const {
  if (names->size() < 2 || !document_->IsObject(origin)) return;
  const JsonIndex list = document_->Find(origin, "required");
  if (list == kNoJson || !document_->IsArray(list)) return;
  std::unordered_map<NameId, size_t> place;
  for (JsonIndex item = document_->first(list); item != kNoJson; item = document_->next(item)) {
    if (document_->IsString(item))
      place.emplace(pool_->names.Add(document_->text(item)), place.size());
  }
  const auto place_of = [&](NameId name) {
    const auto found = place.find(name);
    return found == place.end() ? place.size() : found->second;
  };
  std::stable_sort(names->begin(), names->end(),
                   [&](NameId a, NameId b) { return place_of(a) < place_of(b); });
}

// Collects the declared names, in order: properties rule by rule, names that the formula speaks of
// (required ones first), the texts of small patterns; then joins what applies to each.
void NodeBuilder::DeclareKeys(ObjectPlan* plan) {
  std::vector<KeyClass>& keys = plan->keys;
  const auto declare = [&](NameId name) {
    if (slot_of_name_.size() <= name) slot_of_name_.resize(pool_->names.size(), 0);
    if (slot_of_name_[name] != 0) return;
    KeyClass key;
    key.name = name;
    keys.push_back(std::move(key));
    slot_of_name_[name] = static_cast<uint32_t>(keys.size());
  };
  plan->ForEachRule([&](const MemberRule& rule) {
    for (const MemberRule::Property& property : rule.properties) declare(property.name);
  });
  for (const NameId name : plan->names) declare(name);
  plan->ForEachRule([&](const MemberRule& rule) {
    for (const MemberRule::Pattern& pattern : rule.patterns) {
      const auto* texts = pool_->patterns()->small_language(pattern.pattern);
      if (texts == nullptr) continue;
      for (const std::u32string& text : *texts) declare(pool_->names.Add(text));
    }
  });
  for (const MemberRule* rule : plan->rules) {
    if (rule->IsNarrow()) {
      for (const MemberRule::Property& property : rule->properties) {
        if (property.schema == kNoSchema) continue;
        keys[slot_of_name_[property.name] - 1].base.push_back(property.schema);
      }
      continue;
    }
    for (KeyClass& key : keys) {
      const RuleOutcome outcome = OutcomeFor(*rule, key.name);
      if (outcome.forbidden) {
        key.forbidden = true;
        key.closed_by = reader_->schemas()->node(pool_->rules[rule->id].schema);
      }
      key.base.insert(key.base.end(), outcome.schemas.begin(), outcome.schemas.end());
    }
  }
  for (KeyClass& key : keys) {
    slot_of_name_[key.name] = 0;
    key.outcomes.reserve(plan->event_rules.size());
    for (const MemberRule* rule : plan->event_rules) {
      key.outcomes.push_back(OutcomeFor(*rule, key.name));
    }
  }
}

Result<NodeBuilder::Slot> NodeBuilder::SlotOf(const ObjectPlan& plan, const KeyClass& key_class) {
  if (key_class.forbidden) return Slot();
  std::vector<EventEffect> effects;
  for (const RuleOutcome& outcome : key_class.outcomes) effects.push_back(EffectOf(outcome));
  Result<Slot> slot = MakeSlot(key_class.base, plan.events, effects);
  if (slot.ok() || slot.status().pointer()) return slot;
  return At(plan.origin, slot.status());
}

// Remembers that an optional key has no value, unless a single `false` says so.
void NodeBuilder::NoteVanished(const KeyClass& key) {
  constexpr size_t kMaxVanished = 1000;
  if (vanished_.size() >= kMaxVanished) return;
  if (key.base.size() == 1 && normalizer_->IsTriviallyFalse(key.base[0])) return;
  const SchemaTable& schemas = *reader_->schemas();
  const std::string name = "the key \"" + ToUtf8(pool_->names[key.name]) + "\" never appears: ";
  if (key.forbidden) {
    vanished_.push_back({schemas.node(key.base[0]),
                         name + "\"" + document_->Pointer(key.closed_by) + "\" excludes it"});
    return;
  }
  std::string others;
  for (size_t i = 1; i < key.base.size(); ++i) {
    others += (i == 1 ? " together with \"" : ", \"") +
              document_->Pointer(schemas.node(key.base[i])) + "\"";
  }
  vanished_.push_back({schemas.node(key.base[0]), name + "nothing satisfies this schema" + others});
}

Status NodeBuilder::BuildObject(const PendingNode& pending) {
  ObjectPlan plan;
  if (Status status = PlanObject(pending, &plan); !status.ok()) return status;
  const size_t count = plan.events.counters.size();
  if (count > Budget(kManyCounters) && DivideObject(pending, plan)) return Status::Ok();
  if (count > Budget(kMaxCounters)) return RefuseCounters(plan.events, pending.origin);
  Status status = BuildPlanned(pending, &plan);
  const bool too_large = status.code() == StatusCode::kResourceLimit;
  if (too_large && count != 0 && DivideObject(pending, plan)) return Status::Ok();
  return status;
}

Status NodeBuilder::BuildPlanned(const PendingNode& pending, ObjectPlan* planned) {
  DeclareKeys(planned);
  const ObjectPlan& plan = *planned;
  ObjectNode object;
  object.counters = plan.events.counters;
  object.properties.reserve(plan.keys.size());
  std::unordered_map<NameId, uint32_t> property_of;
  for (const KeyClass& key : plan.keys) {
    Result<Slot> slot = SlotOf(plan, key);
    if (!slot.ok()) return slot.status();
    if (slot->value == kNeverValue && plan.required.count(key.name) != 0) {
      // The place that forbids the key: where it is described, or what closes the object.
      JsonIndex place =
          key.base.empty() ? pending.origin : reader_->schemas()->node(key.base.front());
      if (key.closed_by != kNoJson) {
        const JsonIndex closing = document_->IsObject(key.closed_by)
                                      ? document_->Find(key.closed_by, "additionalProperties")
                                      : kNoJson;
        place = closing != kNoJson ? closing : key.closed_by;
      }
      // What requires it, if that stands in the same schema.
      JsonIndex second = place;
      const JsonIndex names = document_->IsObject(pending.origin)
                                  ? document_->Find(pending.origin, "required")
                                  : kNoJson;
      if (names != kNoJson && document_->IsArray(names)) {
        for (JsonIndex item = document_->first(names); item != kNoJson;
             item = document_->next(item)) {
          const bool is_named =
              document_->IsString(item) && document_->text(item) == ToUtf8(pool_->names[key.name]);
          if (is_named) second = item;
        }
      }
      normalizer_->AddConflict(place, second);
    }
    if (slot->value != kNeverValue) {
      for (const SchemaId schema : key.base) {
        const JsonIndex node = reader_->schemas()->node(schema);
        if (node >= living_.size()) living_.resize(document_->size());
        living_[node] = true;
      }
    } else if (!key.base.empty() && plan.required.count(key.name) == 0) {
      NoteVanished(key);
    }
    property_of.emplace(key.name, static_cast<uint32_t>(object.properties.size()));
    object.properties.push_back({pool_->names[key.name], slot->value, false});
    object.choices.push_back(std::move(slot->choices));
  }
  if (Status status = BuildOtherKeys(plan, &object); !status.ok()) return status;
  ContainerCondition condition =
      ConditionOf(pool_, plan.rest, plan.events, RaisedBy(object.choices),
                  [&](NameId name) { return property_of.at(name); });
  object.min_properties = condition.min_size;
  object.max_properties = condition.max_size;
  object.conditions = std::move(condition.conditions);
  for (const NameId name : condition.required) {
    object.properties[property_of.at(name)].required = true;
  }
  if (condition.required.size() > condition.max_size) {
    const auto place_of = [&](const char* keyword) {
      const bool is_object = document_->IsObject(pending.origin);
      const JsonIndex found = is_object ? document_->Find(pending.origin, keyword) : kNoJson;
      return found != kNoJson ? found : pending.origin;
    };
    normalizer_->AddConflict(place_of("required"), place_of("maxProperties"));
  }
  for (const NameId name : condition.forbidden) {
    object.properties[property_of.at(name)].value = kNeverValue;
    object.choices[property_of.at(name)].clear();
  }
  if (object.conditions.empty()) {
    object.choices.clear();
    object.counters.clear();
  }
  if (condition.impossible) {
    object.min_properties = 1;
    object.max_properties = 0;
  }
  grammar_->objects[pending.node] = std::move(object);
  return Status::Ok();
}

}  // namespace maskloom
