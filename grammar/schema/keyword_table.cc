// The rows, by name, and what handlers share.
#include "grammar/schema/keyword_table.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <unordered_set>
#include <utility>

#include "grammar/base/decimal.h"

namespace maskloom {
namespace {

constexpr Draft k4 = Draft::kDraft4;
constexpr Draft k6 = Draft::kDraft6;
constexpr Draft k7 = Draft::kDraft7;
constexpr Draft k19 = Draft::kDraft2019;
constexpr Draft k20 = Draft::kDraft2020;
constexpr VocabularyBits kCore = kCoreVocabulary;
constexpr VocabularyBits kApplicator = kApplicatorVocabulary;
constexpr VocabularyBits kUnevaluated = kUnevaluatedVocabulary;
constexpr VocabularyBits kValidation = kValidationVocabulary;
constexpr VocabularyBits kMetaData = kMetaDataVocabulary;
constexpr VocabularyBits kFormat = kFormatVocabulary;
constexpr VocabularyBits kContent = kContentVocabulary;

// Sorted by name.
constexpr KeywordRow kRows[] = {
    {"$anchor", k19, k20, kCore, 0, kNoChildren, ReadAnchor},
    {"$comment", k7, k20, kCore, 0, kNoChildren, nullptr},
    {"$defs", k19, k20, kCore, 0, kChildMap, ReadDefinitions},
    {"$dynamicAnchor", k20, k20, kCore, 0, kNoChildren, ReadAnchor},
    {"$dynamicRef", k20, k20, kCore, kAllTypes, kNoChildren, ReadDynamicReference},
    {"$id", k6, k20, kCore, 0, kNoChildren, ReadIdentifier},
    {"$recursiveAnchor", k19, k19, kCore, 0, kNoChildren, nullptr},
    {"$recursiveRef", k19, k19, kCore, kAllTypes, kNoChildren, ReadDynamicReference},
    {"$ref", k4, k20, kCore, kAllTypes, kNoChildren, ReadReference},
    {"$schema", k4, k20, kCore, 0, kNoChildren, ReadSchemaUri},
    {"$vocabulary", k19, k20, kCore, 0, kNoChildren, nullptr},
    {"additionalItems", k4, k19, kApplicator, kTypeArray, kChild, ReadAdditionalItems},
    {"additionalProperties", k4, k20, kApplicator, kTypeObject, kChild, ReadAdditionalProperties},
    {"allOf", k4, k20, kApplicator, kAllTypes, kChildList, ReadAllOf},
    {"anyOf", k4, k20, kApplicator, kAllTypes, kChildList, ReadAnyOf},
    {"const", k6, k20, kValidation, kAllTypes, kNoChildren, ReadConst},
    {"contains", k6, k20, kApplicator, kTypeArray, kChild, ReadContains},
    {"contentEncoding", k7, k20, kContent, kTypeString, kNoChildren, ReadContentEncoding},
    {"contentMediaType", k7, k20, kContent, 0, kNoChildren, nullptr},
    {"contentSchema", k19, k20, kContent, 0, kChild, nullptr},
    {"default", k4, k20, kMetaData, 0, kNoChildren, nullptr},
    {"definitions", k4, k20, kCore, 0, kChildMap, ReadDefinitions},
    {"dependencies", k4, k7, kApplicator, kTypeObject, kChildMap, ReadDependencies},
    {"dependentRequired", k19, k20, kValidation, kTypeObject, kNoChildren, ReadDependentRequired},
    {"dependentSchemas", k19, k20, kApplicator, kTypeObject, kChildMap, ReadDependentSchemas},
    {"deprecated", k19, k20, kMetaData, 0, kNoChildren, nullptr},
    {"description", k4, k20, kMetaData, 0, kNoChildren, nullptr},
    {"else", k7, k20, kApplicator, kAllTypes, kChild, ReadElse},
    {"enum", k4, k20, kValidation, kAllTypes, kNoChildren, ReadEnum},
    {"examples", k6, k20, kMetaData, 0, kNoChildren, nullptr},
    {"exclusiveMaximum", k4, k20, kValidation, kTypeNumber, kNoChildren, ReadExclusiveMaximum},
    {"exclusiveMinimum", k4, k20, kValidation, kTypeNumber, kNoChildren, ReadExclusiveMinimum},
    {"format", k4, k20, kFormat, kTypeString | kTypeNumber, kNoChildren, ReadFormat},
    {"id", k4, k4, kCore, 0, kNoChildren, nullptr},
    {"if", k7, k20, kApplicator, kAllTypes, kChild, ReadIf},
    {"items", k4, k20, kApplicator, kTypeArray, kChild | kChildList, ReadItems},
    {"maxContains", k19, k20, kValidation, kTypeArray, kNoChildren, ReadMaxContains},
    {"maxItems", k4, k20, kValidation, kTypeArray, kNoChildren, ReadMaxItems},
    {"maxLength", k4, k20, kValidation, kTypeString, kNoChildren, ReadMaxLength},
    {"maxProperties", k4, k20, kValidation, kTypeObject, kNoChildren, ReadMaxProperties},
    {"maximum", k4, k20, kValidation, kTypeNumber, kNoChildren, ReadMaximum},
    {"minContains", k19, k20, kValidation, kTypeArray, kNoChildren, ReadMinContains},
    {"minItems", k4, k20, kValidation, kTypeArray, kNoChildren, ReadMinItems},
    {"minLength", k4, k20, kValidation, kTypeString, kNoChildren, ReadMinLength},
    {"minProperties", k4, k20, kValidation, kTypeObject, kNoChildren, ReadMinProperties},
    {"minimum", k4, k20, kValidation, kTypeNumber, kNoChildren, ReadMinimum},
    {"multipleOf", k4, k20, kValidation, kTypeNumber, kNoChildren, ReadMultipleOf},
    {"not", k4, k20, kApplicator, kAllTypes, kChild, ReadNot},
    {"nullable", k4, k20, kCore, kAllTypes, kNoChildren, ReadNullable},
    {"oneOf", k4, k20, kApplicator, kAllTypes, kChildList, ReadOneOf},
    {"pattern", k4, k20, kValidation, kTypeString, kNoChildren, ReadPattern},
    {"patternProperties", k4, k20, kApplicator, kTypeObject, kChildMap, ReadPatternProperties},
    {"prefixItems", k20, k20, kApplicator, kTypeArray, kChildList, ReadPrefixItems},
    {"properties", k4, k20, kApplicator, kTypeObject, kChildMap, ReadProperties},
    {"propertyNames", k6, k20, kApplicator, kTypeObject, kChild, ReadPropertyNames},
    {"readOnly", k7, k20, kMetaData, 0, kNoChildren, nullptr},
    {"required", k4, k20, kValidation, kTypeObject, kNoChildren, ReadRequired},
    {"then", k7, k20, kApplicator, kAllTypes, kChild, ReadThen},
    {"title", k4, k20, kMetaData, 0, kNoChildren, nullptr},
    {"type", k4, k20, kValidation, kAllTypes, kNoChildren, ReadType},
    {"unevaluatedItems", k19, k20, kUnevaluated, kTypeArray, kChild, ReadUnevaluatedItems},
    {"unevaluatedProperties", k19, k20, kUnevaluated, kTypeObject, kChild,
     ReadUnevaluatedProperties},
    {"uniqueItems", k4, k20, kValidation, kTypeArray, kNoChildren, ReadUniqueItems},
    {"writeOnly", k7, k20, kMetaData, 0, kNoChildren, nullptr},
};

}  // namespace

const KeywordRow* FindKeyword(std::string_view name) {
  const KeywordRow* row =
      std::lower_bound(std::begin(kRows), std::end(kRows), name,
                       [](const KeywordRow& a, std::string_view b) { return a.name < b; });
  return row != std::end(kRows) && row->name == name ? row : nullptr;
}

std::span<const KeywordRow> AllKeywords() { return kRows; }

Status KeywordContext::Annotate(std::string why) {
  outcome = KeywordReport::Outcome::kAnnotation;
  note = std::move(why);
  return Status::Ok();
}

Status KeywordContext::AnnotateExcluded() {
  return Annotate("constrains only values that `type` excludes");
}

Status KeywordContext::Relax(std::string why) {
  outcome = KeywordReport::Outcome::kRelaxed;
  note = std::move(why);
  return Status::Ok();
}

Status KeywordContext::WrongForm(const std::string& expected) const {
  return document.ErrorAt(value, StatusCode::kInvalidDefinition,
                          "`" + std::string(keyword()) + "` must be " + expected + ", not " +
                              JsonKindPhrase(document.kind(value)));
}

Status KeywordContext::Refuse(std::string why) const {
  return document.ErrorAt(value, StatusCode::kUnsupported, std::move(why));
}

Status CheckSchema(const KeywordContext& context, JsonIndex value) {
  if (context.document.IsSchema(value)) return Status::Ok();
  return context.document.ErrorAt(value, StatusCode::kInvalidDefinition,
                                  std::string("a schema must be an object or a boolean, not ") +
                                      JsonKindPhrase(context.document.kind(value)));
}

Status CheckSchemaList(const KeywordContext& context) {
  const SchemaDocument& document = context.document;
  if (!document.IsArray(context.value)) return context.WrongForm("an array of schemas");
  if (document.count(context.value) == 0) {
    return document.ErrorAt(
        context.value, StatusCode::kInvalidDefinition,
        "`" + std::string(context.keyword()) + "` must hold at least one schema");
  }
  for (JsonIndex item = document.first(context.value); item != kNoJson;
       item = document.next(item)) {
    if (Status status = CheckSchema(context, item); !status.ok()) return status;
  }
  return Status::Ok();
}

Status CheckSchemaMap(const KeywordContext& context) {
  const SchemaDocument& document = context.document;
  if (!document.IsObject(context.value)) return context.WrongForm("an object of schemas");
  for (JsonIndex member = document.first(context.value); member != kNoJson;
       member = document.next(member)) {
    if (Status status = CheckSchema(context, member); !status.ok()) return status;
  }
  return Status::Ok();
}

Status CheckNames(const KeywordContext& context, JsonIndex value) {
  const SchemaDocument& document = context.document;
  for (JsonIndex item = document.first(value); item != kNoJson; item = document.next(item)) {
    if (!document.IsString(item)) {
      return document.ErrorAt(item, StatusCode::kInvalidDefinition,
                              "`" + std::string(context.keyword()) + "` must list strings, not " +
                                  JsonKindPhrase(document.kind(item)));
    }
  }
  return Status::Ok();
}

std::vector<JsonIndex> LastMembers(const SchemaDocument& document, JsonIndex object) {
  std::vector<JsonIndex> members;
  for (JsonIndex member = document.first(object); member != kNoJson;
       member = document.next(member)) {
    members.push_back(member);
  }
  std::unordered_set<std::string_view> names;
  auto is_replaced = [&](JsonIndex member) { return !names.insert(document.key(member)).second; };
  // From the back: the last of a name stays.
  members.erase(members.begin(),
                std::remove_if(members.rbegin(), members.rend(), is_replaced).base());
  return members;
}

std::optional<uint64_t> CountAt(const SchemaDocument& document, JsonIndex value) {
  constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();
  if (document.kind(value) != JsonKind::kNumber) return std::nullopt;
  const std::string_view text = document.text(value);
  const std::optional<Decimal> number = Decimal::Parse(text);
  if (!number) return text[0] != '-' ? std::optional(kMost) : std::nullopt;
  if (number->negative() || !number->IsInteger()) return std::nullopt;
  uint64_t count = 0;
  for (int64_t i = 0; i < number->exponent(); ++i) {
    const uint64_t digit = i < static_cast<int64_t>(number->digits().size())
                               ? static_cast<uint64_t>(number->digits()[i] - '0')
                               : 0;
    if (count > (kMost - digit) / 10) return kMost;
    count = count * 10 + digit;
  }
  return count;
}

Status ReadCount(const KeywordContext& context, uint64_t* count) {
  const SchemaDocument& document = context.document;
  constexpr const char* kForm = "a non-negative integer";
  const std::optional<uint64_t> value = CountAt(document, context.value);
  if (!value && document.kind(context.value) != JsonKind::kNumber) return context.WrongForm(kForm);
  if (!value) {
    return document.ErrorAt(context.value, StatusCode::kInvalidDefinition,
                            "`" + std::string(context.keyword()) + "` must be " + kForm + ", not " +
                                std::string(document.text(context.value)));
  }
  *count = *value;
  return Status::Ok();
}

}  // namespace maskloom
