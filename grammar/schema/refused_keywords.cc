// Keywords without an exact treatment yet: refused by name where they could matter.
#include "grammar/schema/keyword_table.h"

namespace maskloom {

Status RefuseAlways(KeywordContext* context) { return context->Refuse(); }

Status RefuseUnlessFalse(KeywordContext* context) {
  JsonKind kind = context->document.kind(context->value);
  if (kind == JsonKind::kFalse) return context->Annotate("false, so nothing is constrained");
  if (kind != JsonKind::kTrue) return context->WrongForm("a boolean");
  return context->Refuse();
}

Status RefuseAdditionalItems(KeywordContext* context) {
  const SchemaDocument& document = context->document;
  JsonIndex items = document.Find(context->schema, "items");
  if (items == kNoJson || !document.IsArray(items)) {
    return context->Annotate("has no `items` that is an array of schemas");
  }
  return context->Refuse();
}

Status RefuseIf(KeywordContext* context) {
  const SchemaDocument& document = context->document;
  if (document.Find(context->schema, "then") == kNoJson &&
      document.Find(context->schema, "else") == kNoJson) {
    return context->Annotate("has neither `then` nor `else`");
  }
  return context->Refuse();
}

Status RefuseThenElse(KeywordContext* context) {
  if (context->document.Find(context->schema, "if") == kNoJson) {
    return context->Annotate("has no `if`");
  }
  return context->Refuse();
}

Status RefuseContainsCount(KeywordContext* context) {
  if (context->document.Find(context->schema, "contains") == kNoJson) {
    return context->Annotate("has no `contains`");
  }
  return context->Refuse();
}

}  // namespace maskloom
