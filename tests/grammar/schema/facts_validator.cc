// Recursion over schema and instance, straight from the specification.
#include "tests/grammar/schema/facts_validator.h"

#include "grammar/base/utf8.h"

namespace maskloom {
namespace {

uint8_t TypeOf(JsonKind kind) {
  switch (kind) {
    case JsonKind::kNull:
      return kTypeNull;
    case JsonKind::kFalse:
    case JsonKind::kTrue:
      return kTypeBoolean;
    case JsonKind::kNumber:
      return kTypeNumber;
    case JsonKind::kString:
      return kTypeString;
    case JsonKind::kArray:
      return kTypeArray;
    case JsonKind::kObject:
      return kTypeObject;
  }
  return 0;
}

// Returns |number| as an integer in units of 10^unit, spelled without leading zeros.
std::string InUnits(const Decimal& number, int64_t unit) {
  std::string digits = number.digits();
  digits.append(number.exponent() - unit - static_cast<int64_t>(digits.size()), '0');
  return digits;
}

// Long division, digit by digit, by repeated subtraction.
bool IsMultiple(const Decimal& number, const Decimal& factor) {
  if (number.IsZero()) return true;
  auto lowest = [](const Decimal& d) {
    return d.exponent() - static_cast<int64_t>(d.digits().size());
  };
  const int64_t unit = std::min(lowest(number), lowest(factor));
  const std::string divisor = InUnits(factor, unit);
  std::string rest;
  auto less = [&] {
    return rest.size() != divisor.size() ? rest.size() < divisor.size() : rest < divisor;
  };
  for (char digit : InUnits(number, unit)) {
    if (!rest.empty() || digit != '0') rest += digit;
    while (!less()) {
      int borrow = 0;
      for (size_t i = 0; i < rest.size(); ++i) {
        char& to = rest[rest.size() - 1 - i];
        int value = to - '0' - borrow;
        if (i < divisor.size()) value -= divisor[divisor.size() - 1 - i] - '0';
        borrow = value < 0;
        to = static_cast<char>('0' + value + 10 * borrow);
      }
      rest.erase(0, rest.find_first_not_of('0'));
    }
  }
  return rest.empty();
}

bool WithinBounds(const std::optional<NumberBound>& lower, const std::optional<NumberBound>& upper,
                  const Decimal& number) {
  if (lower && (number < lower->value || (lower->exclusive && number == lower->value))) {
    return false;
  }
  return !upper || number < upper->value || (!upper->exclusive && number == upper->value);
}

}  // namespace

bool EqualJson(const SchemaDocument& a, JsonIndex x, const SchemaDocument& b, JsonIndex y) {
  if (a.kind(x) != b.kind(y)) return false;
  switch (a.kind(x)) {
    case JsonKind::kNumber:
      return Decimal::Parse(a.text(x)) == Decimal::Parse(b.text(y));
    case JsonKind::kString:
      return a.text(x) == b.text(y);
    case JsonKind::kArray: {
      if (a.count(x) != b.count(y)) return false;
      JsonIndex j = b.first(y);
      for (JsonIndex i = a.first(x); i != kNoJson; i = a.next(i), j = b.next(j)) {
        if (!EqualJson(a, i, b, j)) return false;
      }
      return true;
    }
    case JsonKind::kObject: {
      if (a.count(x) != b.count(y)) return false;
      for (JsonIndex i = a.first(x); i != kNoJson; i = a.next(i)) {
        const JsonIndex j = b.Find(y, a.key(i));
        if (j == kNoJson || !EqualJson(a, i, b, j)) return false;
      }
      return true;
    }
    default:
      return true;
  }
}

Result<bool> FactsValidator::Validate(const SchemaDocument& instance) {
  instance_ = &instance;
  status_ = Status::Ok();
  Evaluated evaluated;
  const bool valid = Valid(reader_->Root(), 0, &evaluated);
  if (!status_.ok()) return status_;
  return valid;
}

bool FactsValidator::Valid(SchemaId id, JsonIndex value, Evaluated* evaluated) {
  const JsonIndex node = reader_->schemas()->node(id);
  if (!schema_->IsObject(node)) return schema_->kind(node) == JsonKind::kTrue;
  if (!status_.ok()) return false;
  if (depth_ >= kMaxDepth) {
    status_ = Status(StatusCode::kInvalidDefinition, "the schema refers to itself without end");
    return false;
  }
  Result<const SchemaFacts*> read = reader_->Read(node);
  if (!read.ok()) {
    status_ = read.status();
    return false;
  }
  const SchemaFacts& facts = **read;
  ++depth_;
  Evaluated found;
  const bool valid = InPlace(id, facts, value, &found) && Branches(id, facts, value, &found) &&
                     Scalar(facts, value) && Dependencies(id, facts, value, &found) &&
                     (!instance_->IsObject(value) || Members(id, facts, value, &found)) &&
                     (!instance_->IsArray(value) || Items(id, facts, value, &found));
  --depth_;
  if (valid) evaluated->insert(found.begin(), found.end());
  return valid;
}

bool FactsValidator::Follow(Result<SchemaId> target, JsonIndex value, Evaluated* evaluated) {
  if (target.ok()) return Valid(*target, value, evaluated);
  if (status_.ok()) status_ = target.status();
  return false;
}

bool FactsValidator::InPlace(SchemaId id, const SchemaFacts& facts, JsonIndex value,
                             Evaluated* evaluated) {
  if (facts.reference != kNoJson && !Follow(reader_->Reference(id), value, evaluated)) return false;
  if (facts.dynamic_reference != kNoJson &&
      !Follow(reader_->DynamicReference(id), value, evaluated)) {
    return false;
  }
  if (facts.negated != kNoJson) {
    Evaluated ignored;
    if (Valid(reader_->Child(id, facts.negated), value, &ignored)) return false;
  }
  if (facts.condition == kNoJson) return true;
  const bool holds = Valid(reader_->Child(id, facts.condition), value, evaluated);
  const JsonIndex branch = holds ? facts.consequence : facts.alternative;
  return branch == kNoJson || Valid(reader_->Child(id, branch), value, evaluated);
}

bool FactsValidator::Branches(SchemaId id, const SchemaFacts& facts, JsonIndex value,
                              Evaluated* evaluated) {
  auto count_valid = [&](JsonIndex list) {
    uint32_t count = 0;
    for (JsonIndex item = schema_->first(list); item != kNoJson; item = schema_->next(item)) {
      count += Valid(reader_->Child(id, item), value, evaluated) ? 1 : 0;
    }
    return count;
  };
  if (facts.all_of != kNoJson && count_valid(facts.all_of) != schema_->count(facts.all_of)) {
    return false;
  }
  if (facts.any_of != kNoJson && count_valid(facts.any_of) == 0) return false;
  return facts.one_of == kNoJson || count_valid(facts.one_of) == 1;
}

bool FactsValidator::Scalar(const SchemaFacts& facts, JsonIndex value) const {
  const SchemaDocument& instance = *instance_;
  const JsonKind kind = instance.kind(value);
  if (kind == JsonKind::kNull && facts.nullable) return true;
  if ((facts.types & TypeOf(kind)) == 0) return false;
  if (facts.constant != kNoJson && !EqualJson(*schema_, facts.constant, instance, value)) {
    return false;
  }
  if (facts.enumeration != kNoJson) {
    bool found = false;
    for (JsonIndex item = schema_->first(facts.enumeration); item != kNoJson;
         item = schema_->next(item)) {
      found = found || EqualJson(*schema_, item, instance, value);
    }
    if (!found) return false;
  }
  if (kind == JsonKind::kNumber) {
    const Decimal number = *Decimal::Parse(instance.text(value));
    if (facts.integer_only && !number.IsInteger()) return false;
    if (facts.integer_only && facts.draft == Draft::kDraft4 &&
        instance.text(value).find_first_of(".eE") != std::string_view::npos) {
      return false;
    }
    if (facts.multiple_of && !IsMultiple(number, *facts.multiple_of)) return false;
    if (facts.number_format &&
        !WithinBounds(facts.number_format->lower, facts.number_format->upper, number)) {
      return false;
    }
    if (facts.number_format && facts.number_format->integer && !number.IsInteger()) return false;
    return WithinBounds(facts.lower, facts.upper, number);
  }
  if (kind == JsonKind::kString) {
    const std::u32string text = ToUtf32(instance.text(value));
    if (text.size() < facts.min_length || text.size() > facts.max_length) return false;
    for (PatternId pattern : facts.patterns) {
      if (!reader_->patterns()->Matches(pattern, text)) return false;
    }
  }
  return true;
}

bool FactsValidator::Items(SchemaId id, const SchemaFacts& facts, JsonIndex value,
                           Evaluated* evaluated) {
  const SchemaDocument& instance = *instance_;
  const uint64_t count = instance.count(value);
  if (count < facts.min_items || count > facts.max_items) return false;
  JsonIndex prefix = facts.prefix_items == kNoJson ? kNoJson : schema_->first(facts.prefix_items);
  uint64_t contained = 0;
  for (JsonIndex item = instance.first(value); item != kNoJson; item = instance.next(item)) {
    const JsonIndex schema = prefix != kNoJson ? prefix : facts.items;
    if (prefix != kNoJson) prefix = schema_->next(prefix);
    Evaluated inner;
    if (schema != kNoJson) {
      if (!Valid(reader_->Child(id, schema), item, &inner)) return false;
      evaluated->insert(item);
    }
    if (facts.contains != kNoJson && Valid(reader_->Child(id, facts.contains), item, &inner)) {
      ++contained;
      if (facts.draft == Draft::kDraft2020) evaluated->insert(item);
    }
    if (!facts.unique_items) continue;
    for (JsonIndex later = instance.next(item); later != kNoJson; later = instance.next(later)) {
      if (EqualJson(instance, item, instance, later)) return false;
    }
  }
  if (facts.contains != kNoJson &&
      (contained < facts.min_contains || contained > facts.max_contains)) {
    return false;
  }
  if (facts.unevaluated_items == kNoJson) return true;
  for (JsonIndex item = instance.first(value); item != kNoJson; item = instance.next(item)) {
    Evaluated inner;
    if (evaluated->contains(item)) continue;
    if (!Valid(reader_->Child(id, facts.unevaluated_items), item, &inner)) return false;
    evaluated->insert(item);
  }
  return true;
}

bool FactsValidator::ValidText(SchemaId id, const std::u32string& text) {
  std::string json = "\"";
  for (char32_t c : text) {
    constexpr char kHex[] = "0123456789abcdef";
    if (c == U'"' || c == U'\\' || c < 0x20) {
      json += std::string("\\u00") + kHex[c / 16] + kHex[c % 16];
    } else {
      json += ToUtf8(std::u32string(1, c));
    }
  }
  Result<SchemaDocument> document = SchemaDocument::Parse(json += '"');
  if (!document.ok()) return false;
  const SchemaDocument* instance = std::exchange(instance_, &*document);
  Evaluated ignored;
  const bool valid = Valid(id, 0, &ignored);
  instance_ = instance;
  return valid;
}

bool FactsValidator::Members(SchemaId id, const SchemaFacts& facts, JsonIndex value,
                             Evaluated* evaluated) {
  const SchemaDocument& instance = *instance_;
  const uint64_t count = instance.count(value);
  if (count < facts.min_properties || count > facts.max_properties) return false;
  if (facts.required != kNoJson) {
    for (JsonIndex name = schema_->first(facts.required); name != kNoJson;
         name = schema_->next(name)) {
      if (instance.Find(value, schema_->text(name)) == kNoJson) return false;
    }
  }
  for (JsonIndex member = instance.first(value); member != kNoJson;
       member = instance.next(member)) {
    const std::u32string name = ToUtf32(instance.key(member));
    Evaluated inner;
    bool matched = false;
    auto check = [&](JsonIndex schema) {
      matched = true;
      return Valid(reader_->Child(id, schema), member, &inner);
    };
    if (facts.properties != kNoJson) {
      const JsonIndex schema = schema_->Find(facts.properties, instance.key(member));
      if (schema != kNoJson && !check(schema)) return false;
    }
    for (const SchemaFacts::PatternRule& rule : facts.pattern_properties) {
      if (reader_->patterns()->Matches(rule.pattern, name) && !check(rule.schema)) return false;
    }
    if (!matched && facts.additional_properties != kNoJson && !check(facts.additional_properties)) {
      return false;
    }
    if (matched) evaluated->insert(member);
    if (facts.property_names != kNoJson &&
        !ValidText(reader_->Child(id, facts.property_names), name)) {
      return false;
    }
  }
  if (facts.unevaluated_properties == kNoJson) return true;
  for (JsonIndex member = instance.first(value); member != kNoJson;
       member = instance.next(member)) {
    Evaluated inner;
    if (evaluated->contains(member)) continue;
    if (!Valid(reader_->Child(id, facts.unevaluated_properties), member, &inner)) return false;
    evaluated->insert(member);
  }
  return true;
}

bool FactsValidator::Dependencies(SchemaId id, const SchemaFacts& facts, JsonIndex value,
                                  Evaluated* evaluated) {
  if (!instance_->IsObject(value)) return true;
  for (const SchemaFacts::Dependency& dependency : facts.dependencies) {
    if (instance_->Find(value, schema_->key(dependency.member)) == kNoJson) continue;
    if (!dependency.names) {
      if (!Valid(reader_->Child(id, dependency.member), value, evaluated)) return false;
      continue;
    }
    for (JsonIndex name = schema_->first(dependency.member); name != kNoJson;
         name = schema_->next(name)) {
      if (instance_->Find(value, schema_->text(name)) == kNoJson) return false;
    }
  }
  return true;
}

}  // namespace maskloom
