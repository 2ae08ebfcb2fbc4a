// Keywords about schemas themselves: $schema, references, definitions.
#include "grammar/schema/dialect.h"
#include "grammar/schema/keyword_table.h"

namespace maskloom {

Status ReadSchemaUri(KeywordContext* context) {
  if (!context->document.IsString(context->value)) return context->WrongForm("a string");
  if (!FindDraft(context->document.text(context->value))) {
    return context->Annotate(std::string("no known draft; read as ") +
                             DraftName(context->facts->draft));
  }
  return Status::Ok();
}

Status ReadReference(KeywordContext* context) {
  if (!context->document.IsString(context->value)) return context->WrongForm("a string");
  context->facts->reference = context->value;
  return Status::Ok();
}

Status ReadDynamicReference(KeywordContext* context) {
  const SchemaDocument& document = context->document;
  if (!document.IsString(context->value)) return context->WrongForm("a string");
  if (context->facts->draft == Draft::kDraft2019 && document.text(context->value) != "#") {
    return document.ErrorAt(context->value, StatusCode::kInvalidDefinition,
                            "`$recursiveRef` must be \"#\", not \"" +
                                std::string(document.text(context->value)) + "\"");
  }
  context->facts->dynamic_reference = context->value;
  return Status::Ok();
}

Status ReadDefinitions(KeywordContext* context) {
  if (!context->document.IsObject(context->value)) return context->WrongForm("an object");
  return Status::Ok();
}

}  // namespace maskloom
