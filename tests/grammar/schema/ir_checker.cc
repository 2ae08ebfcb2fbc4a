// Structural recursion over the instance.
#include "tests/grammar/schema/ir_checker.h"

#include <algorithm>
#include <map>

#include "grammar/base/utf8.h"
#include "grammar/schema/schema_document.h"

namespace maskloom {
namespace {

class Checker {
 public:
  Checker(const Grammar& grammar, const SchemaDocument& instance)
      : grammar_(grammar), instance_(instance) {}

  bool Value(ValueId id, JsonIndex node) const {
    if (id == kNeverValue) return false;
    const ValueNode& value = grammar_.values[id];
    auto any = [&](const std::vector<NodeId>& ids, auto check) {
      return std::any_of(ids.begin(), ids.end(),
                         [&](NodeId member) { return (this->*check)(member, node); });
    };
    switch (instance_.kind(node)) {
      case JsonKind::kNull:
        return value.allows_null;
      case JsonKind::kTrue:
        return value.allows_true;
      case JsonKind::kFalse:
        return value.allows_false;
      case JsonKind::kString:
        return any(value.strings, &Checker::String);
      case JsonKind::kNumber:
        return any(value.numbers, &Checker::Number);
      case JsonKind::kArray:
        return any(value.arrays, &Checker::Array);
      case JsonKind::kObject:
        return any(value.objects, &Checker::Object);
    }
    return false;
  }

 private:
  bool String(NodeId id, JsonIndex node) const {
    const StringNode& string = grammar_.strings[id];
    std::u32string text = ToUtf32(instance_.text(node));
    if (text.size() < string.min_length || text.size() > string.max_length) return false;
    return string.automaton == nullptr ||
           string.automaton->Match(text) != TextAutomaton::kNotAccepting;
  }
  bool Number(NodeId id, JsonIndex node) const {
    const NumberNode& number = grammar_.numbers[id];
    Decimal value = *Decimal::Parse(instance_.text(node));
    if (number.one_of) {
      return std::find(number.one_of->begin(), number.one_of->end(), value) != number.one_of->end();
    }
    if (number.integer && !value.IsInteger()) return false;
    if (number.lower) {
      if (value < number.lower->value) return false;
      if (value == number.lower->value && number.lower->exclusive) return false;
    }
    if (number.upper) {
      if (value > number.upper->value) return false;
      if (value == number.upper->value && number.upper->exclusive) return false;
    }
    return true;
  }
  bool Array(NodeId id, JsonIndex node) const {
    const ArrayNode& array = grammar_.arrays[id];
    uint64_t count = instance_.count(node);
    if (count < array.min_items || count > array.max_items) return false;
    size_t i = 0;
    for (JsonIndex item = instance_.first(node); item != kNoJson; item = instance_.next(item)) {
      if (!Value(i < array.prefix.size() ? array.prefix[i] : array.rest, item)) return false;
      ++i;
    }
    return true;
  }
  bool Object(NodeId id, JsonIndex node) const {
    const ObjectNode& object = grammar_.objects[id];
    uint64_t count = instance_.count(node);
    if (count < object.min_properties || count > object.max_properties) return false;
    std::map<std::u32string, const ObjectNode::Property*> missing;
    std::map<std::u32string, const ObjectNode::Property*> declared;
    for (const ObjectNode::Property& property : object.properties) {
      declared[property.name] = &property;
      if (property.required) missing[property.name] = &property;
    }
    for (JsonIndex member = instance_.first(node); member != kNoJson;
         member = instance_.next(member)) {
      std::u32string key = ToUtf32(instance_.key(member));
      missing.erase(key);
      ValueId value = kNeverValue;
      if (auto it = declared.find(key); it != declared.end()) {
        value = it->second->value;
      } else if (object.other_keys != nullptr) {
        uint32_t label = object.other_keys->Match(key);
        if (label != TextAutomaton::kNotAccepting) value = object.other_values[label - 1];
      } else if (!object.other_values.empty()) {
        value = object.other_values[0];
      }
      if (!Value(value, member)) return false;
    }
    return missing.empty();
  }

  const Grammar& grammar_;
  const SchemaDocument& instance_;
};

}  // namespace

bool SatisfiesIr(const Grammar& grammar, std::string_view instance) {
  Result<SchemaDocument> document = SchemaDocument::Parse(instance);
  if (!document.ok()) return false;
  return Checker(grammar, *document).Value(grammar.exprs.payload(grammar.root), 0);
}

}  // namespace maskloom
