// The rows, by name, and what handlers share.
#include "grammar/schema/keyword_table.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "grammar/base/decimal.h"

namespace maskloom {
namespace {

constexpr Draft k4 = Draft::kDraft4;
constexpr Draft k6 = Draft::kDraft6;
constexpr Draft k7 = Draft::kDraft7;
constexpr Draft k19 = Draft::kDraft2019;
constexpr Draft k20 = Draft::kDraft2020;
constexpr bool kRefused = true;

// Sorted by name.
constexpr KeywordRow kRows[] = {
    {"$anchor", k19, k20, 0, false, nullptr},
    {"$comment", k7, k20, 0, false, nullptr},
    {"$defs", k19, k20, 0, false, ReadDefinitions},
    {"$dynamicAnchor", k20, k20, kAllTypes, kRefused, RefuseAlways},
    {"$dynamicRef", k20, k20, kAllTypes, kRefused, RefuseAlways},
    {"$id", k6, k20, 0, false, nullptr},
    {"$recursiveAnchor", k19, k19, kAllTypes, kRefused, RefuseUnlessFalse},
    {"$recursiveRef", k19, k19, kAllTypes, kRefused, RefuseAlways},
    {"$ref", k4, k20, kAllTypes, false, ReadReference},
    {"$schema", k4, k20, 0, false, nullptr},
    {"$vocabulary", k19, k20, 0, false, nullptr},
    {"additionalItems", k4, k19, kTypeArray, kRefused, RefuseAdditionalItems},
    {"additionalProperties", k4, k20, kTypeObject, false, ReadAdditionalProperties},
    {"allOf", k4, k20, kAllTypes, false, ReadAllOf},
    {"anyOf", k4, k20, kAllTypes, false, ReadAnyOf},
    {"const", k6, k20, kAllTypes, false, ReadConst},
    {"contains", k6, k20, kTypeArray, kRefused, RefuseAlways},
    {"contentEncoding", k7, k20, 0, false, nullptr},
    {"contentMediaType", k7, k20, 0, false, nullptr},
    {"contentSchema", k19, k20, 0, false, nullptr},
    {"default", k4, k20, 0, false, nullptr},
    {"definitions", k4, k20, 0, false, ReadDefinitions},
    {"dependencies", k4, k7, kTypeObject, kRefused, RefuseAlways},
    {"dependentRequired", k19, k20, kTypeObject, kRefused, RefuseAlways},
    {"dependentSchemas", k19, k20, kTypeObject, kRefused, RefuseAlways},
    {"deprecated", k19, k20, 0, false, nullptr},
    {"description", k4, k20, 0, false, nullptr},
    {"else", k7, k20, kAllTypes, kRefused, RefuseThenElse},
    {"enum", k4, k20, kAllTypes, false, ReadEnum},
    {"examples", k6, k20, 0, false, nullptr},
    {"exclusiveMaximum", k4, k20, kTypeNumber, false, ReadExclusiveMaximum},
    {"exclusiveMinimum", k4, k20, kTypeNumber, false, ReadExclusiveMinimum},
    {"format", k4, k20, kTypeString, kRefused, RefuseAlways},
    {"id", k4, k4, 0, false, nullptr},
    {"if", k7, k20, kAllTypes, kRefused, RefuseIf},
    {"items", k4, k20, kTypeArray, false, ReadItems},
    {"maxContains", k19, k20, kTypeArray, kRefused, RefuseContainsCount},
    {"maxItems", k4, k20, kTypeArray, false, ReadMaxItems},
    {"maxLength", k4, k20, kTypeString, false, ReadMaxLength},
    {"maxProperties", k4, k20, kTypeObject, false, ReadMaxProperties},
    {"maximum", k4, k20, kTypeNumber, false, ReadMaximum},
    {"minContains", k19, k20, kTypeArray, kRefused, RefuseContainsCount},
    {"minItems", k4, k20, kTypeArray, false, ReadMinItems},
    {"minLength", k4, k20, kTypeString, false, ReadMinLength},
    {"minProperties", k4, k20, kTypeObject, false, ReadMinProperties},
    {"minimum", k4, k20, kTypeNumber, false, ReadMinimum},
    {"multipleOf", k4, k20, kTypeNumber, kRefused, RefuseAlways},
    {"not", k4, k20, kAllTypes, kRefused, RefuseAlways},
    {"oneOf", k4, k20, kAllTypes, kRefused, RefuseAlways},
    {"pattern", k4, k20, kTypeString, false, ReadPattern},
    {"patternProperties", k4, k20, kTypeObject, false, ReadPatternProperties},
    {"prefixItems", k20, k20, kTypeArray, false, ReadPrefixItems},
    {"properties", k4, k20, kTypeObject, false, ReadProperties},
    {"propertyNames", k6, k20, kTypeObject, kRefused, RefuseAlways},
    {"readOnly", k7, k20, 0, false, nullptr},
    {"required", k4, k20, kTypeObject, false, ReadRequired},
    {"then", k7, k20, kAllTypes, kRefused, RefuseThenElse},
    {"title", k4, k20, 0, false, nullptr},
    {"type", k4, k20, kAllTypes, false, ReadType},
    {"unevaluatedItems", k19, k20, kTypeArray, kRefused, RefuseAlways},
    {"unevaluatedProperties", k19, k20, kTypeObject, kRefused, RefuseAlways},
    {"uniqueItems", k4, k20, kTypeArray, kRefused, RefuseUnlessFalse},
    {"writeOnly", k7, k20, 0, false, nullptr},
};

}  // namespace

const KeywordRow* FindKeyword(std::string_view name) {
  const KeywordRow* row =
      std::lower_bound(std::begin(kRows), std::end(kRows), name,
                       [](const KeywordRow& a, std::string_view b) { return a.name < b; });
  return row != std::end(kRows) && row->name == name ? row : nullptr;
}

const char* DraftName(Draft draft) {
  switch (draft) {
    case Draft::kDraft4:
      return "draft-04";
    case Draft::kDraft6:
      return "draft-06";
    case Draft::kDraft7:
      return "draft-07";
    case Draft::kDraft2019:
      return "2019-09";
    case Draft::kDraft2020:
      return "2020-12";
  }
  return "unknown";
}

Status KeywordContext::Annotate(std::string why) {
  outcome = KeywordReport::Outcome::kAnnotation;
  note = std::move(why);
  return Status::Ok();
}

Status KeywordContext::WrongForm(const std::string& expected) const {
  return document.ErrorAt(value, StatusCode::kInvalidDefinition,
                          "`" + std::string(keyword()) + "` must be " + expected + ", not " +
                              JsonKindPhrase(document.kind(value)));
}

Status KeywordContext::Refuse(const std::string& detail) const {
  return document.ErrorAt(value, StatusCode::kUnsupported,
                          "the keyword `" + std::string(keyword()) + "`" + detail +
                              " is not supported and would change what the schema accepts; "
                              "remove it or express it otherwise");
}

Status ReadCount(const KeywordContext& context, uint64_t* count) {
  const SchemaDocument& document = context.document;
  constexpr const char* kForm = "a non-negative integer";
  if (document.kind(context.value) != JsonKind::kNumber) return context.WrongForm(kForm);
  std::string_view text = document.text(context.value);
  std::optional<Decimal> value = Decimal::Parse(text);
  if (!value) {
    *count = std::numeric_limits<uint64_t>::max();
    if (text[0] != '-') return Status::Ok();
  }
  if (!value || value->negative() || !value->IsInteger()) {
    return document.ErrorAt(
        context.value, StatusCode::kInvalidDefinition,
        "`" + std::string(context.keyword()) + "` must be " + kForm + ", not " + std::string(text));
  }
  *count = 0;
  for (int64_t i = 0; i < value->exponent(); ++i) {
    uint64_t digit = i < static_cast<int64_t>(value->digits().size())
                         ? static_cast<uint64_t>(value->digits()[i] - '0')
                         : 0;
    if (*count > (std::numeric_limits<uint64_t>::max() - digit) / 10) {
      *count = std::numeric_limits<uint64_t>::max();
      break;
    }
    *count = *count * 10 + digit;
  }
  return Status::Ok();
}

}  // namespace maskloom
