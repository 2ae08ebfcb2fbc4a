// A grammar as the machine that matchers run: tables, white space, and single steps.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "compiler/frame.h"
#include "compiler/machine_tables.h"
#include "compiler/standard_parts.h"
#include "compiler/text_coding.h"
#include "compiler/vocabulary_index.h"
#include "grammar/base/status.h"
#include "grammar/ir.h"

namespace maskloom {

class GrammarReader;
class GrammarWriter;
class ValueSpace;

// What a call edge calls: where it is, and what it costs.
struct Callee {
  FrameKind kind = FrameKind::kRule;  // kRule, kRepeat or kValue
  uint32_t index = 0;                 // RuleTable, RepeatTable or ValueId
  bool nullable = false;              // may the call be skipped?
  TextCost cost = kNoText;            // of a text that is not empty
};

// How strings and keys are spelled.
inline TextCoding StringCodingOf(const StylePolicy& style) {
  return style.escapes == StylePolicy::Escapes::kPlain ? TextCoding::kPlainString
                                                       : TextCoding::kJsonString;
}

// Immutable after Create. Thread safety: const calls from any thread.
class Machine {
 public:
  ~Machine();
  // Admission. On error: kUnsatisfiable, kUnsupported, kResourceLimit.
  static Result<std::unique_ptr<Machine>> Create(Grammar grammar,
                                                 const VocabularyIndex& vocabulary);

  // What admission has read; of a machine from a file only style and numbers are there.
  const Grammar& grammar() const { return grammar_; }
  const StylePolicy& style() const { return grammar_.style; }
  // Do keys come in the order of their object's table?
  bool declared_order() const { return style().key_order != StylePolicy::KeyOrder::kAny; }
  TextCoding string_coding() const { return StringCodingOf(style()); }

  const ValueTable& value(ValueId id) const { return values_[id]; }
  const StringTable& string(NodeId id) const { return strings_[id]; }
  const NumberTable& number(NodeId id) const { return numbers_[id]; }
  const ArrayTable& array(NodeId id) const { return arrays_[id]; }
  const ObjectTable& object(NodeId id) const { return objects_[id]; }
  const RuleTable& rule(uint32_t index) const { return rules_[index]; }
  const RepeatTable& repeat(uint32_t index) const { return repeats_[index]; }
  // The RuleTable that matches the whole text, of a grammar of rules.
  uint32_t root_rule() const { return root_rule_; }
  // The value that is the whole text, of JSON.
  ValueId root_value() const { return root_value_; }
  bool is_json() const { return is_json_; }
  // What `call` calls.
  Callee CalleeOf(const TextAutomaton::Call& call) const;
  // `coding`: kUtf8 or string_coding().
  const Spelling& spelling(TextCoding coding) const {
    return coding == TextCoding::kUtf8 ? utf8_spelling_ : string_spelling_;
  }
  // Values of nodes; null where no array compares its items.
  const ValueSpace* value_space() const { return value_space_.get(); }
  // Are there arrays of which two items must be equal, whenever they come?
  bool has_repeated_arrays() const { return has_repeated_arrays_; }
  const StandardNodes& standard_nodes() const { return standard_nodes_; }
  bool Spells(uint8_t byte) const { return spellable_[byte]; }
  uint32_t max_token_bytes() const { return max_token_bytes_; }

  bool HasValue(ValueId id) const { return id != kNeverValue && values_[id].cost != kNoText; }
  size_t MemoryBytes() const;

  // Reads the machine that `archive` holds, for the vocabulary for which it was made; whether all
  // of it was there the archive says. Cost: no admission; arrays are not copied.
  static std::unique_ptr<Machine> Read(GrammarReader& archive, const VocabularyIndex& vocabulary);
  void Write(GrammarWriter& archive) const;

 private:
  friend class Admission;
  Machine();
  template <typename Archive, typename Self>
  static void Describe(Archive& archive, Self& self);
  // Finds has_repeated_arrays_. Requires: tables are settled.
  void FindRepeatedArrays();

  Grammar grammar_;
  bool is_json_ = false;
  std::vector<ValueTable> values_;
  std::vector<StringTable> strings_;
  std::vector<NumberTable> numbers_;
  std::vector<ArrayTable> arrays_;
  std::vector<ObjectTable> objects_;
  std::vector<RuleTable> rules_;
  std::vector<RepeatTable> repeats_;
  struct CalleeOfExpr {
    uint32_t kind = 0;  // a FrameKind
    uint32_t index = kNoCallee;
  };
  static constexpr uint32_t kNoCallee = 0xFFFFFFFF;
  EditableArray<CalleeOfExpr> callees_;  // by ExprId; empty if no rule calls
  uint32_t root_rule_ = 0;
  ValueId root_value_ = kNeverValue;
  Spelling utf8_spelling_;
  Spelling string_spelling_;
  std::bitset<256> spellable_;
  uint32_t max_token_bytes_ = 0;

  std::unique_ptr<ValueSpace> value_space_;
  bool has_repeated_arrays_ = false;
  StandardNodes standard_nodes_;
};

inline Callee Machine::CalleeOf(const TextAutomaton::Call& call) const {
  const auto [kind, index] = callees_[call.expr];
  switch (static_cast<FrameKind>(kind)) {
    case FrameKind::kRule:
      return {FrameKind::kRule, index, rules_[index].nullable, rules_[index].cost};
    case FrameKind::kRepeat:
      return {FrameKind::kRepeat, index, repeats_[index].nullable, repeats_[index].cost};
    default:
      return {FrameKind::kValue, index, false, values_[index].cost};
  }
}

// The letters of null, true and false, by literal index.
inline constexpr const char* kLiteralTexts[3] = {"null", "true", "false"};

}  // namespace maskloom
