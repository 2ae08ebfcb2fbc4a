// Keywords for objects: properties, patternProperties, additionalProperties, required and counts.
#include <algorithm>

#include "grammar/schema/keyword_table.h"
#include "grammar/schema/schema_reader.h"

namespace maskloom {
namespace {

// Checks for an object whose members are schemas.
Status CheckSchemaMap(const KeywordContext& context) {
  const SchemaDocument& document = context.document;
  if (!document.IsObject(context.value)) return context.WrongForm("an object of schemas");
  for (JsonIndex member = document.first(context.value); member != kNoJson;
       member = document.next(member)) {
    if (!document.IsSchema(member)) {
      return document.ErrorAt(member, StatusCode::kInvalidDefinition,
                              std::string("a schema must be an object or a boolean, not ") +
                                  JsonKindPhrase(document.kind(member)));
    }
  }
  return Status::Ok();
}

}  // namespace

Status ReadProperties(KeywordContext* context) {
  context->facts->properties = context->value;
  return CheckSchemaMap(*context);
}

Status ReadPatternProperties(KeywordContext* context) {
  if (Status status = CheckSchemaMap(*context); !status.ok()) return status;
  if ((context->facts->types & kTypeObject) == 0) {
    return context->Annotate("constrains only values that `type` excludes");
  }
  const SchemaDocument& document = context->document;
  context->facts->pattern_properties.clear();
  for (JsonIndex member = document.first(context->value); member != kNoJson;
       member = document.next(member)) {
    Result<PatternId> pattern = context->reader->patterns()->AddForKeys(document.key(member));
    if (!pattern.ok()) return AtKeyword(*context, member, pattern.status());
    auto& rules = context->facts->pattern_properties;
    auto repeated = std::find_if(rules.begin(), rules.end(),
                                 [&](const auto& rule) { return rule.pattern == *pattern; });
    if (repeated != rules.end()) {
      repeated->schema = SchemaAt(member);
    } else {
      rules.push_back({*pattern, SchemaAt(member)});
    }
  }
  return Status::Ok();
}

Status ReadAdditionalProperties(KeywordContext* context) {
  if (!context->document.IsSchema(context->value)) return context->WrongForm("a schema");
  context->facts->additional_properties = SchemaAt(context->value);
  return Status::Ok();
}

Status ReadRequired(KeywordContext* context) {
  const SchemaDocument& document = context->document;
  if (!document.IsArray(context->value)) return context->WrongForm("an array of strings");
  for (JsonIndex item = document.first(context->value); item != kNoJson;
       item = document.next(item)) {
    if (!document.IsString(item)) {
      return document.ErrorAt(
          item, StatusCode::kInvalidDefinition,
          std::string("`required` must list strings, not ") + JsonKindPhrase(document.kind(item)));
    }
  }
  context->facts->required = context->value;
  return Status::Ok();
}

Status ReadMinProperties(KeywordContext* context) {
  return ReadCount(*context, &context->facts->min_properties);
}

Status ReadMaxProperties(KeywordContext* context) {
  return ReadCount(*context, &context->facts->max_properties);
}

}  // namespace maskloom
