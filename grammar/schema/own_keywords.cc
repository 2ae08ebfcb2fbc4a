// What the keywords of one schema object say by themselves, type by type.
#include <algorithm>
#include <optional>
#include <utility>

#include "grammar/base/utf8.h"
#include "grammar/schema/normalizer.h"

namespace maskloom {

void Normalizer::AddKeywordConflict(JsonIndex schema, const char* a, const char* b) {
  JsonIndex first = document_->Find(schema, a);
  JsonIndex second = document_->Find(schema, b);
  if (first == kNoJson) first = schema;
  if (second == kNoJson) second = schema;
  AddConflict(first, second);
}

FormulaId Normalizer::AnyTextIn(TextSet texts) {
  return pool_->Literal(LiteralKind::kTextIn, pool_->text_sets.Add(std::move(texts)));
}

FormulaId Normalizer::AnyNumberIn(DecimalSet values) {
  return pool_->Literal(LiteralKind::kNumberIn, pool_->decimal_sets.Add(std::move(values)));
}

// Says that a count is within [min, max].
static void AddCounts(FormulaPool* pool, LiteralKind kind, uint32_t index, uint64_t min,
                      uint64_t max, std::vector<FormulaId>* parts) {
  parts->push_back(pool->Literal(kind, index, min));
  if (max != kNoMaximum) parts->push_back(Negation(pool->Literal(kind, index, max + 1)));
}

FormulaId Normalizer::StringsOf(const SchemaFacts& facts) {
  std::vector<FormulaId> parts;
  AddCounts(pool_, LiteralKind::kLengthAtLeast, 0, facts.min_length, facts.max_length, &parts);
  for (const PatternId pattern : facts.patterns) {
    const PatternTable::Language& language = pool_->patterns()->language(pattern);
    if (language.texts) {
      TextSet texts = *language.texts;
      std::sort(texts.begin(), texts.end());
      parts.push_back(AnyTextIn(std::move(texts)));
    } else if (language.automaton != nullptr) {
      parts.push_back(pool_->Literal(LiteralKind::kMatches, pattern));
    }
    AddCounts(pool_, LiteralKind::kLengthAtLeast, 0, language.min_length, language.max_length,
              &parts);
  }
  return pool_->And(std::move(parts));
}

FormulaId Normalizer::NumbersOf(const SchemaFacts& facts) {
  std::vector<FormulaId> parts;
  const auto add_bounds = [&](const std::optional<NumberBound>& lower,
                              const std::optional<NumberBound>& upper) {
    if (lower) {
      const auto kind = lower->exclusive ? LiteralKind::kAbove : LiteralKind::kAtLeast;
      parts.push_back(pool_->Literal(kind, pool_->decimals.Add(lower->value)));
    }
    if (upper) {
      const auto kind = upper->exclusive ? LiteralKind::kAtLeast : LiteralKind::kAbove;
      parts.push_back(Negation(pool_->Literal(kind, pool_->decimals.Add(upper->value))));
    }
  };
  const auto multiple_of = [&](const Decimal& divisor) {
    parts.push_back(pool_->Literal(LiteralKind::kMultiple, pool_->decimals.Add(divisor)));
  };
  add_bounds(facts.lower, facts.upper);
  // In draft-04 an integer is a number without fraction and exponent; later, one by its value.
  if (facts.integer_only && facts.draft == Draft::kDraft4) {
    parts.push_back(pool_->Literal(LiteralKind::kPlain, 0));
  } else if (facts.integer_only) {
    multiple_of(Decimal::FromInteger(1));
  }
  if (facts.multiple_of) multiple_of(*facts.multiple_of);
  if (facts.number_format) {
    add_bounds(facts.number_format->lower, facts.number_format->upper);
    if (facts.number_format->integer) multiple_of(Decimal::FromInteger(1));
  }
  return pool_->And(std::move(parts));
}

FormulaId Normalizer::ArraysOf(SchemaId id, const SchemaFacts& facts) {
  std::vector<FormulaId> parts;
  AddCounts(pool_, LiteralKind::kSizeAtLeast, 0, facts.min_items, facts.max_items, &parts);
  const bool trivial = facts.prefix_items == kNoJson && facts.items != kNoJson &&
                       IsTriviallyTrue(reader_->Child(id, facts.items));
  if (facts.ConstrainsItems() && !trivial) {
    parts.push_back(
        pool_->Literal(LiteralKind::kKeeps, pool_->rules.Add({ChildRule::Kind::kItems, id, 0})));
  }
  if (facts.contains != kNoJson) {
    const SchemaId schema = reader_->TestChild(id, facts.contains);
    const bool any = IsTriviallyTrue(schema);
    AddCounts(pool_, any ? LiteralKind::kSizeAtLeast : LiteralKind::kContains, any ? 0 : schema,
              facts.min_contains, facts.max_contains, &parts);
  }
  if (facts.unique_items) parts.push_back(pool_->Literal(LiteralKind::kDistinct, 0));
  return pool_->And(std::move(parts));
}

FormulaId Normalizer::ObjectsOf(SchemaId id, const SchemaFacts& facts) {
  std::vector<FormulaId> parts;
  AddCounts(pool_, LiteralKind::kSizeAtLeast, 0, facts.min_properties, facts.max_properties,
            &parts);
  const bool trivial = facts.properties == kNoJson && facts.pattern_properties.empty() &&
                       facts.additional_properties != kNoJson &&
                       IsTriviallyTrue(reader_->Child(id, facts.additional_properties));
  const auto keep = [&](ChildRule rule) {
    parts.push_back(pool_->Literal(LiteralKind::kKeeps, pool_->rules.Add(rule)));
  };
  const auto present = [&](std::string_view name) {
    return pool_->Literal(LiteralKind::kPresent, pool_->names.Add(name));
  };
  if (facts.ConstrainsMembers() && !trivial) keep({ChildRule::Kind::kMembers, id, 0});
  if (facts.property_names != kNoJson) {
    const SchemaId names = reader_->Child(id, facts.property_names);
    if (!IsTriviallyTrue(names)) keep({ChildRule::Kind::kNames, names, 0});
  }
  if (facts.required != kNoJson) {
    for (JsonIndex item = document_->first(facts.required); item != kNoJson;
         item = document_->next(item)) {
      parts.push_back(present(document_->text(item)));
    }
  }
  for (const SchemaFacts::Dependency& dependency : facts.dependencies) {
    if (!dependency.names) continue;
    std::vector<FormulaId> all;
    for (JsonIndex item = document_->first(dependency.member); item != kNoJson;
         item = document_->next(item)) {
      all.push_back(present(document_->text(item)));
    }
    parts.push_back(pool_->Or(
        {Negation(present(document_->key(dependency.member))), pool_->And(std::move(all))}));
  }
  return pool_->And(std::move(parts));
}

NormalForm Normalizer::OwnKeywords(SchemaId id, const SchemaFacts& facts) {
  const JsonIndex schema = reader_->schemas()->node(id);
  NormalForm own;
  own.allows_null = (facts.types & kTypeNull) != 0 || facts.nullable;
  own.allows_true = own.allows_false = (facts.types & kTypeBoolean) != 0;
  const auto check = [&](FormulaId formula, const char* low, const char* high) {
    if (formula == kFalseFormula) AddKeywordConflict(schema, low, high);
    return formula;
  };
  if ((facts.types & kTypeString) != 0) {
    const bool is_short = facts.max_length != kNoMaximum;
    own.strings = check(StringsOf(facts), facts.patterns.empty() ? "minLength" : "pattern",
                        is_short || facts.patterns.empty() ? "maxLength" : "minLength");
  }
  if ((facts.types & kTypeNumber) != 0) {
    const auto first_of = [&](const char* a, const char* b) {
      return document_->Find(schema, a) != kNoJson ? a : b;
    };
    own.numbers = check(NumbersOf(facts), first_of("minimum", "exclusiveMinimum"),
                        first_of("maximum", "exclusiveMaximum"));
  }
  if ((facts.types & kTypeArray) != 0) {
    own.arrays = check(ArraysOf(id, facts), "minItems", "maxItems");
  }
  if ((facts.types & kTypeObject) != 0) {
    own.objects = check(ObjectsOf(id, facts),
                        facts.min_properties > facts.max_properties ? "minProperties" : "required",
                        "maxProperties");
  }
  return own;
}

Result<NormalForm> Normalizer::Constants(const std::vector<JsonIndex>& values) {
  NormalForm constants;
  TextSet texts;
  DecimalSet numbers;
  std::vector<FormulaId> arrays;
  std::vector<FormulaId> objects;
  for (const JsonIndex value : values) {
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
        const uint64_t count = document_->count(value);
        std::vector<FormulaId> parts{pool_->Literal(
            LiteralKind::kKeeps, pool_->rules.Add({ChildRule::Kind::kConstantItems,
                                                   SchemaTable::ConstantAt(value), 0}))};
        AddCounts(pool_, LiteralKind::kSizeAtLeast, 0, count, count, &parts);
        arrays.push_back(pool_->And(std::move(parts)));
        break;
      }
      case JsonKind::kObject: {
        std::vector<FormulaId> parts{pool_->Literal(
            LiteralKind::kKeeps, pool_->rules.Add({ChildRule::Kind::kConstantMembers,
                                                   SchemaTable::ConstantAt(value), 0}))};
        for (JsonIndex member = document_->first(value); member != kNoJson;
             member = document_->next(member)) {
          parts.push_back(
              pool_->Literal(LiteralKind::kPresent, pool_->names.Add(document_->key(member))));
        }
        objects.push_back(pool_->And(std::move(parts)));
        break;
      }
    }
  }
  std::sort(texts.begin(), texts.end());
  texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  constants.strings = AnyTextIn(std::move(texts));
  constants.numbers = AnyNumberIn(std::move(numbers));
  constants.arrays = pool_->Or(std::move(arrays));
  constants.objects = pool_->Or(std::move(objects));
  return constants;
}

}  // namespace maskloom
