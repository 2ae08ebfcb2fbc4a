// Admission: reads a whole grammar, builds the machine's tables and proves what must be true before
// a first mask is made.
//
// What it settles, so that nothing can fail later:
//  * which strings, numbers, names and rules can be spelled with the bytes that have a token of
//    their own (edges behind which nothing can be completed are cut);
//  * which nodes have a text at all: a least fixed point over the cost of a short text, starting
//    from "none". A node's cost is made of strictly smaller costs of its parts, so following the
//    cheapest alternatives always ends; completions do that (completion.h);
//  * where arrays must stop, which keys can appear, and that required keys and bounds fit together.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "compiler/machine.h"
#include "grammar/base/status.h"
#include "grammar/ir.h"

namespace maskloom {

class Admission {
 public:
  // `numbers`: of the bytes that completions may use.
  static Result<std::unique_ptr<Machine>> Admit(Grammar grammar, const StandardNumbers& numbers,
                                                Spelling utf8, Spelling strings);

 private:
  // Undeclared keys are counted exactly up to this many.
  static constexpr uint32_t kMaxCountedKeys = 1u << 20;

  explicit Admission(Machine* machine) : machine_(*machine) {}

  Status BuildStrings();
  Status BuildNumbers();
  Status BuildArrays();
  Status BuildObjects();
  void BuildValues();
  Status BuildRules();
  Status BuildRepeats();
  void FindNullable();

  // One round of the fixed point each; return whether some cost fell.
  bool ImproveValues();
  bool ImproveArray(ArrayTable* table);
  // Of arrays that compare their items: lists values, and appends those that have no text to
  // `impossible`. Requires: settled and cut.
  Status CheckDistinctArrays(std::vector<NodeId>* impossible);
  Status CheckDistinctArray(NodeId id, std::vector<NodeId>* impossible);
  // Lets `status` point at where array `id` comes from.
  Status FailArray(NodeId id, Status status) const;
  bool ImproveObject(const ObjectNode& node, ObjectTable* table);
  using MemberGroup = std::pair<TextCost, uint64_t>;  // cost of one, how many
  std::vector<MemberGroup> OtherMembers(const ObjectNode& node, const ObjectTable& table,
                                        uint64_t owed) const;
  // Objects with conditions.
  Status BuildCondition(const ObjectNode& node, ObjectTable* table);
  bool ImproveConditional(ObjectTable* table);
  void CutChoices(ObjectTable* table) const;
  void CountClasses(ObjectTable* table) const;
  // Lets `status` point at where object `id` comes from.
  void FailObject(NodeId id, Status* status) const;

  bool ImproveRules();
  bool ImproveRule(RuleTable* table);
  void Settle();
  Status CutArrays();
  void CutObjects();
  void CutRules();
  void FindFirstBytes();
  TextCost ValueCost(ValueId id) const {
    return id == kNeverValue ? kNoText : machine_.values_[id].cost;
  }
  bool Spells(const char* bytes) const;
  // Most items and members between which separators, with the white space that the style prescribes
  // there, can be spelled.
  struct Room {
    uint32_t items = kNoLimit;
    uint32_t members = kNoLimit;
  };
  Room RoomOfSeparators() const;

  static Result<std::unique_ptr<Machine>> AdmitWithout(const std::vector<NodeId>& impossible_arrays,
                                                       Grammar grammar,
                                                       const StandardNumbers& numbers,
                                                       const Spelling& utf8,
                                                       const Spelling& strings);

  Machine& machine_;
  const StandardNumbers* numbers_ = nullptr;  // while tables are built
  std::vector<bool> nullable_exprs_;
};

}  // namespace maskloom
