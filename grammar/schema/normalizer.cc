// In-place evaluation: strongly connected components, then keyword by keyword.
#include "grammar/schema/normalizer.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include "grammar/base/budget.h"

namespace maskloom {
namespace {

bool HasUnevaluated(const SchemaFacts& facts) {
  return facts.unevaluated_items != kNoJson || facts.unevaluated_properties != kNoJson;
}

}  // namespace

Normalizer::Normalizer(const SchemaDocument* document, SchemaReader* reader, FormulaPool* pool)
    : document_(document), reader_(reader), pool_(pool) {
  pool_->evaluated_sets.Add({});  // set 0: nothing
}

bool Normalizer::IsTriviallyTrue(SchemaId id) const {
  if (reader_->schemas()->kind(id) != SchemaKind::kNode) return false;
  const JsonIndex node = reader_->schemas()->node(id);
  return document_->kind(node) == JsonKind::kTrue ||
         (document_->IsObject(node) && document_->count(node) == 0);
}

bool Normalizer::IsTriviallyFalse(SchemaId id) const {
  const SchemaKind kind = reader_->schemas()->kind(id);
  return (kind == SchemaKind::kNode &&
          document_->kind(reader_->schemas()->node(id)) == JsonKind::kFalse) ||
         (kind == SchemaKind::kAnyOf && reader_->schemas()->parts(id).empty());
}

SchemaId Normalizer::AsValue(SchemaId id) {
  SchemaTable& schemas = *reader_->schemas();
  if (!reader_->options().closed || schemas.kind(id) != SchemaKind::kNode ||
      (schemas.scope(id) & kTestScope) != 0 || !document_->IsObject(schemas.node(id)) ||
      IsTriviallyTrue(id)) {
    return id;
  }
  return schemas.Closed(id);
}

std::vector<SchemaId> Normalizer::ChildrenOf(SchemaId id, JsonIndex list) {
  std::vector<SchemaId> children;
  if (list == kNoJson) return children;
  for (JsonIndex item = document_->first(list); item != kNoJson; item = document_->next(item)) {
    children.push_back(reader_->Child(id, item));
  }
  return children;
}

Result<std::vector<Normalizer::Dependency>> Normalizer::DependenciesOf(SchemaId id) {
  std::vector<Dependency> found;
  SchemaTable& schemas = *reader_->schemas();
  const SchemaKind kind = schemas.kind(id);
  if (kind == SchemaKind::kConstant) return found;
  if (kind == SchemaKind::kNot || kind == SchemaKind::kAnyOf) {
    for (const SchemaId part : schemas.parts(id)) found.push_back({part, kind == SchemaKind::kNot});
    return found;
  }
  if (kind == SchemaKind::kClosed) {
    return std::vector<Dependency>{{schemas.Tracked(schemas.parts(id)[0]), false}};
  }
  const bool tracked = kind == SchemaKind::kTracked;
  const SchemaId plain = tracked ? schemas.parts(id)[0] : id;
  if (tracked && schemas.kind(plain) != SchemaKind::kNode) {
    found.push_back({plain, false});
    return found;
  }
  if (!document_->IsObject(schemas.node(plain))) return found;
  Result<const SchemaFacts*> read = reader_->Read(schemas.node(plain));
  if (!read.ok()) return read.status();
  const SchemaFacts& facts = **read;
  const bool by_cases = tracked || HasUnevaluated(facts);
  const auto add = [&](SchemaId part, bool strict) {
    found.push_back({by_cases ? schemas.Tracked(part) : part, strict});
    if (by_cases && strict) found.push_back({part, strict});
  };
  if (facts.reference != kNoJson) {
    Result<SchemaId> target = reader_->Reference(plain);
    if (!target.ok()) return target.status();
    add(*target, false);
  }
  if (facts.dynamic_reference != kNoJson) {
    Result<SchemaId> target = reader_->DynamicReference(plain);
    if (!target.ok()) return target.status();
    add(*target, false);
  }
  for (const SchemaId part : ChildrenOf(plain, facts.all_of)) add(part, false);
  for (const SchemaId part : ChildrenOf(plain, facts.any_of)) add(part, false);
  for (const SchemaId part : ChildrenOf(plain, facts.one_of)) add(part, true);
  if (facts.negated != kNoJson) found.push_back({reader_->TestChild(plain, facts.negated), true});
  if (facts.condition != kNoJson) {
    add(reader_->TestChild(plain, facts.condition), true);
    for (const JsonIndex branch : {facts.consequence, facts.alternative}) {
      if (branch != kNoJson) add(reader_->Child(plain, branch), false);
    }
  }
  for (const SchemaFacts::Dependency& dependency : facts.dependencies) {
    if (!dependency.names) add(reader_->Child(plain, dependency.member), false);
  }
  return found;
}

Result<NormalForm> Normalizer::Evaluate(SchemaId id) {
  if (results_[id].done) return current(id);
  // Tarjan's algorithm with a stack of its own: components come out after those they depend on.
  struct Visit {
    SchemaId id;
    std::vector<Dependency> dependencies;
    size_t next = 0;
    uint32_t number = 0;
    uint32_t low = 0;
    bool loops = false;  // depends on itself
  };
  std::vector<Visit> path;
  std::vector<SchemaId> open;  // of components that are not yet complete
  std::unordered_map<SchemaId, uint32_t> numbers;
  const auto enter = [&](SchemaId next) -> Status {
    Result<std::vector<Dependency>> dependencies = DependenciesOf(next);
    if (!dependencies.ok()) return dependencies.status();
    const uint32_t number = static_cast<uint32_t>(numbers.size());
    numbers.emplace(next, number);
    open.push_back(next);
    path.push_back({next, std::move(*dependencies), 0, number, number});
    return Status::Ok();
  };
  if (Status status = enter(id); !status.ok()) return status;
  while (!path.empty()) {
    Visit& top = path.back();
    if (top.next < top.dependencies.size()) {
      const SchemaId part = top.dependencies[top.next++].id;
      if (results_[part].done) continue;
      if (auto it = numbers.find(part); it != numbers.end()) {
        top.low = std::min(top.low, it->second);
        top.loops |= part == top.id;
        continue;
      }
      if (Status status = enter(part); !status.ok()) return status;
      continue;
    }
    const Visit visit = std::move(path.back());
    path.pop_back();
    if (!path.empty()) path.back().low = std::min(path.back().low, visit.low);
    if (visit.low != visit.number) continue;
    const auto first = std::find(open.begin(), open.end(), visit.id);
    const std::vector<SchemaId> members(first, open.end());
    open.erase(first, open.end());
    Status status = SolveComponent(members, members.size() > 1 || visit.loops);
    if (!status.ok()) return status;
  }
  return current(id);
}

Status Normalizer::SolveComponent(const std::vector<SchemaId>& members, bool is_loop) {
  const auto error = [&](SchemaId at, StatusCode code, const char* message) {
    return document_->ErrorAt(reader_->schemas()->node(at), code, message);
  };
  if (is_loop) {
    for (const SchemaId member : members) {
      Result<std::vector<Dependency>> dependencies = DependenciesOf(member);
      if (!dependencies.ok()) return dependencies.status();
      for (const Dependency& dependency : *dependencies) {
        if (dependency.strict && !results_[dependency.id].done) {
          return error(member, StatusCode::kInvalidDefinition,
                       "this schema refers back to itself through `not`, `oneOf` or `if` without a "
                       "property or an item between, which has no meaning");
        }
      }
    }
  }
  bool changed = true;
  for (int round = 0; changed; ++round) {
    if (round == Budget(kMaxRounds)) {
      return error(members[0], StatusCode::kResourceLimit,
                   "the references of this schema loop in too many ways");
    }
    changed = false;
    for (auto member = members.rbegin(); member != members.rend(); ++member) {
      Result<bool> moved = Combine(*member);
      if (!moved.ok()) return moved.status();
      if (pool_->exhausted()) {
        return error(*member, StatusCode::kResourceLimit,
                     "the parts of this schema combine in too many ways");
      }
      changed |= *moved && is_loop;
    }
  }
  bool is_empty = true;
  for (const SchemaId member : members) {
    results_[member].done = true;
    is_empty &= results_[member].form.IsEmpty() && results_[member].cases.empty();
  }
  for (const SchemaId member : members) {
    if (Status status = NoteEmptyBranches(member); !status.ok()) return status;
  }
  if (is_loop && is_empty) {
    return error(members[0], StatusCode::kInvalidDefinition,
                 "this schema refers back to itself without describing any value; a loop of "
                 "references must pass through a property, an item or an `anyOf` branch that ends");
  }
  return Status::Ok();
}

Result<bool> Normalizer::Combine(SchemaId id) {
  if (reader_->schemas()->kind(id) == SchemaKind::kTracked) {
    Result<Cases> cases = CasesOf(reader_->schemas()->parts(id)[0]);
    if (!cases.ok()) return cases.status();
    if (results_[id].cases == *cases) return false;
    results_[id].cases = std::move(*cases);
    return true;
  }
  Result<NormalForm> form = FormOf(id);
  if (!form.ok()) return form.status();
  if (results_[id].form == *form) return false;
  results_[id].form = *form;
  return true;
}

Result<NormalForm> Normalizer::FormOf(SchemaId id) {
  SchemaTable& schemas = *reader_->schemas();
  const JsonIndex node = schemas.node(id);
  switch (schemas.kind(id)) {
    case SchemaKind::kConstant:
      return Constants({node});
    case SchemaKind::kNot:
      return Opposite(current(schemas.parts(id)[0]));
    case SchemaKind::kAnyOf: {
      std::vector<NormalForm> parts;
      for (const SchemaId part : schemas.parts(id)) parts.push_back(current(part));
      return Unite(parts);
    }
    case SchemaKind::kClosed:
      return FormOfClosed(id);
    default:
      break;
  }
  if (document_->kind(node) == JsonKind::kTrue) return NormalForm::Everything();
  if (document_->kind(node) == JsonKind::kFalse) return NormalForm();
  Result<const SchemaFacts*> facts = reader_->Read(node);
  if (!facts.ok()) return facts.status();
  if (!HasUnevaluated(**facts)) return FormOfNode(id, **facts);
  Result<Cases> cases = CasesOfNode(id, **facts);
  if (!cases.ok()) return cases.status();
  std::vector<NormalForm> parts;
  for (const Case& one : *cases) parts.push_back(one.form);
  return Unite(parts);
}

NormalForm Normalizer::Unite(const std::vector<NormalForm>& parts) {
  NormalForm result;
  const auto unite = [&](FormulaId NormalForm::*member) {
    std::vector<FormulaId> formulas;
    for (const NormalForm& part : parts) formulas.push_back(part.*member);
    result.*member = pool_->Or(std::move(formulas));
  };
  for (const NormalForm& part : parts) {
    result.allows_null |= part.allows_null;
    result.allows_true |= part.allows_true;
    result.allows_false |= part.allows_false;
  }
  unite(&NormalForm::strings);
  unite(&NormalForm::numbers);
  unite(&NormalForm::arrays);
  unite(&NormalForm::objects);
  return result;
}

NormalForm Normalizer::JoinAll(const std::vector<NormalForm>& parts) {
  NormalForm result = NormalForm::Everything();
  const auto join = [&](FormulaId NormalForm::*member) {
    std::vector<FormulaId> formulas;
    for (const NormalForm& part : parts) formulas.push_back(part.*member);
    result.*member = pool_->And(std::move(formulas));
  };
  for (const NormalForm& part : parts) {
    result.allows_null &= part.allows_null;
    result.allows_true &= part.allows_true;
    result.allows_false &= part.allows_false;
  }
  join(&NormalForm::strings);
  join(&NormalForm::numbers);
  join(&NormalForm::arrays);
  join(&NormalForm::objects);
  return result;
}

NormalForm Normalizer::ExactlyOne(const std::vector<NormalForm>& parts) {
  NormalForm result;
  const auto once = [&](bool NormalForm::*member) {
    return std::count_if(parts.begin(), parts.end(),
                         [&](const NormalForm& part) { return part.*member; }) == 1;
  };
  const auto gather = [&](FormulaId NormalForm::*member) {
    std::vector<FormulaId> formulas;
    for (const NormalForm& part : parts) {
      if (part.*member != kFalseFormula) formulas.push_back(part.*member);
    }
    return ExactlyOneOf(std::move(formulas));
  };
  result.allows_null = once(&NormalForm::allows_null);
  result.allows_true = once(&NormalForm::allows_true);
  result.allows_false = once(&NormalForm::allows_false);
  result.strings = gather(&NormalForm::strings);
  result.numbers = gather(&NormalForm::numbers);
  result.arrays = gather(&NormalForm::arrays);
  result.objects = gather(&NormalForm::objects);
  return result;
}

FormulaId Normalizer::ExactlyOneOf(std::vector<FormulaId> parts) {
  if (parts.empty()) return kFalseFormula;
  if (parts.size() == 1) return parts[0];
  // Finite sets are counted member by member; what is left of them joins as one part.
  std::vector<FormulaId> sets;
  std::vector<FormulaId> others;
  for (const FormulaId part : parts) {
    const bool is_set =
        pool_->IsLiteral(part) && pool_->positive(part) &&
        (pool_->kind(part) == LiteralKind::kTextIn || pool_->kind(part) == LiteralKind::kNumberIn);
    (is_set ? sets : others).push_back(part);
  }
  std::vector<FormulaId> result;
  if (!sets.empty()) {
    const auto once_and_all = [](auto values, auto* once, auto* all) {
      std::sort(values.begin(), values.end());
      for (size_t i = 0; i < values.size();) {
        size_t end = i + 1;
        while (end < values.size() && values[end] == values[i]) ++end;
        if (end == i + 1) once->push_back(values[i]);
        all->push_back(values[i]);
        i = end;
      }
    };
    FormulaId once;
    FormulaId all;
    if (pool_->kind(sets[0]) == LiteralKind::kTextIn) {
      TextSet texts, once_texts, all_texts;
      for (const FormulaId set : sets) {
        const TextSet& more = pool_->text_sets[pool_->index(set)];
        texts.insert(texts.end(), more.begin(), more.end());
      }
      once_and_all(std::move(texts), &once_texts, &all_texts);
      once = AnyTextIn(std::move(once_texts));
      all = AnyTextIn(std::move(all_texts));
    } else {
      DecimalSet values, once_values, all_values;
      for (const FormulaId set : sets) {
        const DecimalSet& more = pool_->decimal_sets[pool_->index(set)];
        values.insert(values.end(), more.begin(), more.end());
      }
      once_and_all(std::move(values), &once_values, &all_values);
      once = AnyNumberIn(std::move(once_values));
      all = AnyNumberIn(std::move(all_values));
    }
    std::vector<FormulaId> only_once{once};
    for (const FormulaId other : others) only_once.push_back(Negation(other));
    result.push_back(pool_->And(std::move(only_once)));
    if (others.empty()) return result[0];
    result.push_back(pool_->And({Negation(all), ExactlyOneOf(std::move(others))}));
    return pool_->Or(std::move(result));
  }
  std::vector<FormulaId> opposites;
  for (const FormulaId part : parts) opposites.push_back(Negation(part));
  for (size_t i = 0; i < parts.size(); ++i) {
    std::vector<FormulaId> joint = opposites;
    joint[i] = parts[i];
    result.push_back(pool_->And(std::move(joint)));
  }
  return pool_->Or(std::move(result));
}

void Normalizer::AddConflict(JsonIndex a, JsonIndex b) {
  if (conflicts_.size() >= kMaxConflicts) return;
  conflicts_.push_back({a, b});
}

void Normalizer::AddNote(JsonIndex place, std::string text) {
  if (notes_.size() < kMaxNotes) notes_.push_back({place, std::move(text)});
}

Status Normalizer::NoteEmptyBranches(SchemaId id) {
  const SchemaTable& schemas = *reader_->schemas();
  if (schemas.kind(id) != SchemaKind::kNode || !document_->IsObject(schemas.node(id))) {
    return Status::Ok();
  }
  Result<const SchemaFacts*> facts = reader_->Read(schemas.node(id));
  if (!facts.ok()) return facts.status();
  for (const JsonIndex list : {(*facts)->any_of, (*facts)->one_of}) {
    if (list == kNoJson) continue;
    NormalForm beside = NormalForm::Everything();
    if (reader_->options().explain && !HasUnevaluated(**facts)) {
      SchemaFacts rest = **facts;
      (list == rest.any_of ? rest.any_of : rest.one_of) = kNoJson;
      Result<NormalForm> form = FormOfNode(id, rest);
      if (!form.ok()) return form.status();
      beside = *form;
    }
    for (const SchemaId branch : ChildrenOf(id, list)) {
      if (IsTriviallyFalse(branch)) continue;
      if (current(branch).IsEmpty()) {
        AddNote(schemas.node(branch), "nothing satisfies this branch; it is left out");
      } else if (reader_->options().explain && Join(pool_, beside, current(branch)).IsEmpty()) {
        AddNote(schemas.node(branch), "contradicts what stands beside `" +
                                          std::string(document_->key(list)) +
                                          "`; this branch is left out");
      }
    }
  }
  return Status::Ok();
}

Result<NormalForm> Normalizer::FormOfNode(SchemaId id, const SchemaFacts& facts) {
  const JsonIndex node = reader_->schemas()->node(id);
  NormalForm joint = OwnKeywords(id, facts);
  // What was joined, and where it stands: a contradiction names the first that does not go with
  // what is met.
  std::vector<std::pair<NormalForm, JsonIndex>> joined;
  joined.push_back({joint, node});
  const auto join = [&](const NormalForm& part, JsonIndex at) {
    const NormalForm next = Join(pool_, joint, part);
    if (next.IsEmpty() && !joint.IsEmpty()) {
      if (!part.IsEmpty()) {
        const auto with = std::find_if(joined.begin(), joined.end(), [&](const auto& earlier) {
          return Join(pool_, earlier.first, part).IsEmpty();
        });
        JsonIndex place = with != joined.end() ? with->second : node;
        // What it says by itself, first of all its type.
        const JsonIndex type = place == node ? document_->Find(node, "type") : kNoJson;
        AddConflict(type != kNoJson ? type : place, at);
      }
      if (document_->kind(at) == JsonKind::kFalse) AddConflict(at, at);
    }
    joined.push_back({part, at});
    joint = next;
  };
  if (facts.enumeration != kNoJson) {
    std::vector<JsonIndex> values;
    for (JsonIndex value = document_->first(facts.enumeration); value != kNoJson;
         value = document_->next(value)) {
      values.push_back(value);
    }
    Result<NormalForm> constants = Constants(values);
    if (!constants.ok()) return constants;
    if (values.empty()) AddConflict(facts.enumeration, facts.enumeration);
    join(*constants, facts.enumeration);
  }
  if (facts.constant != kNoJson) {
    Result<NormalForm> constants = Constants({facts.constant});
    if (!constants.ok()) return constants;
    join(*constants, facts.constant);
  }
  if (facts.reference != kNoJson) {
    Result<SchemaId> target = reader_->Reference(id);
    if (!target.ok()) return target.status();
    join(current(*target), facts.reference);
  }
  if (facts.dynamic_reference != kNoJson) {
    Result<SchemaId> target = reader_->DynamicReference(id);
    if (!target.ok()) return target.status();
    join(current(*target), facts.dynamic_reference);
  }
  // A long list is joined at once, which is less work; one by one where they contradict.
  constexpr size_t kLongList = 8;
  const std::vector<SchemaId> all_of = ChildrenOf(id, facts.all_of);
  NormalForm at_once;
  if (all_of.size() > kLongList) {
    std::vector<NormalForm> parts{joint};
    for (const SchemaId part : all_of) parts.push_back(current(part));
    at_once = JoinAll(parts);
  }
  if (!at_once.IsEmpty()) {
    joint = at_once;
    for (const SchemaId part : all_of) {
      joined.push_back({current(part), reader_->schemas()->node(part)});
    }
  } else {
    for (const SchemaId part : all_of) join(current(part), reader_->schemas()->node(part));
  }
  const auto forms_of = [&](JsonIndex list) {
    std::vector<NormalForm> forms;
    for (const SchemaId part : ChildrenOf(id, list)) forms.push_back(current(part));
    return forms;
  };
  if (facts.any_of != kNoJson) join(Unite(forms_of(facts.any_of)), facts.any_of);
  if (facts.one_of != kNoJson) join(ExactlyOne(forms_of(facts.one_of)), facts.one_of);
  if (facts.negated != kNoJson) {
    join(Opposite(current(reader_->TestChild(id, facts.negated))), facts.negated);
  }
  if (facts.condition != kNoJson) {
    const NormalForm condition = current(reader_->TestChild(id, facts.condition));
    const auto branch = [&](const NormalForm& when, JsonIndex then) {
      return then == kNoJson ? when : Join(pool_, when, current(reader_->Child(id, then)));
    };
    join(Unite({branch(condition, facts.consequence),
                branch(Opposite(condition), facts.alternative)}),
         facts.condition);
  }
  for (const SchemaFacts::Dependency& dependency : facts.dependencies) {
    if (dependency.names) continue;
    NormalForm part = NormalForm::Everything();
    const NameId name = pool_->names.Add(document_->key(dependency.member));
    part.objects = pool_->Or({Negation(pool_->Literal(LiteralKind::kPresent, name)),
                              current(reader_->Child(id, dependency.member)).objects});
    join(part, dependency.member);
  }
  return joint;
}

Result<NormalForm> Normalizer::EvaluateAll(const std::vector<SchemaId>& ids) {
  NormalForm joint = NormalForm::Everything();
  for (const SchemaId id : ids) {
    Result<NormalForm> part = Evaluate(id);
    if (!part.ok()) return part.status();
    const NormalForm next = Join(pool_, joint, *part);
    if (pool_->exhausted()) {
      return document_->ErrorAt(reader_->schemas()->node(id), StatusCode::kResourceLimit,
                                "the parts of this schema combine in too many ways");
    }
    if (next.IsEmpty() && !joint.IsEmpty() && !part->IsEmpty()) {
      AddConflict(reader_->schemas()->node(ids[0]), reader_->schemas()->node(id));
    }
    joint = next;
  }
  return joint;
}

}  // namespace maskloom
