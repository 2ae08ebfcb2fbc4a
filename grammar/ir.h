// The grammar IR: what every front end produces and the compiler reads.
//
// A Grammar is data only: rules over expressions (text grammars) and JSON nodes (values, strings,
// numbers, arrays, objects) that refer to each other by index, cycles included. JSON nodes carry
// the registers of the run-time automaton (keys seen, counts), so their size does not depend on
// bounds such as maxLength or maxItems.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "grammar/base/decimal.h"
#include "grammar/base/expr.h"
#include "grammar/base/text_automaton.h"

namespace maskloom {

using ValueId = uint32_t;
using NodeId = uint32_t;
inline constexpr ValueId kNeverValue = 0xFFFFFFFF;  // no value at all
inline constexpr uint64_t kNoMaximum = std::numeric_limits<uint64_t>::max();

// How a text of the language may be spelled: documented bounds that a caller can change.
struct StylePolicy {
  enum class Whitespace : uint8_t {
    kFlexible,  // between JSON tokens one optional line break and max_blanks blanks; not around the
                // root
    kCompact,   // none
    kIndent,    // exactly as a pretty printer writes it: `indent` blanks a level, ": " after keys
    kAny,       // all of RFC 8259, also around the root
    kSpaced,    // exactly one blank behind each comma and colon, as Python's json.dumps writes
  };
  enum class KeyOrder : uint8_t {
    kAny,
    kDeclared,       // declared keys in the order of ObjectNode::properties, then the others
    kRequiredFirst,  // required keys in that order, then the other declared ones likewise,
                     // then the others; in a union, what each alternative requires
  };
  // How the code points of strings and keys are written.
  enum class Escapes : uint8_t {
    kAny,    // all of RFC 8259
    kPlain,  // each as itself but for those that RFC 8259 wants escaped: \" and \\, controls by
             // their short form or, where there is none, as \u00XX
  };

  Whitespace whitespace = Whitespace::kFlexible;
  uint32_t max_blanks = 64;
  uint32_t indent = 2;
  KeyOrder key_order = KeyOrder::kAny;
  Escapes escapes = Escapes::kAny;
  // Most digits in the integer part, and in the fraction, of a number; exponents up to three
  // digits. kUnbounded: any.
  uint32_t max_digits = 64;

  template <typename Archive, typename Self>
  static void Describe(Archive& archive, Self& self) {
    archive.Value(self.whitespace);
    archive.Value(self.max_blanks);
    archive.Value(self.indent);
    archive.Value(self.key_order);
    archive.Value(self.escapes);
    archive.Value(self.max_digits);
  }
};

// A string value: its decoded text is accepted by `automaton` and its length, in code points, is
// within bounds.
struct StringNode {
  std::shared_ptr<const TextAutomaton> automaton;  // null: any text
  uint64_t min_length = 0;
  uint64_t max_length = kNoMaximum;
};

struct NumberBound {
  Decimal value;
  bool exclusive = false;

  template <typename Archive, typename Self>
  static void Describe(Archive& archive, Self& self) {
    archive.Part(self.value);
    archive.Value(self.exclusive);
  }
};

struct NumberNode {
  enum class Spelling : uint8_t {
    kAny,
    kPlain,     // without fraction and exponent: what draft-04 calls an integer
    kNotPlain,  // with a fraction, an exponent or both
  };

  bool integer = false;  // a mathematical integer, however spelled (1.0, 1e2)
  Spelling spelling = Spelling::kAny;
  std::optional<NumberBound> lower;
  std::optional<NumberBound> upper;
  std::optional<std::vector<Decimal>> one_of;  // only these values, sorted, distinct
  std::vector<Decimal> none_of;                // not these values; sorted, distinct
  std::vector<Decimal> multiples_of;           // positive, sorted, distinct: each divides the value
  std::vector<Decimal> no_multiples_of;        // positive, sorted, distinct: none divides the value

  template <typename Archive, typename Self>
  static void Describe(Archive& archive, Self& self) {
    archive.Value(self.integer);
    archive.Value(self.spelling);
    archive.OptionalPart(self.lower);
    archive.OptionalPart(self.upper);
    archive.OptionalParts(self.one_of);
    archive.Parts(self.none_of);
    archive.Parts(self.multiples_of);
    archive.Parts(self.no_multiples_of);
  }
};

// A counter in the state of an array or object: it counts the items or members that were taken as
// instances of something. What is taken is a free choice among those that the value allows.
struct Counter {
  // kAtLeast: the condition asks for many, more is never worse. kAtMost: it asks for few.
  enum class Kind : uint8_t { kAtLeast, kAtMost };
  Kind kind = Kind::kAtLeast;
  uint64_t limit = 1;  // the largest number in a condition; counts beyond (limit + 1 for kAtMost)
                       // are alike
};

// One way of reading an item or a member's value.
struct Choice {
  ValueId value = kNeverValue;
  uint64_t counts = 0;  // bit i: counter i goes up by one
  bool operator==(const Choice&) const = default;

  template <typename Archive, typename Self>
  static void Describe(Archive& archive, Self& self) {
    archive.Value(self.value);
    archive.Value(self.counts);
  }
};

// What must hold of a finished array or object beyond its bounds: a tree of conditions, parts
// before the whole, the root last. No conditions: nothing more. Monotone: kAtLeast conditions name
// counters of that kind only, kAtMost likewise.
struct Condition {
  enum class Kind : uint8_t {
    kAll,      // all `parts`; true without parts
    kAny,      // one of `parts`; false without parts
    kAtLeast,  // counter `index` >= `number`
    kAtMost,   // counter `index` <= `number`
    kPresent,  // objects: property `index` is there
    kAbsent,   // objects: property `index` is not there
    kMinSize,  // items or members >= `number`
    kMaxSize,  // items or members <= `number`
  };
  Kind kind = Kind::kAll;
  uint32_t index = 0;
  uint64_t number = 0;
  std::vector<uint32_t> parts;
  bool operator==(const Condition&) const = default;

  template <typename Archive, typename Self>
  static void Describe(Archive& archive, Self& self) {
    archive.Value(self.kind);
    archive.Value(self.index);
    archive.Value(self.number);
    archive.Array(self.parts);
  }
};

struct ArrayNode {
  // Compared as JSON values: 1 equals 1.0 and 1e0, strings as decoded, objects without order.
  enum class Distinctness : uint8_t {
    kAny,
    kDistinct,  // no two items are equal
    kRepeated,  // some two items are equal
  };

  std::vector<ValueId> prefix;  // values of the first items
  ValueId rest = kNeverValue;   // value of each further item; kNeverValue: no further items
  uint64_t min_items = 0;
  uint64_t max_items = kNoMaximum;
  Distinctness distinctness = Distinctness::kAny;

  // Empty unless there are counters. choices[i], for i < prefix.size(), belongs to the item with
  // index i, choices[prefix.size()] to all further items. An empty list: only the value above,
  // counting nothing. Otherwise the value above accepts what some choice accepts.
  std::vector<std::vector<Choice>> choices;
  std::vector<Counter> counters;
  std::vector<Condition> conditions;
};

struct ObjectNode {
  struct Property {
    std::u32string name;          // decoded
    ValueId value = kNeverValue;  // kNeverValue: this key must not appear
    bool required = false;
  };
  // In declared order, names distinct. Of a schema: those of `properties` in the order of the
  // document; names that only other keywords list, those of `required` first, in its order; the
  // keys of patterns that match few.
  std::vector<Property> properties;
  // Keys that are not declared: `other_keys` labels the text of a key with 1 + the index in
  // `other_values`. Null with one other value: every undeclared key has that value; null with
  // none: no undeclared keys. Declared names are never looked up here.
  std::shared_ptr<const TextAutomaton> other_keys;
  std::vector<ValueId> other_values;
  uint64_t min_properties = 0;
  uint64_t max_properties = kNoMaximum;

  // As in ArrayNode: choices[i], for i < properties.size(), belongs to property i,
  // choices[properties.size() + k] to the undeclared keys with other_values[k].
  std::vector<std::vector<Choice>> choices;
  std::vector<Counter> counters;
  std::vector<Condition> conditions;
};

// A union over the six JSON types.
struct ValueNode {
  bool allows_null = false;
  bool allows_true = false;
  bool allows_false = false;
  std::vector<NodeId> strings;
  std::vector<NodeId> numbers;
  std::vector<NodeId> arrays;
  std::vector<NodeId> objects;
  std::string origin;  // JSON pointer of the schema it came from, for messages
};

struct Rule {
  std::string name;
  ExprId body = 0;
};

struct Grammar {
  StylePolicy style;

  ExprPool exprs;
  std::vector<Rule> rules;

  std::vector<ValueNode> values;
  std::vector<StringNode> strings;
  std::vector<NumberNode> numbers;
  std::vector<ArrayNode> arrays;
  std::vector<ObjectNode> objects;

  ExprId root = 0;  // the whole text matches this expression
  // Is the root a JSON text (kValue) rather than rules? White space around it is by `style`.
  bool IsJson() const { return exprs.kind(root) == ExprKind::kValue; }

  // Returns the first broken invariant (an index out of range, unsorted sets, duplicate names,
  // an automaton's own), or "".
  std::string Validate() const;
  // Prints every rule and node, one a line, in index order.
  std::string ToString() const;
};

}  // namespace maskloom
