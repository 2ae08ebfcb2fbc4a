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

// Names the places that were found to contradict each other.
Status Unsatisfiable(const SchemaDocument& document, const Normalizer& normalizer) {
  std::string message = "no JSON value satisfies this schema";
  const char* separator = "; impossible: ";
  for (const Normalizer::Conflict& conflict : normalizer.conflicts()) {
    message += separator + ("\"" + document.Pointer(conflict.first) + "\"");
    if (conflict.second != conflict.first) {
      message += " together with \"" + document.Pointer(conflict.second) + "\"";
    }
    separator = ", ";
  }
  JsonIndex place = normalizer.conflicts().empty() ? 0 : normalizer.conflicts()[0].first;
  return document.ErrorAt(place, StatusCode::kUnsatisfiable, std::move(message));
}

}  // namespace

Result<Grammar> ParseJsonSchema(std::string_view text, const SchemaOptions& options,
                                SchemaReport* report) {
  Result<SchemaDocument> parsed = SchemaDocument::Parse(text);
  if (!parsed.ok()) return parsed.status();
  SchemaDocument& document = *parsed;
  if (!document.IsSchema(0)) {
    return document.ErrorAt(0, StatusCode::kInvalidDefinition,
                            std::string("a schema must be an object or a boolean, not ") +
                                JsonKindPhrase(document.kind(0)));
  }
  PatternTable patterns;
  FormulaPool pool(&patterns);
  SchemaReader reader(&document, &patterns, &options);
  Normalizer normalizer(&document, &reader, &pool);
  Grammar grammar;
  grammar.style = options.style;
  NodeBuilder builder(&document, &reader, &pool, &normalizer, &grammar);
  Result<ValueId> root = builder.Build(reader.Root());
  if (report != nullptr) reader.Report(report);
  if (!root.ok()) return root.status();
  if (*root == kNeverValue) return Unsatisfiable(document, normalizer);
  root = PruneNodes(&grammar, *root);
  if (!root.ok()) return root.status();
  if (*root == kNeverValue) return Unsatisfiable(document, normalizer);
  *root = MergeNodes(&grammar, *root);
  *root = RenumberNodes(&grammar, *root);
  grammar.root = grammar.exprs.Value(*root);
  return grammar;
}

}  // namespace maskloom
