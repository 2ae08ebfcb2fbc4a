// Values of any kind refer to themselves by their arrays and objects. So all values that look right
// by themselves are taken for such, and those that refer to others than such are taken out again,
// until nothing changes.
#include "compiler/standard_parts.h"

#include <span>

#include "compiler/machine.h"
#include "compiler/standard_numbers.h"

namespace maskloom {
namespace {

StandardPart PartOfString(const StringTable& table) {
  if (table.automaton != nullptr) return kNoStandardPart;
  return table.bounded ? StandardPart::kCountedString : StandardPart::kString;
}

StandardPart PartOfNumber(const NumberNode& node) {
  if (!IsFreeNumber(node)) return kNoStandardPart;
  return node.integer ? StandardPart::kInteger : StandardPart::kNumber;
}

// Is the array one of any number of items with one and the same value?
bool IsUniform(const ArrayTable& table) {
  return table.plain && table.prefix.empty() && table.rest != kNeverValue && table.min == 0 &&
         table.max == kNoLimit && table.distinctness == ArrayNode::Distinctness::kAny;
}

// The same of members.
bool IsUniform(const ObjectTable& table) {
  return table.names.size() == 0 && table.other_keys == nullptr && table.other_values.size() == 1 &&
         table.has_others && !table.counted && !table.is_conditional() && !table.has_choices;
}

class Finder {
 public:
  explicit Finder(const Machine& machine) : machine_(machine), grammar_(machine.grammar()) {}

  StandardNodes Find();

 private:
  bool IsStandard(std::span<const StandardPart> parts, std::span<const NodeId> nodes,
                  StandardPart part) const {
    return nodes.size() == 1 && parts[nodes[0]] == part;
  }
  bool LooksLikeAnyValue(ValueId id) const;
  bool RefersToAnyValues(ValueId id) const;
  bool IsAny(ValueId id) const { return nodes_.values[id]; }

  const Machine& machine_;
  const Grammar& grammar_;
  StandardNodes nodes_;
};

bool Finder::LooksLikeAnyValue(ValueId id) const {
  const ValueTable& table = machine_.value(id);
  for (const bool allowed : table.allows_literal) {
    if (!allowed) return false;
  }
  return IsStandard(nodes_.strings, table.strings, StandardPart::kString) &&
         IsStandard(nodes_.numbers, table.numbers, StandardPart::kNumber) &&
         table.arrays.size() == 1 && IsUniform(machine_.array(table.arrays[0])) &&
         table.objects.size() == 1 && IsUniform(machine_.object(table.objects[0]));
}

bool Finder::RefersToAnyValues(ValueId id) const {
  const ValueTable& table = machine_.value(id);
  return IsAny(machine_.array(table.arrays[0]).rest) &&
         IsAny(machine_.object(table.objects[0]).other_values[0]);
}

StandardNodes Finder::Find() {
  for (NodeId id = 0; id < grammar_.strings.size(); ++id) {
    nodes_.strings.push_back(PartOfString(machine_.string(id)));
  }
  for (const NumberNode& node : grammar_.numbers) nodes_.numbers.push_back(PartOfNumber(node));
  const auto value_count = static_cast<ValueId>(grammar_.values.size());
  for (ValueId id = 0; id < value_count; ++id) nodes_.values.push_back(LooksLikeAnyValue(id));
  for (bool changed = true; changed;) {
    changed = false;
    for (ValueId id = 0; id < value_count; ++id) {
      if (!IsAny(id) || RefersToAnyValues(id)) continue;
      nodes_.values[id] = false;
      changed = true;
    }
  }
  for (NodeId id = 0; id < grammar_.arrays.size(); ++id) {
    const ArrayTable& table = machine_.array(id);
    const bool standard = IsUniform(table) && IsAny(table.rest);
    nodes_.arrays.push_back(standard ? StandardPart::kArray : kNoStandardPart);
  }
  for (NodeId id = 0; id < grammar_.objects.size(); ++id) {
    const ObjectTable& table = machine_.object(id);
    const bool standard = IsUniform(table) && IsAny(table.other_values[0]);
    nodes_.objects.push_back(standard ? StandardPart::kObject : kNoStandardPart);
  }
  return std::move(nodes_);
}

}  // namespace

StandardPart WithSpace(StandardPart part) {
  switch (part) {
    case StandardPart::kString:
    case StandardPart::kCountedString:
      return StandardPart::kSpacedString;
    case StandardPart::kNumber:
      return StandardPart::kSpacedNumber;
    case StandardPart::kInteger:
      return StandardPart::kSpacedInteger;
    case StandardPart::kArray:
      return StandardPart::kSpacedArray;
    case StandardPart::kObject:
      return StandardPart::kSpacedObject;
    default:
      return kNoStandardPart;
  }
}

bool StandardNodes::IsBeforeAny(const Machine& machine, const Frame& frame) const {
  return frame.kind == FrameKind::kObject && frame.phase == Phase::kBeforeValue &&
         frame.space == 0 && !machine.object(frame.node).has_choices && values[frame.state];
}

StandardNodes FindStandardNodes(const Machine& machine) { return Finder(machine).Find(); }

Grammar AnyValueGrammar(const StylePolicy& style, bool integer) {
  Grammar grammar;
  grammar.style = style;
  grammar.strings.emplace_back();
  grammar.numbers.emplace_back();
  grammar.arrays.emplace_back();
  grammar.arrays[0].rest = 0;
  grammar.objects.emplace_back();
  grammar.objects[0].other_values = {0};
  ValueNode any;
  any.allows_null = any.allows_true = any.allows_false = true;
  any.strings = any.numbers = any.arrays = any.objects = {0};
  grammar.values.push_back(any);
  ValueId root = 0;
  if (integer) {
    grammar.numbers.emplace_back();
    grammar.numbers[1].integer = true;
    ValueNode integers;
    integers.numbers = {1};
    grammar.values.push_back(integers);
    root = 1;
  }
  grammar.root = grammar.exprs.Value(root);
  return grammar;
}

}  // namespace maskloom
