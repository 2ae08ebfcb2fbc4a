// Keywords for arrays: prefixItems, items, minItems, maxItems.
#include "grammar/schema/keyword_table.h"
#include "grammar/schema/schema_reader.h"

namespace maskloom {

Status ReadItems(KeywordContext* context) {
  const SchemaDocument& document = context->document;
  if (document.IsArray(context->value)) {
    if (context->reader->draft() == Draft::kDraft2020) {
      return document.ErrorAt(context->value, StatusCode::kInvalidDefinition,
                              "`items` must be a schema, not an array; in draft 2020-12 a schema "
                              "for each position is written `prefixItems`");
    }
    return ReadPrefixItems(context);
  }
  if (!document.IsSchema(context->value)) return context->WrongForm("a schema");
  context->facts->items = SchemaAt(context->value);
  return Status::Ok();
}

Status ReadPrefixItems(KeywordContext* context) {
  const SchemaDocument& document = context->document;
  if (!document.IsArray(context->value)) return context->WrongForm("an array of schemas");
  for (JsonIndex item = document.first(context->value); item != kNoJson;
       item = document.next(item)) {
    if (!document.IsSchema(item)) {
      return document.ErrorAt(item, StatusCode::kInvalidDefinition,
                              std::string("a schema must be an object or a boolean, not ") +
                                  JsonKindPhrase(document.kind(item)));
    }
  }
  context->facts->prefix_items = context->value;
  return Status::Ok();
}

Status ReadMinItems(KeywordContext* context) {
  return ReadCount(*context, &context->facts->min_items);
}

Status ReadMaxItems(KeywordContext* context) {
  return ReadCount(*context, &context->facts->max_items);
}

}  // namespace maskloom
