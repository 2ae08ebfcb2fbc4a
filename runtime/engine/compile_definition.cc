#include "runtime/engine/compile_definition.h"

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <utility>

#include "grammar/ebnf/ebnf_parser.h"

namespace maskloom {
namespace {

Result<Grammar> ParseDefinition(DefinitionKind kind, std::string_view text,
                                const DefinitionOptions& options, SchemaReport* report) {
  switch (kind) {
    case DefinitionKind::kJsonSchema:
      return ParseJsonSchema(text, SchemaOptions{options.style}, report);
    case DefinitionKind::kRegex:
      return ParseRegexGrammar(text);
    case DefinitionKind::kEbnf:
      return ParseEbnf(text, EbnfOptions{options.root_rule});
  }
  return Status(StatusCode::kInvalidArgument, "unknown kind of definition");
}

}  // namespace

const char* DefinitionKindName(DefinitionKind kind) {
  switch (kind) {
    case DefinitionKind::kJsonSchema:
      return "json_schema";
    case DefinitionKind::kRegex:
      return "regex";
    case DefinitionKind::kEbnf:
      return "ebnf";
  }
  return "unknown";
}

std::optional<DefinitionKind> ParseDefinitionKind(std::string_view name) {
  if (name == "json_schema") return DefinitionKind::kJsonSchema;
  if (name == "regex") return DefinitionKind::kRegex;
  if (name == "ebnf" || name == "gbnf") return DefinitionKind::kEbnf;
  return std::nullopt;
}

Result<CompiledDefinition> CompileDefinition(DefinitionKind kind, std::string_view text,
                                             const DefinitionOptions& options,
                                             std::shared_ptr<const VocabularyIndex> vocabulary) {
  CompiledDefinition definition;
  definition.kind = kind;
  Result<Grammar> grammar = ParseDefinition(kind, text, options, &definition.report);
  if (!grammar.ok()) return grammar.status();
  auto compiled = CompiledGrammar::Create(std::move(*grammar), std::move(vocabulary));
  if (!compiled.ok()) return compiled.status();
  definition.grammar = std::move(*compiled);
  return definition;
}

std::string ReportJson(const CompiledDefinition& definition) {
  rapidjson::StringBuffer buffer;
  rapidjson::Writer<rapidjson::StringBuffer> writer(buffer);
  auto put = [&writer](const char* key, std::string_view value) {
    writer.Key(key);
    writer.String(value.data(), static_cast<rapidjson::SizeType>(value.size()));
  };
  writer.StartObject();
  put("kind", DefinitionKindName(definition.kind));
  if (definition.kind == DefinitionKind::kJsonSchema) {
    put("draft", definition.report.draft);
    writer.Key("keywords");
    writer.StartArray();
    for (const KeywordReport& keyword : definition.report.keywords) {
      writer.StartObject();
      put("pointer", keyword.pointer);
      put("outcome",
          keyword.outcome == KeywordReport::Outcome::kEnforced ? "enforced" : "annotation");
      if (!keyword.note.empty()) put("note", keyword.note);
      writer.EndObject();
    }
    writer.EndArray();
  }
  writer.EndObject();
  return std::string(buffer.GetString(), buffer.GetSize());
}

}  // namespace maskloom
