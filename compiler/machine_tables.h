// What the machine knows of each grammar node: the IR, pruned to what can be completed with the
// bytes that the vocabulary spells, in the form that steps read.
#pragma once

#include <algorithm>
#include <bitset>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "compiler/condition.h"
#include "compiler/condition_diagram.h"
#include "compiler/lazy_number.h"
#include "compiler/marks.h"
#include "compiler/name_trie.h"
#include "compiler/text_cost.h"
#include "grammar/base/editable_array.h"
#include "grammar/base/text_automaton.h"
#include "grammar/ir.h"
#include "grammar/regular/regular.h"

namespace maskloom {

inline constexpr uint32_t kNoLimit = 0xFFFFFFFF;

// What a member of an object costs whose value costs `value`. Admission and completions choose
// members by the same costs.
inline TextCost NamedMemberCost(std::u32string_view name, TextCost value) {
  const TextCost own = 4 + name.size();
  return value > kNoText - own ? kNoText : value + own;
}
inline TextCost OtherMemberCost(TextCost value) {
  constexpr TextCost kOwn = 12;
  return value > kNoText - kOwn ? kNoText : value + kOwn;
}

struct StringTable {
  std::shared_ptr<const TextAutomaton> automaton;  // null: any text
  // Automaton of what spellable code points alone can write; equal to `automaton` where all can.
  std::shared_ptr<const TextAutomaton> spelled;
  std::optional<LengthSets> lengths;  // of `spelled`, where bounded and not any text
  uint32_t min = 0;                   // code points
  uint32_t max = kNoLimit;
  bool bounded = false;  // are code points counted?
  // With `lengths`: from so many code points on, every length is accepted from every state; ~0 if
  // there is no such number.
  uint64_t longest_gap = 0;
  TextCost cost = kNoText;

  template <typename Archive, typename Self>
  static void Describe(Archive& archive, Self& self) {
    archive.Automaton(self.automaton);
    archive.Automaton(self.spelled);
    archive.OptionalPart(self.lengths);
    archive.Value(self.min);
    archive.Value(self.max);
    archive.Value(self.bounded);
    archive.Value(self.longest_gap);
    archive.Value(self.cost);
  }
};

struct NumberTable {
  LazyNumber automaton;
  TextCost cost = kNoText;

  template <typename Archive, typename Self>
  static void Describe(Archive& archive, Self& self) {
    archive.Part(self.automaton);
    archive.Value(self.cost);
  }
};

// One way for the condition of an array to hold: bounds on its size and, by counter, the number
// that its count must reach (at-least counters) or not exceed (at-most counters).
struct ArrayCase {
  uint64_t min_size = 0;
  uint64_t max_size = kNoMaximum;
  std::vector<uint64_t> bounds;  // kNoMaximum: none
  bool operator==(const ArrayCase&) const = default;

  template <typename Archive, typename Self>
  static void Describe(Archive& archive, Self& self) {
    archive.Value(self.min_size);
    archive.Value(self.max_size);
    archive.Array(self.bounds);
  }
};

struct ArrayTable {
  EditableArray<ValueId> prefix;
  ValueId rest = kNeverValue;
  uint32_t min = 0;
  uint32_t max = kNoLimit;                   // also cut before the first item that has no value
  uint32_t saturation = 0;                   // counts beyond this are alike
  std::vector<std::vector<Choice>> choices;  // as in ArrayNode
  MarkLayout marks;
  ConditionTree condition;
  std::vector<ArrayCase> cases;  // of which one must hold; see array_plan.h
  bool plain = true;             // neither choices nor conditions
  ArrayNode::Distinctness distinctness = ArrayNode::Distinctness::kAny;
  bool impossible = false;      // its items cannot be as distinctness asks
  bool never_runs_out = false;  // kDistinct: every item has endless values
  bool repeats_freely = false;  // kRepeated: two equal items may always follow
  // Where items are compared: their kinds (held_items.h), and which of these can still become
  // endless values however one begins in a token; where there are several kinds, those of strings,
  // arrays and objects whose values may all have been seen while others go on (SetItemKinds).
  uint8_t item_kinds = 0;
  uint8_t simple_kinds = 0;
  uint8_t scarce_kinds = 0;
  uint64_t horizon = 0;  // items that conditions may ask for beyond bounds on the size
  TextCost cost = kNoText;

  ValueId ItemValue(uint32_t index) const { return index < prefix.size() ? prefix[index] : rest; }

  template <typename Archive, typename Self>
  static void Describe(Archive& archive, Self& self) {
    archive.Array(self.prefix);
    archive.Value(self.rest);
    archive.Value(self.min);
    archive.Value(self.max);
    archive.Value(self.saturation);
    archive.PartLists(self.choices);
    archive.Part(self.marks);
    archive.Part(self.condition);
    archive.Parts(self.cases);
    archive.Value(self.plain);
    archive.Value(self.distinctness);
    archive.Value(self.impossible);
    archive.Value(self.never_runs_out);
    archive.Value(self.repeats_freely);
    archive.Value(self.item_kinds);
    archive.Value(self.simple_kinds);
    archive.Value(self.scarce_kinds);
    archive.Value(self.horizon);
    archive.Value(self.cost);
  }
};

// One way of reading a member's value.
struct MemberChoice {
  ValueId value = kNeverValue;
  uint64_t counts = 0;      // bit i: counter i goes up by one
  TextCost cost = kNoText;  // of the value

  template <typename Archive, typename Self>
  static void Describe(Archive& archive, Self& self) {
    archive.Value(self.value);
    archive.Value(self.counts);
    archive.Value(self.cost);
  }
};

// Returns a number that no table had before. Thread safety: any thread.
uint64_t NewTableId();

struct ObjectTable {
  NameTrie names;                    // declared names in code point order
  EditableArray<ValueId> values;     // by name
  EditableArray<uint32_t> order;     // by name: position in declared order
  EditableArray<uint32_t> by_order;  // inverse of `order`
  EditableArray<uint64_t> allowed;   // bit = the name may appear at all
  EditableArray<uint64_t> required;  // bit = the name must appear
  uint32_t required_count = 0;
  std::shared_ptr<const TextAutomaton> other_keys;  // null: any text, if other_values is not empty
  std::shared_ptr<const TextAutomaton> spelled_other_keys;
  EditableArray<ValueId> other_values;  // kNeverValue where nothing can be written
  bool has_others = false;
  // By state of other_keys: number of texts from it, kNoLimit where infinite or many. Empty where
  // all are.
  EditableArray<uint32_t> other_counts;
  uint32_t other_total = kNoLimit;  // texts in all that are no declared names
  std::vector<bool> name_is_other;  // by name: other_keys accepts it (finite case)
  uint32_t min = 0;
  uint32_t max = kNoLimit;
  uint32_t saturation = 0;  // counts beyond this are alike
  bool counted = false;     // do bounds or conditions make the number of members matter?
  // Only where there is a condition (`diagram` is set); names are those of the sorted order here.
  MarkLayout marks;
  ConditionTree condition;
  std::shared_ptr<const ConditionDiagram> diagram;
  std::vector<bool> is_free;  // by name: the condition does not depend on it
  // By slot, names before classes of undeclared keys: choices whose value has a text.
  std::vector<std::vector<MemberChoice>> choices;
  bool has_choices = false;  // does a slot count, or offer several values?
  // By class: as other_counts, empty where all are infinite; undeclared keys in all; by name: 1 +
  // the class that accepts it, or 0.
  std::vector<std::vector<uint32_t>> class_counts;
  EditableArray<uint32_t> class_totals;
  EditableArray<uint32_t> class_of_name;
  bool finite_classes = false;       // is some number in class_counts neither 0 nor infinite?
  bool tried = false;                // while costs are found: was a plan asked for?
  EditableArray<uint64_t> no_names;  // as many words as names take, all 0
  uint64_t id = NewTableId();        // tells tables apart, whatever their address
  TextCost cost = kNoText;

  uint32_t NextCount(uint32_t count) const { return counted ? std::min(count + 1, saturation) : 0; }
  bool is_conditional() const { return diagram != nullptr; }
  // Does it matter which undeclared keys are left?
  bool counts_keys() const { return !other_counts.empty() || finite_classes; }
  // Are undeclared keys of one class alike, whatever their text?
  bool has_alike_keys() const {
    return !counts_keys() && (other_keys == nullptr || class_counts.empty());
  }
  uint32_t word_count() const { return static_cast<uint32_t>(allowed.size()); }

  // All but `tried` and `id`.
  template <typename Archive, typename Self>
  static void Describe(Archive& archive, Self& self) {
    archive.Part(self.names);
    archive.Array(self.values);
    archive.Array(self.order);
    archive.Array(self.by_order);
    archive.Array(self.allowed);
    archive.Array(self.required);
    archive.Value(self.required_count);
    archive.Automaton(self.other_keys);
    archive.Automaton(self.spelled_other_keys);
    archive.Array(self.other_values);
    archive.Value(self.has_others);
    archive.Array(self.other_counts);
    archive.Value(self.other_total);
    archive.Bits(self.name_is_other);
    archive.Value(self.min);
    archive.Value(self.max);
    archive.Value(self.saturation);
    archive.Value(self.counted);
    archive.Part(self.marks);
    archive.Part(self.condition);
    archive.PartBehind(self.diagram);
    archive.Bits(self.is_free);
    archive.PartLists(self.choices);
    archive.Value(self.has_choices);
    archive.ArrayLists(self.class_counts);
    archive.Array(self.class_totals);
    archive.Array(self.class_of_name);
    archive.Value(self.finite_classes);
    archive.Array(self.no_names);
    archive.Value(self.cost);
  }
};

struct ValueTable {
  bool allows_literal[3] = {false, false, false};  // null, true, false
  EditableArray<NodeId> strings, numbers, arrays, objects;
  std::bitset<256> first_bytes;
  TextCost cost = kNoText;

  template <typename Archive, typename Self>
  static void Describe(Archive& archive, Self& self) {
    for (auto& allows : self.allows_literal) archive.Value(allows);
    archive.Array(self.strings);
    archive.Array(self.numbers);
    archive.Array(self.arrays);
    archive.Array(self.objects);
    archive.Value(self.first_bytes);
    archive.Value(self.cost);
  }
};

// A rule, the root expression, or the body of a counted repeat.
struct RuleTable {
  std::shared_ptr<const TextAutomaton> automaton;
  bool nullable = false;
  TextCost cost = kNoText;        // of a non-empty text
  EditableArray<TextCost> costs;  // by state: to an accepting state, calls included

  template <typename Archive, typename Self>
  static void Describe(Archive& archive, Self& self) {
    archive.Automaton(self.automaton);
    archive.Value(self.nullable);
    archive.Value(self.cost);
    archive.Array(self.costs);
  }
};

struct RepeatTable {
  uint32_t body = 0;  // RuleTable index
  uint32_t min = 0;   // 0 where the body is nullable
  uint32_t max = kNoLimit;
  bool nullable = false;
  TextCost cost = kNoText;  // of a non-empty text

  template <typename Archive, typename Self>
  static void Describe(Archive& archive, Self& self) {
    archive.Value(self.body);
    archive.Value(self.min);
    archive.Value(self.max);
    archive.Value(self.nullable);
    archive.Value(self.cost);
  }
};

}  // namespace maskloom
