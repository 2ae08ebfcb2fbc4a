// From the text of a definition, of whatever kind, to a compiled grammar and its report.
#pragma once

#include <chrono>
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

// Which masks are made before a matcher asks for them, beyond those that compilation always makes:
// of the start, and behind `{"`; see compiler/mask_completion.h.
struct CompleteAhead {
  // Compilation makes the likeliest masks for so long, or until all are there.
  std::chrono::microseconds at_once{0};
  // The rest is made by a thread of the process, which follows the matchers.
  bool in_background = false;
};

// The options of schemas (style, formats, documents, ...) and those of other kinds.
struct DefinitionOptions : SchemaOptions {
  std::string root_rule = "root";  // of EBNF
  CompileLimits limits;
  CompleteAhead ahead;
};

struct CompiledDefinition {
  DefinitionKind kind = DefinitionKind::kJsonSchema;
  std::shared_ptr<const CompiledGrammar> grammar;
  SchemaReport report;  // of a schema
};

// Compiles `text` for `vocabulary`. `report` may be null; where a schema is refused it says how far
// it was read and which keyword is at fault.
// On error: what the front end or CompiledGrammar::Create says.
Result<CompiledDefinition> CompileDefinition(DefinitionKind kind, std::string_view text,
                                             const DefinitionOptions& options,
                                             std::shared_ptr<const VocabularyIndex> vocabulary,
                                             SchemaReport* report = nullptr);

// Reads a schema, which shows nearly all that compiling it would, and returns the normal form that
// the compiler would see, as ExplainGrammar (grammar/schema/explain.h) writes it.
// On error: as ParseJsonSchema.
Result<std::string> ExplainSchema(std::string_view text, const DefinitionOptions& options);

}  // namespace maskloom
