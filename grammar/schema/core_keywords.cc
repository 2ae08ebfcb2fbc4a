// Keywords about schemas themselves: $schema, references, definitions.
#include <algorithm>
#include <string>
#include <string_view>

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

Status ReadIdentifier(KeywordContext* context) {
  if (!context->document.IsString(context->value)) return Status::Ok();
  const std::string_view text = context->document.text(context->value);
  const size_t hash = text.find('#');
  if (context->facts->draft < Draft::kDraft2019 || hash >= text.size() - 1) return Status::Ok();
  return context->Annotate(
      std::string("has a fragment, which ") + DraftName(context->facts->draft) + " forbids; " +
      (text[hash + 1] == '/' ? "it is ignored" : "it is taken for an anchor, as in old drafts"));
}

Status ReadAnchor(KeywordContext* context) {
  if (!context->document.IsString(context->value)) return context->WrongForm("a string");
  const std::string_view name = context->document.text(context->value);
  const bool is_old = context->facts->draft == Draft::kDraft2019;
  const auto is_letter = [](char c) { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z'; };
  const bool is_name = !name.empty() && (is_letter(name[0]) || (name[0] == '_' && !is_old)) &&
                       std::all_of(name.begin(), name.end(), [&](char c) {
                         return is_letter(c) || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
                                c == '_' || (c == ':' && is_old);
                       });
  if (is_name) return Status::Ok();
  return context->document.ErrorAt(
      context->value, StatusCode::kInvalidDefinition,
      "`" + std::string(context->keyword()) + "` must be " +
          (is_old ? "a letter, then letters, digits and any of -_.:"
                  : "a letter or _, then letters, digits and any of -_.") +
          ", not \"" + std::string(name) + "\"");
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
