// Arrays at admission; see admission.h.
#include <algorithm>
#include <string>

#include "compiler/admission.h"
#include "compiler/apart_items.h"
#include "compiler/array_plan.h"
#include "compiler/distinct_items.h"
#include "compiler/value_space.h"
#include "grammar/base/budget.h"

namespace maskloom {
namespace {

using Distinctness = ArrayNode::Distinctness;

// Most distinct items that an array may owe where values can run out.
constexpr uint64_t kMaxOwedItems = ValueSpace::kListed;

// Does the number of values never matter to an array of distinct items, whatever was seen? So it is
// where every item of the rest has endless values, and one of the prefix more than items come
// before it, or else may be read by a choice of which that is true and that is as good.
bool NeverRunsOut(const Machine& machine, const ArrayTable& table) {
  // Does `choice`, of item `index`, have a value left whatever was seen before?
  const auto has_value = [&](const Choice& choice, uint32_t index) {
    if (machine.value_space()->IsEndless(choice.value)) return true;
    if (index >= table.prefix.size()) return false;
    ValueList scratch;
    const ValueList& list = machine.value_space()->ValuesOf(choice.value, index, &scratch);
    return list.many || list.keys.size() > index;
  };
  const auto is_as_good = [&](const Choice& a, const Choice& b) {
    return table.marks.IsAsGood(table.marks.Add(0, a.counts), table.marks.Add(0, b.counts));
  };
  const uint64_t slots = std::min<uint64_t>(uint64_t{table.prefix.size()} + 1, table.max);
  for (uint32_t i = 0; i < slots; ++i) {
    std::vector<Choice> lasting, others;
    for (const Choice& choice : ItemChoices(table, i)) {
      if (choice.value == kNeverValue || !machine.HasValue(choice.value)) continue;
      (has_value(choice, i) ? lasting : others).push_back(choice);
    }
    for (const Choice& other : others) {
      const bool is_needed = std::none_of(lasting.begin(), lasting.end(), [&](const Choice& one) {
        return is_as_good(one, other);
      });
      if (is_needed) return false;
    }
  }
  return true;
}

// May two equal items always follow?
bool RepeatsFreely(const Machine& machine, const ArrayTable& table) {
  if (table.max != kNoLimit) return false;
  for (const ArrayCase& one : table.cases) {
    if (one.max_size != kNoMaximum) return false;
  }
  // Some choice of the rest must take no room.
  for (const Choice& choice : ItemChoices(table, static_cast<uint32_t>(table.prefix.size()))) {
    if (choice.value == kNeverValue || !machine.HasValue(choice.value)) continue;
    bool takes_room = false;
    for (size_t i = 0; i < table.marks.fields().size(); ++i) {
      takes_room |= (choice.counts >> i & 1) != 0 && !table.marks.fields()[i].at_least;
    }
    if (!takes_room) return true;
  }
  return false;
}

Status CannotCount() {
  return Status(StatusCode::kResourceLimit,
                "a number of items beyond 4294967294 cannot be counted");
}

}  // namespace

Machine::Machine() = default;
Machine::~Machine() = default;

Status Admission::FailArray(NodeId id, Status status) const {
  for (const ValueNode& value : machine_.grammar_.values) {
    if (std::find(value.arrays.begin(), value.arrays.end(), id) == value.arrays.end()) continue;
    status.WithPointer(value.origin);
    break;
  }
  return status;
}

Status Admission::BuildArrays() {
  for (const ArrayNode& node : machine_.grammar_.arrays) {
    const NodeId id = static_cast<NodeId>(machine_.arrays_.size());
    ArrayTable table;
    table.prefix = node.prefix;
    table.rest = node.rest;
    if (node.min_items >= kNoLimit) return FailArray(id, CannotCount());
    table.min = static_cast<uint32_t>(node.min_items);
    table.max = node.max_items >= kNoLimit ? kNoLimit : static_cast<uint32_t>(node.max_items);
    table.max = std::min(table.max, RoomOfSeparators().items);
    table.distinctness = node.distinctness;
    table.choices = node.choices;
    const bool has_choices =
        std::any_of(node.choices.begin(), node.choices.end(),
                    [](const std::vector<Choice>& choices) { return !choices.empty(); });
    table.plain = !has_choices && node.conditions.empty();
    Result<MarkLayout> marks = MarkLayout::Create(node.counters);
    if (!marks.ok()) return FailArray(id, marks.status());
    table.marks = std::move(*marks);
    table.condition = ConditionTree(node.conditions);
    if (table.condition.size_saturation() >= kNoLimit) return FailArray(id, CannotCount());
    if (!table.plain || table.distinctness != Distinctness::kAny) {
      Status status = ExpandCases(&table);
      if (!status.ok()) return FailArray(id, status);
      for (const Counter& counter : node.counters) {
        if (counter.kind != Counter::Kind::kAtLeast) continue;
        table.horizon += std::min<uint64_t>(counter.limit, kNoLimit);
      }
    }
    machine_.arrays_.push_back(std::move(table));
  }
  return Status::Ok();
}

bool Admission::ImproveArray(ArrayTable* table) {
  if (table->max < table->min || table->impossible || !Spells("[]")) return false;
  TextCost cost = 2;
  if (!table->plain) {
    // While values are still without a text the choices may be many for a while; see CutArrays.
    ArrayPlan plan;
    if (!PlansAreFew(machine_, *table) ||
        !FindArrayPlan(machine_, *table, 0, 0, kNoText, nullptr, &plan)) {
      return false;
    }
    for (const auto& [choice, number] : plan) {
      cost = AddCosts(cost, TimesCost(number, AddCosts(1, ValueCost(choice.value))));
    }
    return LowerCost(&table->cost, cost);
  }
  const uint32_t in_prefix = std::min<uint32_t>(table->min, table->prefix.size());
  for (uint32_t i = 0; i < in_prefix; ++i) {
    cost = AddCosts(cost, AddCosts(1, ValueCost(table->prefix[i])));
  }
  if (table->min > in_prefix) {
    cost = AddCosts(cost, TimesCost(table->min - in_prefix, AddCosts(1, ValueCost(table->rest))));
  }
  return LowerCost(&table->cost, cost);
}

Status Admission::CutArrays() {
  for (NodeId id = 0; id < machine_.arrays_.size(); ++id) {
    ArrayTable& table = machine_.arrays_[id];
    for (uint32_t slot = 0; slot < table.choices.size(); ++slot) {
      std::vector<Choice>& choices = table.choices[slot];
      if (choices.empty()) continue;
      std::erase_if(choices, [&](const Choice& c) { return !machine_.HasValue(c.value); });
      if (choices.empty()) choices.push_back({});
    }
    const auto has_item = [&](uint32_t index) {
      const std::vector<Choice> choices = ItemChoices(table, index);
      return std::any_of(choices.begin(), choices.end(),
                         [&](const Choice& c) { return machine_.HasValue(c.value); });
    };
    const uint32_t prefix = static_cast<uint32_t>(table.prefix.size());
    for (uint32_t i = 0; i <= prefix && i < table.max; ++i) {
      if (!has_item(i)) table.max = i;
    }
    table.saturation =
        std::max({table.min, prefix, static_cast<uint32_t>(table.condition.size_saturation())});
    if (table.max != kNoLimit) table.saturation = std::max(table.saturation, table.max);
    if (table.plain) continue;
    Status status = CheckPlanEffort(machine_, table, false);
    if (!status.ok()) return FailArray(id, status);
  }
  return Status::Ok();
}

Status Admission::CheckDistinctArrays(std::vector<NodeId>* impossible) {
  const auto compares = [](const ArrayTable& table) {
    return table.distinctness != Distinctness::kAny && table.cost != kNoText;
  };
  if (std::none_of(machine_.arrays_.begin(), machine_.arrays_.end(), compares)) {
    // Nothing that could be compared is left.
    for (ArrayTable& table : machine_.arrays_) table.distinctness = Distinctness::kAny;
    return Status::Ok();
  }
  machine_.value_space_ = std::make_unique<ValueSpace>(machine_);
  Status status = machine_.value_space_->Build();
  for (NodeId id = 0; id < machine_.arrays_.size() && status.ok(); ++id) {
    if (compares(machine_.arrays_[id])) status = CheckDistinctArray(id, impossible);
  }
  machine_.FindRepeatedArrays();
  return status;
}

Status Admission::CheckDistinctArray(NodeId id, std::vector<NodeId>* impossible) {
  ArrayTable& table = machine_.arrays_[id];
  const ValueSpace& space = *machine_.value_space_;
  const bool distinct = table.distinctness == Distinctness::kDistinct;
  table.never_runs_out = distinct && NeverRunsOut(machine_, table);
  SetItemKinds(machine_, &table);
  table.repeats_freely = !distinct && RepeatsFreely(machine_, table);
  if (table.never_runs_out || table.repeats_freely) return Status::Ok();
  if (!distinct && table.max < 2) {
    impossible->push_back(id);
    return Status::Ok();
  }
  const uint32_t prefix = static_cast<uint32_t>(table.prefix.size());
  bool all_listed = true;
  bool rest_is_listed = true;
  for (uint32_t i = 0; i <= prefix && i < table.max; ++i) {
    for (const Choice& choice : ItemChoices(table, i)) {
      ValueList scratch;
      if (!space.ValuesOf(choice.value, ValueSpace::kListed, &scratch).many) continue;
      all_listed = false;
      if (i == prefix) rest_is_listed = false;
    }
  }
  if (!distinct && !all_listed) {
    return FailArray(
        id, Status(StatusCode::kResourceLimit,
                   "an array of bounded length in which two items must be equal cannot be "
                   "followed where these have more than " +
                       std::to_string(ValueSpace::kListed) + " values, or such as are not listed"));
  }
  if (distinct && ItemsOwed(table, 0) > Budget(kMaxOwedItems)) {
    if (rest_is_listed && table.min > prefix + ValueSpace::kListed) {
      impossible->push_back(id);
      return Status::Ok();
    }
    return FailArray(id, Status(StatusCode::kResourceLimit,
                                "more than " + std::to_string(kMaxOwedItems) +
                                    " distinct items are asked for of values that may run out"));
  }
  if (!table.plain) {
    Status status = CheckPlanEffort(machine_, table, true);
    if (!status.ok()) return FailArray(id, status);
  }
  Frame fresh;
  fresh.kind = FrameKind::kArray;
  fresh.node = id;
  if (!MayCloseArray(table, fresh) && !MayAddItem(machine_, table, fresh)) {
    impossible->push_back(id);
  }
  return Status::Ok();
}

}  // namespace maskloom
