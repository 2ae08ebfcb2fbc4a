// The stages in order: text, nodes of the document, normal forms, IR nodes, passes.
#include "grammar/schema/json_schema.h"

#include <utility>

#include "grammar/schema/node_builder.h"
#include "grammar/schema/node_passes.h"
#include "grammar/schema/normalizer.h"
#include "grammar/schema/schema_document.h"
#include "grammar/schema/schema_reader.h"

namespace maskloom {
namespace {

Status Unsatisfiable(const Normalizer& normalizer) {
  std::string message = "no JSON value satisfies this schema";
  const char* separator = "; these contradict: ";
  for (const std::string& conflict : normalizer.conflicts()) {
    message += separator + conflict;
    separator = ", ";
  }
  Status status(StatusCode::kUnsatisfiable, std::move(message));
  status.WithPointer("");
  return status;
}

}  // namespace

Result<Grammar> ParseJsonSchema(std::string_view text, const SchemaOptions& options,
                                SchemaReport* report) {
  Result<SchemaDocument> parsed = SchemaDocument::Parse(text);
  if (!parsed.ok()) return parsed.status();
  const SchemaDocument& document = *parsed;
  if (!document.IsSchema(0)) {
    return document.ErrorAt(0, StatusCode::kInvalidDefinition,
                            std::string("a schema must be an object or a boolean, not ") +
                                JsonKindPhrase(document.kind(0)));
  }
  PatternTable patterns;
  ConstraintPool pool(&patterns);
  SchemaReader reader(&document, &patterns);
  Normalizer normalizer(&document, &reader, &pool);
  Grammar grammar;
  grammar.style = options.style;
  NodeBuilder builder(&document, &reader, &pool, &normalizer, &grammar);
  Result<ValueId> root = builder.Build(SchemaAt(0));
  if (report != nullptr) reader.Report(report);
  if (!root.ok()) return root.status();
  if (*root == kNeverValue) return Unsatisfiable(normalizer);
  root = PruneNodes(&grammar, *root);
  if (!root.ok()) return root.status();
  if (*root == kNeverValue) return Unsatisfiable(normalizer);
  *root = MergeNodes(&grammar, *root);
  *root = RenumberNodes(&grammar, *root);
  grammar.root = grammar.exprs.Value(*root);
  return grammar;
}

}  // namespace maskloom
