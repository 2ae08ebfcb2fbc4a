// Schemas to their normal form: one formula for each type (normal_form.h).
//
// Every keyword is a formula, and schemas that apply *in place*, to the same value, are joined as
// their keywords say: `$ref` and `allOf` by conjunction, `anyOf` by union, `not` by negation,
// `oneOf` as exactly one, `if` as (if and then) or (not if and else). Children are only named, by
// rules, so the form of one schema depends only on the schemas that it applies in place.
//
// These dependencies may loop (`V = anyOf [string, V]`). They are solved strongly connected
// component by component: a loop is the least fixed point, from no value upward, which exists since
// the operations on it are monotone. A loop through a negation (`a = not a`) has no meaning and is
// refused, as is one that describes no value at all (`a = $ref b, b = $ref a`).
//
// `unevaluatedProperties` and `unevaluatedItems` ask which subschemas applied. Where they stand the
// schema is evaluated by cases: each says which rules evaluated members and items, and what is
// accepted then (evaluation.cc). More evaluated is never worse, so `anyOf` needs no negation: a
// case that leaves out a branch which applies, too, accepts no more than the one with it.
#pragma once

#include <string>
#include <vector>

#include "grammar/base/status.h"
#include "grammar/schema/normal_form.h"
#include "grammar/schema/schema_reader.h"

namespace maskloom {

class Normalizer {
 public:
  // Budgets of one schema: cases of what is evaluated, and rounds of a fixed point.
  static constexpr size_t kMaxCases = 4096;
  static constexpr int kMaxRounds = 200;

  // All arguments must outlive the normalizer.
  Normalizer(const SchemaDocument* document, SchemaReader* reader, FormulaPool* pool);

  // Returns the normal form of one schema.
  // On error: what reading reports; kInvalidDefinition for a loop without meaning; kResourceLimit.
  Result<NormalForm> Evaluate(SchemaId id);
  // Returns the normal form of the conjunction of `ids`.
  Result<NormalForm> EvaluateAll(const std::vector<SchemaId>& ids);

  // Returns the schema of a value, given the one that stands in the place of it: closed, where the
  // options ask for that (SchemaOptions::closed).
  SchemaId AsValue(SchemaId id);
  // Does the schema evidently accept everything?
  bool IsTriviallyTrue(SchemaId id) const;
  // Is it `false`?
  bool IsTriviallyFalse(SchemaId id) const;

  // Two places of the schema that contradict each other; equal if one does so by itself.
  struct Conflict {
    JsonIndex first;
    JsonIndex second;
  };
  // Remembers a contradiction, for the message should nothing be left of the schema.
  void AddConflict(JsonIndex a, JsonIndex b);
  // The first contradictions that were found, in order.
  const std::vector<Conflict>& conflicts() const { return conflicts_; }
  // Something of the schema that has no effect, for the report.
  struct Note {
    JsonIndex place;
    std::string text;
  };
  void AddNote(JsonIndex place, std::string text);
  const std::vector<Note>& notes() const { return notes_; }

 private:
  static constexpr size_t kMaxConflicts = 8;
  static constexpr size_t kMaxNotes = 1000;

  // A schema that another one applies in place. It is strict where the other is not monotone in it.
  struct Dependency {
    SchemaId id;
    bool strict;
  };
  // What is accepted when the members and items named by `evaluated` are evaluated.
  struct Case {
    NormalForm form;
    uint32_t evaluated;
    bool operator==(const Case&) const = default;
  };
  using Cases = std::vector<Case>;
  struct Entry {
    bool done = false;
    NormalForm form;
    Cases cases;  // of tracked schemas
  };

  Result<std::vector<Dependency>> DependenciesOf(SchemaId id);
  Status SolveComponent(const std::vector<SchemaId>& members, bool is_loop);
  // Evaluates `id` from the present values of the schemas it applies in place. Returns whether its
  // value changed.
  Result<bool> Combine(SchemaId id);
  Result<NormalForm> FormOf(SchemaId id);
  Result<NormalForm> FormOfNode(SchemaId id, const SchemaFacts& facts);
  // Notes the branches of `anyOf` and `oneOf` that nothing satisfies.
  Status NoteEmptyBranches(SchemaId id);

  NormalForm OwnKeywords(SchemaId id, const SchemaFacts& facts);
  FormulaId StringsOf(const SchemaFacts& facts);
  FormulaId NumbersOf(const SchemaFacts& facts);
  FormulaId ArraysOf(SchemaId id, const SchemaFacts& facts);
  FormulaId ObjectsOf(SchemaId id, const SchemaFacts& facts);
  // The values listed in `values`.
  Result<NormalForm> Constants(const std::vector<JsonIndex>& values);
  NormalForm Unite(const std::vector<NormalForm>& parts);
  NormalForm JoinAll(const std::vector<NormalForm>& parts);
  NormalForm ExactlyOne(const std::vector<NormalForm>& parts);
  FormulaId ExactlyOneOf(std::vector<FormulaId> parts);
  FormulaId AnyNumberIn(DecimalSet values);
  FormulaId AnyTextIn(TextSet texts);
  void AddKeywordConflict(JsonIndex schema, const char* a, const char* b);

  // evaluation.cc
  Result<Cases> CasesOf(SchemaId id);
  Result<Cases> CasesOfNode(SchemaId id, const SchemaFacts& facts);
  Result<Cases> JoinCases(const Cases& a, const Cases& b, JsonIndex at);
  Cases MergeCases(Cases cases);
  uint32_t UniteEvaluated(uint32_t a, uint32_t b);
  uint32_t AddEvaluation(uint32_t set, Evaluation evaluation);
  Result<Cases> AnyOfCases(SchemaId id, JsonIndex list);
  Result<Cases> OneOfCases(SchemaId id, JsonIndex list);
  Status ApplyUnevaluated(SchemaId id, const SchemaFacts& facts, Cases* cases);
  Result<NormalForm> FormOfClosed(SchemaId id);

  std::vector<SchemaId> ChildrenOf(SchemaId id, JsonIndex list);
  NormalForm current(SchemaId id) { return results_[id].form; }
  const Cases& current_cases(SchemaId id) {
    return results_[reader_->schemas()->Tracked(id)].cases;
  }

  const SchemaDocument* document_;
  SchemaReader* reader_;
  FormulaPool* pool_;
  SchemaMap<Entry> results_;
  std::vector<Conflict> conflicts_;
  std::vector<Note> notes_;
};

}  // namespace maskloom
