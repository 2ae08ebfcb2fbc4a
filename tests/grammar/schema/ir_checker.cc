// Structural recursion over the instance.
#include "tests/grammar/schema/ir_checker.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "grammar/base/utf8.h"
#include "grammar/number_conditions.h"
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
    const std::string_view text = instance_.text(node);
    const bool plain = text.find_first_of(".eE") == std::string_view::npos;
    if (number.spelling == NumberNode::Spelling::kPlain && !plain) return false;
    if (number.spelling == NumberNode::Spelling::kNotPlain && plain) return false;
    return Satisfies(number, *Decimal::Parse(text));
  }

  // Counts of one reading of the items or members so far, one for each counter.
  using Counts = std::vector<uint64_t>;

  // Takes one more item or member by any of its choices.
  void Take(const std::vector<std::vector<Choice>>& choices, size_t slot, ValueId value,
            JsonIndex node, std::set<Counts>* readings) const {
    std::vector<Choice> list{{value, 0}};
    if (slot < choices.size() && !choices[slot].empty()) list = choices[slot];
    std::set<Counts> next;
    for (const Choice& choice : list) {
      if (!Value(choice.value, node)) continue;
      for (Counts counts : *readings) {
        for (size_t i = 0; i < counts.size(); ++i) counts[i] += choice.counts >> i & 1;
        next.insert(std::move(counts));
      }
    }
    *readings = std::move(next);
  }

  bool Holds(const std::vector<Condition>& conditions, uint32_t index, const Counts& counts,
             uint64_t size, const std::vector<bool>& present) const {
    const Condition& condition = conditions[index];
    const auto part_holds = [&](uint32_t part) {
      return Holds(conditions, part, counts, size, present);
    };
    switch (condition.kind) {
      case Condition::Kind::kAll:
        return std::all_of(condition.parts.begin(), condition.parts.end(), part_holds);
      case Condition::Kind::kAny:
        return std::any_of(condition.parts.begin(), condition.parts.end(), part_holds);
      case Condition::Kind::kAtLeast:
        return counts[condition.index] >= condition.number;
      case Condition::Kind::kAtMost:
        return counts[condition.index] <= condition.number;
      case Condition::Kind::kPresent:
        return present[condition.index];
      case Condition::Kind::kAbsent:
        return !present[condition.index];
      case Condition::Kind::kMinSize:
        return size >= condition.number;
      case Condition::Kind::kMaxSize:
        return size <= condition.number;
    }
    return false;
  }
  bool AnyHolds(const std::vector<Condition>& conditions, const std::set<Counts>& readings,
                uint64_t size, const std::vector<bool>& present) const {
    return std::any_of(readings.begin(), readings.end(), [&](const Counts& counts) {
      return conditions.empty() ||
             Holds(conditions, static_cast<uint32_t>(conditions.size() - 1), counts, size, present);
    });
  }

  // A text under which equal JSON values meet.
  std::string Canonical(JsonIndex node) const {
    switch (instance_.kind(node)) {
      case JsonKind::kNumber:
        return Decimal::Parse(instance_.text(node))->ToString();
      case JsonKind::kString:
        return '"' + std::string(instance_.text(node)) + '"';
      case JsonKind::kArray: {
        std::string text = "[";
        for (JsonIndex item = instance_.first(node); item != kNoJson; item = instance_.next(item)) {
          text += Canonical(item) + '\0';
        }
        return text + ']';
      }
      case JsonKind::kObject: {
        std::map<std::string, std::string> members;
        for (JsonIndex member = instance_.first(node); member != kNoJson;
             member = instance_.next(member)) {
          members[std::string(instance_.key(member))] = Canonical(member);
        }
        std::string text = "{";
        for (const auto& [key, value] : members) text += key + '\0' + value + '\0';
        return text + '}';
      }
      default:
        return 'l' + std::to_string(static_cast<int>(instance_.kind(node)));
    }
  }

  bool Array(NodeId id, JsonIndex node) const {
    const ArrayNode& array = grammar_.arrays[id];
    const uint64_t count = instance_.count(node);
    if (count < array.min_items || count > array.max_items) return false;
    std::set<Counts> readings{Counts(array.counters.size())};
    std::set<std::string> values;
    size_t i = 0;
    for (JsonIndex item = instance_.first(node); item != kNoJson; item = instance_.next(item)) {
      const size_t slot = std::min(i++, array.prefix.size());
      const ValueId value = slot < array.prefix.size() ? array.prefix[slot] : array.rest;
      if (!Value(value, item)) return false;
      Take(array.choices, slot, value, item, &readings);
      values.insert(Canonical(item));
    }
    const bool distinct = values.size() == count;
    if (array.distinctness == ArrayNode::Distinctness::kDistinct && !distinct) return false;
    if (array.distinctness == ArrayNode::Distinctness::kRepeated && distinct) return false;
    return AnyHolds(array.conditions, readings, count, {});
  }

  bool Object(NodeId id, JsonIndex node) const {
    const ObjectNode& object = grammar_.objects[id];
    const uint64_t count = instance_.count(node);
    if (count < object.min_properties || count > object.max_properties) return false;
    std::map<std::u32string, size_t> declared;
    for (size_t i = 0; i < object.properties.size(); ++i) declared[object.properties[i].name] = i;
    std::vector<bool> present(object.properties.size());
    std::set<Counts> readings{Counts(object.counters.size())};
    for (JsonIndex member = instance_.first(node); member != kNoJson;
         member = instance_.next(member)) {
      const std::u32string key = ToUtf32(instance_.key(member));
      ValueId value = kNeverValue;
      size_t slot = object.properties.size();
      if (auto it = declared.find(key); it != declared.end()) {
        slot = it->second;
        value = object.properties[slot].value;
        present[slot] = true;
      } else if (object.other_keys != nullptr) {
        const uint32_t label = object.other_keys->Match(key);
        if (label == TextAutomaton::kNotAccepting) return false;
        slot += label - 1;
        value = object.other_values[label - 1];
      } else if (!object.other_values.empty()) {
        value = object.other_values[0];
      }
      if (!Value(value, member)) return false;
      Take(object.choices, slot, value, member, &readings);
    }
    for (size_t i = 0; i < object.properties.size(); ++i) {
      if (object.properties[i].required && !present[i]) return false;
    }
    return AnyHolds(object.conditions, readings, count, present);
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
