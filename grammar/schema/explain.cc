// Writes block by block, in the order of the values; what is named in a block is a value that has
// a block of its own, so nothing recurses.
//
//   /  (the root)
//     object
//       "name"  required  string, length 1..40
//       "boss"  optional  null, or see /properties/boss
//       other keys        none
#include "grammar/schema/explain.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <vector>

#include "grammar/base/utf8.h"
#include "grammar/regular/regular.h"

namespace maskloom {
namespace {

constexpr uint32_t kMaxListed = 12;         // texts and numbers of a finite set
constexpr size_t kMaxConditionText = 2000;  // of one condition

std::string Quoted(std::u32string_view text) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string out = "\"";
  for (const char32_t c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += static_cast<char>(c);
    } else if (c < 0x20 || c == 0x7F) {
      out += "\\u00";
      out += kHex[c >> 4];
      out += kHex[c & 15];
    } else {
      AppendUtf8(c, &out);
    }
  }
  return out + "\"";
}

std::string Plural(uint64_t count, const char* noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

// Returns ", words 1..4" and the like, or nothing where there is no bound.
std::string Bounds(const char* words, uint64_t min, uint64_t max) {
  if (min == 0 && max == kNoMaximum) return "";
  const std::string text = std::string(", ") + words + " ";
  if (max == kNoMaximum) return text + "at least " + std::to_string(min);
  if (min == max) return text + "exactly " + std::to_string(min);
  if (min == 0) return text + "at most " + std::to_string(max);
  return text + std::to_string(min) + ".." + std::to_string(max);
}

std::string List(const std::vector<std::string>& parts, const char* word) {
  std::string out;
  for (const std::string& part : parts) out += (out.empty() ? "" : word) + part;
  return out;
}

std::string Numbers(const std::vector<Decimal>& values) {
  std::vector<std::string> parts;
  for (const Decimal& value : values) {
    if (parts.size() == kMaxListed) {
      parts.push_back("... (" + std::to_string(values.size()) + " in all)");
      break;
    }
    parts.push_back(value.ToString());
  }
  return List(parts, ", ");
}

class Explainer {
 public:
  Explainer(const Grammar& grammar, const SchemaReport& report, const std::vector<bool>& vanished)
      : grammar_(grammar), notes_(report.notes), vanished_(vanished) {
    for (const auto& [automaton, name] : report.languages) languages_.emplace(automaton, name);
    NameValues();
  }

  std::string Run() {
    const ValueId root = grammar_.exprs.payload(grammar_.root);
    WriteValue(root);
    for (ValueId id = 0; id < grammar_.values.size(); ++id) {
      if (id != root && IsBlock(id) && !IsAny(id)) WriteValue(id);
    }
    if (!notes_.empty()) out_ += "\nnotes\n";
    for (const SchemaNote& note : notes_) {
      Line(1, (note.pointer.empty() ? "/" : note.pointer) + ": " + note.text);
    }
    return std::move(out_);
  }

 private:
  bool IsNever(ValueId id) const {
    return id == kNeverValue || (id < vanished_.size() && vanished_[id]);
  }

  // Does the value need a block of its own?
  bool IsBlock(ValueId id) const {
    if (IsNever(id)) return false;
    const ValueNode& value = grammar_.values[id];
    return !std::all_of(value.arrays.begin(), value.arrays.end(),
                        [&](NodeId node) { return IsAnyArray(grammar_.arrays[node]); }) ||
           !std::all_of(value.objects.begin(), value.objects.end(),
                        [&](NodeId node) { return IsAnyObject(grammar_.objects[node]); });
  }

  bool IsAnyArray(const ArrayNode& array) const {
    return array.prefix.empty() && array.rest != kNeverValue && array.min_items == 0 &&
           array.max_items == kNoMaximum && array.conditions.empty() &&
           array.distinctness == ArrayNode::Distinctness::kAny && IsAny(array.rest);
  }

  bool IsAnyObject(const ObjectNode& object) const {
    return object.properties.empty() && object.other_keys == nullptr &&
           object.other_values.size() == 1 && object.min_properties == 0 &&
           object.max_properties == kNoMaximum && object.conditions.empty() &&
           IsAny(object.other_values[0]);
  }

  void NameValues() {
    std::map<std::string, int> uses;
    names_.resize(grammar_.values.size());
    for (ValueId id = 0; id < grammar_.values.size(); ++id) {
      const std::string& origin = grammar_.values[id].origin;
      names_[id] = origin.empty() ? "/" : origin;
      if (!IsBlock(id)) continue;
      if (const int use = ++uses[names_[id]]; use > 1)
        names_[id] += " (" + std::to_string(use) + ")";
    }
  }

  std::string Language(const StringNode& string) const {
    if (string.automaton == nullptr) return "string";
    if (auto texts = EnumerateTexts(*string.automaton, kMaxListed)) {
      std::vector<std::string> parts;
      for (const auto& [text, label] : *texts) parts.push_back(Quoted(text));
      return List(parts, " | ");
    }
    const auto it = languages_.find(string.automaton.get());
    if (it != languages_.end()) return "string of " + it->second;
    return "string of an automaton with " + Plural(string.automaton->state_count(), "state");
  }

  std::string NumberText(const NumberNode& number) const {
    if (number.one_of && number.none_of.empty() && number.multiples_of.empty()) {
      return Numbers(*number.one_of);
    }
    std::vector<Decimal> divisors = number.multiples_of;
    const bool is_integer = number.integer || std::erase(divisors, Decimal::FromInteger(1)) > 0;
    std::string text = is_integer ? "integer" : "number";
    if (number.spelling == NumberNode::Spelling::kPlain) text += " without fraction and exponent";
    if (number.spelling == NumberNode::Spelling::kNotPlain) text += " with fraction or exponent";
    if (number.lower) {
      text += (number.lower->exclusive ? " > " : " >= ") + number.lower->value.ToString();
    }
    if (number.upper) {
      text += number.lower ? " and" : "";
      text += (number.upper->exclusive ? " < " : " <= ") + number.upper->value.ToString();
    }
    if (number.one_of) text += ", one of " + Numbers(*number.one_of);
    if (!number.none_of.empty()) text += ", none of " + Numbers(number.none_of);
    if (!divisors.empty()) text += ", multiple of " + Numbers(divisors);
    if (!number.no_multiples_of.empty()) {
      text += ", no multiple of " + Numbers(number.no_multiples_of);
    }
    return text;
  }

  // The alternatives of a value that need no block.
  std::vector<std::string> Scalars(const ValueNode& value) const {
    std::vector<std::string> parts;
    if (value.allows_null) parts.push_back("null");
    if (value.allows_true && value.allows_false) {
      parts.push_back("boolean");
    } else if (value.allows_true || value.allows_false) {
      parts.push_back(value.allows_true ? "true" : "false");
    }
    for (const NodeId id : value.strings) {
      const StringNode& string = grammar_.strings[id];
      parts.push_back(Language(string) + Bounds("length", string.min_length, string.max_length));
    }
    for (const NodeId id : value.numbers) parts.push_back(NumberText(grammar_.numbers[id]));
    for (const NodeId id : value.arrays) {
      if (IsAnyArray(grammar_.arrays[id])) parts.push_back("any array");
    }
    for (const NodeId id : value.objects) {
      if (IsAnyObject(grammar_.objects[id])) parts.push_back("any object");
    }
    return parts;
  }

  // What stands where a value is used.
  std::string Use(ValueId id) const {
    if (IsNever(id)) return "nothing";
    if (IsAny(id)) return "any value";
    if (IsBlock(id)) return "see " + names_[id];
    return List(Scalars(grammar_.values[id]), ", or ");
  }

  bool IsAny(ValueId id) const {
    const ValueNode& value = grammar_.values[id];
    if (!value.allows_null || !value.allows_true || !value.allows_false) return false;
    const auto is_only = [](const std::vector<NodeId>& nodes, auto check) {
      return nodes.size() == 1 && check(nodes[0]);
    };
    return is_only(value.strings,
                   [&](NodeId node) {
                     const StringNode& string = grammar_.strings[node];
                     return string.automaton == nullptr && string.min_length == 0 &&
                            string.max_length == kNoMaximum;
                   }) &&
           is_only(value.numbers,
                   [&](NodeId node) { return NumberText(grammar_.numbers[node]) == "number"; }) &&
           is_only(value.arrays,
                   [&](NodeId node) {
                     const ArrayNode& array = grammar_.arrays[node];
                     return array.prefix.empty() && array.rest == id && array.min_items == 0 &&
                            array.max_items == kNoMaximum && array.conditions.empty() &&
                            array.distinctness == ArrayNode::Distinctness::kAny;
                   }) &&
           is_only(value.objects, [&](NodeId node) {
             const ObjectNode& object = grammar_.objects[node];
             return object.properties.empty() && object.other_keys == nullptr &&
                    object.other_values == std::vector<ValueId>{id} && object.min_properties == 0 &&
                    object.max_properties == kNoMaximum && object.conditions.empty();
           });
  }

  void Line(size_t depth, const std::string& text) {
    out_.append(depth * 2, ' ');
    out_ += text;
    out_ += '\n';
  }

  void WriteValue(ValueId id) {
    const ValueNode& value = grammar_.values[id];
    const bool is_root = id == grammar_.exprs.payload(grammar_.root);
    if (!out_.empty()) out_ += '\n';
    Line(0, names_[id] + (is_root ? "  (the root)" : ""));
    if (IsAny(id)) return Line(1, "any value");
    const char* lead = "";
    for (const std::string& scalar : Scalars(value)) {
      Line(1, lead + scalar);
      lead = "or ";
    }
    for (const NodeId node : value.arrays) {
      if (IsAnyArray(grammar_.arrays[node])) continue;
      WriteArray(grammar_.arrays[node], lead);
      lead = "or ";
    }
    for (const NodeId node : value.objects) {
      if (IsAnyObject(grammar_.objects[node])) continue;
      WriteObject(grammar_.objects[node], lead);
      lead = "or ";
    }
  }

  // The ways of reading a value, where they count for something.
  void WriteChoices(const std::vector<std::vector<Choice>>& choices, size_t slot, size_t depth) {
    if (slot >= choices.size()) return;
    for (const Choice& choice : choices[slot]) {
      std::string counts;
      for (uint32_t i = 0; i < 64; ++i) {
        if ((choice.counts >> i & 1) != 0) counts += " #" + std::to_string(i + 1);
      }
      Line(depth, "as " + Use(choice.value) + (counts.empty() ? "" : ": counts" + counts));
    }
  }

  std::string Leaf(const Condition& condition, const ObjectNode* object) const {
    const std::string number = std::to_string(condition.number);
    const std::string counter = "#" + std::to_string(condition.index + 1);
    switch (condition.kind) {
      case Condition::Kind::kAtLeast:
        return "at least " + number + " of " + counter;
      case Condition::Kind::kAtMost:
        return condition.number == 0 ? "none of " + counter
                                     : "at most " + number + " of " + counter;
      case Condition::Kind::kPresent:
        return Quoted(object->properties[condition.index].name) + " is there";
      case Condition::Kind::kAbsent:
        return Quoted(object->properties[condition.index].name) + " is not there";
      case Condition::Kind::kMinSize:
        return "at least " + number + (object != nullptr ? " members" : " items");
      case Condition::Kind::kMaxSize:
        return "at most " + number + (object != nullptr ? " members" : " items");
      default:
        return "";
    }
  }

  void WriteConditions(const std::vector<Condition>& conditions, const ObjectNode* object) {
    if (conditions.empty()) return;
    std::vector<std::string> texts;
    for (const Condition& condition : conditions) {
      const bool all = condition.kind == Condition::Kind::kAll;
      std::string text;
      if (!all && condition.kind != Condition::Kind::kAny) {
        text = Leaf(condition, object);
      } else {
        std::vector<std::string> parts;
        for (const uint32_t part : condition.parts) parts.push_back(texts[part]);
        text =
            parts.empty() ? (all ? "anything" : "nothing") : List(parts, all ? ", and " : ", or ");
        if (parts.size() > 1 && &condition != &conditions.back()) text = "(" + text + ")";
        if (text.size() > kMaxConditionText) text = text.substr(0, kMaxConditionText) + "...";
      }
      texts.push_back(std::move(text));
    }
    Line(2, "where " + texts.back());
  }

  void WriteArray(const ArrayNode& array, const std::string& lead) {
    std::string head = lead + "array" + Bounds("items", array.min_items, array.max_items);
    if (array.distinctness == ArrayNode::Distinctness::kDistinct) head += ", no two equal";
    if (array.distinctness == ArrayNode::Distinctness::kRepeated) head += ", some two equal";
    Line(1, head);
    for (size_t i = 0; i < array.prefix.size(); ++i) {
      Line(2, "item " + std::to_string(i) + "  " + Use(array.prefix[i]));
      WriteChoices(array.choices, i, 3);
    }
    const char* name = array.prefix.empty() ? "items" : "further items";
    Line(2, std::string(name) + "  " + (IsNever(array.rest) ? "none" : Use(array.rest)));
    if (!array.choices.empty()) WriteChoices(array.choices, array.prefix.size(), 3);
    WriteConditions(array.conditions, nullptr);
  }

  void WriteObject(const ObjectNode& object, const std::string& lead) {
    Line(1, lead + "object" + Bounds("members", object.min_properties, object.max_properties));
    const size_t count = object.properties.size();
    for (size_t i = 0; i < count; ++i) {
      const ObjectNode::Property& property = object.properties[i];
      const bool is_never = IsNever(property.value);
      const char* need = property.required ? "required" : is_never ? "never" : "optional";
      Line(2, Quoted(property.name) + "  " + need + (is_never ? "" : "  " + Use(property.value)));
      if (!is_never) WriteChoices(object.choices, i, 3);
    }
    WriteOtherKeys(object);
    WriteConditions(object.conditions, &object);
  }

  void WriteOtherKeys(const ObjectNode& object) {
    const size_t count = object.properties.size();
    if (object.other_values.empty()) return Line(2, "other keys  none");
    const bool by_text = object.other_keys != nullptr;
    for (size_t i = 0; i < object.other_values.size(); ++i) {
      std::string keys = "other keys";
      if (by_text) keys += KeysOf(*object.other_keys, static_cast<uint32_t>(i + 1));
      Line(2, keys + "  " + Use(object.other_values[i]));
      WriteChoices(object.choices, count + i, 3);
    }
    if (by_text) Line(2, "no keys beyond these classes");
  }

  // Names a class of keys by a short key of it.
  std::string KeysOf(const TextAutomaton& keys, uint32_t label) const {
    // Breadth first: the first state found with the label has a shortest text.
    std::vector<std::pair<uint32_t, uint32_t>> from(keys.state_count(), {TextAutomaton::kDead, 0});
    std::vector<uint32_t> queue{0};
    for (size_t next = 0; next < queue.size(); ++next) {
      const uint32_t state = queue[next];
      if (keys.labels[state] == label) {
        std::u32string text;
        for (uint32_t at = state; at != 0; at = from[at].first) text += from[at].second;
        std::reverse(text.begin(), text.end());
        return " such as " + Quoted(text);
      }
      for (const TextAutomaton::Edge& edge : keys.EdgesOf(state)) {
        if (edge.target == 0 || from[edge.target].first != TextAutomaton::kDead) continue;
        const bool letter = edge.first <= 'a' && 'a' <= edge.last;
        const bool printable = edge.first < ' ' && edge.last >= ' ';
        from[edge.target] = {state, letter ? 'a' : printable ? ' ' : edge.first};
        queue.push_back(edge.target);
      }
    }
    return "";
  }

  const Grammar& grammar_;
  const std::vector<SchemaNote>& notes_;
  const std::vector<bool>& vanished_;
  std::unordered_map<const TextAutomaton*, std::string> languages_;
  std::vector<std::string> names_;
  std::string out_;
};

}  // namespace

std::string ExplainGrammar(const Grammar& grammar, const SchemaReport& report,
                           const std::vector<bool>& vanished) {
  return Explainer(grammar, report, vanished).Run();
}

}  // namespace maskloom
