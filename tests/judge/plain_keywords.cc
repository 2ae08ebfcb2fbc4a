// One function a keyword, in the words of the specification.
#include "tests/judge/plain_keywords.h"

#include <algorithm>
#include <array>

#include "tests/judge/exact_multiple.h"
#include "tests/judge/format_checks.h"

namespace maskloom::judge {
namespace {

using Kind = JsonTree::Kind;
using Outcome = Keywords::Outcome;

Outcome Says(bool valid) {
  Outcome outcome;
  outcome.valid = valid;
  return outcome;
}

// -1, 0, 1 as `count` is below, at or above the number that the keyword gives.
int CompareCount(size_t count, const JsonTree& limit) {
  return ExactDecimal::FromText(std::to_string(count))
      .Compare(ExactDecimal::FromText(limit.number));
}
int CompareNumber(const JsonTree& value, const JsonTree& limit) {
  return ExactDecimal::FromText(value.number).Compare(ExactDecimal::FromText(limit.number));
}
bool IsNumber(const JsonTree& value) { return value.kind == Kind::kNumber; }
bool IsString(const JsonTree& value) { return value.kind == Kind::kString; }
bool IsArray(const JsonTree& value) { return value.kind == Kind::kArray; }
bool IsObject(const JsonTree& value) { return value.kind == Kind::kObject; }

bool HasType(const JsonTree& value, std::u32string_view type, bool integers_by_spelling) {
  switch (value.kind) {
    case Kind::kNull:
      return type == U"null";
    case Kind::kTrue:
    case Kind::kFalse:
      return type == U"boolean";
    case Kind::kString:
      return type == U"string";
    case Kind::kArray:
      return type == U"array";
    case Kind::kObject:
      return type == U"object";
    default:
      break;
  }
  if (type == U"number") return true;
  if (type != U"integer") return false;
  if (integers_by_spelling) return value.number.find_first_of(".eE") == std::string::npos;
  return ExactDecimal::FromText(value.number).IsInteger();
}

// int8 to uint64: integers of so many bits. Other names admit every number.
bool InIntegerFormat(const std::string& name, const JsonTree& value) {
  bool with_sign = name.starts_with("int");
  if (!with_sign && !name.starts_with("uint")) return true;
  std::string bits = name.substr(with_sign ? 3 : 4);
  for (auto [count, greatest, greatest_unsigned] :
       {std::array{"8", "127", "255"}, std::array{"16", "32767", "65535"},
        std::array{"32", "2147483647", "4294967295"},
        std::array{"64", "9223372036854775807", "18446744073709551615"}}) {
    if (bits != count) continue;
    ExactDecimal number = ExactDecimal::FromText(value.number);
    if (!number.IsInteger()) return false;
    if (number.negative && !number.IsZero()) {
      // The least is one further from zero than the greatest.
      std::string least = std::string("-") + greatest;
      least.back() = static_cast<char>(least.back() + 1);
      return with_sign && number.Compare(ExactDecimal::FromText(least)) >= 0;
    }
    const char* most = with_sign ? greatest : greatest_unsigned;
    return number.Compare(ExactDecimal::FromText(most)) <= 0;
  }
  return true;
}

bool AllDistinct(const std::vector<JsonTree>& items) {
  for (size_t i = 0; i < items.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (items[i] == items[j]) return false;
    }
  }
  return true;
}

const JsonTree* Number(const JsonTree& schema, std::u32string_view name) {
  const JsonTree* found = schema.Find(name);
  return found != nullptr && IsNumber(*found) ? found : nullptr;
}

}  // namespace

// The functions that evaluate subschemas need the validator's inside.
struct Applied {
  // --- the core vocabulary ---

  static Outcome Ref(PlainValidator* v, const Site& at, const JsonTree& value, const Outcome&) {
    return v->EvaluateReference(at.keyword, &at.schema, value);
  }

  static Outcome RecursiveRef(PlainValidator* v, const Site& at, const JsonTree& value,
                              const Outcome&) {
    const JsonTree* target = v->resources_.Resolve(at.resource, ToUtf8(at.keyword.text));
    if (target == nullptr) return Ref(v, at, value, {});
    const SchemaResource* initial = v->resources_.ResourceOf(target);
    if (initial->root == target && initial->recursive_anchor) {
      for (const SchemaResource* entered : v->scope_) {
        if (!entered->recursive_anchor) continue;
        return v->Evaluate(entered->root, value);
      }
    }
    return v->Evaluate(target, value);
  }

  static Outcome DynamicRef(PlainValidator* v, const Site& at, const JsonTree& value,
                            const Outcome&) {
    std::string reference = ToUtf8(at.keyword.text);
    const JsonTree* target = v->resources_.Resolve(at.resource, reference);
    if (target == nullptr) return Ref(v, at, value, {});
    size_t hash = reference.find('#');
    std::string name = hash == reference.npos ? "" : reference.substr(hash + 1);
    const auto& dynamic = v->resources_.ResourceOf(target)->dynamic_anchors;
    auto initial = dynamic.find(name);
    if (initial != dynamic.end() && initial->second == target) {
      for (const SchemaResource* entered : v->scope_) {
        auto found = entered->dynamic_anchors.find(name);
        if (found != entered->dynamic_anchors.end()) return v->Evaluate(found->second, value);
      }
    }
    return v->Evaluate(target, value);
  }

  // --- schemas for the same value ---

  static Outcome AllOf(PlainValidator* v, const Site& at, const JsonTree& value, const Outcome&) {
    Outcome outcome;
    for (const JsonTree& branch : at.keyword.items) outcome.Join(v->Evaluate(&branch, value));
    return outcome;
  }

  static size_t CountValid(PlainValidator* v, const Site& at, const JsonTree& value,
                           Outcome* outcome) {
    size_t valid = 0;
    for (const JsonTree& branch : at.keyword.items) {
      Outcome one = v->Evaluate(&branch, value);
      if (!one.valid) continue;
      ++valid;
      outcome->Join(one);
    }
    return valid;
  }
  static Outcome AnyOf(PlainValidator* v, const Site& at, const JsonTree& value, const Outcome&) {
    Outcome outcome;
    outcome.valid = CountValid(v, at, value, &outcome) > 0;
    return outcome;
  }
  static Outcome OneOf(PlainValidator* v, const Site& at, const JsonTree& value, const Outcome&) {
    Outcome outcome;
    outcome.valid = CountValid(v, at, value, &outcome) == 1;
    return outcome;
  }
  static Outcome Not(PlainValidator* v, const Site& at, const JsonTree& value, const Outcome&) {
    return Says(!v->Evaluate(&at.keyword, value).valid);
  }

  static Outcome If(PlainValidator* v, const Site& at, const JsonTree& value, const Outcome&) {
    Outcome outcome = v->Evaluate(&at.keyword, value);
    const JsonTree* branch = at.schema.Find(outcome.valid ? U"then" : U"else");
    if (!outcome.valid) outcome = {};
    if (branch != nullptr) outcome.Join(v->Evaluate(branch, value));
    return outcome;
  }

  static Outcome DependentSchemas(PlainValidator* v, const Site& at, const JsonTree& value,
                                  const Outcome&) {
    Outcome outcome;
    for (const auto& [name, schema] : at.keyword.members) {
      if (value.Find(name) == nullptr) continue;
      if (schema.kind == Kind::kArray) {  // of `dependencies`
        for (const JsonTree& other : schema.items) {
          outcome.valid = outcome.valid && value.Find(other.text) != nullptr;
        }
      } else {
        outcome.Join(v->Evaluate(&schema, value));
      }
    }
    return outcome;
  }

  // --- objects ---

  static void Member(PlainValidator* v, const JsonTree& schema, const std::u32string& name,
                     const JsonTree& member, Outcome* outcome) {
    outcome->valid = v->Evaluate(&schema, member).valid && outcome->valid;
    outcome->members.insert(name);
  }

  static Outcome Properties(PlainValidator* v, const Site& at, const JsonTree& value,
                            const Outcome&) {
    Outcome outcome;
    for (const auto& [name, member] : value.members) {
      const JsonTree* schema = at.keyword.Find(name);
      if (schema != nullptr) Member(v, *schema, name, member, &outcome);
    }
    return outcome;
  }

  static Outcome PatternProperties(PlainValidator* v, const Site& at, const JsonTree& value,
                                   const Outcome&) {
    Outcome outcome;
    for (const auto& [name, member] : value.members) {
      for (const auto& [pattern, schema] : at.keyword.members) {
        if (v->Found(pattern, name)) Member(v, schema, name, member, &outcome);
      }
    }
    return outcome;
  }

  static Outcome AdditionalProperties(PlainValidator* v, const Site& at, const JsonTree& value,
                                      const Outcome&) {
    Outcome outcome;
    const JsonTree* properties = at.schema.Find(U"properties");
    const JsonTree* patterns = at.schema.Find(U"patternProperties");
    for (const auto& [name, member] : value.members) {
      bool named = properties != nullptr && properties->Find(name) != nullptr;
      if (patterns != nullptr) {
        for (const auto& [pattern, schema] : patterns->members) {
          named = v->Found(pattern, name) || named;
        }
      }
      if (!named) Member(v, at.keyword, name, member, &outcome);
    }
    return outcome;
  }

  static Outcome UnevaluatedProperties(PlainValidator* v, const Site& at, const JsonTree& value,
                                       const Outcome& before) {
    Outcome outcome;
    for (const auto& [name, member] : value.members) {
      if (!before.members.contains(name)) Member(v, at.keyword, name, member, &outcome);
    }
    return outcome;
  }

  static Outcome PropertyNames(PlainValidator* v, const Site& at, const JsonTree& value,
                               const Outcome&) {
    Outcome outcome;
    for (const auto& member : value.members) {
      JsonTree name;
      name.kind = Kind::kString;
      name.text = member.first;
      outcome.valid = v->Evaluate(&at.keyword, name).valid && outcome.valid;
    }
    return outcome;
  }

  // --- arrays ---

  static void Item(PlainValidator* v, const JsonTree& schema, const JsonTree& value, size_t index,
                   Outcome* outcome) {
    outcome->valid = v->Evaluate(&schema, value.items[index]).valid && outcome->valid;
    outcome->items.insert(index);
  }

  static Outcome PrefixItems(PlainValidator* v, const Site& at, const JsonTree& value,
                             const Outcome&) {
    Outcome outcome;
    for (size_t i = 0; i < value.items.size() && i < at.keyword.items.size(); ++i) {
      Item(v, at.keyword.items[i], value, i, &outcome);
    }
    return outcome;
  }

  // Items from `first` on.
  static Outcome Rest(PlainValidator* v, const Site& at, const JsonTree& value, size_t first) {
    Outcome outcome;
    for (size_t i = first; i < value.items.size(); ++i) Item(v, at.keyword, value, i, &outcome);
    return outcome;
  }

  static Outcome Items(PlainValidator* v, const Site& at, const JsonTree& value,
                       const Outcome& before) {
    if (at.resource.draft == Draft::k2020) {
      const JsonTree* prefix = at.schema.Find(U"prefixItems");
      return Rest(v, at, value, prefix == nullptr ? 0 : prefix->items.size());
    }
    return IsArray(at.keyword) ? PrefixItems(v, at, value, before) : Rest(v, at, value, 0);
  }

  // Only beside the array form of `items`.
  static Outcome AdditionalItems(PlainValidator* v, const Site& at, const JsonTree& value,
                                 const Outcome&) {
    const JsonTree* items = at.schema.Find(U"items");
    if (items == nullptr || !IsArray(*items)) return {};
    return Rest(v, at, value, items->items.size());
  }

  static Outcome UnevaluatedItems(PlainValidator* v, const Site& at, const JsonTree& value,
                                  const Outcome& before) {
    Outcome outcome;
    for (size_t i = 0; i < value.items.size(); ++i) {
      if (!before.items.contains(i)) Item(v, at.keyword, value, i, &outcome);
    }
    return outcome;
  }

  static Outcome Contains(PlainValidator* v, const Site& at, const JsonTree& value,
                          const Outcome&) {
    if (!IsArray(value)) return {};
    Outcome outcome;
    size_t count = 0;
    for (size_t i = 0; i < value.items.size(); ++i) {
      if (!v->Evaluate(&at.keyword, value.items[i]).valid) continue;
      ++count;
      if (at.resource.draft == Draft::k2020) outcome.items.insert(i);
    }
    bool counts = at.resource.draft >= Draft::k2019 && at.resource.validates;
    const JsonTree* least = counts ? Number(at.schema, U"minContains") : nullptr;
    const JsonTree* most = counts ? Number(at.schema, U"maxContains") : nullptr;
    outcome.valid = (least == nullptr ? count > 0 : CompareCount(count, *least) >= 0) &&
                    (most == nullptr || CompareCount(count, *most) <= 0);
    return outcome;
  }

  // --- strings ---

  static Outcome Pattern(PlainValidator* v, const Site& at, const JsonTree& value, const Outcome&) {
    return Says(!IsString(value) || v->Found(at.keyword.text, value.text));
  }

  static Outcome Format(PlainValidator* v, const Site& at, const JsonTree& value, const Outcome&) {
    if (!v->options_.assert_formats) return {};
    std::string name = ToUtf8(at.keyword.text);
    if (IsNumber(value)) return Says(InIntegerFormat(name, value));
    if (!IsString(value)) return {};
    for (std::string_view other : {"color", "idn-email", "idn-hostname", "url"}) {
      if (name == other) v->Unknown("the format " + name);
    }
    return Says(HasFormat(name, value.text).value_or(true));
  }

  // RFC 4648, section 4.
  static Outcome ContentEncoding(PlainValidator* v, const Site& at, const JsonTree& value,
                                 const Outcome&) {
    if (!v->options_.assert_formats || !IsString(value) || at.keyword.text != U"base64") return {};
    static const std::u32string kPattern =
        U"^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$";
    return Says(v->Found(kPattern, value.text));
  }

  static Outcome Type(PlainValidator* v, const Site& at, const JsonTree& value, const Outcome&) {
    bool spelled = v->options_.integers_by_spelling && at.resource.draft == Draft::k4;
    if (IsString(at.keyword)) return Says(HasType(value, at.keyword.text, spelled));
    return Says(
        std::any_of(at.keyword.items.begin(), at.keyword.items.end(),
                    [&](const JsonTree& type) { return HasType(value, type.text, spelled); }));
  }
};

namespace {

// --- the validation vocabulary ---

Outcome Enum(PlainValidator*, const Site& at, const JsonTree& value, const Outcome&) {
  return Says(std::find(at.keyword.items.begin(), at.keyword.items.end(), value) !=
              at.keyword.items.end());
}
Outcome Const(PlainValidator*, const Site& at, const JsonTree& value, const Outcome&) {
  return Says(value == at.keyword);
}

Outcome MultipleOf(PlainValidator*, const Site& at, const JsonTree& value, const Outcome&) {
  return Says(!IsNumber(value) || IsMultiple(ExactDecimal::FromText(value.number),
                                             ExactDecimal::FromText(at.keyword.number)));
}
// In draft 4 the exclusive forms are flags beside the bounds.
bool Flag(const Site& at, std::u32string_view name) {
  const JsonTree* flag = at.resource.draft == Draft::k4 ? at.schema.Find(name) : nullptr;
  return flag != nullptr && flag->kind == Kind::kTrue;
}
Outcome Minimum(PlainValidator*, const Site& at, const JsonTree& value, const Outcome&) {
  int least = Flag(at, U"exclusiveMinimum") ? 1 : 0;
  return Says(!IsNumber(value) || CompareNumber(value, at.keyword) >= least);
}
Outcome Maximum(PlainValidator*, const Site& at, const JsonTree& value, const Outcome&) {
  int most = Flag(at, U"exclusiveMaximum") ? -1 : 0;
  return Says(!IsNumber(value) || CompareNumber(value, at.keyword) <= most);
}
Outcome ExclusiveMinimum(PlainValidator*, const Site& at, const JsonTree& value, const Outcome&) {
  return Says(!IsNumber(value) || CompareNumber(value, at.keyword) > 0);
}
Outcome ExclusiveMaximum(PlainValidator*, const Site& at, const JsonTree& value, const Outcome&) {
  return Says(!IsNumber(value) || CompareNumber(value, at.keyword) < 0);
}

Outcome MinLength(PlainValidator*, const Site& at, const JsonTree& value, const Outcome&) {
  return Says(!IsString(value) || CompareCount(value.text.size(), at.keyword) >= 0);
}
Outcome MaxLength(PlainValidator*, const Site& at, const JsonTree& value, const Outcome&) {
  return Says(!IsString(value) || CompareCount(value.text.size(), at.keyword) <= 0);
}

Outcome MinItems(PlainValidator*, const Site& at, const JsonTree& value, const Outcome&) {
  return Says(!IsArray(value) || CompareCount(value.items.size(), at.keyword) >= 0);
}
Outcome MaxItems(PlainValidator*, const Site& at, const JsonTree& value, const Outcome&) {
  return Says(!IsArray(value) || CompareCount(value.items.size(), at.keyword) <= 0);
}
Outcome UniqueItems(PlainValidator*, const Site& at, const JsonTree& value, const Outcome&) {
  return Says(at.keyword.kind != Kind::kTrue || AllDistinct(value.items));
}

Outcome MinProperties(PlainValidator*, const Site& at, const JsonTree& value, const Outcome&) {
  return Says(!IsObject(value) || CompareCount(value.members.size(), at.keyword) >= 0);
}
Outcome MaxProperties(PlainValidator*, const Site& at, const JsonTree& value, const Outcome&) {
  return Says(!IsObject(value) || CompareCount(value.members.size(), at.keyword) <= 0);
}
bool HasAll(const JsonTree& value, const std::vector<JsonTree>& names) {
  return std::all_of(names.begin(), names.end(),
                     [&](const JsonTree& name) { return value.Find(name.text) != nullptr; });
}
Outcome Required(PlainValidator*, const Site& at, const JsonTree& value, const Outcome&) {
  return Says(!IsObject(value) || HasAll(value, at.keyword.items));
}
Outcome DependentRequired(PlainValidator*, const Site& at, const JsonTree& value, const Outcome&) {
  for (const auto& [name, others] : at.keyword.members) {
    if (value.Find(name) != nullptr && !HasAll(value, others.items)) return Says(false);
  }
  return {};
}

}  // namespace

const std::vector<Keyword>& Keywords::All() {
  using enum Draft;
  static const std::vector<Keyword> kKeywords = {
      {U"$ref", k4, k2020, false, Applied::Ref},
      {U"$recursiveRef", k2019, k2019, false, Applied::RecursiveRef},
      {U"$dynamicRef", k2020, k2020, false, Applied::DynamicRef},
      {U"allOf", k4, k2020, false, Applied::AllOf},
      {U"anyOf", k4, k2020, false, Applied::AnyOf},
      {U"oneOf", k4, k2020, false, Applied::OneOf},
      {U"not", k4, k2020, false, Applied::Not},
      {U"if", k7, k2020, false, Applied::If},
      {U"dependencies", k4, k7, false, Applied::DependentSchemas},
      {U"dependentSchemas", k2019, k2020, false, Applied::DependentSchemas},
      {U"properties", k4, k2020, false, Applied::Properties},
      {U"patternProperties", k4, k2020, false, Applied::PatternProperties},
      {U"additionalProperties", k4, k2020, false, Applied::AdditionalProperties},
      {U"propertyNames", k6, k2020, false, Applied::PropertyNames},
      {U"prefixItems", k2020, k2020, false, Applied::PrefixItems},
      {U"items", k4, k2020, false, Applied::Items},
      {U"additionalItems", k4, k2019, false, Applied::AdditionalItems},
      {U"contains", k6, k2020, false, Applied::Contains},
      {U"format", k4, k2020, false, Applied::Format},
      {U"contentEncoding", k7, k2020, false, Applied::ContentEncoding},
      {U"type", k4, k2020, true, Applied::Type},
      {U"pattern", k4, k2020, true, Applied::Pattern},
      {U"enum", k4, k2020, true, Enum},
      {U"const", k6, k2020, true, Const},
      {U"multipleOf", k4, k2020, true, MultipleOf},
      {U"minimum", k4, k2020, true, Minimum},
      {U"maximum", k4, k2020, true, Maximum},
      {U"exclusiveMinimum", k6, k2020, true, ExclusiveMinimum},
      {U"exclusiveMaximum", k6, k2020, true, ExclusiveMaximum},
      {U"minLength", k4, k2020, true, MinLength},
      {U"maxLength", k4, k2020, true, MaxLength},
      {U"minItems", k4, k2020, true, MinItems},
      {U"maxItems", k4, k2020, true, MaxItems},
      {U"uniqueItems", k4, k2020, true, UniqueItems},
      {U"minProperties", k4, k2020, true, MinProperties},
      {U"maxProperties", k4, k2020, true, MaxProperties},
      {U"required", k4, k2020, true, Required},
      {U"dependentRequired", k2019, k2020, true, DependentRequired},
      {U"unevaluatedProperties", k2019, k2020, false, Applied::UnevaluatedProperties},
      {U"unevaluatedItems", k2019, k2020, false, Applied::UnevaluatedItems},
  };
  return kKeywords;
}

}  // namespace maskloom::judge
