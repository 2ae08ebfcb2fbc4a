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

// What applies to keys that match just those `patterns` that `matched` says, and no others.
KeyClass NodeBuilder::ClassOf(const ObjectPlan& plan, const std::vector<PatternId>& patterns,
                              const std::vector<bool>& matched) const {
  const auto outcome_of = [&](const MemberRule& rule) {
    RuleOutcome outcome;
    bool covered = false;
    for (const MemberRule::Pattern& pattern : rule.patterns) {
      auto it = std::lower_bound(patterns.begin(), patterns.end(), pattern.pattern);
      if (it == patterns.end() || *it != pattern.pattern) continue;
      const size_t index = static_cast<size_t>(it - patterns.begin());
      if (index >= matched.size() || !matched[index]) continue;
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

// Returns a key under which classes meet that make no difference, whatever of the patterns behind
// `matched` is matched; "" for those that have no value.
Result<std::string> NodeBuilder::MeritOf(const ObjectPlan& plan,
                                         const std::vector<PatternId>& patterns,
                                         const std::vector<bool>& matched) {
  std::string merit;
  if (!plan.event_rules.empty()) {
    for (const bool one : matched) merit.push_back(one ? '1' : '0');
    return merit;
  }
  SchemaSet schemas;
  for (const MemberRule* rule : plan.rules) {
    bool covered = false;
    for (const MemberRule::Pattern& pattern : rule->patterns) {
      auto it = std::lower_bound(patterns.begin(), patterns.end(), pattern.pattern);
      if (it == patterns.end() || *it != pattern.pattern) continue;
      const size_t index = static_cast<size_t>(it - patterns.begin());
      if (index >= matched.size() || !matched[index]) continue;
      if (pattern.schema != kNoSchema) schemas.push_back(pattern.schema);
      covered = true;
    }
    if (rule->closed || rule->additional != kNoSchema) merit.push_back(covered ? '1' : '0');
  }
  Result<ValueId> value = ValueOf(std::move(schemas));
  if (!value.ok()) return value.status();
  if (*value == kNeverValue) return std::string();
  return merit + ' ' + std::to_string(*value);
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
  std::sort(patterns.begin(), patterns.end());
  patterns.erase(std::unique(patterns.begin(), patterns.end()), patterns.end());
  // classes[label - 1] is what is known of the keys with that label.
  std::vector<std::vector<bool>> classes{{}};
  TextAutomaton keys = AnyText();
  Status problem;
  for (const PatternId pattern : patterns) {
    std::vector<std::vector<bool>> next;
    std::map<std::string, uint32_t> label_of;
    const auto label = [&](const std::vector<uint32_t>& labels) -> uint32_t {
      if (labels[0] == TextAutomaton::kNotAccepting || !problem.ok()) return 0;
      std::vector<bool> matched = classes[labels[0] - 1];
      matched.push_back(labels[1] != TextAutomaton::kNotAccepting);
      Result<std::string> merit = MeritOf(plan, patterns, matched);
      if (!merit.ok()) problem = merit.status();
      if (!merit.ok() || merit->empty()) return 0;
      auto [it, added] = label_of.try_emplace(*merit, static_cast<uint32_t>(next.size() + 1));
      if (added) next.push_back(std::move(matched));
      if (next.size() > Budget(kMaxKeyClasses)) {
        problem =
            document_->ErrorAt(plan.origin, StatusCode::kResourceLimit,
                               "the patterns of this object split its keys into more than " +
                                   std::to_string(kMaxKeyClasses) + " classes, which is the limit");
      }
      return it->second;
    };
    Result<TextAutomaton> product =
        Product({&keys, pool_->patterns()->automaton(pattern).get()}, label);
    if (!problem.ok()) return problem;
    if (!product.ok()) return At(plan.origin, product.status());
    keys = std::move(*product);
    classes = std::move(next);
  }
  std::vector<Slot> slots;
  std::vector<uint32_t> slot_label(classes.size() + 1, TextAutomaton::kNotAccepting);
  for (size_t i = 0; i < classes.size(); ++i) {
    Result<Slot> slot = SlotOf(plan, ClassOf(plan, patterns, classes[i]));
    if (!slot.ok()) return slot.status();
    if (slot->value == kNeverValue) continue;
    auto known = std::find(slots.begin(), slots.end(), *slot);
    if (known == slots.end()) known = slots.insert(known, std::move(*slot));
    slot_label[i + 1] = static_cast<uint32_t>(known - slots.begin()) + 1;
  }
  if (slots.empty()) return Status::Ok();
  if (!patterns.empty()) {
    Result<TextAutomaton> labelled = Product(
        {&keys}, [&](const std::vector<uint32_t>& labels) { return slot_label[labels[0]]; });
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
