// Keywords about what a member's presence asks for: one before 2019-09, two since.
#include "grammar/schema/keyword_table.h"

namespace maskloom {
namespace {

enum class Form { kNames, kSchema, kEither };

Status ReadDependencyMap(KeywordContext* context, Form form, const char* expected) {
  const SchemaDocument& document = context->document;
  if (!document.IsObject(context->value)) return context->WrongForm(expected);
  for (JsonIndex member : LastMembers(document, context->value)) {
    const bool names = document.IsArray(member);
    const bool fits =
        names ? form != Form::kSchema : form != Form::kNames && document.IsSchema(member);
    if (!fits) {
      return document.ErrorAt(member, StatusCode::kInvalidDefinition,
                              "`" + std::string(context->keyword()) + "` must be " + expected +
                                  ", but here is " + JsonKindPhrase(document.kind(member)));
    }
    if (names) {
      if (Status status = CheckNames(*context, member); !status.ok()) return status;
    }
    context->facts->dependencies.push_back({member, names});
  }
  return Status::Ok();
}

}  // namespace

Status ReadDependencies(KeywordContext* context) {
  return ReadDependencyMap(context, Form::kEither, "an object of schemas or arrays of strings");
}

Status ReadDependentRequired(KeywordContext* context) {
  return ReadDependencyMap(context, Form::kNames, "an object of arrays of strings");
}

Status ReadDependentSchemas(KeywordContext* context) {
  return ReadDependencyMap(context, Form::kSchema, "an object of schemas");
}

}  // namespace maskloom
