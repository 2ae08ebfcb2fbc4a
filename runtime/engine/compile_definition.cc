#include "runtime/engine/compile_definition.h"

#include <utility>

#include "compiler/completion_worker.h"
#include "compiler/machine.h"
#include "compiler/mask_completion.h"
#include "grammar/ebnf/ebnf_parser.h"
#include "grammar/schema/contradiction.h"
#include "grammar/schema/explain.h"
#include "grammar/schema/schema_document.h"
#include "runtime/engine/vanished.h"

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

// Adds line and column to a refusal of the compiler, which knows schemas by their pointers alone.
Status Placed(std::string_view text, const Status& refusal) {
  if (!refusal.pointer() || refusal.line() > 0) return refusal;
  const Result<SchemaDocument> document = SchemaDocument::Parse(text);
  const JsonIndex node = document.ok() ? document->AtPointer(*refusal.pointer()) : kNoJson;
  return node == kNoJson ? refusal : document->ErrorAt(node, refusal.code(), refusal.message());
}

// Names what contradicts in a schema that nothing satisfies, whichever stage found that out; what a
// stage knows is where it lost the last value. A vocabulary that cannot spell what the schema asks
// is no fault of its keywords: that refusal stays.
Status Explained(std::string_view text, const DefinitionOptions& options, const Status& refusal) {
  if (refusal.code() != StatusCode::kUnsatisfiable || !refusal.pointer()) {
    return Placed(text, refusal);
  }
  const auto bytes = VocabularyIndex::Bytes();
  const auto is_empty = [&](Grammar grammar) {
    return Machine::Create(std::move(grammar), *bytes).status().code() ==
           StatusCode::kUnsatisfiable;
  };
  return ExplainContradiction(text, options, is_empty).value_or(Placed(text, refusal));
}

void Complete(const std::shared_ptr<const CompiledGrammar>& grammar, const CompleteAhead& ahead) {
  grammar->completion().MakeFirst();
  CompletionEnd end = CompletionEnd::kBudget;
  if (ahead.at_once.count() > 0) {
    CompletionBudget budget;
    budget.time = ahead.at_once;
    end = grammar->completion().Run(budget);
  }
  if (ahead.in_background && end != CompletionEnd::kDone) CompleteInBackground(grammar);
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
  const bool is_schema = kind == DefinitionKind::kJsonSchema;
  if (!grammar.ok()) {
    return is_schema ? Explained(text, options, grammar.status()) : grammar.status();
  }
  auto compiled =
      CompiledGrammar::Create(std::move(*grammar), std::move(vocabulary), options.limits);
  if (!compiled.ok()) {
    return is_schema ? Explained(text, options, compiled.status()) : compiled.status();
  }
  if (is_schema) {
    NoteVanished((*compiled)->machine(), &definition.report.notes);
    if (report != nullptr) report->notes = definition.report.notes;
  }
  Complete(*compiled, options.ahead);
  definition.grammar = std::move(*compiled);
  return definition;
}

Result<std::string> ExplainSchema(std::string_view text, const DefinitionOptions& options) {
  SchemaReport report;
  SchemaOptions explaining = options;
  explaining.explain = true;
  Result<Grammar> grammar = ParseJsonSchema(text, explaining, &report);
  if (!grammar.ok()) return grammar.status();
  // What only the compiler finds to have no text is said, too; a schema that it refuses for another
  // reason is explained as far as it goes.
  const auto machine = Machine::Create(*grammar, *VocabularyIndex::Bytes());
  if (!machine.ok()) return ExplainGrammar(*grammar, report);
  NoteVanished(**machine, &report.notes);
  return ExplainGrammar(*grammar, report, VanishedValues(**machine));
}

}  // namespace maskloom
