// Normal forms to IR nodes: values, and the strings, numbers, arrays and objects they list.
//
// A value is the conjunction of a set of schemas. It is memoised twice: under the set, and under
// its normal form, so that schemas that differ only in annotations share one value. Formulas name
// rules and not children, so asking for a child's value while a node is built never needs that
// child's nodes: building is a work list, and recursion in the schema becomes a cycle of ids.
//
// Strings and numbers become languages (string_nodes, number_nodes). The formula of arrays or
// objects is split into groups (groups.h), a node each: the rules that every item or member keeps
// give the values of a node; what is left becomes its bounds, counters and conditions
// (container_parts.h).
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "grammar/base/status.h"
#include "grammar/ir.h"
#include "grammar/schema/container_parts.h"
#include "grammar/schema/groups.h"
#include "grammar/schema/member_rule.h"
#include "grammar/schema/normalizer.h"

namespace maskloom {

struct KeyClass;
struct ObjectPlan;

class NodeBuilder {
 public:
  // Budgets of one schema: conjunctions of schemas, and classes of keys of one object. Beyond them
  // it is refused by kResourceLimit.
  static constexpr size_t kMaxConjunctions = 50'000;
  static constexpr size_t kMaxKeyClasses = 4096;
  // Undeclared keys that are so few are declared, so that it shows when they run out.
  static constexpr uint32_t kMaxEnumeratedKeys = 1000;
  // Ways of reading one item or member.
  static constexpr size_t kMaxChoices = 256;
  // Levels of values that are looked at to see that an object cannot be.
  static constexpr size_t kMaxLookedInto = 3;
  // What one object or array counts: the bits of one word. Above the first number an object is
  // divided where that is possible: each thing counted is two ways of reading a value.
  static constexpr size_t kManyCounters = 2;
  static constexpr size_t kMaxCounters = 64;
  // Nodes that are made of objects which count more than that.
  static constexpr size_t kMaxDivided = 2048;
  // Length that is counted by states, where a register cannot: of keys under `propertyNames`.
  static constexpr uint64_t kMaxCountedLength = 10'000;

  // All arguments must outlive the builder.
  NodeBuilder(const SchemaDocument* document, SchemaReader* reader, FormulaPool* pool,
              Normalizer* normalizer, Grammar* grammar);

  // Builds all nodes of `root` into the grammar. Returns its value, or kNeverValue where it
  // evidently has none.
  // On error: what normalising reports.
  Result<ValueId> Build(SchemaId root);

 private:
  struct PendingNode {
    Group group;
    NodeId node;
    JsonIndex origin;
  };
  // The sets of schemas that apply to a value at one place; unsorted until it is asked for.
  using SchemaSet = std::vector<SchemaId>;
  using Automaton = PatternTable::Automaton;

  // value_nodes: conjunctions.
  Result<ValueId> ValueOf(SchemaSet ids);
  Result<NormalForm> FormOf(const SchemaSet& ids);
  Result<ValueId> AddValue(const NormalForm& form, JsonIndex origin);
  GroupGuide ObjectGuide();
  static GroupGuide ArrayGuide();
  void NameEmptyScalars(const NormalForm& form, JsonIndex origin);
  Result<std::vector<NodeId>> ContainerNodesOf(FormulaId formula, bool objects, JsonIndex origin);
  // Can no value satisfy both? False where that is not evident.
  // `finite`: look at types and finite sets only.
  Result<bool> AreDisjoint(const SchemaSet& a, const SchemaSet& b, bool finite);
  bool AreFormsDisjoint(const NormalForm& x, const NormalForm& y, bool finite);

  // string_nodes.
  Result<std::vector<NodeId>> StringNodesOf(FormulaId formula);
  Result<std::vector<StringNode>> StringsOf(FormulaId formula);
  Status AddStrings(FormulaId language, uint64_t min_length, uint64_t max_length,
                    std::vector<StringNode>* nodes);
  Status MergeStrings(std::vector<StringNode>* nodes);
  // Returns the language of a formula without lengths; null: all texts.
  Result<Automaton> LanguageOf(FormulaId formula);
  // Returns the language of a formula, lengths included, as one automaton; null: all texts.
  Result<Automaton> WholeLanguageOf(FormulaId formula);

  // number_nodes.
  Result<std::vector<NodeId>> NumberNodesOf(FormulaId formula);
  Result<std::vector<NumberNode>> NumbersOf(FormulaId formula);
  Result<std::vector<NumberNode>> NumbersByRegions(FormulaId formula);
  // Adds what a conjunction of literals says. Returns false where they contradict.
  bool AddNumberLiterals(FormulaId conjunction, NumberNode* node) const;
  Result<std::vector<FormulaId>> Terms(FormulaId formula);

  // choices.
  struct Slot {
    ValueId value = kNeverValue;
    std::vector<Choice> choices;
    bool operator==(const Slot&) const = default;
  };
  Result<Slot> MakeSlot(const SchemaSet& base, const Events& events,
                        const std::vector<EventEffect>& effects);
  // Values of a slot, as some events split them.
  struct Taken {
    SchemaSet schemas;     // what they satisfy; sorted
    bool widened = false;  // are there others that satisfy it?
    NormalForm exact;      // what they and no others satisfy
    uint64_t counts = 0;
    void Add(const SchemaSet& more);
    void Widen(const SchemaSet& wider);
  };
  Status MakeChoices(const Taken& taken, const Events& events,
                     const std::vector<EventEffect>& effects, size_t next,
                     std::vector<Choice>* choices);
  static EventEffect EffectOf(const RuleOutcome& outcome);
  // A set that says the opposite of all of `schemas` together.
  SchemaSet OppositeOf(const SchemaSet& schemas);
  // Bits of the counters that some choice raises.
  static uint64_t RaisedBy(const std::vector<std::vector<Choice>>& choices);

  // possible_objects. Both say no only of what no value satisfies.
  bool MayExist(const NormalForm& form, size_t depth = 0);
  bool MayBeObject(FormulaId formula, size_t depth);
  bool MayBreak(const std::vector<FormulaId>& kept, RuleId rule, size_t depth);
  bool MayBreakAt(NameId name, const std::vector<const MemberRule*>& kept, const MemberRule& rule,
                  size_t depth);
  bool MayBreakElsewhere(const std::vector<const MemberRule*>& kept, const MemberRule& rule,
                         size_t depth);
  bool MayDiffer(const SchemaSet& kept, const RuleOutcome& outcome, size_t depth);
  std::optional<NormalForm> JointForm(const SchemaSet& schemas);

  // array_nodes.
  struct ItemRule;
  Result<ItemRule> ReadItemRule(RuleId id);
  RuleOutcome OutcomeAt(const ItemRule& rule, size_t position);
  Status BuildArray(const PendingNode& pending);

  // object_nodes: key classes.
  Result<const MemberRule*> MemberRuleOf(RuleId id);  // member_rules
  bool AddOutcome(const MemberRule& rule, NameId name, SchemaSet* schemas) const;
  RuleOutcome OutcomeFor(const MemberRule& rule, NameId name) const;
  Status BuildObject(const PendingNode& pending);
  Status BuildPlanned(const PendingNode& pending, ObjectPlan* planned);
  Status PlanObject(const PendingNode& pending, ObjectPlan* plan);
  bool MayHold(const Group& group);
  Result<FormulaId> DropRefutedBreaks(const ObjectPlan& plan, FormulaId rest);
  void NoteVanished(const KeyClass& key);
  Result<bool> SurelyBreaks(const std::vector<std::pair<NameId, NormalForm>>& required,
                            RuleId rule);
  void DeclareKeys(ObjectPlan* plan);
  void OrderAsRequired(JsonIndex origin, std::vector<NameId>* names) const;
  // key_cases: cases by the value of a key.
  class KeyCases;
  // Returns formulas whose union is `formula`, made by the key that the most unions ask about;
  // none where less than `min_unions` ask about one (0: less than a few rules, wherever they
  // stand), or more than `max_cases` come out.
  std::vector<FormulaId> CasesByKey(FormulaId formula, size_t min_unions, size_t max_cases);
  FormulaId KeepsAt(NameId key, SchemaId schema);
  // divide_object: what counts too much as several nodes.
  bool DivideObject(const PendingNode& pending, const ObjectPlan& plan);
  Status RefuseCounters(const Events& events, JsonIndex origin) const;
  FormulaId PlaceBreaks(FormulaId rest);
  JsonIndex PlaceOf(const Events& events, JsonIndex origin) const;
  void AttachDivided();
  // other_keys.
  Status BuildOtherKeys(const ObjectPlan& plan, ObjectNode* object);
  Result<Slot> SlotOf(const ObjectPlan& plan, const KeyClass& key_class);
  // Keys by what they match of some patterns: matched[label - 1] belongs to a label of `keys`.
  struct KeyClasses {
    TextAutomaton keys;
    std::vector<std::vector<PatternId>> matched;
  };
  KeyClass ClassOf(const ObjectPlan& plan, const std::vector<PatternId>& matched) const;
  Result<std::string> MeritOf(const ObjectPlan& plan, const std::vector<PatternId>& matched);
  Result<KeyClasses> JoinKeyClasses(const ObjectPlan& plan, const KeyClasses& a,
                                    const KeyClasses& b);

  Status At(JsonIndex node, const Status& status) const {
    return document_->ErrorAt(node, status.code(), status.message());
  }

  const SchemaDocument* document_;
  SchemaReader* reader_;
  FormulaPool* pool_;
  Normalizer* normalizer_;
  Grammar* grammar_;

  SchemaMap<ValueId> value_of_schema_;  // value + 2, or 0
  std::map<SchemaSet, ValueId> value_of_set_;
  std::map<SchemaSet, NormalForm> form_of_set_;
  std::unordered_map<std::string, ValueId> value_of_form_;
  std::unordered_map<FormulaId, std::vector<NodeId>> string_nodes_;
  std::unordered_map<FormulaId, Automaton> languages_;
  std::unordered_map<FormulaId, std::vector<NodeId>> number_nodes_;
  std::unordered_map<FormulaId, std::vector<NodeId>> array_nodes_;
  std::unordered_map<FormulaId, std::vector<NodeId>> object_nodes_;
  std::unordered_map<RuleId, std::unique_ptr<MemberRule>> member_rules_;
  std::unordered_map<FormulaId, bool> may_be_object_[kMaxLookedInto];
  std::vector<Normalizer::Note> vanished_;  // keys without a value, in some object
  std::vector<bool> living_;                // by node: schemas of keys that have one somewhere
  std::vector<PendingNode> pending_arrays_;
  std::vector<PendingNode> pending_objects_;
  std::unordered_map<NodeId, std::vector<NodeId>> divided_;  // nodes that belong beside one
  size_t divided_count_ = 0;
  std::vector<uint32_t> slot_of_name_;  // by name id, while an object is built: 1 + slot
};

}  // namespace maskloom
