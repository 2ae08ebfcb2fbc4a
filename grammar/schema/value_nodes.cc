// Values: conjunctions of schemas, memoised by set and by normal form.
#include <algorithm>
#include <utility>

#include "grammar/schema/node_builder.h"

namespace maskloom {

NodeBuilder::NodeBuilder(const SchemaDocument* document, SchemaReader* reader, ConstraintPool* pool,
                         Normalizer* normalizer, Grammar* grammar)
    : document_(document),
      reader_(reader),
      pool_(pool),
      normalizer_(normalizer),
      grammar_(grammar),
      value_of_schema_(size_t{2} * document->size(), 0) {}

Result<ValueId> NodeBuilder::Build(SchemaId root) {
  Result<ValueId> value = ValueOf({root});
  while (value.ok() && !(pending_arrays_.empty() && pending_objects_.empty())) {
    Status status;
    if (!pending_objects_.empty()) {
      PendingNode next = pending_objects_.back();
      pending_objects_.pop_back();
      status = BuildObject(next.constraint, next.node);
    } else {
      PendingNode next = pending_arrays_.back();
      pending_arrays_.pop_back();
      status = BuildArray(next.constraint, next.node);
    }
    if (!status.ok()) return status;
  }
  return value;
}

Result<ValueId> NodeBuilder::ValueOf(SchemaSet ids) {
  std::erase_if(ids, [this](SchemaId id) { return normalizer_->IsTriviallyTrue(id); });
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  bool single = ids.size() == 1;
  if (single) {
    if (value_of_schema_[ids[0]] != 0) return value_of_schema_[ids[0]] - 2;
  } else if (auto it = value_of_set_.find(ids); it != value_of_set_.end()) {
    return it->second;
  }
  Result<ValueId> value = kNeverValue;
  if (single) {
    Result<const Alternatives*> form = normalizer_->Evaluate(ids[0]);
    if (!form.ok()) return form.status();
    value = AddValue(**form, NodeOf(ids[0]));
  } else {
    Result<Alternatives> form = normalizer_->EvaluateAll(ids);
    if (!form.ok()) return form.status();
    value = AddValue(*form, ids.empty() ? 0 : NodeOf(ids[0]));
  }
  if (!value.ok()) return value;
  if (single) {
    value_of_schema_[ids[0]] = *value + 2;
    return value;
  }
  if (value_of_set_.size() >= kMaxConjunctions) {
    return document_->ErrorAt(NodeOf(ids[0]), StatusCode::kResourceLimit,
                              "this schema joins its parts in more than " +
                                  std::to_string(kMaxConjunctions) +
                                  " different ways, which is the limit");
  }
  value_of_set_.emplace(std::move(ids), *value);
  return value;
}

Result<ValueId> NodeBuilder::AddValue(const Alternatives& alternatives, JsonIndex origin) {
  if (alternatives.IsEmpty()) return kNeverValue;
  auto [it, added] = value_of_form_.try_emplace(KeyOf(alternatives), kNeverValue);
  if (!added) return it->second;
  ValueNode value;
  value.allows_null = alternatives.allows_null;
  value.allows_true = alternatives.allows_true;
  value.allows_false = alternatives.allows_false;
  if (!alternatives.strings.empty()) {
    Result<std::vector<NodeId>> nodes = StringNodesOf(alternatives.strings);
    if (!nodes.ok()) {
      return document_->ErrorAt(origin, nodes.status().code(), nodes.status().message());
    }
    value.strings = std::move(*nodes);
  }
  for (ConstraintId id : alternatives.numbers) value.numbers.push_back(NumberNodeOf(id));
  for (ConstraintId id : alternatives.arrays) value.arrays.push_back(ArrayNodeOf(id));
  for (ConstraintId id : alternatives.objects) value.objects.push_back(ObjectNodeOf(id));
  bool empty = !value.allows_null && !value.allows_true && !value.allows_false &&
               value.strings.empty() && value.numbers.empty() && value.arrays.empty() &&
               value.objects.empty();
  if (empty) return kNeverValue;
  value.origin = document_->Pointer(origin);
  grammar_->values.push_back(std::move(value));
  it->second = static_cast<ValueId>(grammar_->values.size() - 1);
  return it->second;
}

NodeId NodeBuilder::NumberNodeOf(ConstraintId id) {
  auto [it, added] = number_nodes_.try_emplace(id, static_cast<NodeId>(grammar_->numbers.size()));
  if (added) {
    const NumberConstraint& constraint = pool_->numbers[id];
    NumberNode node;
    node.integer = constraint.integer;
    node.lower = constraint.lower;
    node.upper = constraint.upper;
    if (constraint.one_of != nullptr) node.one_of = *constraint.one_of;
    grammar_->numbers.push_back(std::move(node));
  }
  return it->second;
}

NodeId NodeBuilder::ArrayNodeOf(ConstraintId id) {
  auto [it, added] = array_nodes_.try_emplace(id, static_cast<NodeId>(grammar_->arrays.size()));
  if (added) {
    grammar_->arrays.emplace_back();
    pending_arrays_.push_back({id, it->second});
  }
  return it->second;
}

NodeId NodeBuilder::ObjectNodeOf(ConstraintId id) {
  auto [it, added] = object_nodes_.try_emplace(id, static_cast<NodeId>(grammar_->objects.size()));
  if (added) {
    grammar_->objects.emplace_back();
    pending_objects_.push_back({id, it->second});
  }
  return it->second;
}

}  // namespace maskloom
