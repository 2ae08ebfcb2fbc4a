// What the machine knows of each grammar node: the IR, pruned to what can be completed with the
// bytes that the vocabulary spells, in the form that steps read.
#pragma once

#include <bitset>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compiler/condition.h"
#include "compiler/marks.h"
#include "compiler/name_trie.h"
#include "compiler/number_automaton.h"
#include "compiler/text_cost.h"
#include "grammar/base/text_automaton.h"
#include "grammar/ir.h"
#include "grammar/regular/regular.h"

namespace maskloom {

inline constexpr uint32_t kNoLimit = 0xFFFFFFFF;

// What a member of an object costs whose value costs `value`. Admission and completions choose
// members by the same costs.
inline TextCost NamedMemberCost(const std::u32string& name, TextCost value) {
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
};

struct NumberTable {
  std::unique_ptr<NumberAutomaton> automaton;
  TextCost cost = kNoText;
};

struct ArrayTable {
  std::vector<ValueId> prefix;
  ValueId rest = kNeverValue;
  uint32_t min = 0;
  uint32_t max = kNoLimit;                   // also cut before the first item that has no value
  uint32_t saturation = 0;                   // counts beyond this are alike
  std::vector<std::vector<Choice>> choices;  // as in ArrayNode
  MarkLayout marks;
  ConditionTree condition;
  TextCost cost = kNoText;

  ValueId ItemValue(uint32_t index) const { return index < prefix.size() ? prefix[index] : rest; }
};

struct ObjectTable {
  NameTrie names;                  // declared names in code point order
  std::vector<ValueId> values;     // by name
  std::vector<uint32_t> order;     // by name: position in declared order
  std::vector<uint32_t> by_order;  // inverse of `order`
  std::vector<uint64_t> allowed;   // bit = the name may appear at all
  std::vector<uint64_t> required;  // bit = the name must appear
  uint32_t required_count = 0;
  std::shared_ptr<const TextAutomaton> other_keys;  // null: any text, if other_values is not empty
  std::shared_ptr<const TextAutomaton> spelled_other_keys;
  std::vector<ValueId> other_values;  // kNeverValue where nothing can be written
  bool has_others = false;
  // By state of other_keys: number of texts from it, kNoLimit where infinite or many. Empty where
  // all are.
  std::vector<uint32_t> other_counts;
  uint32_t other_total = kNoLimit;  // texts in all that are no declared names
  std::vector<bool> name_is_other;  // by name: other_keys accepts it (finite case)
  uint32_t min = 0;
  uint32_t max = kNoLimit;
  uint32_t saturation = 0;  // counts beyond this are alike
  bool counted = false;     // do bounds or conditions make the number of members matter?
  MarkLayout marks;
  ConditionTree condition;
  TextCost cost = kNoText;

  uint32_t word_count() const { return static_cast<uint32_t>(allowed.size()); }
};

struct ValueTable {
  bool allows_literal[3] = {false, false, false};  // null, true, false
  std::vector<NodeId> strings, numbers, arrays, objects;
  std::bitset<256> first_bytes;
  TextCost cost = kNoText;
};

// A rule, the root expression, or the body of a counted repeat.
struct RuleTable {
  std::shared_ptr<const TextAutomaton> automaton;
  bool nullable = false;
  TextCost cost = kNoText;      // of a non-empty text
  std::vector<TextCost> costs;  // by state: to an accepting state, calls included
};

struct RepeatTable {
  uint32_t body = 0;  // RuleTable index
  uint32_t min = 0;   // 0 where the body is nullable
  uint32_t max = kNoLimit;
  bool nullable = false;
  TextCost cost = kNoText;  // of a non-empty text
};

}  // namespace maskloom
