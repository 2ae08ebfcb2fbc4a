// Object constraints to object nodes: key classes.
//
// The rules of an object (one per schema that constrains members) split all keys into classes: the
// same rules' `properties` and patterns apply to all keys of a class, and `additionalProperties`
// of those rules where nothing of their own applies. A declared name is a class by itself: it
// joins, rule by rule, its property, the patterns that match it, or else the additional schema.
// All other keys are classed by the product of the pattern automata, whose label is the class.
// Example: {properties: {ab: A}, patternProperties: {^a: P, b$: Q}, additionalProperties: R}
//   ab -> A & P & Q;  a.. -> P;  ..b -> Q;  a..b -> P & Q;  everything else -> R.
// A pattern that matches few keys is replaced by their declaration. Classes whose values are equal
// are merged, and a class without a value is rejected by the automaton.
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "grammar/regular/regular.h"
#include "grammar/schema/node_builder.h"

namespace maskloom {

struct NodeBuilder::MemberRule {
  struct Property {
    NameId name;
    SchemaId schema;
  };
  SchemaId id = kNoSchema;
  std::vector<Property> properties;
  std::vector<SchemaFacts::PatternRule> patterns;
  SchemaId additional = kNoSchema;  // kNoSchema: anything
  bool closed = false;              // nothing beside `properties`
};

struct NodeBuilder::DeclaredKeys {
  struct Key {
    NameId name;
    SchemaSet schemas;
    SchemaId closed_by = kNoSchema;  // a rule that forbids it
    bool declared = false;           // by the rule that is being applied
    bool required = false;
  };
  std::vector<Key> keys;
};

Result<NodeBuilder::MemberRule> NodeBuilder::ReadMemberRule(SchemaId id) {
  MemberRule rule;
  rule.id = id;
  JsonIndex map = NodeOf(id);
  rule.closed = IsConstant(id);
  if (!IsConstant(id)) {
    Result<const SchemaFacts*> facts = reader_->Read(NodeOf(id));
    if (!facts.ok()) return facts.status();
    map = (*facts)->properties;
    rule.patterns = (*facts)->pattern_properties;
    rule.additional = (*facts)->additional_properties;
    rule.closed = rule.additional != kNoSchema && !IsConstant(rule.additional) &&
                  document_->kind(NodeOf(rule.additional)) == JsonKind::kFalse;
    if (rule.closed) rule.additional = kNoSchema;
  }
  if (map == kNoJson) return rule;
  rule.properties.reserve(document_->count(map));
  for (JsonIndex member = document_->first(map); member != kNoJson;
       member = document_->next(member)) {
    rule.properties.push_back({pool_->names.Add(document_->key(member)),
                               IsConstant(id) ? ConstantAt(member) : SchemaAt(member)});
  }
  return rule;
}

// Collects the declared names, in order: properties rule by rule, required names, the texts of
// small patterns; then joins what applies to each.
void NodeBuilder::DeclareKeys(const ObjectConstraint& constraint,
                              const std::vector<MemberRule>& rules, DeclaredKeys* declared) {
  std::vector<DeclaredKeys::Key>& keys = declared->keys;
  auto slot = [&](NameId name) -> DeclaredKeys::Key& {
    if (slot_of_name_.size() <= name) slot_of_name_.resize(pool_->names.size(), 0);
    if (slot_of_name_[name] == 0) {
      keys.push_back({name, {}});
      slot_of_name_[name] = static_cast<uint32_t>(keys.size());
    }
    return keys[slot_of_name_[name] - 1];
  };
  for (const MemberRule& rule : rules) {
    for (const MemberRule::Property& property : rule.properties) slot(property.name);
  }
  for (NameId name : constraint.required) slot(name).required = true;
  for (const MemberRule& rule : rules) {
    for (const SchemaFacts::PatternRule& pattern : rule.patterns) {
      const auto* texts = pool_->patterns()->small_language(pattern.pattern);
      if (texts == nullptr) continue;
      for (const std::u32string& text : *texts) slot(pool_->names.Add(text));
    }
  }
  for (const MemberRule& rule : rules) {
    for (DeclaredKeys::Key& key : keys) key.declared = false;
    for (const MemberRule::Property& property : rule.properties) {
      DeclaredKeys::Key& key = slot(property.name);
      // Of a repeated name the last member counts.
      if (key.declared) key.schemas.pop_back();
      key.schemas.push_back(property.schema);
      key.declared = true;
    }
    if (rule.patterns.empty() && rule.additional == kNoSchema && !rule.closed) continue;
    for (DeclaredKeys::Key& key : keys) {
      bool covered = key.declared;
      for (const SchemaFacts::PatternRule& pattern : rule.patterns) {
        if (!pool_->patterns()->Matches(pattern.pattern, pool_->names[key.name])) continue;
        key.schemas.push_back(pattern.schema);
        covered = true;
      }
      if (covered) continue;
      if (rule.closed) key.closed_by = rule.id;
      if (rule.additional != kNoSchema) key.schemas.push_back(rule.additional);
    }
  }
  for (const DeclaredKeys::Key& key : keys) slot_of_name_[key.name] = 0;
}

// Classes the undeclared keys by the patterns of all rules that match infinitely many keys.
Status NodeBuilder::BuildOtherKeys(const std::vector<MemberRule>& rules, DeclaredKeys* declared,
                                   ObjectNode* object) {
  std::vector<PatternId> patterns;
  for (const MemberRule& rule : rules) {
    for (const SchemaFacts::PatternRule& pattern : rule.patterns) {
      if (pool_->patterns()->small_language(pattern.pattern) == nullptr) {
        patterns.push_back(pattern.pattern);
      }
    }
  }
  std::sort(patterns.begin(), patterns.end());
  patterns.erase(std::unique(patterns.begin(), patterns.end()), patterns.end());
  // Returns the value of a class, given which patterns match its keys.
  auto value_of = [&](const std::vector<uint32_t>& labels) -> Result<ValueId> {
    SchemaSet schemas;
    for (const MemberRule& rule : rules) {
      bool covered = false;
      for (const SchemaFacts::PatternRule& pattern : rule.patterns) {
        auto it = std::lower_bound(patterns.begin(), patterns.end(), pattern.pattern);
        if (it == patterns.end() || *it != pattern.pattern) continue;
        if (labels[it - patterns.begin()] == TextAutomaton::kNotAccepting) continue;
        schemas.push_back(pattern.schema);
        covered = true;
      }
      if (covered) continue;
      if (rule.closed) return kNeverValue;
      if (rule.additional != kNoSchema) schemas.push_back(rule.additional);
    }
    return ValueOf(std::move(schemas));
  };
  if (patterns.empty()) {
    Result<ValueId> value = value_of({});
    if (!value.ok()) return value.status();
    if (*value != kNeverValue) object->other_values.push_back(*value);
    return Status::Ok();
  }
  std::vector<const TextAutomaton*> parts;
  for (PatternId pattern : patterns) parts.push_back(pool_->patterns()->automaton(pattern).get());
  std::map<std::vector<uint32_t>, uint32_t> label_of_class;
  Status problem;
  auto label = [&](const std::vector<uint32_t>& labels) -> uint32_t {
    auto [it, added] = label_of_class.try_emplace(labels, 0);
    if (!added || !problem.ok()) return it->second;
    if (label_of_class.size() > kMaxKeyClasses) {
      problem =
          document_->ErrorAt(NodeOf(rules[0].id), StatusCode::kResourceLimit,
                             "the patterns of this object split its keys into more than " +
                                 std::to_string(kMaxKeyClasses) + " classes, which is the limit");
      return 0;
    }
    Result<ValueId> value = value_of(labels);
    if (!value.ok()) {
      problem = value.status();
    } else if (*value != kNeverValue) {
      auto& values = object->other_values;
      auto known = std::find(values.begin(), values.end(), *value);
      if (known == values.end()) known = values.insert(known, *value);
      it->second = static_cast<uint32_t>(known - values.begin()) + 1;
    }
    return it->second;
  };
  Result<TextAutomaton> classes = Product(parts, label);
  if (!problem.ok()) return problem;
  if (!classes.ok()) return At(rules[0].id, classes.status());
  if (classes->empty()) {
    object->other_values.clear();
    return Status::Ok();
  }
  if (object->other_values.size() == 1 && IsAnyText(*classes)) return Status::Ok();
  if (auto few = EnumerateTexts(*classes, kMaxEnumeratedKeys)) {
    std::vector<NameId> known;
    for (const DeclaredKeys::Key& key : declared->keys) known.push_back(key.name);
    std::sort(known.begin(), known.end());
    for (const auto& [text, text_label] : *few) {
      NameId name = pool_->names.Add(text);
      if (std::binary_search(known.begin(), known.end(), name)) continue;
      object->properties.push_back({text, object->other_values[text_label - 1], false});
    }
    object->other_values.clear();
    return Status::Ok();
  }
  object->other_keys = std::make_shared<const TextAutomaton>(std::move(*classes));
  return Status::Ok();
}

Status NodeBuilder::BuildObject(ConstraintId id, NodeId node) {
  const ObjectConstraint constraint = pool_->objects[id];
  std::vector<MemberRule> rules;
  for (SchemaId rule_id : constraint.rules) {
    Result<MemberRule> rule = ReadMemberRule(rule_id);
    if (!rule.ok()) return rule.status();
    rules.push_back(std::move(*rule));
  }
  SchemaId id_of_object = rules.empty() ? SchemaAt(0) : rules[0].id;
  DeclaredKeys declared;
  DeclareKeys(constraint, rules, &declared);
  ObjectNode object;
  object.min_properties = constraint.min_properties;
  object.max_properties = constraint.max_properties;
  object.properties.reserve(declared.keys.size());
  for (DeclaredKeys::Key& key : declared.keys) {
    Result<ValueId> value = kNeverValue;
    const SchemaSet origin = key.required ? key.schemas : SchemaSet();
    if (key.closed_by == kNoSchema) value = ValueOf(std::move(key.schemas));
    if (!value.ok()) return value.status();
    if (key.required && *value == kNeverValue) {
      // The place that forbids the key: where it is described, or what closes the object.
      JsonIndex place = NodeOf(origin.empty() ? id_of_object : origin.front());
      if (key.closed_by != kNoSchema && !IsConstant(key.closed_by)) {
        place = document_->Find(NodeOf(key.closed_by), "additionalProperties");
      }
      normalizer_->AddConflict(place, place);
    }
    object.properties.push_back({pool_->names[key.name], *value, key.required});
  }
  if (Status status = BuildOtherKeys(rules, &declared, &object); !status.ok()) return status;
  grammar_->objects[node] = std::move(object);
  return Status::Ok();
}

}  // namespace maskloom
