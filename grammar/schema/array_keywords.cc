// Keywords for arrays: items by position, contains, counts, uniqueItems, unevaluatedItems.
#include "grammar/schema/keyword_table.h"

namespace maskloom {

Status ReadItems(KeywordContext* context) {
  const SchemaDocument& document = context->document;
  if (document.IsArray(context->value)) {
    if (context->facts->draft == Draft::kDraft2020) {
      return document.ErrorAt(context->value, StatusCode::kInvalidDefinition,
                              "`items` must be a schema, not an array; in draft 2020-12 a schema "
                              "for each position is written `prefixItems`");
    }
    context->facts->prefix_items = context->value;
    if (document.count(context->value) == 0) return Status::Ok();
    return CheckSchemaList(*context);
  }
  context->facts->items = context->value;
  return CheckSchema(*context, context->value);
}

Status ReadAdditionalItems(KeywordContext* context) {
  if (Status status = CheckSchema(*context, context->value); !status.ok()) return status;
  const JsonIndex items = context->document.Find(context->schema, "items");
  if (items == kNoJson || !context->document.IsArray(items)) {
    return context->Annotate("has no `items` that is an array of schemas");
  }
  context->facts->items = context->value;
  return Status::Ok();
}

Status ReadPrefixItems(KeywordContext* context) {
  context->facts->prefix_items = context->value;
  return CheckSchemaList(*context);
}

Status ReadContains(KeywordContext* context) {
  context->facts->contains = context->value;
  return CheckSchema(*context, context->value);
}

namespace {

Status ReadContainsCount(KeywordContext* context, uint64_t* count) {
  uint64_t number = 0;
  if (Status status = ReadCount(*context, &number); !status.ok()) return status;
  if (context->document.Find(context->schema, "contains") == kNoJson) {
    return context->Annotate("has no `contains`");
  }
  *count = number;
  return Status::Ok();
}

}  // namespace

Status ReadMinContains(KeywordContext* context) {
  return ReadContainsCount(context, &context->facts->min_contains);
}

Status ReadMaxContains(KeywordContext* context) {
  return ReadContainsCount(context, &context->facts->max_contains);
}

Status ReadMinItems(KeywordContext* context) {
  return ReadCount(*context, &context->facts->min_items);
}

Status ReadMaxItems(KeywordContext* context) {
  return ReadCount(*context, &context->facts->max_items);
}

Status ReadUniqueItems(KeywordContext* context) {
  if (!context->document.IsBoolean(context->value)) return context->WrongForm("a boolean");
  context->facts->unique_items = context->document.kind(context->value) == JsonKind::kTrue;
  if (!context->facts->unique_items) return context->Annotate("false, so nothing is constrained");
  return Status::Ok();
}

Status ReadUnevaluatedItems(KeywordContext* context) {
  context->facts->unevaluated_items = context->value;
  return CheckSchema(*context, context->value);
}

}  // namespace maskloom
