// Groups of arrays to array nodes: position by position, the schemas of all rules join.
#include <algorithm>
#include <unordered_set>
#include <utility>

#include "grammar/base/budget.h"
#include "grammar/schema/node_builder.h"

namespace maskloom {

// A rule about items: those of a prefix one by one, then all further ones.
struct NodeBuilder::ItemRule {
  std::vector<RuleOutcome> prefix;
  RuleOutcome rest;
};

Result<NodeBuilder::ItemRule> NodeBuilder::ReadItemRule(RuleId id) {
  const ChildRule rule = pool_->rules[id];
  ItemRule result;
  const auto read_items = [&](SchemaId schema, ItemRule* items) -> Status {
    Result<const SchemaFacts*> facts = reader_->Read(reader_->schemas()->node(schema));
    if (!facts.ok()) return facts.status();
    if ((*facts)->prefix_items != kNoJson) {
      for (JsonIndex item = document_->first((*facts)->prefix_items); item != kNoJson;
           item = document_->next(item)) {
        items->prefix.push_back({false, {normalizer_->AsValue(reader_->Child(schema, item))}});
      }
    }
    if ((*facts)->items != kNoJson) {
      items->rest.schemas = {normalizer_->AsValue(reader_->Child(schema, (*facts)->items))};
    }
    return Status::Ok();
  };
  switch (rule.kind) {
    case ChildRule::Kind::kConstantItems: {
      const JsonIndex list = reader_->schemas()->node(rule.schema);
      for (JsonIndex item = document_->first(list); item != kNoJson; item = document_->next(item)) {
        result.prefix.push_back({false, {SchemaTable::ConstantAt(item)}});
      }
      result.rest.forbidden = true;
      return result;
    }
    case ChildRule::Kind::kItems: {
      if (Status status = read_items(rule.schema, &result); !status.ok()) return status;
      break;
    }
    default: {
      // Unevaluated: what no other schema speaks of is an instance of `schema`, or of one that
      // `contains` asks for.
      size_t covered = 0;
      std::vector<SchemaId> allowed{rule.schema};
      for (const Evaluation& evaluation : pool_->evaluated_sets[rule.evaluated]) {
        if (evaluation.kind == Evaluation::Kind::kContained) allowed.push_back(evaluation.schema);
        if (evaluation.kind != Evaluation::Kind::kItems) continue;
        ItemRule other;
        if (Status status = read_items(evaluation.schema, &other); !status.ok()) return status;
        covered = std::max(covered, other.prefix.size());
        if (!other.rest.schemas.empty()) return ItemRule();  // everything is evaluated
      }
      result.prefix.resize(covered);
      result.rest.schemas = {reader_->schemas()->AnyOf(std::move(allowed))};
    }
  }
  return result;
}

RuleOutcome NodeBuilder::OutcomeAt(const ItemRule& rule, size_t position) {
  return position < rule.prefix.size() ? rule.prefix[position] : rule.rest;
}

Status NodeBuilder::BuildArray(const PendingNode& pending) {
  ArrayNode array;
  std::vector<ItemRule> rules;
  for (const FormulaId literal : pending.group.kept) {
    if (pool_->kind(literal) == LiteralKind::kDistinct) {
      array.distinctness = pool_->positive(literal) ? ArrayNode::Distinctness::kDistinct
                                                    : ArrayNode::Distinctness::kRepeated;
      continue;
    }
    Result<ItemRule> rule = ReadItemRule(pool_->index(literal));
    if (!rule.ok()) return rule.status();
    rules.push_back(std::move(*rule));
  }
  const Events events = EventsOf(*pool_, pending.group.rest);
  if (events.counters.size() > Budget(kMaxCounters)) return RefuseCounters(events, pending.origin);
  if (HoldsDistinctness(*pool_, pending.group.rest)) {
    return document_->ErrorAt(pending.origin, StatusCode::kResourceLimit,
                              "the alternatives for this array combine in too many ways");
  }
  array.counters = events.counters;
  std::vector<ItemRule> event_rules(events.events.size());
  size_t length = 0;
  for (const ItemRule& rule : rules) length = std::max(length, rule.prefix.size());
  for (size_t i = 0; i < event_rules.size(); ++i) {
    if (events.events[i].kind != LiteralKind::kKeeps) continue;
    Result<ItemRule> rule = ReadItemRule(events.events[i].index);
    if (!rule.ok()) return rule.status();
    length = std::max(length, rule->prefix.size());
    event_rules[i] = std::move(*rule);
  }
  const auto slot_at = [&](size_t position) -> Result<Slot> {
    SchemaSet base;
    for (const ItemRule& rule : rules) {
      const RuleOutcome outcome = OutcomeAt(rule, position);
      if (outcome.forbidden) return Slot();
      base.insert(base.end(), outcome.schemas.begin(), outcome.schemas.end());
    }
    std::vector<EventEffect> effects;
    for (size_t i = 0; i < event_rules.size(); ++i) {
      const Event& event = events.events[i];
      effects.push_back(event.kind == LiteralKind::kKeeps
                            ? EffectOf(OutcomeAt(event_rules[i], position))
                            : EventEffect{EventEffect::Kind::kSplit, {event.index}});
    }
    Result<Slot> slot = MakeSlot(base, events, effects);
    if (slot.ok() || slot.status().pointer()) return slot;
    return At(pending.origin, slot.status());
  };
  bool ended = false;
  for (size_t position = 0; position < length && !ended; ++position) {
    Result<Slot> slot = slot_at(position);
    if (!slot.ok()) return slot.status();
    ended = slot->value == kNeverValue;
    if (ended) break;
    array.prefix.push_back(slot->value);
    array.choices.push_back(std::move(slot->choices));
  }
  Slot rest;
  if (!ended) {
    Result<Slot> slot = slot_at(length);
    if (!slot.ok()) return slot.status();
    rest = std::move(*slot);
  }
  array.rest = rest.value;
  array.choices.push_back(std::move(rest.choices));
  ContainerCondition condition = ConditionOf(pool_, pending.group.rest, events,
                                             RaisedBy(array.choices), [](NameId) { return 0u; });
  array.min_items = condition.min_size;
  array.max_items = condition.max_size;
  array.conditions = std::move(condition.conditions);
  if (array.rest == kNeverValue) {
    array.max_items = std::min<uint64_t>(array.max_items, array.prefix.size());
  }
  if (array.conditions.empty()) {
    array.choices.clear();
    array.counters.clear();
  }
  if (condition.impossible) array.min_items = 1, array.max_items = 0;
  if (array.min_items > array.max_items) {
    normalizer_->AddConflict(pending.origin, pending.origin);
  }
  grammar_->arrays[pending.node] = std::move(array);
  return Status::Ok();
}

}  // namespace maskloom
