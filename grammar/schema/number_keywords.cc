// Keywords for numbers: minimum, maximum and their exclusive forms.
#include <optional>
#include <utility>

#include "grammar/schema/keyword_table.h"

namespace maskloom {
namespace {

Status ReadBound(KeywordContext* context, bool is_lower, bool exclusive) {
  const SchemaDocument& document = context->document;
  if (document.kind(context->value) != JsonKind::kNumber) return context->WrongForm("a number");
  if (document.Find(context->schema, context->keyword()) != context->value) {
    return context->Annotate("repeated; the last one counts");
  }
  std::optional<Decimal> value = Decimal::Parse(document.text(context->value));
  if (!value) {
    return document.ErrorAt(context->value, StatusCode::kResourceLimit,
                            "the number's exponent is too large");
  }
  std::optional<NumberBound>& bound = is_lower ? context->facts->lower : context->facts->upper;
  bool tighter = !bound || (is_lower ? *value > bound->value : *value < bound->value) ||
                 (*value == bound->value && exclusive);
  if (tighter) bound = NumberBound{std::move(*value), exclusive};
  return Status::Ok();
}

// In draft 4 the exclusive forms are flags beside `minimum` and `maximum`.
Status ReadExclusiveBound(KeywordContext* context, bool is_lower) {
  JsonKind kind = context->document.kind(context->value);
  if (kind == JsonKind::kFalse) return context->Annotate("false, so the bound is inclusive");
  if (kind == JsonKind::kTrue) {
    std::string_view partner = is_lower ? "minimum" : "maximum";
    if (context->document.Find(context->schema, partner) == kNoJson ||
        (context->facts->types & kTypeNumber) == 0) {
      return context->Annotate("has no bound to act on");
    }
    return context->Refuse(" as a boolean (the form of draft-04)");
  }
  return ReadBound(context, is_lower, true);
}

}  // namespace

Status ReadMinimum(KeywordContext* context) { return ReadBound(context, true, false); }
Status ReadMaximum(KeywordContext* context) { return ReadBound(context, false, false); }
Status ReadExclusiveMinimum(KeywordContext* context) { return ReadExclusiveBound(context, true); }
Status ReadExclusiveMaximum(KeywordContext* context) { return ReadExclusiveBound(context, false); }

}  // namespace maskloom
