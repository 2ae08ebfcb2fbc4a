// Classes of undeclared keys; see object_nodes.cc.
#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "grammar/base/budget.h"
#include "grammar/regular/regular.h"
#include "grammar/schema/node_builder.h"
#include "grammar/schema/object_plan.h"

namespace maskloom {

// What applies to keys that match just the patterns in `matched` (sorted).
KeyClass NodeBuilder::ClassOf(const ObjectPlan& plan, const std::vector<PatternId>& matched) const {
  const auto outcome_of = [&](const MemberRule& rule) {
    RuleOutcome outcome;
    bool covered = false;
    for (const MemberRule::Pattern& pattern : rule.patterns) {
      if (!std::binary_search(matched.begin(), matched.end(), pattern.pattern)) continue;
      if (pattern.schema != kNoSchema) outcome.schemas.push_back(pattern.schema);
      covered = true;
    }
    if (!covered) {
      outcome.forbidden = rule.closed;
      if (rule.additional != kNoSchema) outcome.schemas.push_back(rule.additional);
    }
    return outcome;
  };
  KeyClass result;
  for (const MemberRule* rule : plan.rules) {
    const RuleOutcome outcome = outcome_of(*rule);
    result.forbidden |= outcome.forbidden;
    result.base.insert(result.base.end(), outcome.schemas.begin(), outcome.schemas.end());
  }
  for (const MemberRule* rule : plan.event_rules) result.outcomes.push_back(outcome_of(*rule));
  return result;
}

// Returns a key under which sets of matched patterns meet that make no difference, whatever else is
// matched; "" for those that leave no value.
Result<std::string> NodeBuilder::MeritOf(const ObjectPlan& plan,
                                         const std::vector<PatternId>& matched) {
  std::string merit;
  if (!plan.event_rules.empty()) {
    for (const PatternId pattern : matched) merit += std::to_string(pattern) + ' ';
    return merit + '.';
  }
  SchemaSet schemas;
  for (const MemberRule* rule : plan.rules) {
    bool covered = false;
    for (const MemberRule::Pattern& pattern : rule->patterns) {
      if (!std::binary_search(matched.begin(), matched.end(), pattern.pattern)) continue;
      if (pattern.schema != kNoSchema) schemas.push_back(pattern.schema);
      covered = true;
    }
    if (rule->closed || rule->additional != kNoSchema) merit.push_back(covered ? '1' : '0');
  }
  std::sort(schemas.begin(), schemas.end());
  schemas.erase(std::unique(schemas.begin(), schemas.end()), schemas.end());
  Result<NormalForm> form = FormOf(schemas);
  if (!form.ok()) return form.status();
  if (form->IsEmpty()) return std::string();
  merit.push_back(
      static_cast<char>('0' + form->allows_null * 4 + form->allows_true * 2 + form->allows_false));
  for (const FormulaId formula : {form->strings, form->numbers, form->arrays, form->objects}) {
    merit += ' ' + std::to_string(formula);
  }
  return merit;
}

// Joins the classes of two sets of patterns.
Result<NodeBuilder::KeyClasses> NodeBuilder::JoinKeyClasses(const ObjectPlan& plan,
                                                            const KeyClasses& a,
                                                            const KeyClasses& b) {
  std::vector<std::vector<PatternId>> matched_by(1);  // by label, from 1
  std::map<std::string, uint32_t> label_of;
  const auto join = [&](uint32_t label_a, uint32_t label_b) -> Result<uint32_t> {
    const std::vector<PatternId>& x = a.matched[label_a - 1];
    const std::vector<PatternId>& y = b.matched[label_b - 1];
    std::vector<PatternId> matched;
    std::set_union(x.begin(), x.end(), y.begin(), y.end(), std::back_inserter(matched));
    Result<std::string> merit = MeritOf(plan, matched);
    if (!merit.ok()) return merit.status();
    if (merit->empty()) return TextAutomaton::kNotAccepting;
    const auto label = static_cast<uint32_t>(matched_by.size());
    const auto [it, added] = label_of.try_emplace(*merit, label);
    if (added) matched_by.push_back(std::move(matched));
    if (label > Budget(kMaxKeyClasses)) {
      return document_->ErrorAt(plan.origin, StatusCode::kResourceLimit,
                                "the patterns of this object split its keys into more than " +
                                    std::to_string(kMaxKeyClasses) +
                                    " classes, which is the limit");
    }
    return it->second;
  };
  Result<TextAutomaton> product = JoinLabels(a.keys, b.keys, join);
  if (!product.ok()) return At(plan.origin, product.status());
  // Labels that no key has are left out.
  KeyClasses joint;
  std::vector<uint32_t> number_of(matched_by.size(), TextAutomaton::kNotAccepting);
  for (uint32_t& label : product->labels) {
    if (label == TextAutomaton::kNotAccepting) continue;
    uint32_t& number = number_of[label];
    if (number == TextAutomaton::kNotAccepting) {
      joint.matched.push_back(std::move(matched_by[label]));
      number = static_cast<uint32_t>(joint.matched.size());
    }
    label = number;
  }
  joint.keys = std::move(*product);
  return joint;
}

Status NodeBuilder::BuildOtherKeys(const ObjectPlan& plan, ObjectNode* object) {
  std::vector<PatternId> patterns;
  plan.ForEachRule([&](const MemberRule& rule) {
    for (const MemberRule::Pattern& pattern : rule.patterns) {
      if (pool_->patterns()->small_language(pattern.pattern) == nullptr) {
        patterns.push_back(pattern.pattern);
      }
    }
  });
  if (patterns.empty()) {
    Result<Slot> slot = SlotOf(plan, ClassOf(plan, {}));
    if (!slot.ok()) return slot.status();
    if (slot->value == kNeverValue) return Status::Ok();
    object->other_values.push_back(slot->value);
    object->choices.push_back(std::move(slot->choices));
    return Status::Ok();
  }
  std::sort(patterns.begin(), patterns.end());
  patterns.erase(std::unique(patterns.begin(), patterns.end()), patterns.end());
  // Pairs of pairs, so that most products are of small automata.
  std::vector<KeyClasses> parts;
  for (const PatternId pattern : patterns) {
    const KeyClasses any{AnyText(), {{}}};
    Result<TextAutomaton> keys =
        Product({&any.keys, pool_->patterns()->automaton(pattern).get()},
                [](const std::vector<uint32_t>& labels) {
                  return labels[1] == TextAutomaton::kNotAccepting ? 1u : 2u;
                });
    if (!keys.ok()) return At(plan.origin, keys.status());
    parts.push_back({std::move(*keys), {{}, {pattern}}});
  }
  while (parts.size() > 1) {
    std::vector<KeyClasses> next;
    for (size_t i = 0; i + 1 < parts.size(); i += 2) {
      Result<KeyClasses> joint = JoinKeyClasses(plan, parts[i], parts[i + 1]);
      if (!joint.ok()) return joint.status();
      next.push_back(std::move(*joint));
    }
    if (parts.size() % 2 == 1) next.push_back(std::move(parts.back()));
    parts = std::move(next);
  }
  TextAutomaton& keys = parts[0].keys;
  const std::vector<std::vector<PatternId>>& classes = parts[0].matched;
  std::vector<Slot> slots;
  std::vector<uint32_t> slot_label(classes.size() + 1, TextAutomaton::kNotAccepting);
  for (size_t i = 0; i < classes.size(); ++i) {
    Result<Slot> slot = SlotOf(plan, ClassOf(plan, classes[i]));
    if (!slot.ok()) return slot.status();
    if (slot->value == kNeverValue) continue;
    auto known = std::find(slots.begin(), slots.end(), *slot);
    if (known == slots.end()) known = slots.insert(known, std::move(*slot));
    slot_label[i + 1] = static_cast<uint32_t>(known - slots.begin()) + 1;
  }
  if (slots.empty()) return Status::Ok();
  Result<TextAutomaton> labelled =
      Product({&keys}, [&](const std::vector<uint32_t>& labels) { return slot_label[labels[0]]; });
  if (!labelled.ok()) return At(plan.origin, labelled.status());
  keys = std::move(*labelled);
  if (keys.empty()) return Status::Ok();
  if (auto few = EnumerateTexts(keys, Budget(kMaxEnumeratedKeys))) {
    std::unordered_set<NameId> known;
    for (const KeyClass& key : plan.keys) known.insert(key.name);
    for (const auto& [text, text_label] : *few) {
      if (known.count(pool_->names.Add(text)) != 0) continue;
      object->properties.push_back({text, slots[text_label - 1].value, false});
      object->choices.push_back(slots[text_label - 1].choices);
    }
    return Status::Ok();
  }
  const bool any_key = slots.size() == 1 && IsAnyText(keys);
  if (!any_key) object->other_keys = std::make_shared<const TextAutomaton>(std::move(keys));
  for (Slot& slot : slots) {
    object->other_values.push_back(slot.value);
    object->choices.push_back(std::move(slot.choices));
  }
  return Status::Ok();
}

}  // namespace maskloom
