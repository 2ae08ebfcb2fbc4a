// Keywords whose value names a known language: format, contentEncoding.
//
// A known format is asserted whichever draft first defined it: what it means has not changed.
#include <string>
#include <utility>

#include "grammar/formats/formats.h"
#include "grammar/schema/keyword_table.h"

namespace maskloom {
namespace {

// Adds the texts of an automaton to what the schema asks of strings.
Status AddAutomaton(KeywordContext* context, const std::string& key,
                    Result<std::shared_ptr<const TextAutomaton>> automaton, uint64_t min_length,
                    uint64_t max_length) {
  if (!automaton.ok()) return AtKeyword(*context, context->value, automaton.status());
  context->facts->patterns.push_back(
      context->patterns->AddAutomaton(key, std::move(*automaton), min_length, max_length));
  return Status::Ok();
}

NumberNode ToNumberNode(FormatNumberCondition condition) {
  NumberNode node;
  node.integer = condition.integer;
  if (condition.lower) node.lower = NumberBound{std::move(*condition.lower), false};
  if (condition.upper) node.upper = NumberBound{std::move(*condition.upper), false};
  return node;
}

}  // namespace

Status ReadFormat(KeywordContext* context) {
  const SchemaDocument& document = context->document;
  if (!document.IsString(context->value)) return context->WrongForm("a string");
  const std::string name(document.text(context->value));
  const Format* format = FindFormat(name);
  if (format == nullptr) {
    if (context->options.unknown_formats == SchemaOptions::UnknownFormats::kRefuse) {
      return context->Refuse("the format \"" + name + "\" is not known");
    }
    return context->Annotate("not a known format");
  }
  if (format->kind == FormatKind::kAnnotation) {
    return context->Annotate("not asserted: " + std::string(format->note));
  }
  if (context->options.formats == SchemaOptions::Formats::kAnnotate) {
    return context->Relax("an option makes formats annotations");
  }
  if (!format->note.empty()) context->note = "not asserted: " + std::string(format->note);
  if (format->kind == FormatKind::kNumber) {
    if ((context->facts->types & kTypeNumber) == 0) return context->AnnotateExcluded();
    context->facts->number_format = ToNumberNode(FormatNumbers(*format));
    return Status::Ok();
  }
  if ((context->facts->types & kTypeString) == 0) return context->AnnotateExcluded();
  return AddAutomaton(context, "format " + name, FormatAutomaton(*format), format->min_length,
                      format->max_length);
}

Status ReadContentEncoding(KeywordContext* context) {
  const SchemaDocument& document = context->document;
  if (!document.IsString(context->value)) return context->WrongForm("a string");
  if (document.text(context->value) != "base64") {
    return context->Annotate("only base64 is asserted");
  }
  if (context->options.formats == SchemaOptions::Formats::kAnnotate) {
    return context->Relax("an option makes formats annotations");
  }
  if ((context->facts->types & kTypeString) == 0) return context->AnnotateExcluded();
  return AddAutomaton(context, "contentEncoding base64", Base64Automaton(), 0, kNoMaximum);
}

}  // namespace maskloom
