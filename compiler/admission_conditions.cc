// Objects with conditions at admission: their choices, counters and diagram; see admission.h and
// condition_diagram.h.
#include <algorithm>
#include <atomic>
#include <string>
#include <utility>

#include "compiler/admission.h"
#include "compiler/member_solver.h"
#include "compiler/spelled_automaton.h"
#include "grammar/base/budget.h"

namespace maskloom {
namespace {

// Counters that no condition asks for take no bits.
std::vector<Counter> AskedCounters(const ObjectNode& node) {
  std::vector<Counter> counters = node.counters;
  std::vector<bool> asked(counters.size());
  for (const Condition& condition : node.conditions) {
    if (condition.kind == Condition::Kind::kAtLeast || condition.kind == Condition::Kind::kAtMost) {
      asked[condition.index] = true;
    }
  }
  for (size_t i = 0; i < counters.size(); ++i) {
    if (!asked[i]) counters[i] = {Counter::Kind::kAtLeast, 0};
  }
  return counters;
}

uint64_t CountersOf(const std::vector<Counter>& counters, Counter::Kind kind) {
  uint64_t bits = 0;
  for (size_t i = 0; i < counters.size(); ++i) {
    const bool needs_bits = kind == Counter::Kind::kAtMost || counters[i].limit > 0;
    if (counters[i].kind == kind && needs_bits) bits |= uint64_t{1} << i;
  }
  return bits;
}

}  // namespace

void Admission::FailObject(NodeId id, Status* status) const {
  for (const ValueNode& value : machine_.grammar_.values) {
    if (std::find(value.objects.begin(), value.objects.end(), id) == value.objects.end()) continue;
    status->WithPointer(value.origin);
    return;
  }
}

Status Admission::BuildCondition(const ObjectNode& node, ObjectTable* table) {
  if (node.conditions.empty() && node.choices.empty()) return Status::Ok();
  const std::vector<Counter> counters = AskedCounters(node);
  Result<MarkLayout> marks = MarkLayout::Create(counters);
  if (!marks.ok()) return marks.status();
  table->marks = std::move(*marks);
  std::vector<Condition> conditions = node.conditions;
  for (Condition& condition : conditions) {
    if (condition.kind == Condition::Kind::kPresent || condition.kind == Condition::Kind::kAbsent) {
      condition.index = table->by_order[condition.index];
    }
  }
  table->condition = ConditionTree(std::move(conditions));
  if (table->condition.size_saturation() >= kNoLimit) {
    return Status(StatusCode::kResourceLimit,
                  "a number of properties beyond 4294967294 cannot be counted");
  }
  const uint64_t at_least = CountersOf(counters, Counter::Kind::kAtLeast);
  const uint64_t at_most = CountersOf(counters, Counter::Kind::kAtMost);
  const auto as_good = [&](uint64_t a, uint64_t b) {
    return (b & ~a & at_least) == 0 && (a & ~b & at_most) == 0;
  };
  const uint32_t names = table->names.size();
  table->choices.resize(names + table->other_values.size());
  for (uint32_t slot = 0; slot < table->choices.size(); ++slot) {
    const uint32_t in_node = slot < names ? table->order[slot] : slot;
    const ValueId widest = slot < names ? table->values[slot] : table->other_values[slot - names];
    if (widest == kNeverValue) continue;
    std::vector<Choice> choices;
    if (!node.choices.empty()) choices = node.choices[in_node];
    if (choices.empty()) choices.push_back({widest, 0});
    std::vector<MemberChoice>& kept = table->choices[slot];
    for (const Choice& choice : choices) {
      const uint64_t counts = choice.counts & (at_least | at_most);
      if (choice.value == kNeverValue) continue;
      // Of two choices with one value the better makes the other idle.
      const bool idle = std::any_of(kept.begin(), kept.end(), [&](const MemberChoice& other) {
        return other.value == choice.value && as_good(other.counts, counts);
      });
      if (idle) continue;
      std::erase_if(kept, [&](const MemberChoice& other) {
        return other.value == choice.value && as_good(counts, other.counts);
      });
      kept.push_back({choice.value, counts, kNoText});
    }
    const bool plain = kept.size() == 1 && kept[0].counts == 0 && kept[0].value == widest;
    table->has_choices |= !kept.empty() && !plain;
  }
  table->counted =
      table->min > 0 || table->max != kNoLimit || table->condition.size_saturation() > 0;
  table->no_names.resize(table->word_count());
  CountClasses(table);

  ConditionDiagram::Input input;
  input.condition = &table->condition;
  input.marks = &table->marks;
  input.name_count = names;
  for (const std::vector<MemberChoice>& choices : table->choices) {
    std::vector<uint64_t>& counts = input.counts.emplace_back();
    for (const MemberChoice& choice : choices) counts.push_back(choice.counts);
    std::sort(counts.begin(), counts.end());
    counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
  }
  for (uint32_t i = 0; i < names; ++i) {
    input.required.push_back(table->required[i / 64] >> (i % 64) & 1);
  }
  auto diagram = std::make_shared<ConditionDiagram>();
  if (!diagram->Build(input)) {
    return Status(StatusCode::kResourceLimit,
                  "what this object asks of its properties together takes more than " +
                      std::to_string(ConditionDiagram::kMaxStates) + " states to follow");
  }
  table->is_free.assign(names, true);
  for (const ConditionDiagram::Level& level : diagram->levels()) {
    if (level.reads == ConditionDiagram::Reads::kAbsence) table->is_free[level.index] = false;
  }
  table->diagram = std::move(diagram);
  return Status::Ok();
}

void Admission::CountClasses(ObjectTable* table) const {
  table->class_counts.clear();
  table->class_of_name.clear();
  table->class_totals.assign(table->other_values.size(), kNoLimit);
  table->finite_classes = false;
  if (table->other_keys == nullptr || table->other_values.empty()) return;
  const TextAutomaton& keys = *table->spelled_other_keys;
  for (uint32_t i = 0; i < table->names.size(); ++i) {
    table->class_of_name.push_back(keys.Match(table->names.name(i)));
  }
  for (uint32_t k = 0; k < table->other_values.size(); ++k) {
    auto only = std::make_shared<TextAutomaton>(keys);
    for (uint32_t& label : only->labels) label = label == k + 1 ? 1 : 0;
    const SpelledAutomaton cut = CutToSpelling(only, machine_.string_spelling_);
    std::vector<uint32_t> counts(keys.state_count(), 0);
    if (cut.spelled != nullptr) counts = CountAccepted(*cut.spelled, Budget(kMaxCountedKeys));
    table->finite_classes |= std::any_of(counts.begin(), counts.end(), [](uint32_t count) {
      return count != kNoLimit && count > 0;
    });
    uint32_t total = counts[0];
    if (total != kNoLimit) {
      total -= static_cast<uint32_t>(
          std::count(table->class_of_name.begin(), table->class_of_name.end(), k + 1));
    }
    table->class_totals[k] = total;
    table->class_counts.push_back(std::move(counts));
  }
  if (table->other_values.size() == 1 && !table->finite_classes) table->class_counts.clear();
}

bool Admission::ImproveConditional(ObjectTable* table) {
  if (table->max < table->min || !Spells("{}")) return false;
  bool changed = false;
  for (std::vector<MemberChoice>& choices : table->choices) {
    for (MemberChoice& choice : choices)
      changed |= LowerCost(&choice.cost, ValueCost(choice.value));
  }
  if (!changed && table->tried) return false;
  table->tried = true;
  MemberState state;
  state.seen = table->no_names;
  state.declared_order = machine_.declared_order();
  state.class_left = table->class_totals;
  const auto plan = MemberSolver(*table).Plan(state);
  if (!plan) return false;
  TextCost cost = 2;
  for (const PlannedMember& member : *plan) {
    const TextCost one = member.slot < table->names.size()
                             ? NamedMemberCost(table->names.name(member.slot), member.choice.cost)
                             : OtherMemberCost(member.choice.cost);
    cost = AddCosts(cost, TimesCost(member.times, one));
  }
  return LowerCost(&table->cost, cost);
}

void Admission::CutChoices(ObjectTable* table) const {
  for (std::vector<MemberChoice>& choices : table->choices) {
    for (MemberChoice& choice : choices) choice.cost = ValueCost(choice.value);
    std::erase_if(choices, [](const MemberChoice& choice) { return choice.cost == kNoText; });
  }
  table->id = NewTableId();  // what was answered so far no longer holds
}

}  // namespace maskloom
