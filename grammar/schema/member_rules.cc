// Rules about members, read into one shape; see member_rule.h.
#include <algorithm>
#include <utility>

#include "grammar/base/budget.h"
#include "grammar/schema/keyword_table.h"
#include "grammar/schema/node_builder.h"

namespace maskloom {

// Adds the schemas that `rule` gives the value under `name`. Returns whether there may be one.
bool NodeBuilder::AddOutcome(const MemberRule& rule, NameId name, SchemaSet* schemas) const {
  const auto apply = [&](SchemaId schema) {
    if (schema != kNoSchema) schemas->push_back(schema);
  };
  bool covered = false;
  if (auto it = rule.index_of.find(name); it != rule.index_of.end()) {
    apply(rule.properties[it->second].schema);
    covered = true;
  }
  for (const MemberRule::Pattern& pattern : rule.patterns) {
    if (!pool_->patterns()->Matches(pattern.pattern, pool_->names[name])) continue;
    apply(pattern.schema);
    covered = true;
  }
  if (covered) return true;
  apply(rule.additional);
  return !rule.closed;
}

// Returns what `rule` says of the value under `name`.
RuleOutcome NodeBuilder::OutcomeFor(const MemberRule& rule, NameId name) const {
  RuleOutcome outcome;
  outcome.forbidden = !AddOutcome(rule, name, &outcome.schemas);
  return outcome;
}

Result<const MemberRule*> NodeBuilder::MemberRuleOf(RuleId id) {
  if (auto it = member_rules_.find(id); it != member_rules_.end()) return it->second.get();
  const ChildRule rule = pool_->rules[id];
  auto result = std::make_unique<MemberRule>();
  result->id = id;
  // Reads the member keywords of a schema; `covers` alone: without what they say of values.
  const auto read = [&](SchemaId schema, bool covers) -> Status {
    Result<const SchemaFacts*> facts = reader_->Read(reader_->schemas()->node(schema));
    if (!facts.ok()) return facts.status();
    const auto child = [&](JsonIndex node) {
      return covers ? kNoSchema : normalizer_->AsValue(reader_->Child(schema, node));
    };
    if ((*facts)->properties != kNoJson) {
      for (JsonIndex member = document_->first((*facts)->properties); member != kNoJson;
           member = document_->next(member)) {
        result->AddProperty(pool_->names.Add(document_->key(member)), child(member));
      }
    }
    for (const SchemaFacts::PatternRule& pattern : (*facts)->pattern_properties) {
      result->patterns.push_back({pattern.pattern, child(pattern.schema)});
    }
    const JsonIndex additional = (*facts)->additional_properties;
    if (additional == kNoJson) return Status::Ok();
    result->closed = document_->kind(additional) == JsonKind::kFalse;
    if (!result->closed || covers) {
      result->additional = normalizer_->AsValue(reader_->Child(schema, additional));
    }
    return Status::Ok();
  };
  switch (rule.kind) {
    case ChildRule::Kind::kConstantMembers: {
      const JsonIndex object = reader_->schemas()->node(rule.schema);
      for (JsonIndex member = document_->first(object); member != kNoJson;
           member = document_->next(member)) {
        result->AddProperty(pool_->names.Add(document_->key(member)),
                            SchemaTable::ConstantAt(member));
      }
      result->closed = true;
      break;
    }
    case ChildRule::Kind::kMembers:
      if (Status status = read(rule.schema, false); !status.ok()) return status;
      break;
    case ChildRule::Kind::kMember:
      result->AddProperty(rule.evaluated, rule.schema);
      break;
    case ChildRule::Kind::kNames: {
      result->closed = true;
      Result<NormalForm> form = normalizer_->Evaluate(rule.schema);
      if (!form.ok()) return form.status();
      Result<Automaton> names = WholeLanguageOf(form->strings);
      if (!names.ok()) {
        // A length that is beyond what can be counted is at fault itself.
        const JsonIndex schema = reader_->schemas()->node(rule.schema);
        for (const char* keyword : {"minLength", "maxLength"}) {
          const JsonIndex length = document_->Find(schema, keyword);
          if (length != kNoJson && CountAt(*document_, length) > Budget(kMaxCountedLength)) {
            return At(length, names.status());
          }
        }
        return At(schema, names.status());
      }
      if (*names == nullptr) {
        result->closed = false;
      } else {
        const std::string key = "names " + std::to_string(form->strings);
        result->patterns.push_back(
            {pool_->patterns()->AddAutomaton(key, *names, 0, kNoMaximum), kNoSchema});
      }
      break;
    }
    default: {
      bool all_covered = false;
      for (const Evaluation& evaluation : pool_->evaluated_sets[rule.evaluated]) {
        if (evaluation.kind != Evaluation::Kind::kMembers) continue;
        if (Status status = read(evaluation.schema, true); !status.ok()) return status;
        all_covered |= result->additional != kNoSchema;
        result->additional = kNoSchema;
      }
      result->closed = !all_covered && normalizer_->IsTriviallyFalse(rule.schema);
      if (!all_covered && !result->closed) result->additional = rule.schema;
    }
  }
  return member_rules_.emplace(id, std::move(result)).first->second.get();
}

}  // namespace maskloom
