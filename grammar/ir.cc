// The IR's validator and printer. Both read every node once, in index order; nothing recurses.
#include "grammar/ir.h"

#include <algorithm>
#include <string>
#include <unordered_set>
#include <utility>

#include "grammar/base/utf8.h"

namespace maskloom {
namespace {

std::string Name(const char* kind, uint64_t index) {
  return std::string(kind) + "_" + std::to_string(index);
}

// Finds the first broken invariant of a grammar.
class Validator {
 public:
  explicit Validator(const Grammar& grammar) : grammar_(grammar) {}

  std::string Run() {
    if (grammar_.root >= grammar_.exprs.size()) return "the root is no expression";
    CheckExprs();
    for (size_t i = 0; i < grammar_.rules.size(); ++i) {
      if (grammar_.rules[i].body >= grammar_.exprs.size()) {
        Report(Name("rule", i) + " has a body that is no expression");
      }
    }
    for (size_t i = 0; i < grammar_.values.size(); ++i) CheckValue(i);
    for (size_t i = 0; i < grammar_.strings.size(); ++i) {
      CheckAutomaton(Name("string", i), grammar_.strings[i].automaton);
    }
    for (size_t i = 0; i < grammar_.numbers.size(); ++i) CheckNumber(i);
    for (size_t i = 0; i < grammar_.arrays.size(); ++i) CheckArray(i);
    for (size_t i = 0; i < grammar_.objects.size(); ++i) CheckObject(i);
    return fault_;
  }

 private:
  void Report(std::string fault) {
    if (fault_.empty()) fault_ = std::move(fault);
  }

  void CheckValueId(const std::string& owner, ValueId value) {
    if (value != kNeverValue && value >= grammar_.values.size()) {
      Report(owner + " refers to " + Name("value", value) + ", which is not there");
    }
  }

  void CheckExprs() {
    const ExprPool& exprs = grammar_.exprs;
    for (ExprId id = 0; id < exprs.size(); ++id) {
      const std::string name = Name("expression", id);
      switch (exprs.kind(id)) {
        case ExprKind::kSequence:
        case ExprKind::kChoice:
        case ExprKind::kRepeat:
          for (ExprId child : exprs.children(id)) {
            if (child >= id) Report(name + " has a child that does not come before it");
          }
          if (exprs.kind(id) == ExprKind::kRepeat && exprs.min(id) > exprs.max(id)) {
            Report(name + " repeats at least more often than at most");
          }
          break;
        case ExprKind::kText:
          for (char32_t c : exprs.text(id)) {
            if (!IsScalarValue(c)) Report(name + " is a text with a surrogate");
          }
          break;
        case ExprKind::kRule:
          if (exprs.payload(id) >= grammar_.rules.size()) {
            Report(name + " calls " + Name("rule", exprs.payload(id)) + ", which is not there");
          }
          break;
        case ExprKind::kValue:
          if (exprs.payload(id) >= grammar_.values.size()) {
            Report(name + " is " + Name("value", exprs.payload(id)) + ", which is not there");
          }
          break;
        default:
          break;
      }
    }
  }

  void CheckValue(size_t index) {
    const ValueNode& value = grammar_.values[index];
    const auto check = [&](const char* kind, const std::vector<NodeId>& nodes, size_t count) {
      for (NodeId node : nodes) {
        if (node >= count) {
          Report(Name("value", index) + " refers to " + Name(kind, node) + ", which is not there");
        }
      }
    };
    check("string", value.strings, grammar_.strings.size());
    check("number", value.numbers, grammar_.numbers.size());
    check("array", value.arrays, grammar_.arrays.size());
    check("object", value.objects, grammar_.objects.size());
  }

  void CheckNumber(size_t index) {
    const NumberNode& number = grammar_.numbers[index];
    const std::string name = Name("number", index);
    if (number.one_of) CheckSorted(name, "values", *number.one_of);
    CheckSorted(name, "excluded values", number.none_of);
    CheckSorted(name, "divisors", number.multiples_of);
    CheckSorted(name, "excluded divisors", number.no_multiples_of);
    for (const auto* divisors : {&number.multiples_of, &number.no_multiples_of}) {
      if (!divisors->empty() && divisors->front() <= Decimal()) {
        Report(name + " has a divisor that is not positive");
      }
    }
  }

  void CheckSorted(const std::string& owner, const char* what, const std::vector<Decimal>& values) {
    for (size_t i = 1; i < values.size(); ++i) {
      if (values[i - 1] >= values[i]) {
        Report(owner + " has " + what + " that are not sorted and distinct");
      }
    }
  }

  void CheckArray(size_t index) {
    const ArrayNode& array = grammar_.arrays[index];
    const std::string name = Name("array", index);
    std::vector<ValueId> values = array.prefix;
    values.push_back(array.rest);
    for (ValueId value : values) CheckValueId(name, value);
    CheckCounted(name, array, values, 0);
  }

  // Choices, counters and conditions of an array or object whose slots have `values`.
  template <typename Node>
  void CheckCounted(const std::string& name, const Node& node, const std::vector<ValueId>& values,
                    size_t property_count) {
    const size_t counters = node.counters.size();
    if (counters > 64) return Report(name + " has more than 64 counters");
    if (!node.choices.empty() && node.choices.size() != values.size()) {
      return Report(name + " has choices for " + std::to_string(node.choices.size()) + " of " +
                    std::to_string(values.size()) + " slots");
    }
    for (size_t slot = 0; slot < node.choices.size(); ++slot) {
      for (const Choice& choice : node.choices[slot]) {
        CheckValueId(name, choice.value);
        if (choice.value != kNeverValue && values[slot] == kNeverValue) {
          Report(name + " has a choice where it has no value");
        }
        if (counters < 64 && choice.counts >> counters != 0) {
          Report(name + " has a choice that counts what is no counter");
        }
      }
    }
    for (size_t i = 0; i < node.conditions.size(); ++i) {
      CheckCondition(name + ": " + Name("condition", i), node.conditions[i], i, node.counters,
                     property_count);
    }
  }

  void CheckCondition(const std::string& name, const Condition& condition, size_t index,
                      const std::vector<Counter>& counters, size_t property_count) {
    using Kind = Condition::Kind;
    const bool whole = condition.kind == Kind::kAll || condition.kind == Kind::kAny;
    if (!whole && !condition.parts.empty()) Report(name + " is no whole and has parts");
    for (uint32_t part : condition.parts) {
      if (part >= index) Report(name + " has a part that does not come before it");
    }
    const bool counts = condition.kind == Kind::kAtLeast || condition.kind == Kind::kAtMost;
    if (counts) {
      if (condition.index >= counters.size()) {
        return Report(name + " refers to " + Name("counter", condition.index) +
                      ", which is not there");
      }
      const Counter& counter = counters[condition.index];
      const bool at_least = counter.kind == Counter::Kind::kAtLeast;
      if (at_least != (condition.kind == Kind::kAtLeast)) {
        Report(name + " and its counter are not of one kind");
      }
      if (condition.number > counter.limit) Report(name + " has a number beyond its counter");
    }
    const bool names = condition.kind == Kind::kPresent || condition.kind == Kind::kAbsent;
    if (names && condition.index >= property_count) {
      Report(name + " refers to " + Name("property", condition.index) + ", which is not there");
    }
  }

  void CheckObject(size_t index) {
    const ObjectNode& object = grammar_.objects[index];
    const std::string name = Name("object", index);
    std::unordered_set<std::u32string> names;
    for (const ObjectNode::Property& property : object.properties) {
      CheckValueId(name, property.value);
      if (!names.insert(property.name).second) Report(name + " declares a key twice");
      if (!std::all_of(property.name.begin(), property.name.end(), IsScalarValue)) {
        Report(name + " declares a key with a surrogate");
      }
    }
    for (ValueId value : object.other_values) CheckValueId(name, value);
    std::vector<ValueId> values;
    for (const ObjectNode::Property& property : object.properties) values.push_back(property.value);
    values.insert(values.end(), object.other_values.begin(), object.other_values.end());
    CheckCounted(name, object, values, object.properties.size());
    if (!object.other_keys) {
      if (object.other_values.size() > 1) {
        Report(name + " has several values for other keys and nothing to choose by");
      }
      return;
    }
    CheckAutomaton(name, object.other_keys);
    for (uint32_t label : object.other_keys->labels) {
      if (label > object.other_values.size()) Report(name + " labels a key with no value");
    }
  }

  void CheckAutomaton(const std::string& owner,
                      const std::shared_ptr<const TextAutomaton>& automaton) {
    if (!automaton || !checked_.insert(automaton.get()).second) return;
    const std::string fault = automaton->Validate();
    if (!fault.empty()) Report(owner + ": automaton: " + fault);
  }

  const Grammar& grammar_;
  std::string fault_;
  std::unordered_set<const TextAutomaton*> checked_;
};

std::string Quoted(std::u32string_view text) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string out = "\"";
  for (char32_t c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += static_cast<char>(c);
    } else if (c < 0x20 || c == 0x7F) {
      out += "\\u00";
      out += kHex[c >> 4];
      out += kHex[c & 15];
    } else if (IsScalarValue(c)) {
      AppendUtf8(c, &out);
    } else {
      out += "\\?";
    }
  }
  return out + "\"";
}

std::string Count(uint64_t count) {
  return count == kNoMaximum ? std::string("*") : std::to_string(count);
}

// Prints " words min..max", or nothing for 0..*.
std::string Range(const char* words, uint64_t min, uint64_t max) {
  if (min == 0 && max == kNoMaximum) return "";
  return " " + std::string(words) + " " + Count(min) + ".." + Count(max);
}

std::string ValueName(ValueId value) {
  return value == kNeverValue ? std::string("never") : Name("value", value);
}

std::string AutomatonName(const std::shared_ptr<const TextAutomaton>& automaton) {
  if (!automaton) return "any text";
  return "automaton of " + std::to_string(automaton->state_count()) + " states";
}

std::string Print(const StylePolicy& style) {
  std::string out = "style: white space ";
  switch (style.whitespace) {
    case StylePolicy::Whitespace::kFlexible:
      out += "flexible, up to " + std::to_string(style.max_blanks) + " blanks";
      break;
    case StylePolicy::Whitespace::kCompact:
      out += "compact";
      break;
    case StylePolicy::Whitespace::kIndent:
      out += "indent " + std::to_string(style.indent);
      break;
    case StylePolicy::Whitespace::kAny:
      out += "any";
      break;
    case StylePolicy::Whitespace::kSpaced:
      out += "one blank behind commas and colons";
      break;
  }
  switch (style.key_order) {
    case StylePolicy::KeyOrder::kAny:
      out += "; keys in any order";
      break;
    case StylePolicy::KeyOrder::kDeclared:
      out += "; keys in declared order";
      break;
    case StylePolicy::KeyOrder::kRequiredFirst:
      out += "; required keys first, in declared order";
      break;
  }
  if (style.escapes == StylePolicy::Escapes::kPlain) out += "; plain text";
  out += "; digits ";
  return out + (style.max_digits == kUnbounded ? "any" : std::to_string(style.max_digits));
}

std::string Print(const ValueNode& value) {
  std::vector<std::string> members;
  if (value.allows_null) members.push_back("null");
  if (value.allows_true) members.push_back("true");
  if (value.allows_false) members.push_back("false");
  for (NodeId node : value.strings) members.push_back(Name("string", node));
  for (NodeId node : value.numbers) members.push_back(Name("number", node));
  for (NodeId node : value.arrays) members.push_back(Name("array", node));
  for (NodeId node : value.objects) members.push_back(Name("object", node));
  std::string out;
  for (const std::string& member : members) out += (out.empty() ? "" : " | ") + member;
  if (members.empty()) out = "never";
  return out + (value.origin.empty() ? "" : "  # " + value.origin);
}

std::string Print(const StringNode& string) {
  return AutomatonName(string.automaton) + Range("length", string.min_length, string.max_length);
}

// Prints " words {values}", or nothing if there are none.
std::string Set(const char* words, const std::vector<Decimal>& values) {
  std::string list;
  for (const Decimal& value : values) list += (list.empty() ? "" : ", ") + value.ToString();
  return values.empty() ? "" : " " + std::string(words) + " {" + list + "}";
}

std::string Print(const NumberNode& number) {
  std::string out = number.integer ? "integer" : "number";
  if (number.spelling == NumberNode::Spelling::kPlain) out += " without fraction and exponent";
  if (number.spelling == NumberNode::Spelling::kNotPlain) out += " with fraction or exponent";
  if (number.lower) {
    out += (number.lower->exclusive ? " > " : " >= ") + number.lower->value.ToString();
  }
  if (number.upper) {
    out += (number.upper->exclusive ? " < " : " <= ") + number.upper->value.ToString();
  }
  if (number.one_of) {
    out += number.one_of->empty() ? " one of {}" : Set("one of", *number.one_of);
  }
  return out + Set("none of", number.none_of) + Set("multiple of", number.multiples_of) +
         Set("no multiple of", number.no_multiples_of);
}

std::string CounterName(uint32_t index) { return "#" + std::to_string(index); }

// Prints the choices of a slot behind its value, as " (value_3, value_4 #0 #2)".
std::string PrintChoices(const std::vector<std::vector<Choice>>& choices, size_t slot) {
  if (choices.size() <= slot || choices[slot].empty()) return "";
  std::string out;
  for (const Choice& choice : choices[slot]) {
    out += (out.empty() ? "" : ", ") + ValueName(choice.value);
    for (uint32_t i = 0; i < 64; ++i) {
      if (choice.counts >> i & 1) out += " " + CounterName(i);
    }
  }
  return " (" + out + ")";
}

std::string PrintLeaf(const Condition& condition,
                      const std::vector<ObjectNode::Property>* properties) {
  const std::string number = std::to_string(condition.number);
  std::string key = Name("property", condition.index);
  if (properties != nullptr && condition.index < properties->size()) {
    key = Quoted((*properties)[condition.index].name);
  }
  switch (condition.kind) {
    case Condition::Kind::kAtLeast:
      return CounterName(condition.index) + " >= " + number;
    case Condition::Kind::kAtMost:
      return CounterName(condition.index) + " <= " + number;
    case Condition::Kind::kPresent:
      return key;
    case Condition::Kind::kAbsent:
      return "no " + key;
    case Condition::Kind::kMinSize:
      return "size >= " + number;
    case Condition::Kind::kMaxSize:
      return "size <= " + number;
    default:
      return "";
  }
}

// Prints " where ..." for what must hold, or nothing. `properties`: null of an array.
std::string PrintConditions(const std::vector<Condition>& conditions,
                            const std::vector<ObjectNode::Property>* properties) {
  constexpr size_t kLongest = 4000;  // parts that stand in several wholes are printed in each
  std::vector<std::string> texts;
  for (const Condition& condition : conditions) {
    const bool all = condition.kind == Condition::Kind::kAll;
    std::string text;
    if (!all && condition.kind != Condition::Kind::kAny) {
      text = PrintLeaf(condition, properties);
    } else {
      for (uint32_t part : condition.parts) {
        if (!text.empty()) text += all ? " and " : " or ";
        text += part < texts.size() ? texts[part] : "?";
      }
      text = condition.parts.empty() ? (all ? "true" : "false") : "(" + text + ")";
      if (text.size() > kLongest) text = text.substr(0, kLongest) + "...)";
    }
    texts.push_back(std::move(text));
  }
  return texts.empty() ? "" : " where " + texts.back();
}

std::string Print(const ArrayNode& array) {
  std::string out = "[";
  for (size_t i = 0; i < array.prefix.size(); ++i) {
    out += ValueName(array.prefix[i]) + PrintChoices(array.choices, i) + ", ";
  }
  if (array.rest != kNeverValue) {
    out += ValueName(array.rest) + PrintChoices(array.choices, array.prefix.size()) + "...";
  } else if (!array.prefix.empty()) {
    out.resize(out.size() - 2);
  }
  out += "]" + Range("items", array.min_items, array.max_items);
  if (array.distinctness == ArrayNode::Distinctness::kDistinct) out += " distinct";
  if (array.distinctness == ArrayNode::Distinctness::kRepeated) out += " with a repetition";
  return out + PrintConditions(array.conditions, nullptr);
}

std::string Print(const ObjectNode& object) {
  std::string out = "{";
  const char* separator = "";
  for (const ObjectNode::Property& property : object.properties) {
    out += separator + Quoted(property.name) + (property.required ? ": " : "?: ");
    out += ValueName(property.value);
    out += PrintChoices(object.choices, static_cast<size_t>(&property - object.properties.data()));
    separator = ", ";
  }
  if (!object.other_values.empty()) {
    out += std::string(separator) + "other keys";
    if (object.other_keys) out += " by " + AutomatonName(object.other_keys);
    out += ":";
    for (size_t k = 0; k < object.other_values.size(); ++k) {
      out += " " + ValueName(object.other_values[k]);
      out += PrintChoices(object.choices, object.properties.size() + k);
    }
  }
  return out + "}" + Range("properties", object.min_properties, object.max_properties) +
         PrintConditions(object.conditions, &object.properties);
}

template <typename Node>
void PrintAll(const char* kind, const std::vector<Node>& nodes, std::string* out) {
  for (size_t i = 0; i < nodes.size(); ++i) *out += Name(kind, i) + " = " + Print(nodes[i]) + "\n";
}

}  // namespace

std::string Grammar::Validate() const { return Validator(*this).Run(); }

std::string Grammar::ToString() const {
  std::string out = Print(style) + "\n";
  out += "root = " + (root < exprs.size() ? exprs.ToString(root) : std::string("none")) + "\n";
  for (size_t i = 0; i < rules.size(); ++i) {
    out += Name("rule", i) + " " + rules[i].name + " = ";
    out += (rules[i].body < exprs.size() ? exprs.ToString(rules[i].body) : "none") + "\n";
  }
  PrintAll("value", values, &out);
  PrintAll("string", strings, &out);
  PrintAll("number", numbers, &out);
  PrintAll("array", arrays, &out);
  PrintAll("object", objects, &out);
  return out;
}

}  // namespace maskloom
