// Keywords for objects: members by name and pattern, names, counts, unevaluatedProperties.
#include "grammar/schema/keyword_table.h"

namespace maskloom {

Status ReadProperties(KeywordContext* context) {
  context->facts->properties = context->value;
  return CheckSchemaMap(*context);
}

Status ReadPatternProperties(KeywordContext* context) {
  if (Status status = CheckSchemaMap(*context); !status.ok()) return status;
  if ((context->facts->types & kTypeObject) == 0) return Status::Ok();
  for (JsonIndex member : LastMembers(context->document, context->value)) {
    Result<PatternId> pattern = context->patterns->AddForKeys(context->document.key(member));
    if (!pattern.ok()) return AtKeyword(*context, member, pattern.status());
    context->facts->pattern_properties.push_back({*pattern, member});
    if (const std::string& widened = context->patterns->widened(*pattern); !widened.empty()) {
      context->note += std::string(context->note.empty() ? "" : "; ") + "\"" +
                       std::string(context->document.key(member)) +
                       "\" is not valid with the `u` flag; read as without it: " + widened;
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
