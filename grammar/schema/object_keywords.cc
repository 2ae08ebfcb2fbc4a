// Keywords for objects: members by name and pattern, names, counts, unevaluatedProperties.
#include <algorithm>

#include "grammar/schema/keyword_table.h"

namespace maskloom {

Status ReadProperties(KeywordContext* context) {
  context->facts->properties = context->value;
  return CheckSchemaMap(*context);
}

Status ReadPatternProperties(KeywordContext* context) {
  if (Status status = CheckSchemaMap(*context); !status.ok()) return status;
  if ((context->facts->types & kTypeObject) == 0) return Status::Ok();
  const SchemaDocument& document = context->document;
  for (JsonIndex member = document.first(context->value); member != kNoJson;
       member = document.next(member)) {
    Result<PatternId> pattern = context->patterns->AddForKeys(document.key(member));
    if (!pattern.ok()) return AtKeyword(*context, member, pattern.status());
    auto& rules = context->facts->pattern_properties;
    auto repeated = std::find_if(rules.begin(), rules.end(), [&](const auto& rule) {
      return document.key(rule.schema) == document.key(member);
    });
    if (repeated != rules.end()) {
      repeated->schema = member;
    } else {
      rules.push_back({*pattern, member});
    }
  }
  return Status::Ok();
}

Status ReadAdditionalProperties(KeywordContext* context) {
  context->facts->additional_properties = context->value;
  return CheckSchema(*context, context->value);
}

Status ReadPropertyNames(KeywordContext* context) {
  context->facts->property_names = context->value;
  return CheckSchema(*context, context->value);
}

Status ReadRequired(KeywordContext* context) {
  if (!context->document.IsArray(context->value)) return context->WrongForm("an array of strings");
  context->facts->required = context->value;
  return CheckNames(*context, context->value);
}

Status ReadMinProperties(KeywordContext* context) {
  return ReadCount(*context, &context->facts->min_properties);
}

Status ReadMaxProperties(KeywordContext* context) {
  return ReadCount(*context, &context->facts->max_properties);
}

Status ReadUnevaluatedProperties(KeywordContext* context) {
  context->facts->unevaluated_properties = context->value;
  return CheckSchema(*context, context->value);
}

}  // namespace maskloom
