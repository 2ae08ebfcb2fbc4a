// Keywords that combine schemas for the same value: allOf, anyOf, oneOf, not, if, then, else.
#include "grammar/schema/keyword_table.h"

namespace maskloom {

Status ReadAllOf(KeywordContext* context) {
  context->facts->all_of = context->value;
  return CheckSchemaList(*context);
}

Status ReadAnyOf(KeywordContext* context) {
  context->facts->any_of = context->value;
  return CheckSchemaList(*context);
}

Status ReadOneOf(KeywordContext* context) {
  context->facts->one_of = context->value;
  return CheckSchemaList(*context);
}

Status ReadNot(KeywordContext* context) {
  context->facts->negated = context->value;
  return CheckSchema(*context, context->value);
}

Status ReadIf(KeywordContext* context) {
  if (Status status = CheckSchema(*context, context->value); !status.ok()) return status;
  // Without branches it constrains nothing, but what it evaluates counts.
  context->facts->condition = context->value;
  if (context->document.Find(context->schema, "then") == kNoJson &&
      context->document.Find(context->schema, "else") == kNoJson) {
    return context->Annotate("has neither `then` nor `else`");
  }
  return Status::Ok();
}

namespace {

Status ReadBranch(KeywordContext* context, JsonIndex* branch) {
  if (Status status = CheckSchema(*context, context->value); !status.ok()) return status;
  if (context->document.Find(context->schema, "if") == kNoJson) {
    return context->Annotate("has no `if`");
  }
  *branch = context->value;
  return Status::Ok();
}

}  // namespace

Status ReadThen(KeywordContext* context) {
  return ReadBranch(context, &context->facts->consequence);
}

Status ReadElse(KeywordContext* context) {
  return ReadBranch(context, &context->facts->alternative);
}

}  // namespace maskloom
