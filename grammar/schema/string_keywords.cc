// Keywords for strings: minLength, maxLength, pattern, format, contentEncoding.
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
  return Status::Ok();
}

Status ReadFormat(KeywordContext* context) {
  const SchemaDocument& document = context->document;
  if (!document.IsString(context->value)) return context->WrongForm("a string");
  if (context->options.formats == SchemaOptions::Formats::kAnnotate) {
    return context->Annotate("formats are not asserted");
  }
  if (context->options.unknown_formats == SchemaOptions::UnknownFormats::kRefuse) {
    return context->Refuse("the format \"" + std::string(document.text(context->value)) +
                           "\" is not known");
  }
  return context->Annotate("not a known format");
}

Status ReadContentEncoding(KeywordContext* context) {
  const SchemaDocument& document = context->document;
  if (!document.IsString(context->value)) return context->WrongForm("a string");
  if (context->options.formats == SchemaOptions::Formats::kAnnotate) {
    return context->Annotate("formats are not asserted");
  }
  if (document.text(context->value) != "base64") return context->Annotate("not asserted");
  if ((context->facts->types & kTypeString) == 0) return Status::Ok();
  // RFC 4648 section 4.
  Result<PatternId> pattern =
      context->patterns->Add("^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$");
  if (!pattern.ok()) return AtKeyword(*context, context->value, pattern.status());
  context->facts->patterns.push_back(*pattern);
  return Status::Ok();
}

Status AtKeyword(const KeywordContext& context, JsonIndex at, const Status& status) {
  std::string message = status.message();
  if (!status.excerpt().empty()) message += "\n" + status.excerpt();
  return context.document.ErrorAt(at, status.code(), std::move(message));
}

}  // namespace maskloom
