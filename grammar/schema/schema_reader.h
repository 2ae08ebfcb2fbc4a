// Reads schema objects by the keyword table, each once, when something first needs it, and says
// which schema is meant where: a child in the scope of its parent, the target of a reference.
//
// Reading on demand keeps a keyword in a definition that nothing refers to from refusing the
// schema, makes the report list what takes part in the language, and loads no document that does
// not matter.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "grammar/base/status.h"
#include "grammar/schema/json_schema.h"
#include "grammar/schema/pattern_table.h"
#include "grammar/schema/references.h"
#include "grammar/schema/resources.h"
#include "grammar/schema/schema_facts.h"
#include "grammar/schema/schema_table.h"
#include "grammar/schema/scopes.h"

namespace maskloom {

class SchemaReader {
 public:
  // All arguments must outlive the reader. Documents that are referred to are appended to
  // `document`.
  SchemaReader(SchemaDocument* document, PatternTable* patterns, const SchemaOptions* options);

  // Returns what the schema object at `schema` says. The pointer stays valid.
  // On error: kInvalidDefinition or kUnsupported, with the keyword's pointer.
  Result<const SchemaFacts*> Read(JsonIndex schema);

  // The schema of the main document.
  SchemaId Root();
  // Returns the schema at `node` as it is met below or beside `parent`: in the same dynamic scope,
  // extended where `node` begins a resource with dynamic anchors.
  SchemaId Child(SchemaId parent, JsonIndex node);
  // As Child, for a schema that only tests a value: no option closes what is below it.
  SchemaId TestChild(SchemaId parent, JsonIndex node);
  // Returns what `$ref` in the schema `from` refers to.
  // Requires: the facts of node(from) have a reference.
  // On error: as ReferenceResolver::Resolve.
  Result<SchemaId> Reference(SchemaId from);
  // Returns what `$dynamicRef` or `$recursiveRef` in the schema `from` refers to in its scope.
  // Requires: the facts of node(from) have a dynamic reference.
  // On error: as ReferenceResolver::Resolve.
  Result<SchemaId> DynamicReference(SchemaId from);

  // The draft of the main document.
  Draft draft() const { return resources_.DialectOf(0).draft; }
  SchemaTable* schemas() { return &schemas_; }
  PatternTable* patterns() { return patterns_; }
  const SchemaOptions& options() const { return *options_; }
  // The keywords that were read so far.
  std::vector<JsonIndex> Keywords() const;
  // As ResourceIndex::notes.
  const std::vector<std::pair<JsonIndex, std::string>>& notes() const { return resources_.notes(); }
  // Fills `report` with what was read so far, in document order.
  void Report(SchemaReport* report) const;

 private:
  struct Occurrence {
    JsonIndex keyword;
    KeywordReport::Outcome outcome;
    std::string note;
  };
  Status ReadKeyword(JsonIndex schema, JsonIndex value, const Dialect& dialect, SchemaFacts* facts);
  void Note(JsonIndex keyword, KeywordReport::Outcome outcome, std::string note) {
    occurrences_.push_back({keyword, outcome, std::move(note)});
  }
  // Returns the schema at `node`, reached from a schema in `scope` by way of its own resource.
  SchemaId Enter(ScopeId scope, JsonIndex node);
  // Returns `scope` with the dynamic anchors of the resource at `node`, if it is one.
  ScopeId Extended(ScopeId scope, JsonIndex node);
  Result<ReferenceResolver::Target> Resolve(JsonIndex value);

  SchemaDocument* document_;
  PatternTable* patterns_;
  const SchemaOptions* options_;
  SchemaTable schemas_;
  ResourceIndex resources_;
  ReferenceResolver references_;
  ScopeTable scopes_;
  std::vector<uint32_t> index_of_;  // by node: 1 + index into facts_, or 0
  std::deque<SchemaFacts> facts_;
  std::unordered_map<JsonIndex, ReferenceResolver::Target> targets_;  // by the reference
  std::vector<Occurrence> occurrences_;
};

}  // namespace maskloom
