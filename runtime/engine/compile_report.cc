// Every option is one row of a table, with how it is read and how it is written.
#include "runtime/engine/compile_report.h"

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <charconv>
#include <iterator>
#include <optional>
#include <utility>

namespace maskloom {
namespace {

using Whitespace = StylePolicy::Whitespace;

constexpr uint32_t kMaxIndent = 64;

std::optional<uint32_t> ParseCount(std::string_view text) {
  uint32_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

struct OptionRow {
  std::string_view name;
  std::string_view allowed;
  // Returns whether `value` is one of them.
  bool (*set)(std::string_view value, SchemaOptions* options);
  std::string (*get)(const SchemaOptions& options);
};

bool SetWhitespace(std::string_view value, SchemaOptions* options) {
  StylePolicy& style = options->style;
  if (value == "flexible") {
    style.whitespace = Whitespace::kFlexible;
  } else if (value == "compact") {
    style.whitespace = Whitespace::kCompact;
  } else if (value == "any") {
    style.whitespace = Whitespace::kAny;
  } else if (value == "spaced") {
    style.whitespace = Whitespace::kSpaced;
  } else {
    std::optional<uint32_t> indent;
    if (value.starts_with("indent=")) indent = ParseCount(value.substr(7));
    if (!indent || *indent > kMaxIndent) return false;
    style.whitespace = Whitespace::kIndent;
    style.indent = *indent;
  }
  return true;
}

std::string GetWhitespace(const SchemaOptions& options) {
  switch (options.style.whitespace) {
    case Whitespace::kFlexible:
      return "flexible";
    case Whitespace::kCompact:
      return "compact";
    case Whitespace::kIndent:
      return "indent=" + std::to_string(options.style.indent);
    case Whitespace::kAny:
      return "any";
    case Whitespace::kSpaced:
      return "spaced";
  }
  return "unknown";
}

// Sets `field` to the first or the second of two values by their names.
template <typename Field>
bool Choose(std::string_view value, std::string_view first_name, Field first,
            std::string_view second_name, Field second, Field* field) {
  if (value != first_name && value != second_name) return false;
  *field = value == first_name ? first : second;
  return true;
}

bool SetBoolean(std::string_view value, bool* field) {
  return Choose(value, "true", true, "false", false, field);
}

const char* BooleanName(bool value) { return value ? "true" : "false"; }

using KeyOrder = StylePolicy::KeyOrder;
using Escapes = StylePolicy::Escapes;
using Formats = SchemaOptions::Formats;
using UnknownFormats = SchemaOptions::UnknownFormats;

const OptionRow kOptions[] = {
    {"whitespace", "flexible, compact, spaced, indent=N (N from 0 to 64) and any", SetWhitespace,
     GetWhitespace},
    {"max_blanks", "a number",
     [](std::string_view value, SchemaOptions* options) {
       const std::optional<uint32_t> count = ParseCount(value);
       if (count) options->style.max_blanks = *count;
       return count.has_value();
     },
     [](const SchemaOptions& options) { return std::to_string(options.style.max_blanks); }},
    {"key_order", "any, declared and required-first",
     [](std::string_view value, SchemaOptions* options) {
       if (value == "required-first") {
         options->style.key_order = KeyOrder::kRequiredFirst;
         return true;
       }
       return Choose(value, "any", KeyOrder::kAny, "declared", KeyOrder::kDeclared,
                     &options->style.key_order);
     },
     [](const SchemaOptions& options) {
       const KeyOrder order = options.style.key_order;
       return std::string(order == KeyOrder::kAny        ? "any"
                          : order == KeyOrder::kDeclared ? "declared"
                                                         : "required-first");
     }},
    {"escapes", "any and plain",
     [](std::string_view value, SchemaOptions* options) {
       return Choose(value, "any", Escapes::kAny, "plain", Escapes::kPlain,
                     &options->style.escapes);
     },
     [](const SchemaOptions& options) {
       return std::string(options.style.escapes == Escapes::kAny ? "any" : "plain");
     }},
    {"max_digits", "a number from 1 on, and any",
     [](std::string_view value, SchemaOptions* options) {
       const std::optional<uint32_t> count =
           value == "any" ? std::optional<uint32_t>(kUnbounded) : ParseCount(value);
       if (!count || *count == 0) return false;
       options->style.max_digits = *count;
       return true;
     },
     [](const SchemaOptions& options) {
       const uint32_t count = options.style.max_digits;
       return count == kUnbounded ? std::string("any") : std::to_string(count);
     }},
    {"formats", "assert and annotate",
     [](std::string_view value, SchemaOptions* options) {
       return Choose(value, "assert", Formats::kAssert, "annotate", Formats::kAnnotate,
                     &options->formats);
     },
     [](const SchemaOptions& options) {
       return std::string(options.formats == Formats::kAssert ? "assert" : "annotate");
     }},
    {"unknown_formats", "annotate and refuse",
     [](std::string_view value, SchemaOptions* options) {
       return Choose(value, "annotate", UnknownFormats::kAnnotate, "refuse",
                     UnknownFormats::kRefuse, &options->unknown_formats);
     },
     [](const SchemaOptions& options) {
       const bool refuse = options.unknown_formats == UnknownFormats::kRefuse;
       return std::string(refuse ? "refuse" : "annotate");
     }},
    {"nullable", "true and false",
     [](std::string_view value, SchemaOptions* options) {
       return SetBoolean(value, &options->nullable);
     },
     [](const SchemaOptions& options) { return std::string(BooleanName(options.nullable)); }},
    {"closed", "true and false",
     [](std::string_view value, SchemaOptions* options) {
       return SetBoolean(value, &options->closed);
     },
     [](const SchemaOptions& options) { return std::string(BooleanName(options.closed)); }},
};

class Writer {
 public:
  Writer() : json_(buffer_) {}

  void Text(std::string_view text) {
    json_.String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
  }
  void Key(const char* key) { json_.Key(key); }
  void Member(const char* key, std::string_view value) {
    json_.Key(key);
    Text(value);
  }
  rapidjson::Writer<rapidjson::StringBuffer>* operator->() { return &json_; }
  std::string Take() const { return std::string(buffer_.GetString(), buffer_.GetSize()); }

 private:
  rapidjson::StringBuffer buffer_;
  rapidjson::Writer<rapidjson::StringBuffer> json_;
};

void WriteError(const Status& status, Writer* writer) {
  writer->Key("error");
  (*writer)->StartObject();
  writer->Member("code", StatusCodeName(status.code()));
  writer->Member("message", status.message());
  if (status.pointer()) writer->Member("pointer", *status.pointer());
  if (status.line() > 0) {
    writer->Key("line");
    (*writer)->Uint64(status.line());
    writer->Key("column");
    (*writer)->Uint64(status.column());
  }
  (*writer)->EndObject();
}

}  // namespace

std::vector<NamedOption> ListSchemaOptions(const SchemaOptions& options) {
  std::vector<NamedOption> list;
  for (const OptionRow& row : kOptions) {
    list.push_back({std::string(row.name), row.get(options), row.allowed});
  }
  return list;
}

Status SetSchemaOption(std::string_view name, std::string_view value, SchemaOptions* options) {
  std::string names;
  for (const OptionRow& row : kOptions) {
    if (row.name == name) {
      if (row.set(value, options)) return Status::Ok();
      return Status(StatusCode::kInvalidArgument, std::string(name) + " is \"" +
                                                      std::string(value) + "\"; allowed are " +
                                                      std::string(row.allowed));
    }
    const bool is_last = &row == std::end(kOptions) - 1;
    names += (names.empty() ? "" : is_last ? " and " : ", ") + std::string(row.name);
  }
  return Status(StatusCode::kInvalidArgument,
                "unknown option \"" + std::string(name) + "\"; allowed are " + names);
}

std::string ReportJson(DefinitionKind kind, const SchemaReport& report,
                       const SchemaOptions& options, const Status& status) {
  Writer writer;
  writer->StartObject();
  writer.Member("kind", DefinitionKindName(kind));
  writer.Member("status", status.ok() ? "ok" : "refused");
  if (!status.ok()) WriteError(status, &writer);
  if (kind == DefinitionKind::kJsonSchema) {
    if (!report.draft.empty()) writer.Member("draft", report.draft);
    writer.Key("options");
    writer->StartObject();
    for (const NamedOption& option : ListSchemaOptions(options)) {
      writer.Member(option.name.c_str(), option.value);
    }
    writer->EndObject();
    writer.Key("keywords");
    writer->StartArray();
    for (const KeywordReport& keyword : report.keywords) {
      writer->StartObject();
      writer.Member("pointer", keyword.pointer);
      writer.Member("outcome", OutcomeName(keyword.outcome));
      if (!keyword.note.empty()) writer.Member("note", keyword.note);
      writer->EndObject();
    }
    writer->EndArray();
    writer.Key("notes");
    writer->StartArray();
    for (const SchemaNote& note : report.notes) {
      writer->StartObject();
      writer.Member("pointer", note.pointer);
      writer.Member("note", note.text);
      writer->EndObject();
    }
    writer->EndArray();
  }
  writer->EndObject();
  return writer.Take();
}

}  // namespace maskloom
