#include "runtime/engine/compile_definition.h"

#include <utility>

#include "grammar/ebnf/ebnf_parser.h"
#include "grammar/schema/explain.h"

namespace maskloom {
namespace {

Result<Grammar> ParseDefinition(DefinitionKind kind, std::string_view text,
                                const DefinitionOptions& options, SchemaReport* report) {
  switch (kind) {
    case DefinitionKind::kJsonSchema:
      return ParseJsonSchema(text, options, report);
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
                                             std::shared_ptr<const VocabularyIndex> vocabulary,
                                             SchemaReport* report) {
  CompiledDefinition definition;
  definition.kind = kind;
  Result<Grammar> grammar = ParseDefinition(kind, text, options, &definition.report);
  definition.report.languages.clear();  // of automata that the compiler need not keep
  if (report != nullptr) *report = definition.report;
  if (!grammar.ok()) return grammar.status();
  auto compiled = CompiledGrammar::Create(std::move(*grammar), std::move(vocabulary));
  if (!compiled.ok()) return compiled.status();
  definition.grammar = std::move(*compiled);
  return definition;
}

Result<std::string> ExplainSchema(std::string_view text, const DefinitionOptions& options) {
  SchemaReport report;
  SchemaOptions explaining = options;
  explaining.explain = true;
  Result<Grammar> grammar = ParseJsonSchema(text, explaining, &report);
  if (!grammar.ok()) return grammar.status();
  return ExplainGrammar(*grammar, report);
}

}  // namespace maskloom
