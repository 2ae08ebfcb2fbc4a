// Keywords for numbers: minimum, maximum, their exclusive forms, multipleOf.
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

#include "grammar/schema/keyword_table.h"

namespace maskloom {
namespace {

// The automaton of a bound has states for its digits, written without an exponent.
constexpr int64_t kMaxBoundExponent = 100000;

Result<Decimal> ReadDecimal(const KeywordContext& context, JsonIndex node) {
  const SchemaDocument& document = context.document;
  std::optional<Decimal> value = Decimal::Parse(document.text(node));
  if (!value || std::abs(value->exponent()) > kMaxBoundExponent) {
    return document.ErrorAt(node, StatusCode::kResourceLimit,
                            "the exponent of this number is beyond " +
                                std::to_string(kMaxBoundExponent) + ", which is the limit");
  }
  return std::move(*value);
}

// Joins the bound that stands at `node` to those read before.
Status JoinBound(KeywordContext* context, JsonIndex node, bool is_lower, bool exclusive) {
  Result<Decimal> value = ReadDecimal(*context, node);
  if (!value.ok()) return value.status();
  std::optional<NumberBound>& bound = is_lower ? context->facts->lower : context->facts->upper;
  bool tighter = !bound || (is_lower ? *value > bound->value : *value < bound->value) ||
                 (*value == bound->value && exclusive);
  if (tighter) bound = NumberBound{std::move(*value), exclusive};
  return Status::Ok();
}

Status ReadBound(KeywordContext* context, bool is_lower, bool exclusive) {
  if (context->document.kind(context->value) != JsonKind::kNumber) {
    return context->WrongForm("a number");
  }
  return JoinBound(context, context->value, is_lower, exclusive);
}

// In draft-04 the exclusive forms are flags beside `minimum` and `maximum`.
Status ReadExclusiveBound(KeywordContext* context, bool is_lower) {
  const SchemaDocument& document = context->document;
  const JsonKind kind = document.kind(context->value);
  const bool is_draft4 = context->facts->draft == Draft::kDraft4;
  if (kind == JsonKind::kFalse) return context->Annotate("false, so the bound is inclusive");
  if (kind == JsonKind::kTrue && is_draft4) {
    const JsonIndex partner = document.Find(context->schema, is_lower ? "minimum" : "maximum");
    if (partner == kNoJson || document.kind(partner) != JsonKind::kNumber) {
      return context->Annotate("has no bound to act on");
    }
    return JoinBound(context, partner, is_lower, true);
  }
  if (is_draft4) return context->WrongForm("a boolean in draft-04");
  if (kind == JsonKind::kTrue) return context->WrongForm("a number since draft-06");
  return ReadBound(context, is_lower, true);
}

}  // namespace

Status ReadMinimum(KeywordContext* context) { return ReadBound(context, true, false); }
Status ReadMaximum(KeywordContext* context) { return ReadBound(context, false, false); }
Status ReadExclusiveMinimum(KeywordContext* context) { return ReadExclusiveBound(context, true); }
Status ReadExclusiveMaximum(KeywordContext* context) { return ReadExclusiveBound(context, false); }

Status ReadMultipleOf(KeywordContext* context) {
  const SchemaDocument& document = context->document;
  if (document.kind(context->value) != JsonKind::kNumber) {
    return context->WrongForm("a positive number");
  }
  Result<Decimal> factor = ReadDecimal(*context, context->value);
  if (!factor.ok()) return factor.status();
  if (factor->negative() || factor->IsZero()) {
    return document.ErrorAt(context->value, StatusCode::kInvalidDefinition,
                            "`multipleOf` must be a positive number, not " +
                                std::string(document.text(context->value)));
  }
  context->facts->multiple_of = std::move(*factor);
  return Status::Ok();
}

}  // namespace maskloom
