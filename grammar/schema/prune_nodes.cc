// Satisfiability of values as a least fixed point, and the removal of what has none.
//
// At first no array or object is taken to have a text; a node is marked alive when the children it
// cannot do without are. What is never marked (a list that must hold a list that must hold a list
// ...) has no finite text. Being alive is monotone in the children, so the order does not matter;
// sweeps alternate between both directions, which settles chains either way in few sweeps.
#include <algorithm>
#include <memory>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "grammar/regular/regular.h"
#include "grammar/schema/node_passes.h"

namespace maskloom {
namespace {

class Liveness {
 public:
  explicit Liveness(const Grammar& grammar)
      : grammar_(grammar),
        values_(grammar.values.size()),
        arrays_(grammar.arrays.size()),
        objects_(grammar.objects.size()) {
    bool forward = false;
    while (Sweep(forward)) forward = !forward;
  }

  bool Value(ValueId id) const { return id != kNeverValue && values_[id]; }
  bool Array(NodeId id) const { return arrays_[id]; }
  bool Object(NodeId id) const { return objects_[id]; }

 private:
  bool Sweep(bool forward) {
    bool changed = false;
    auto visit = [&](std::vector<bool>* alive, auto check) {
      for (size_t i = 0; i < alive->size(); ++i) {
        size_t id = forward ? i : alive->size() - 1 - i;
        if ((*alive)[id] || !check(static_cast<uint32_t>(id))) continue;
        (*alive)[id] = true;
        changed = true;
      }
    };
    visit(&values_, [this](uint32_t id) { return CheckValue(grammar_.values[id]); });
    visit(&arrays_, [this](uint32_t id) { return CheckArray(grammar_.arrays[id]); });
    visit(&objects_, [this](uint32_t id) { return CheckObject(grammar_.objects[id]); });
    visit(&values_, [this](uint32_t id) { return CheckValue(grammar_.values[id]); });
    return changed;
  }
  bool CheckValue(const ValueNode& value) const {
    return value.allows_null || value.allows_true || value.allows_false || !value.strings.empty() ||
           !value.numbers.empty() ||
           std::any_of(value.arrays.begin(), value.arrays.end(),
                       [this](NodeId id) { return arrays_[id]; }) ||
           std::any_of(value.objects.begin(), value.objects.end(),
                       [this](NodeId id) { return objects_[id]; });
  }
  bool CheckArray(const ArrayNode& array) const {
    if (array.min_items > array.max_items) return false;
    for (size_t i = 0; i < array.prefix.size() && i < array.min_items; ++i) {
      if (!Value(array.prefix[i])) return false;
    }
    return array.min_items <= array.prefix.size() || Value(array.rest);
  }
  bool CheckObject(const ObjectNode& object) const {
    uint64_t possible = 0;
    uint64_t required = 0;
    for (const ObjectNode::Property& property : object.properties) {
      bool alive = Value(property.value);
      if (property.required && !alive) return false;
      possible += alive;
      required += property.required;
    }
    if (required > object.max_properties) return false;
    return possible >= object.min_properties ||
           std::any_of(object.other_values.begin(), object.other_values.end(),
                       [this](ValueId id) { return Value(id); });
  }

  const Grammar& grammar_;
  std::vector<bool> values_;
  std::vector<bool> arrays_;
  std::vector<bool> objects_;
};

// Drops choices without a value. A slot whose last choice goes has no value at all; see Liveness.
void PruneChoices(const Liveness& alive, std::vector<std::vector<Choice>>* choices) {
  for (std::vector<Choice>& list : *choices) {
    std::erase_if(list, [&](const Choice& choice) { return !alive.Value(choice.value); });
  }
}

void PruneArray(const Liveness& alive, ArrayNode* array) {
  auto dead = std::find_if(array->prefix.begin(), array->prefix.end(),
                           [&](ValueId id) { return !alive.Value(id); });
  if (dead != array->prefix.end()) {
    array->prefix.erase(dead, array->prefix.end());
    array->rest = kNeverValue;
  }
  if (array->max_items < array->prefix.size()) array->prefix.resize(array->max_items);
  if (!alive.Value(array->rest) || array->max_items == array->prefix.size()) {
    array->rest = kNeverValue;
    if (array->max_items >= array->prefix.size()) array->max_items = kNoMaximum;
    if (!array->choices.empty()) array->choices.back().clear();
  }
  if (array->choices.empty()) return;
  // The last list belongs to the further items.
  array->choices.erase(array->choices.begin() + static_cast<ptrdiff_t>(array->prefix.size()),
                       array->choices.end() - 1);
  PruneChoices(alive, &array->choices);
  if (array->rest == kNeverValue) array->choices.back().clear();
}

Status PruneOtherKeys(const Liveness& alive, ObjectNode* object) {
  std::vector<ValueId>& values = object->other_values;
  if (std::all_of(values.begin(), values.end(), [&](ValueId id) { return alive.Value(id); })) {
    return Status::Ok();
  }
  std::vector<uint32_t> label_of(values.size() + 1, TextAutomaton::kNotAccepting);
  std::vector<ValueId> kept;
  std::vector<std::vector<Choice>> kept_choices;
  const size_t names = object->properties.size();
  for (size_t i = 0; i < values.size(); ++i) {
    if (!alive.Value(values[i])) continue;
    kept.push_back(values[i]);
    if (!object->choices.empty()) kept_choices.push_back(std::move(object->choices[names + i]));
    label_of[i + 1] = static_cast<uint32_t>(kept.size());
  }
  values = std::move(kept);
  if (!object->choices.empty()) {
    object->choices.resize(names);
    object->choices.insert(object->choices.end(), kept_choices.begin(), kept_choices.end());
  }
  if (object->other_keys == nullptr) return Status::Ok();
  if (values.empty()) {
    object->other_keys = nullptr;
    return Status::Ok();
  }
  Result<TextAutomaton> relabelled =
      Product({object->other_keys.get()},
              [&](const std::vector<uint32_t>& labels) { return label_of[labels[0]]; });
  if (!relabelled.ok()) return relabelled.status();
  object->other_keys = std::make_shared<const TextAutomaton>(std::move(*relabelled));
  return Status::Ok();
}

Status PruneObject(const Liveness& alive, ObjectNode* object) {
  if (Status status = PruneOtherKeys(alive, object); !status.ok()) return status;
  uint64_t possible = 0;
  PruneChoices(alive, &object->choices);
  for (size_t i = 0; i < object->properties.size(); ++i) {
    ObjectNode::Property& property = object->properties[i];
    if (alive.Value(property.value)) {
      ++possible;
      continue;
    }
    // A choice may be dead without being known to be: it is no more than what the value accepts.
    property.value = kNeverValue;
    if (!object->choices.empty()) object->choices[i].clear();
  }
  // Conditions name properties by their index, so these stay.
  if (!object->other_values.empty() || !object->conditions.empty()) return Status::Ok();
  std::erase_if(object->properties,
                [](const ObjectNode::Property& p) { return p.value == kNeverValue; });
  if (possible <= object->max_properties) object->max_properties = kNoMaximum;
  return Status::Ok();
}

// Notes those of `emptied` that are values of a place in the schema. Those of choices are not: they
// are conjunctions of the algebra's own making.
void NoteEmptied(const Grammar& grammar, ValueId root, const std::vector<ValueId>& emptied,
                 std::vector<SchemaNote>* notes) {
  constexpr size_t kMaxNotes = 1000;
  const std::vector<bool> is_place = ValuesOfPlaces(grammar, root);
  // One schema has several values where it is joined with different others.
  std::unordered_set<std::string_view> satisfied;
  for (const ValueNode& value : grammar.values) {
    if (!value.arrays.empty() || !value.objects.empty()) satisfied.insert(value.origin);
  }
  for (const ValueId id : emptied) {
    if (!is_place[id] || notes->size() >= kMaxNotes) continue;
    if (id != root && satisfied.count(grammar.values[id].origin) != 0) continue;
    notes->push_back(
        {grammar.values[id].origin, "no finite array or object satisfies this schema"});
  }
}

}  // namespace

std::vector<bool> ValuesOfPlaces(const Grammar& grammar, ValueId root) {
  std::vector<bool> places(grammar.values.size());
  const auto mark = [&](ValueId id) {
    if (id != kNeverValue) places[id] = true;
  };
  mark(root);
  for (const ArrayNode& array : grammar.arrays) {
    std::for_each(array.prefix.begin(), array.prefix.end(), mark);
    mark(array.rest);
  }
  for (const ObjectNode& object : grammar.objects) {
    for (const ObjectNode::Property& property : object.properties) mark(property.value);
    std::for_each(object.other_values.begin(), object.other_values.end(), mark);
  }
  return places;
}

Result<ValueId> PruneNodes(Grammar* grammar, ValueId root, std::vector<SchemaNote>* notes) {
  Liveness alive(*grammar);
  std::vector<ValueId> emptied;
  for (ValueId id = 0; id < grammar->values.size(); ++id) {
    ValueNode& value = grammar->values[id];
    const bool had_arrays = !value.arrays.empty();
    const bool had_objects = !value.objects.empty();
    std::erase_if(value.arrays, [&](NodeId node) { return !alive.Array(node); });
    std::erase_if(value.objects, [&](NodeId node) { return !alive.Object(node); });
    if ((had_arrays && value.arrays.empty()) || (had_objects && value.objects.empty())) {
      emptied.push_back(id);
    }
  }
  if (!emptied.empty()) NoteEmptied(*grammar, root, emptied, notes);
  for (ArrayNode& array : grammar->arrays) PruneArray(alive, &array);
  for (size_t id = 0; id < grammar->objects.size(); ++id) {
    if (!alive.Object(static_cast<NodeId>(id))) continue;
    if (Status status = PruneObject(alive, &grammar->objects[id]); !status.ok()) return status;
  }
  return alive.Value(root) ? root : kNeverValue;
}

}  // namespace maskloom
