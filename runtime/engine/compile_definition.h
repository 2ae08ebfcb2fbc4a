// From the text of a definition, of whatever kind, to a compiled grammar and its report.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "compiler/compiled_grammar.h"
#include "compiler/vocabulary_index.h"
#include "grammar/base/status.h"
#include "grammar/ir.h"
#include "grammar/schema/json_schema.h"

namespace maskloom {

enum class DefinitionKind { kJsonSchema, kRegex, kEbnf };

// Returns "json_schema", "regex" or "ebnf".
const char* DefinitionKindName(DefinitionKind kind);
// Reads such a name; "gbnf" is another name of "ebnf".
std::optional<DefinitionKind> ParseDefinitionKind(std::string_view name);

struct DefinitionOptions {
  StylePolicy style;               // of schemas
  std::string root_rule = "root";  // of EBNF
};

struct CompiledDefinition {
  DefinitionKind kind = DefinitionKind::kJsonSchema;
  std::shared_ptr<const CompiledGrammar> grammar;
  SchemaReport report;  // of a schema
};

// Compiles `text` for `vocabulary`.
// On error: what the front end or CompiledGrammar::Create says.
Result<CompiledDefinition> CompileDefinition(DefinitionKind kind, std::string_view text,
                                             const DefinitionOptions& options,
                                             std::shared_ptr<const VocabularyIndex> vocabulary);

// Writes the report of a compilation as one JSON object:
//   {"kind":"json_schema","draft":"2020-12","keywords":[{"pointer","outcome","note"},..]}
// Regex and EBNF have their kind alone.
std::string ReportJson(const CompiledDefinition& definition);

}  // namespace maskloom
