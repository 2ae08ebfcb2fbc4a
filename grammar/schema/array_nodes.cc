// Array constraints to array nodes: position by position, the schemas of all rules join.
#include <algorithm>
#include <utility>

#include "grammar/schema/node_builder.h"

namespace maskloom {

Status NodeBuilder::BuildArray(ConstraintId id, NodeId node) {
  const ArrayConstraint constraint = pool_->arrays[id];
  ArrayNode array;
  array.min_items = constraint.min_items;
  array.max_items = constraint.max_items;
  std::vector<SchemaSet> prefix;
  SchemaSet rest;
  bool closed = false;
  // First the length of the common prefix, then what applies at each of its positions.
  for (SchemaId rule : constraint.rules) {
    JsonIndex list = NodeOf(rule);
    if (!IsConstant(rule)) {
      Result<const SchemaFacts*> facts = reader_->Read(NodeOf(rule));
      if (!facts.ok()) return facts.status();
      list = (*facts)->prefix_items;
    }
    size_t length = list == kNoJson ? 0 : document_->count(list);
    if (length > prefix.size()) prefix.resize(length);
  }
  for (SchemaId rule : constraint.rules) {
    JsonIndex list = NodeOf(rule);
    SchemaId items = kNoSchema;
    if (!IsConstant(rule)) {
      const SchemaFacts& facts = **reader_->Read(NodeOf(rule));
      list = facts.prefix_items;
      items = facts.items;
    } else {
      closed = true;
    }
    size_t position = 0;
    JsonIndex item = list == kNoJson ? kNoJson : document_->first(list);
    for (; item != kNoJson; item = document_->next(item)) {
      prefix[position++].push_back(IsConstant(rule) ? ConstantAt(item) : SchemaAt(item));
    }
    if (items == kNoSchema) continue;
    for (; position < prefix.size(); ++position) prefix[position].push_back(items);
    rest.push_back(items);
  }
  for (SchemaSet& schemas : prefix) {
    if (array.prefix.size() >= array.max_items) break;
    Result<ValueId> value = ValueOf(std::move(schemas));
    if (!value.ok()) return value.status();
    if (*value == kNeverValue) {
      array.max_items = array.prefix.size();
      break;
    }
    array.prefix.push_back(*value);
  }
  if (!closed && array.prefix.size() < array.max_items) {
    Result<ValueId> value = ValueOf(std::move(rest));
    if (!value.ok()) return value.status();
    array.rest = *value;
  }
  if (array.rest == kNeverValue) {
    array.max_items = std::min<uint64_t>(array.max_items, array.prefix.size());
  }
  if (array.min_items > array.max_items && !constraint.rules.empty()) {
    normalizer_->AddConflict(NodeOf(constraint.rules[0]), NodeOf(constraint.rules[0]));
  }
  grammar_->arrays[node] = std::move(array);
  return Status::Ok();
}

}  // namespace maskloom
