// Keywords about what a member's presence asks for: one before 2019-09, two since.
#include <algorithm>

#include "grammar/schema/keyword_table.h"

namespace maskloom {
namespace {

enum class Form { kNames, kSchema, kEither };

Status ReadDependencyMap(KeywordContext* context, Form form, const char* expected) {
  const SchemaDocument& document = context->document;
  if (!document.IsObject(context->value)) return context->WrongForm(expected);
  auto& dependencies = context->facts->dependencies;
  const size_t first = dependencies.size();
  for (JsonIndex member = document.first(context->value); member != kNoJson;
       member = document.next(member)) {
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
    auto repeated = std::find_if(dependencies.begin() + first, dependencies.end(),
                                 [&](const SchemaFacts::Dependency& other) {
                                   return document.key(other.member) == document.key(member);
                                 });
    if (repeated != dependencies.end()) {
      *repeated = {member, names};
    } else {
      dependencies.push_back({member, names});
    }
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
