// Keywords for values of every type: type, enum, const, nullable.
#include <string_view>
#include <utility>

#include "grammar/schema/keyword_table.h"

namespace maskloom {
namespace {

constexpr std::pair<std::string_view, uint8_t> kTypeNames[] = {
    {"null", kTypeNull},      {"boolean", kTypeBoolean}, {"number", kTypeNumber},
    {"string", kTypeString},  {"array", kTypeArray},     {"object", kTypeObject},
    {"integer", kTypeNumber},
};

Status ReadTypeName(const KeywordContext& context, JsonIndex name, uint8_t* types, bool* number) {
  const SchemaDocument& document = context.document;
  if (document.IsString(name)) {
    for (auto [text, bits] : kTypeNames) {
      if (document.text(name) != text) continue;
      *types |= bits;
      *number |= text == "number";
      return Status::Ok();
    }
  }
  std::string found = document.IsString(name) ? "\"" + std::string(document.text(name)) + "\""
                                              : JsonKindPhrase(document.kind(name));
  return document.ErrorAt(name, StatusCode::kInvalidDefinition,
                          found +
                              " is no type; the types are null, boolean, number, integer, "
                              "string, array and object");
}

}  // namespace

Status ReadType(KeywordContext* context) {
  const SchemaDocument& document = context->document;
  uint8_t types = 0;
  bool number = false;
  if (document.IsArray(context->value)) {
    for (JsonIndex item = document.first(context->value); item != kNoJson;
         item = document.next(item)) {
      if (Status status = ReadTypeName(*context, item, &types, &number); !status.ok()) {
        return status;
      }
    }
    if (types == 0) {
      return document.ErrorAt(context->value, StatusCode::kInvalidDefinition,
                              "`type` must name at least one type");
    }
  } else if (document.IsString(context->value)) {
    if (Status status = ReadTypeName(*context, context->value, &types, &number); !status.ok()) {
      return status;
    }
  } else {
    return context->WrongForm("a type name or an array of them");
  }
  context->facts->types = types;
  context->facts->integer_only = (types & kTypeNumber) != 0 && !number;
  return Status::Ok();
}

Status ReadEnum(KeywordContext* context) {
  if (!context->document.IsArray(context->value)) return context->WrongForm("an array");
  context->facts->enumeration = context->value;
  return Status::Ok();
}

Status ReadConst(KeywordContext* context) {
  context->facts->constant = context->value;
  return Status::Ok();
}

Status ReadNullable(KeywordContext* context) {
  if (!context->options.nullable) {
    return context->Annotate("a keyword of OpenAPI 3.0, which counts only on request");
  }
  if (!context->document.IsBoolean(context->value)) return context->WrongForm("a boolean");
  context->facts->nullable = context->document.kind(context->value) == JsonKind::kTrue;
  return Status::Ok();
}

}  // namespace maskloom
