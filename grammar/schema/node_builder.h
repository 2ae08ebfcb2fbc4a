// Normal forms to IR nodes: values, and the strings, numbers, arrays and objects they list.
//
// A value is the conjunction of a set of schemas. It is memoised twice: under the set, and under
// its normal form, so that schemas that differ only in annotations share one value. Since an array
// or object constraint names its rules and not its children, asking for a child's value while a
// node is built never needs that child's nodes: building is a work list, and recursion in the
// schema becomes a cycle of ids.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "grammar/base/status.h"
#include "grammar/ir.h"
#include "grammar/schema/normalizer.h"

namespace maskloom {

class NodeBuilder {
 public:
  // Budgets of one schema: conjunctions of schemas, and classes of keys of one object. Beyond them
  // it is refused by kResourceLimit.
  static constexpr size_t kMaxConjunctions = 50'000;
  static constexpr size_t kMaxKeyClasses = 4096;
  // Undeclared keys that are so few are declared, so that it shows when they run out.
  static constexpr uint32_t kMaxEnumeratedKeys = 1000;

  // All arguments must outlive the builder.
  NodeBuilder(const SchemaDocument* document, SchemaReader* reader, ConstraintPool* pool,
              Normalizer* normalizer, Grammar* grammar);

  // Builds all nodes of `root` into the grammar. Returns its value, or kNeverValue where it
  // evidently has none.
  // On error: what normalising reports.
  Result<ValueId> Build(SchemaId root);

 private:
  struct PendingNode {
    ConstraintId constraint;
    NodeId node;
  };
  // The sets of schemas that apply to a value at one place; unsorted until it is asked for.
  using SchemaSet = std::vector<SchemaId>;

  // value_nodes: conjunctions.
  Result<ValueId> ValueOf(SchemaSet ids);
  Result<ValueId> AddValue(const Alternatives& alternatives, JsonIndex origin);
  NodeId ArrayNodeOf(ConstraintId id);
  NodeId ObjectNodeOf(ConstraintId id);
  NodeId NumberNodeOf(ConstraintId id);

  // string_nodes: unions of string constraints.
  Result<std::vector<NodeId>> StringNodesOf(const std::vector<ConstraintId>& ids);
  Result<std::vector<StringNode>> UniteStrings(const std::vector<ConstraintId>& ids);

  // array_nodes.
  Status BuildArray(ConstraintId id, NodeId node);

  // object_nodes: key classes.
  struct MemberRule;
  struct DeclaredKeys;
  Result<MemberRule> ReadMemberRule(SchemaId id);
  void DeclareKeys(const ObjectConstraint& constraint, const std::vector<MemberRule>& rules,
                   DeclaredKeys* keys);
  Status BuildObject(ConstraintId id, NodeId node);
  Status BuildOtherKeys(const std::vector<MemberRule>& rules, DeclaredKeys* keys,
                        ObjectNode* object);

  Status At(SchemaId id, const Status& status) const {
    return document_->ErrorAt(NodeOf(id), status.code(), status.message());
  }

  const SchemaDocument* document_;
  SchemaReader* reader_;
  ConstraintPool* pool_;
  Normalizer* normalizer_;
  Grammar* grammar_;

  std::vector<ValueId> value_of_schema_;  // by schema id: 1 + value + 1, or 0
  std::map<SchemaSet, ValueId> value_of_set_;
  std::unordered_map<std::string, ValueId> value_of_form_;
  std::map<std::vector<ConstraintId>, std::vector<NodeId>> string_nodes_;
  std::unordered_map<ConstraintId, NodeId> number_nodes_;
  std::unordered_map<ConstraintId, NodeId> array_nodes_;
  std::unordered_map<ConstraintId, NodeId> object_nodes_;
  std::vector<PendingNode> pending_arrays_;
  std::vector<PendingNode> pending_objects_;
  std::vector<uint32_t> slot_of_name_;  // by name id, while an object is built: 1 + slot
};

}  // namespace maskloom
