// Reads schema objects by the keyword table, each once, when something first needs it.
//
// Reading on demand keeps a keyword in a definition that nothing refers to from refusing the
// schema, and makes the report list what takes part in the language.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/base/status.h"
#include "grammar/schema/json_schema.h"
#include "grammar/schema/keyword_table.h"
#include "grammar/schema/pattern_table.h"
#include "grammar/schema/references.h"
#include "grammar/schema/schema_facts.h"

namespace maskloom {

// Returns the draft that the root's `$schema` names; 2020-12 where it is absent or unknown.
Draft DetectDraft(const SchemaDocument& document);

class SchemaReader {
 public:
  // `patterns` and `document` must outlive the reader.
  SchemaReader(const SchemaDocument* document, PatternTable* patterns);

  // Returns what the schema object at `schema` says. The pointer stays valid.
  // On error: kInvalidDefinition or kUnsupported, with the keyword's pointer.
  Result<const SchemaFacts*> Read(JsonIndex schema);

  Draft draft() const { return draft_; }
  PatternTable* patterns() { return patterns_; }
  ReferenceResolver* references() { return &references_; }
  // Fills `report` with what was read so far, in document order.
  void Report(SchemaReport* report) const;

 private:
  struct Occurrence {
    JsonIndex keyword;
    KeywordReport::Outcome outcome;
    std::string note;
  };
  Status ReadKeyword(JsonIndex schema, JsonIndex value, SchemaFacts* facts);
  void Note(JsonIndex keyword, KeywordReport::Outcome outcome, std::string note) {
    occurrences_.push_back({keyword, outcome, std::move(note)});
  }

  const SchemaDocument* document_;
  PatternTable* patterns_;
  Draft draft_;
  ReferenceResolver references_;
  std::vector<uint32_t> index_of_;  // by node: 1 + index into facts_, or 0
  std::deque<SchemaFacts> facts_;
  std::vector<Occurrence> occurrences_;
};

}  // namespace maskloom
