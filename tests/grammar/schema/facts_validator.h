// Validates instances by what the schema reader says, one keyword after the other: no normal form,
// no automata but those of patterns. It judges what is read and where references lead.
#pragma once

#include <set>

#include "grammar/schema/schema_reader.h"

namespace maskloom {

class FactsValidator {
 public:
  // All arguments must outlive the validator.
  FactsValidator(SchemaReader* reader, const SchemaDocument* schema)
      : reader_(reader), schema_(schema) {}

  // Is `instance` valid? On error: what the reader reports; kInvalidDefinition for a schema that
  // refers to itself without end.
  Result<bool> Validate(const SchemaDocument& instance);

 private:
  static constexpr int kMaxDepth = 500;
  using Evaluated = std::set<JsonIndex>;  // items and members of the instance

  bool Valid(SchemaId id, JsonIndex value, Evaluated* evaluated);
  bool InPlace(SchemaId id, const SchemaFacts& facts, JsonIndex value, Evaluated* evaluated);
  bool Branches(SchemaId id, const SchemaFacts& facts, JsonIndex value, Evaluated* evaluated);
  bool Scalar(const SchemaFacts& facts, JsonIndex value) const;
  bool Items(SchemaId id, const SchemaFacts& facts, JsonIndex value, Evaluated* evaluated);
  bool Members(SchemaId id, const SchemaFacts& facts, JsonIndex value, Evaluated* evaluated);
  bool Dependencies(SchemaId id, const SchemaFacts& facts, JsonIndex value, Evaluated* evaluated);
  bool Follow(Result<SchemaId> target, JsonIndex value, Evaluated* evaluated);
  bool ValidText(SchemaId id, const std::u32string& text);

  SchemaReader* reader_;
  const SchemaDocument* schema_;
  const SchemaDocument* instance_ = nullptr;
  Status status_;
  int depth_ = 0;
};

// Are two JSON values equal as JSON Schema says: numbers by value, objects without order?
bool EqualJson(const SchemaDocument& a, JsonIndex x, const SchemaDocument& b, JsonIndex y);

}  // namespace maskloom
