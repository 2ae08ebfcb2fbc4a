// Schemas to their normal form.
//
// Every schema becomes a union over the six JSON types of conjunctive constraints (alternatives.h):
// its own keywords give one constraint a type; `$ref`, `allOf`, `enum` and `const` join theirs,
// `anyOf` joins the union of its branches. All of this happens *in place*, about the same value;
// children are only named (as sets of schemas), never visited, so the evaluation of one schema
// depends only on the schemas that it applies in place.
//
// These dependencies may loop (`V = anyOf [string, V]`). A loop is solved as the least fixed point:
// start from no value and evaluate round after round until nothing changes; the operations are
// monotone over finitely many constraints. A loop that describes no value at all
// (`a = $ref b, b = $ref a`) is an error.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "grammar/base/status.h"
#include "grammar/schema/alternatives.h"
#include "grammar/schema/schema_reader.h"

namespace maskloom {

class Normalizer {
 public:
  // All arguments must outlive the normalizer.
  Normalizer(const SchemaDocument* document, SchemaReader* reader, ConstraintPool* pool);

  // Returns the normal form of one schema. The pointer stays valid.
  // On error: what reading reports; kInvalidDefinition for an empty loop; kResourceLimit.
  Result<const Alternatives*> Evaluate(SchemaId id);
  // Returns the normal form of the conjunction of `ids`.
  Result<Alternatives> EvaluateAll(const std::vector<SchemaId>& ids);

  // Does the schema evidently accept everything?
  bool IsTriviallyTrue(SchemaId id) const;

  // Two places of the schema that contradict each other; equal if one does so by itself.
  struct Conflict {
    JsonIndex first;
    JsonIndex second;
  };
  // Remembers a contradiction, for the message should nothing be left of the schema.
  void AddConflict(JsonIndex a, JsonIndex b);
  // The first contradictions that were found, in order.
  const std::vector<Conflict>& conflicts() const { return conflicts_; }

 private:
  enum class State : uint8_t { kUnknown, kOpen, kDone };
  static constexpr size_t kMaxConflicts = 8;
  static constexpr int kMaxRounds = 200;

  // Lists the schemas that `id` applies in place.
  Result<std::vector<SchemaId>> InPlace(SchemaId id);
  // Evaluates `id` from the present values of the schemas it applies in place.
  Result<Alternatives> Combine(SchemaId id);
  Status SolveLoop(SchemaId id);
  Result<Alternatives> OwnKeywords(JsonIndex schema, const SchemaFacts& facts);
  // The values listed in `values`.
  Result<Alternatives> Constants(const std::vector<JsonIndex>& values);
  void AddKeywordConflict(JsonIndex schema, const char* a, const char* b);

  const Alternatives& current(SchemaId id) const;
  void Set(SchemaId id, Alternatives alternatives);

  const SchemaDocument* document_;
  SchemaReader* reader_;
  ConstraintPool* pool_;
  AlternativesAlgebra algebra_;
  std::vector<State> state_;        // by schema id
  std::vector<uint32_t> index_of_;  // by schema id: 1 + index into results_, or 0
  std::deque<Alternatives> results_;
  std::vector<Conflict> conflicts_;
  const Alternatives nothing_;
};

}  // namespace maskloom
