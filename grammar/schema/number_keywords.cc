// Keywords for numbers: minimum, maximum and their exclusive forms.
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

#include "grammar/schema/keyword_table.h"
#include "grammar/schema/schema_reader.h"

namespace maskloom {
namespace {

// The automaton of a bound has states for its digits, written without an exponent.
constexpr int64_t kMaxBoundExponent = 100000;

// Joins the bound that stands at `node` to those read before.
Status JoinBound(KeywordContext* context, JsonIndex node, bool is_lower, bool exclusive) {
  const SchemaDocument& document = context->document;
  std::optional<Decimal> value = Decimal::Parse(document.text(node));
  if (!value || std::abs(value->exponent()) > kMaxBoundExponent) {
    return document.ErrorAt(node, StatusCode::kResourceLimit,
                            "the exponent of this bound is beyond " +
                                std::to_string(kMaxBoundExponent) + ", which is the limit");
  }
  std::optional<NumberBound>& bound = is_lower ? context->facts->lower : context->facts->upper;
  bool tighter = !bound || (is_lower ? *value > bound->value : *value < bound->value) ||
                 (*value == bound->value && exclusive);
  if (tighter) bound = NumberBound{std::move(*value), exclusive};
  return Status::Ok();
}

Status ReadBound(KeywordContext* context, bool is_lower, bool exclusive) {
  const SchemaDocument& document = context->document;
  if (document.kind(context->value) != JsonKind::kNumber) return context->WrongForm("a number");
  if (document.Find(context->schema, context->keyword()) != context->value) {
    return context->Annotate("repeated; the last one counts");
  }
  return JoinBound(context, context->value, is_lower, exclusive);
}

// In draft 4 the exclusive forms are flags beside `minimum` and `maximum`.
Status ReadExclusiveBound(KeywordContext* context, bool is_lower) {
  JsonKind kind = context->document.kind(context->value);
  if (kind == JsonKind::kFalse) return context->Annotate("false, so the bound is inclusive");
  if (kind == JsonKind::kTrue) {
    JsonIndex partner = context->document.Find(context->schema, is_lower ? "minimum" : "maximum");
    if (partner == kNoJson || context->document.kind(partner) != JsonKind::kNumber ||
        (context->facts->types & kTypeNumber) == 0) {
      return context->Annotate("has no bound to act on");
    }
    if (context->reader->draft() != Draft::kDraft4) {
      return context->Refuse(" as a boolean (the form of draft-04)");
    }
    return JoinBound(context, partner, is_lower, true);
  }
  return ReadBound(context, is_lower, true);
}

}  // namespace

Status ReadMinimum(KeywordContext* context) { return ReadBound(context, true, false); }
Status ReadMaximum(KeywordContext* context) { return ReadBound(context, false, false); }
Status ReadExclusiveMinimum(KeywordContext* context) { return ReadExclusiveBound(context, true); }
Status ReadExclusiveMaximum(KeywordContext* context) { return ReadExclusiveBound(context, false); }

}  // namespace maskloom
