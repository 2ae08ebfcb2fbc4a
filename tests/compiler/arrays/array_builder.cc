#include "tests/compiler/arrays/array_builder.h"

#include <utility>

namespace maskloom::arrays {

ValueId ArrayBuilder::Add(ValueNode node) {
  grammar.values.push_back(std::move(node));
  return static_cast<ValueId>(grammar.values.size() - 1);
}

ValueId ArrayBuilder::Null() {
  ValueNode node;
  node.allows_null = true;
  return Add(node);
}

ValueId ArrayBuilder::Boolean() {
  ValueNode node;
  node.allows_true = node.allows_false = true;
  return Add(node);
}

ValueId ArrayBuilder::String(StringNode string) {
  grammar.strings.push_back(std::move(string));
  ValueNode node;
  node.strings = {static_cast<NodeId>(grammar.strings.size() - 1)};
  return Add(node);
}

ValueId ArrayBuilder::Letter() {
  TextAutomaton automaton;
  automaton.labels = {TextAutomaton::kNotAccepting, 1};
  automaton.edges = {{'a', 'b', 1}};
  automaton.edge_begins = {0, 1, 1};
  StringNode string;
  string.automaton = std::make_shared<TextAutomaton>(automaton);
  return String(string);
}

ValueId ArrayBuilder::Number(NumberNode number) {
  grammar.numbers.push_back(std::move(number));
  ValueNode node;
  node.numbers = {static_cast<NodeId>(grammar.numbers.size() - 1)};
  return Add(node);
}

ValueId ArrayBuilder::Integers(int64_t first, int64_t last) {
  NumberNode number;
  number.integer = true;
  number.lower = NumberBound{Decimal::FromInteger(first), false};
  number.upper = NumberBound{Decimal::FromInteger(last), false};
  return Number(number);
}

ValueId ArrayBuilder::Object(std::vector<ObjectNode::Property> properties) {
  ObjectNode object;
  object.properties = std::move(properties);
  grammar.objects.push_back(object);
  ValueNode node;
  node.objects = {static_cast<NodeId>(grammar.objects.size() - 1)};
  return Add(node);
}

ValueId ArrayBuilder::Array(ArrayNode array) {
  grammar.arrays.push_back(std::move(array));
  ValueNode node;
  node.arrays = {static_cast<NodeId>(grammar.arrays.size() - 1)};
  return Add(node);
}

ValueId ArrayBuilder::ArrayOf(ValueId item, uint64_t max_items) {
  ArrayNode array;
  array.rest = item;
  array.max_items = max_items;
  return Array(array);
}

ValueId ArrayBuilder::DistinctArray(ValueId item, uint64_t min_items) {
  ArrayNode array;
  array.rest = item;
  array.min_items = min_items;
  array.distinctness = ArrayNode::Distinctness::kDistinct;
  return Array(array);
}

ValueId ArrayBuilder::Either(ValueId one, ValueId other) {
  ValueNode node = grammar.values[one];
  const ValueNode& more = grammar.values[other];
  const auto append = [](const std::vector<NodeId>& from, std::vector<NodeId>* to) {
    to->insert(to->end(), from.begin(), from.end());
  };
  append(more.strings, &node.strings);
  append(more.numbers, &node.numbers);
  append(more.arrays, &node.arrays);
  append(more.objects, &node.objects);
  return Add(node);
}

Result<std::shared_ptr<const CompiledGrammar>> ArrayBuilder::Compile(
    ValueId root, std::shared_ptr<const VocabularyIndex> vocabulary) {
  grammar.root = grammar.exprs.Value(root);
  return CompiledGrammar::Create(grammar, std::move(vocabulary));
}

}  // namespace maskloom::arrays
