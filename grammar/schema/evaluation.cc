// Evaluation by cases, where `unevaluatedProperties` or `unevaluatedItems` need to know what
// applied; see normalizer.h.
#include <algorithm>
#include <map>
#include <unordered_set>
#include <utility>

#include "grammar/base/budget.h"
#include "grammar/schema/normalizer.h"

namespace maskloom {

uint32_t Normalizer::UniteEvaluated(uint32_t a, uint32_t b) {
  if (a == b || b == 0) return a;
  if (a == 0) return b;
  const EvaluatedSet& x = pool_->evaluated_sets[a];
  const EvaluatedSet& y = pool_->evaluated_sets[b];
  EvaluatedSet both;
  std::set_union(x.begin(), x.end(), y.begin(), y.end(), std::back_inserter(both));
  // Where everything is evaluated, by what does not matter.
  const auto holds = [&](Evaluation::Kind kind) {
    return std::binary_search(both.begin(), both.end(), Evaluation{kind, kNoSchema});
  };
  const bool all_members = holds(Evaluation::Kind::kAllMembers);
  const bool all_items = holds(Evaluation::Kind::kAllItems);
  std::erase_if(both, [&](const Evaluation& one) {
    return (all_members && one.kind == Evaluation::Kind::kMembers) ||
           (all_items &&
            (one.kind == Evaluation::Kind::kItems || one.kind == Evaluation::Kind::kContained));
  });
  return pool_->evaluated_sets.Add(std::move(both));
}

uint32_t Normalizer::AddEvaluation(uint32_t set, Evaluation evaluation) {
  return UniteEvaluated(set, pool_->evaluated_sets.Add({evaluation}));
}

Normalizer::Cases Normalizer::MergeCases(Cases cases) {
  std::map<uint32_t, std::vector<NormalForm>> by_evaluated;
  for (const Case& one : cases) {
    if (!one.form.IsEmpty()) by_evaluated[one.evaluated].push_back(one.form);
  }
  Cases merged;
  for (const auto& [evaluated, forms] : by_evaluated) merged.push_back({Unite(forms), evaluated});
  return merged;
}

Result<Normalizer::Cases> Normalizer::JoinCases(const Cases& a, const Cases& b, JsonIndex at) {
  Cases joint;
  for (const Case& x : a) {
    for (const Case& y : b) {
      joint.push_back({Join(pool_, x.form, y.form), UniteEvaluated(x.evaluated, y.evaluated)});
    }
    if (joint.size() > Budget(kMaxCases)) joint = MergeCases(std::move(joint));
    if (joint.size() > Budget(kMaxCases) || pool_->exhausted()) {
      return document_->ErrorAt(at, StatusCode::kResourceLimit,
                                "what is unevaluated here depends on more than " +
                                    std::to_string(kMaxCases) +
                                    " combinations of subschemas, which is the limit");
    }
  }
  return MergeCases(std::move(joint));
}

Result<Normalizer::Cases> Normalizer::AnyOfCases(SchemaId id, JsonIndex list) {
  Cases some;
  for (const SchemaId branch : ChildrenOf(id, list)) {
    const JsonIndex at = reader_->schemas()->node(branch);
    const Cases& taken = current_cases(branch);
    Result<Cases> more = JoinCases(some, taken, at);
    if (!more.ok()) return more;
    some.insert(some.end(), more->begin(), more->end());
    some.insert(some.end(), taken.begin(), taken.end());
    some = MergeCases(std::move(some));
  }
  return some;
}

Result<Normalizer::Cases> Normalizer::OneOfCases(SchemaId id, JsonIndex list) {
  const std::vector<SchemaId> branches = ChildrenOf(id, list);
  Cases cases;
  for (const SchemaId branch : branches) {
    NormalForm others = NormalForm::Everything();
    for (const SchemaId other : branches) {
      if (other != branch) others = Join(pool_, others, Opposite(current(other)));
    }
    for (const Case& one : current_cases(branch)) {
      cases.push_back({Join(pool_, one.form, others), one.evaluated});
    }
  }
  return MergeCases(std::move(cases));
}

Result<Normalizer::Cases> Normalizer::CasesOf(SchemaId id) {
  SchemaTable& schemas = *reader_->schemas();
  if (schemas.kind(id) != SchemaKind::kNode) return Cases{{current(id), 0}};
  const JsonIndex node = schemas.node(id);
  if (document_->kind(node) == JsonKind::kTrue) return Cases{{NormalForm::Everything(), 0}};
  if (document_->kind(node) == JsonKind::kFalse) return Cases();
  Result<const SchemaFacts*> facts = reader_->Read(node);
  if (!facts.ok()) return facts.status();
  return CasesOfNode(id, **facts);
}

Result<Normalizer::Cases> Normalizer::CasesOfNode(SchemaId id, const SchemaFacts& facts) {
  // What evaluates nothing is said by the plain form of the schema without the rest.
  SchemaFacts plain = facts;
  plain.reference = plain.dynamic_reference = kNoJson;
  plain.all_of = plain.any_of = plain.one_of = plain.condition = kNoJson;
  std::erase_if(plain.dependencies, [](const auto& dependency) { return !dependency.names; });
  Result<NormalForm> own = FormOfNode(id, plain);
  if (!own.ok()) return own.status();
  uint32_t evaluated = 0;
  if (facts.ConstrainsMembers()) {
    evaluated = AddEvaluation(evaluated, {Evaluation::Kind::kMembers, id});
  }
  if (facts.ConstrainsItems()) {
    evaluated = AddEvaluation(evaluated, {Evaluation::Kind::kItems, id});
  }
  if (facts.contains != kNoJson && facts.draft == Draft::kDraft2020) {
    evaluated = AddEvaluation(
        evaluated, {Evaluation::Kind::kContained, reader_->TestChild(id, facts.contains)});
  }
  Cases cases{{*own, evaluated}};
  const auto join = [&](const Cases& part, JsonIndex at) {
    Result<Cases> joint = JoinCases(cases, part, at);
    if (!joint.ok()) return joint.status();
    if (joint->empty() && !cases.empty() && !part.empty()) {
      const JsonIndex node = reader_->schemas()->node(id);
      const JsonIndex type = document_->Find(node, "type");
      AddConflict(type != kNoJson ? type : node, at);
    }
    cases = std::move(*joint);
    return Status::Ok();
  };
  Status status;
  if (facts.reference != kNoJson) {
    status = join(current_cases(*reader_->Reference(id)), facts.reference);
    if (!status.ok()) return status;
  }
  if (facts.dynamic_reference != kNoJson) {
    status = join(current_cases(*reader_->DynamicReference(id)), facts.dynamic_reference);
    if (!status.ok()) return status;
  }
  for (const SchemaId part : ChildrenOf(id, facts.all_of)) {
    status = join(current_cases(part), reader_->schemas()->node(part));
    if (!status.ok()) return status;
  }
  if (facts.any_of != kNoJson) {
    Result<Cases> some = AnyOfCases(id, facts.any_of);
    if (!some.ok()) return some;
    if (status = join(*some, facts.any_of); !status.ok()) return status;
  }
  if (facts.one_of != kNoJson) {
    Result<Cases> one = OneOfCases(id, facts.one_of);
    if (!one.ok()) return one;
    if (status = join(*one, facts.one_of); !status.ok()) return status;
  }
  if (facts.condition != kNoJson) {
    const SchemaId condition = reader_->TestChild(id, facts.condition);
    const auto branch = [&](const Cases& when, JsonIndex then) -> Result<Cases> {
      if (then == kNoJson) return when;
      return JoinCases(when, current_cases(reader_->Child(id, then)), then);
    };
    Result<Cases> met = branch(current_cases(condition), facts.consequence);
    if (!met.ok()) return met;
    Result<Cases> unmet = branch({{Opposite(current(condition)), 0}}, facts.alternative);
    if (!unmet.ok()) return unmet;
    met->insert(met->end(), unmet->begin(), unmet->end());
    status = join(MergeCases(std::move(*met)), facts.condition);
    if (!status.ok()) return status;
  }
  for (const SchemaFacts::Dependency& dependency : facts.dependencies) {
    if (dependency.names) continue;
    const FormulaId present =
        pool_->Literal(LiteralKind::kPresent, pool_->names.Add(document_->key(dependency.member)));
    NormalForm without = NormalForm::Everything();
    without.objects = Negation(present);
    NormalForm with;
    with.objects = present;
    Result<Cases> met = JoinCases({{with, 0}}, current_cases(reader_->Child(id, dependency.member)),
                                  dependency.member);
    if (!met.ok()) return met;
    met->push_back({without, 0});
    status = join(MergeCases(std::move(*met)), dependency.member);
    if (!status.ok()) return status;
  }
  if (status = ApplyUnevaluated(id, facts, &cases); !status.ok()) return status;
  return MergeCases(std::move(cases));
}

Result<NormalForm> Normalizer::FormOfClosed(SchemaId id) {
  // As with `unevaluatedProperties: false` and `unevaluatedItems: false`, where the schema or what
  // it applies in place speaks of members or items, and nothing there opens them.
  SchemaTable& schemas = *reader_->schemas();
  const SchemaId part = schemas.parts(id)[0];
  const Cases& cases = current_cases(part);
  bool has_members = false;
  bool has_items = false;
  // What is tracked is applied in place; whether it can ever apply does not matter here.
  std::unordered_set<SchemaId> seen{schemas.Tracked(part)};
  std::vector<SchemaId> next(seen.begin(), seen.end());
  while (!next.empty()) {
    const SchemaId tracked = next.back();
    next.pop_back();
    const JsonIndex node = schemas.node(tracked);
    if (schemas.kind(schemas.parts(tracked)[0]) != SchemaKind::kNode ||
        !document_->IsObject(node)) {
      continue;
    }
    Result<const SchemaFacts*> facts = reader_->Read(node);
    if (!facts.ok()) return facts.status();
    has_members |= (*facts)->ConstrainsMembers();
    has_items |= (*facts)->ConstrainsItems();
    Result<std::vector<Dependency>> inner = DependenciesOf(tracked);
    if (!inner.ok()) return inner.status();
    for (const Dependency& one : *inner) {
      if (schemas.kind(one.id) == SchemaKind::kTracked && seen.insert(one.id).second) {
        next.push_back(one.id);
      }
    }
  }
  const SchemaId never = schemas.Never(part);
  std::vector<NormalForm> forms;
  for (const Case& one : cases) {
    bool members_are_open = !has_members;
    bool items_are_open = !has_items;
    for (const Evaluation& evaluation : pool_->evaluated_sets[one.evaluated]) {
      members_are_open |= evaluation.kind == Evaluation::Kind::kAllMembers;
      items_are_open |= evaluation.kind == Evaluation::Kind::kAllItems;
      if (evaluation.schema == kNoSchema || schemas.kind(evaluation.schema) != SchemaKind::kNode) {
        continue;
      }
      Result<const SchemaFacts*> facts = reader_->Read(schemas.node(evaluation.schema));
      if (!facts.ok()) return facts.status();
      members_are_open |= evaluation.kind == Evaluation::Kind::kMembers &&
                          (*facts)->additional_properties != kNoJson;
      items_are_open |= evaluation.kind == Evaluation::Kind::kItems && (*facts)->items != kNoJson;
    }
    NormalForm form = one.form;
    const auto close = [&](ChildRule::Kind kind, FormulaId NormalForm::*member) {
      const uint32_t rule = pool_->rules.Add({kind, never, one.evaluated});
      form.*member = pool_->And({form.*member, pool_->Literal(LiteralKind::kKeeps, rule)});
    };
    if (!members_are_open) close(ChildRule::Kind::kUnevaluatedMembers, &NormalForm::objects);
    if (!items_are_open) close(ChildRule::Kind::kUnevaluatedItems, &NormalForm::arrays);
    forms.push_back(form);
  }
  return Unite(forms);
}

Status Normalizer::ApplyUnevaluated(SchemaId id, const SchemaFacts& facts, Cases* cases) {
  const auto keep = [&](Case* one, ChildRule rule, FormulaId NormalForm::*member) {
    if (IsTriviallyTrue(rule.schema)) return;
    const FormulaId kept = pool_->Literal(LiteralKind::kKeeps, pool_->rules.Add(rule));
    one->form.*member = pool_->And({one->form.*member, kept});
  };
  for (Case& one : *cases) {
    const EvaluatedSet& set = pool_->evaluated_sets[one.evaluated];
    const auto holds = [&](Evaluation::Kind kind) {
      return std::binary_search(set.begin(), set.end(), Evaluation{kind, kNoSchema});
    };
    const bool all_items = holds(Evaluation::Kind::kAllItems);
    const bool all_members = holds(Evaluation::Kind::kAllMembers);
    const uint32_t before = one.evaluated;
    if (facts.unevaluated_items != kNoJson) {
      const SchemaId schema = AsValue(reader_->Child(id, facts.unevaluated_items));
      if (!all_items) {
        keep(&one, {ChildRule::Kind::kUnevaluatedItems, schema, before}, &NormalForm::arrays);
      }
      one.evaluated = AddEvaluation(one.evaluated, {Evaluation::Kind::kAllItems, kNoSchema});
    }
    if (facts.unevaluated_properties != kNoJson) {
      const SchemaId schema = AsValue(reader_->Child(id, facts.unevaluated_properties));
      if (!all_members) {
        keep(&one, {ChildRule::Kind::kUnevaluatedMembers, schema, before}, &NormalForm::objects);
      }
      one.evaluated = AddEvaluation(one.evaluated, {Evaluation::Kind::kAllMembers, kNoSchema});
    }
  }
  return Status::Ok();
}

}  // namespace maskloom
