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
    for (size_t i = 0; i < grammar_.arrays.size(); ++i) {
      for (ValueId value : grammar_.arrays[i].prefix) CheckValueId(Name("array", i), value);
      CheckValueId(Name("array", i), grammar_.arrays[i].rest);
    }
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
    if (!number.one_of) return;
    for (size_t i = 1; i < number.one_of->size(); ++i) {
      if ((*number.one_of)[i - 1] >= (*number.one_of)[i]) {
        Report(Name("number", index) + " has values that are not sorted and distinct");
      }
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
  }
  out += style.key_order == StylePolicy::KeyOrder::kAny ? "; keys in any order"
                                                        : "; keys in declared order";
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

std::string Print(const NumberNode& number) {
  std::string out = number.integer ? "integer" : "number";
  if (number.lower) {
    out += (number.lower->exclusive ? " > " : " >= ") + number.lower->value.ToString();
  }
  if (number.upper) {
    out += (number.upper->exclusive ? " < " : " <= ") + number.upper->value.ToString();
  }
  if (number.one_of) {
    std::string values;
    for (const Decimal& value : *number.one_of) {
      values += (values.empty() ? "" : ", ") + value.ToString();
    }
    out += " one of {" + values + "}";
  }
  return out;
}

std::string Print(const ArrayNode& array) {
  std::string out = "[";
  for (ValueId value : array.prefix) out += ValueName(value) + ", ";
  if (array.rest != kNeverValue) {
    out += ValueName(array.rest) + "...";
  } else if (!array.prefix.empty()) {
    out.resize(out.size() - 2);
  }
  return out + "]" + Range("items", array.min_items, array.max_items);
}

std::string Print(const ObjectNode& object) {
  std::string out = "{";
  const char* separator = "";
  for (const ObjectNode::Property& property : object.properties) {
    out += separator + Quoted(property.name) + (property.required ? ": " : "?: ");
    out += ValueName(property.value);
    separator = ", ";
  }
  if (!object.other_values.empty()) {
    out += std::string(separator) + "other keys";
    if (object.other_keys) out += " by " + AutomatonName(object.other_keys);
    out += ":";
    for (ValueId value : object.other_values) out += " " + ValueName(value);
  }
  return out + "}" + Range("properties", object.min_properties, object.max_properties);
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
