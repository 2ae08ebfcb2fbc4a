// In-place evaluation with an explicit stack, loops included.
#include "grammar/schema/normalizer.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "grammar/base/utf8.h"

namespace maskloom {

Normalizer::Normalizer(const SchemaDocument* document, SchemaReader* reader, ConstraintPool* pool)
    : document_(document),
      reader_(reader),
      pool_(pool),
      algebra_(pool),
      state_(size_t{2} * document->size(), State::kUnknown),
      index_of_(size_t{2} * document->size(), 0) {}

const Alternatives& Normalizer::current(SchemaId id) const {
  return index_of_[id] == 0 ? nothing_ : results_[index_of_[id] - 1];
}

void Normalizer::Set(SchemaId id, Alternatives alternatives) {
  if (index_of_[id] == 0) {
    results_.push_back(std::move(alternatives));
    index_of_[id] = static_cast<uint32_t>(results_.size());
  } else {
    results_[index_of_[id] - 1] = std::move(alternatives);
  }
}

bool Normalizer::IsTriviallyTrue(SchemaId id) const {
  if (IsConstant(id)) return false;
  JsonIndex node = NodeOf(id);
  return document_->kind(node) == JsonKind::kTrue ||
         (document_->IsObject(node) && document_->count(node) == 0);
}

Result<std::vector<SchemaId>> Normalizer::InPlace(SchemaId id) {
  std::vector<SchemaId> ids;
  if (IsConstant(id) || !document_->IsObject(NodeOf(id))) return ids;
  Result<const SchemaFacts*> facts = reader_->Read(NodeOf(id));
  if (!facts.ok()) return facts.status();
  if ((*facts)->reference != kNoSchema) ids.push_back((*facts)->reference);
  for (JsonIndex list : {(*facts)->all_of, (*facts)->any_of}) {
    if (list == kNoJson) continue;
    for (JsonIndex item = document_->first(list); item != kNoJson; item = document_->next(item)) {
      ids.push_back(SchemaAt(item));
    }
  }
  return ids;
}

Result<const Alternatives*> Normalizer::Evaluate(SchemaId id) {
  std::vector<SchemaId> stack{id};
  while (!stack.empty()) {
    SchemaId top = stack.back();
    if (state_[top] == State::kDone) {
      stack.pop_back();
      continue;
    }
    Result<std::vector<SchemaId>> parts = InPlace(top);
    if (!parts.ok()) return parts.status();
    bool first_visit = state_[top] == State::kUnknown;
    state_[top] = State::kOpen;
    bool ready = true;
    for (auto part = parts->rbegin(); part != parts->rend(); ++part) {
      if (state_[*part] == State::kDone) continue;
      ready = false;
      // An open part that is met again on the way down closes a loop.
      if (state_[*part] == State::kOpen || !first_visit) {
        if (Status status = SolveLoop(*part); !status.ok()) return status;
      } else {
        stack.push_back(*part);
      }
    }
    if (!ready) continue;
    Result<Alternatives> result = Combine(top);
    if (!result.ok()) return result.status();
    Set(top, std::move(*result));
    state_[top] = State::kDone;
    stack.pop_back();
  }
  return &current(id);
}

Status Normalizer::SolveLoop(SchemaId id) {
  std::vector<SchemaId> members{id};
  std::vector<bool> seen(state_.size());
  seen[id] = true;
  for (size_t i = 0; i < members.size(); ++i) {
    Result<std::vector<SchemaId>> parts = InPlace(members[i]);
    if (!parts.ok()) return parts.status();
    for (SchemaId part : *parts) {
      if (state_[part] == State::kDone || seen[part]) continue;
      seen[part] = true;
      members.push_back(part);
    }
  }
  bool changed = true;
  for (int round = 0; changed; ++round) {
    if (round == kMaxRounds) {
      return document_->ErrorAt(NodeOf(id), StatusCode::kResourceLimit,
                                "the references of this schema loop in too many ways");
    }
    changed = false;
    for (auto member = members.rbegin(); member != members.rend(); ++member) {
      Result<Alternatives> result = Combine(*member);
      if (!result.ok()) return result.status();
      if (*result == current(*member)) continue;
      Set(*member, std::move(*result));
      changed = true;
    }
  }
  if (current(id).IsEmpty()) {
    return document_->ErrorAt(
        NodeOf(id), StatusCode::kInvalidDefinition,
        "this schema refers back to itself without describing any value; a loop of references "
        "must pass through a property, an item or an `anyOf` branch that ends");
  }
  for (SchemaId member : members) {
    if (index_of_[member] == 0) Set(member, Alternatives());
    state_[member] = State::kDone;
  }
  return Status::Ok();
}

void Normalizer::AddConflict(JsonIndex a, JsonIndex b) {
  if (conflicts_.size() >= kMaxConflicts) return;
  conflicts_.push_back({a, b});
}

void Normalizer::AddKeywordConflict(JsonIndex schema, const char* a, const char* b) {
  JsonIndex first = document_->Find(schema, a);
  JsonIndex second = document_->Find(schema, b);
  if (first == kNoJson) first = schema;
  if (second == kNoJson) second = schema;
  AddConflict(first, second);
}

Result<Alternatives> Normalizer::OwnKeywords(JsonIndex schema, const SchemaFacts& facts) {
  Alternatives own;
  own.allows_null = (facts.types & kTypeNull) != 0;
  own.allows_true = own.allows_false = (facts.types & kTypeBoolean) != 0;
  auto add = [&](ConstraintId id, std::vector<ConstraintId>* members, const char* low,
                 const char* high) {
    if (id != kNoConstraint) {
      members->push_back(id);
    } else {
      AddKeywordConflict(schema, low, high);
    }
  };
  if ((facts.types & kTypeString) != 0) {
    StringConstraint constraint;
    if (facts.pattern != kNoPattern) constraint.patterns.push_back(facts.pattern);
    constraint.min_length = facts.min_length;
    constraint.max_length = facts.max_length;
    add(pool_->AddString(std::move(constraint)), &own.strings,
        facts.pattern != kNoPattern ? "pattern" : "minLength", "maxLength");
  }
  if ((facts.types & kTypeNumber) != 0) {
    add(pool_->AddNumber({facts.integer_only, facts.lower, facts.upper, nullptr}), &own.numbers,
        document_->Find(schema, "minimum") != kNoJson ? "minimum" : "exclusiveMinimum",
        document_->Find(schema, "maximum") != kNoJson ? "maximum" : "exclusiveMaximum");
  }
  if ((facts.types & kTypeArray) != 0) {
    ArrayConstraint constraint;
    bool trivial =
        facts.prefix_items == kNoJson && facts.items != kNoSchema && IsTriviallyTrue(facts.items);
    if (facts.ConstrainsItems() && !trivial) constraint.rules.push_back(SchemaAt(schema));
    constraint.min_items = facts.min_items;
    constraint.max_items = facts.max_items;
    add(pool_->AddArray(std::move(constraint)), &own.arrays, "minItems", "maxItems");
  }
  if ((facts.types & kTypeObject) != 0) {
    ObjectConstraint constraint;
    bool trivial = facts.properties == kNoJson && facts.pattern_properties.empty() &&
                   facts.additional_properties != kNoSchema &&
                   IsTriviallyTrue(facts.additional_properties);
    if (facts.ConstrainsMembers() && !trivial) constraint.rules.push_back(SchemaAt(schema));
    if (facts.required != kNoJson) {
      for (JsonIndex item = document_->first(facts.required); item != kNoJson;
           item = document_->next(item)) {
        constraint.required.push_back(pool_->names.Add(document_->text(item)));
      }
      std::sort(constraint.required.begin(), constraint.required.end());
      constraint.required.erase(std::unique(constraint.required.begin(), constraint.required.end()),
                                constraint.required.end());
    }
    constraint.min_properties = facts.min_properties;
    constraint.max_properties = facts.max_properties;
    add(pool_->AddObject(std::move(constraint)), &own.objects,
        facts.min_properties > facts.max_properties ? "minProperties" : "required",
        "maxProperties");
  }
  return own;
}

Result<Alternatives> Normalizer::Constants(const std::vector<JsonIndex>& values) {
  Alternatives constants;
  std::vector<std::u32string> texts;
  std::vector<Decimal> numbers;
  for (JsonIndex value : values) {
    switch (document_->kind(value)) {
      case JsonKind::kNull:
        constants.allows_null = true;
        break;
      case JsonKind::kTrue:
        constants.allows_true = true;
        break;
      case JsonKind::kFalse:
        constants.allows_false = true;
        break;
      case JsonKind::kString:
        texts.push_back(ToUtf32(document_->text(value)));
        break;
      case JsonKind::kNumber: {
        std::optional<Decimal> number = Decimal::Parse(document_->text(value));
        if (!number) {
          return document_->ErrorAt(value, StatusCode::kResourceLimit,
                                    "the number's exponent is too large");
        }
        numbers.push_back(std::move(*number));
        break;
      }
      case JsonKind::kArray: {
        uint64_t count = document_->count(value);
        constants.arrays.push_back(pool_->AddArray({{ConstantAt(value)}, count, count}));
        break;
      }
      case JsonKind::kObject: {
        ObjectConstraint constraint;
        constraint.rules.push_back(ConstantAt(value));
        for (JsonIndex member = document_->first(value); member != kNoJson;
             member = document_->next(member)) {
          constraint.required.push_back(pool_->names.Add(document_->key(member)));
        }
        auto& required = constraint.required;
        std::sort(required.begin(), required.end());
        required.erase(std::unique(required.begin(), required.end()), required.end());
        constants.objects.push_back(pool_->AddObject(std::move(constraint)));
        break;
      }
    }
  }
  if (!texts.empty()) {
    std::sort(texts.begin(), texts.end());
    texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
    StringConstraint constraint;
    constraint.one_of = std::make_shared<const std::vector<std::u32string>>(std::move(texts));
    constants.strings.push_back(pool_->AddString(std::move(constraint)));
  }
  if (!numbers.empty()) {
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    NumberConstraint constraint;
    constraint.one_of = std::make_shared<const std::vector<Decimal>>(std::move(numbers));
    constants.numbers.push_back(pool_->AddNumber(std::move(constraint)));
  }
  return algebra_.Unite({&constants});
}

Result<Alternatives> Normalizer::Combine(SchemaId id) {
  JsonIndex node = NodeOf(id);
  if (IsConstant(id)) return Constants({node});
  if (document_->kind(node) == JsonKind::kTrue) return Alternatives::Everything();
  if (document_->kind(node) == JsonKind::kFalse) return Alternatives();
  Result<const SchemaFacts*> read = reader_->Read(node);
  if (!read.ok()) return read.status();
  const SchemaFacts& facts = **read;
  Result<Alternatives> joint = OwnKeywords(node, facts);
  if (!joint.ok()) return joint;
  auto join = [&](const Alternatives& part, JsonIndex at) {
    Result<Alternatives> next = algebra_.Join(*joint, part);
    if (!next.ok()) {
      return document_->ErrorAt(at, next.status().code(), next.status().message());
    }
    if (next->IsEmpty() && !joint->IsEmpty()) {
      if (!part.IsEmpty()) AddConflict(node, at);
      if (document_->kind(at) == JsonKind::kFalse) AddConflict(at, at);
    }
    *joint = std::move(*next);
    return Status::Ok();
  };
  if (facts.enumeration != kNoJson) {
    std::vector<JsonIndex> values;
    for (JsonIndex value = document_->first(facts.enumeration); value != kNoJson;
         value = document_->next(value)) {
      values.push_back(value);
    }
    Result<Alternatives> constants = Constants(values);
    if (!constants.ok()) return constants;
    if (values.empty()) AddConflict(facts.enumeration, facts.enumeration);
    if (Status status = join(*constants, facts.enumeration); !status.ok()) return status;
  }
  if (facts.constant != kNoJson) {
    Result<Alternatives> constants = Constants({facts.constant});
    if (!constants.ok()) return constants;
    if (Status status = join(*constants, facts.constant); !status.ok()) return status;
  }
  if (facts.reference != kNoSchema) {
    Status status = join(current(facts.reference), document_->Find(node, "$ref"));
    if (!status.ok()) return status;
  }
  if (facts.all_of != kNoJson) {
    for (JsonIndex item = document_->first(facts.all_of); item != kNoJson;
         item = document_->next(item)) {
      if (Status status = join(current(SchemaAt(item)), item); !status.ok()) return status;
    }
  }
  if (facts.any_of != kNoJson) {
    std::vector<const Alternatives*> branches;
    for (JsonIndex item = document_->first(facts.any_of); item != kNoJson;
         item = document_->next(item)) {
      branches.push_back(&current(SchemaAt(item)));
    }
    Result<Alternatives> united = algebra_.Unite(branches);
    if (!united.ok()) {
      return document_->ErrorAt(facts.any_of, united.status().code(), united.status().message());
    }
    if (Status status = join(*united, facts.any_of); !status.ok()) return status;
  }
  return joint;
}

Result<Alternatives> Normalizer::EvaluateAll(const std::vector<SchemaId>& ids) {
  Alternatives joint = Alternatives::Everything();
  for (SchemaId id : ids) {
    Result<const Alternatives*> part = Evaluate(id);
    if (!part.ok()) return part.status();
    Result<Alternatives> next = algebra_.Join(joint, **part);
    if (!next.ok()) {
      return document_->ErrorAt(NodeOf(id), next.status().code(), next.status().message());
    }
    if (next->IsEmpty() && !joint.IsEmpty() && !(*part)->IsEmpty()) {
      AddConflict(NodeOf(ids[0]), NodeOf(id));
    }
    joint = std::move(*next);
  }
  return joint;
}

}  // namespace maskloom
