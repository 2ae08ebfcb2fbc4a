// The judge's validator: a value, a schema node, and the definitions of the keywords read out.
#include <algorithm>
#include <set>

#include "tests/judge/schema_nodes.h"

namespace maskloom::judge {
namespace {

using Kind = JsonTree::Kind;

class Validator {
 public:
  Validator(const SchemaNodes& schema, RegexPool* pool) : schema_(schema), pool_(pool) {}

  bool Valid(NodeIndex index, const JsonTree& value) {
    const SchemaNode& node = schema_.nodes[index];
    if (node.never || (node.types & TypeOf(value)) == 0) return false;
    // A reference that comes back here for the same value adds nothing to a least fixed point.
    if (!open_.insert({index, &value}).second) return false;
    bool valid = Own(node, value);
    for (size_t i = 0; valid && i < node.all_of.size(); ++i) valid = Valid(node.all_of[i], value);
    for (size_t i = 0; valid && i < node.any_of.size(); ++i) {
      valid = std::any_of(node.any_of[i].begin(), node.any_of[i].end(),
                          [&](NodeIndex choice) { return Valid(choice, value); });
    }
    open_.erase({index, &value});
    return valid;
  }

 private:
  static uint32_t TypeOf(const JsonTree& value) {
    switch (value.kind) {
      case Kind::kNull:
        return kNullBit;
      case Kind::kTrue:
        return kTrueBit;
      case Kind::kFalse:
        return kFalseBit;
      case Kind::kNumber:
        return kNumberBit;
      case Kind::kString:
        return kStringBit;
      case Kind::kArray:
        return kArrayBit;
      default:
        return kObjectBit;
    }
  }

  bool Own(const SchemaNode& node, const JsonTree& value) {
    switch (value.kind) {
      case Kind::kNumber:
        return node.number.Admits(ExactDecimal::FromText(value.number));
      case Kind::kString:
        return OwnString(node, value.text);
      case Kind::kArray:
        return OwnArray(node, value.items);
      case Kind::kObject:
        return OwnObject(node, value);
      default:
        return true;
    }
  }

  bool OwnString(const SchemaNode& node, const std::u32string& text) {
    if (text.size() < node.min_length || text.size() > node.max_length) return false;
    if (node.strings &&
        std::find(node.strings->begin(), node.strings->end(), text) == node.strings->end()) {
      return false;
    }
    return std::all_of(node.patterns.begin(), node.patterns.end(),
                       [&](RegexId regex) { return pool_->Matches(regex, text); });
  }

  bool OwnArray(const SchemaNode& node, const std::vector<JsonTree>& items) {
    if (items.size() < node.min_items || items.size() > node.max_items) return false;
    for (size_t i = 0; i < items.size(); ++i) {
      NodeIndex item = i < node.prefix_items.size() ? node.prefix_items[i] : node.items;
      if (item >= 0 && !Valid(item, items[i])) return false;
    }
    return true;
  }

  bool OwnObject(const SchemaNode& node, const JsonTree& value) {
    std::set<std::u32string> names;
    for (const auto& [name, member] : value.members) {
      if (!names.insert(name).second) return false;  // keys are unique here
      bool matched = false;
      for (const auto& [key, schema] : node.properties) {
        if (key != name) continue;
        matched = true;
        if (!Valid(schema, member)) return false;
      }
      for (const auto& [regex, schema] : node.pattern_properties) {
        if (!pool_->Matches(regex, name)) continue;
        matched = true;
        if (!Valid(schema, member)) return false;
      }
      if (!matched && node.additional >= 0 && !Valid(node.additional, member)) return false;
    }
    for (const auto& name : node.required) {
      if (names.count(name) == 0) return false;
    }
    return names.size() >= node.min_properties && names.size() <= node.max_properties;
  }

  const SchemaNodes& schema_;
  RegexPool* pool_;
  std::set<std::pair<NodeIndex, const JsonTree*>> open_;
};

}  // namespace

bool Validate(const SchemaNodes& schema, RegexPool* pool, const JsonTree& value) {
  return Validator(schema, pool).Valid(schema.root, value);
}

}  // namespace maskloom::judge
