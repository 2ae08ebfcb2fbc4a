// Keywords for strings: minLength, maxLength, pattern.
#include "grammar/schema/keyword_table.h"

namespace maskloom {

Status ReadMinLength(KeywordContext* context) {
  return ReadCount(*context, &context->facts->min_length);
}

Status ReadMaxLength(KeywordContext* context) {
  return ReadCount(*context, &context->facts->max_length);
}

Status ReadPattern(KeywordContext* context) {
  if (!context->document.IsString(context->value)) {
    return context->WrongForm("a regular expression in a string");
  }
  if ((context->facts->types & kTypeString) == 0) return Status::Ok();
  Result<PatternId> pattern = context->patterns->Add(context->document.text(context->value));
  if (!pattern.ok()) return AtKeyword(*context, context->value, pattern.status());
  context->facts->patterns.push_back(*pattern);
  if (const std::string& widened = context->patterns->widened(*pattern); !widened.empty()) {
    context->note = "not valid with the `u` flag; read as without it: " + widened;
  }
  return Status::Ok();
}

Status AtKeyword(const KeywordContext& context, JsonIndex at, const Status& status) {
  std::string message = status.message();
  if (!status.excerpt().empty()) message += "\n" + status.excerpt();
  return context.document.ErrorAt(at, status.code(), std::move(message));
}

}  // namespace maskloom
