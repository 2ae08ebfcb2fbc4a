// Hash-consing of finished nodes, and their final numbers.
#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "grammar/base/budget.h"
#include "grammar/schema/node_passes.h"

namespace maskloom {
namespace {

constexpr int kMaxRounds = 32;  // a round merges one more level of parents

template <typename T>
void Put(T value, std::string* key) {
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  key->append(bytes, sizeof(T));
}

using Ids = std::vector<uint32_t>;

uint32_t Mapped(const Ids& map, uint32_t id) { return id == kNeverValue ? id : map[id]; }

void MapAll(const Ids& map, Ids* ids) {
  for (uint32_t& id : *ids) id = Mapped(map, id);
}

// Maps a list of alternatives and drops what has become a repetition, keeping the order.
void MapAlternatives(const Ids& map, Ids* ids) {
  Ids kept;
  for (uint32_t id : *ids) {
    if (std::find(kept.begin(), kept.end(), map[id]) == kept.end()) kept.push_back(map[id]);
  }
  *ids = std::move(kept);
}

// Equal automata by one pointer.
class AutomatonInterner {
 public:
  void Intern(std::shared_ptr<const TextAutomaton>* automaton) {
    if (*automaton == nullptr) return;
    auto& bucket = buckets_[(*automaton)->edges.size() * 64 + (*automaton)->state_count()];
    for (const auto& known : bucket) {
      if (known == *automaton || *known == **automaton) {
        *automaton = known;
        return;
      }
    }
    bucket.push_back(*automaton);
  }

 private:
  std::unordered_map<size_t, std::vector<std::shared_ptr<const TextAutomaton>>> buckets_;
};

std::string KeyOf(const StringNode& node) {
  std::string key;
  Put(node.automaton.get(), &key);
  Put(node.min_length, &key);
  Put(node.max_length, &key);
  return key;
}

void PutParts(const std::vector<std::vector<Choice>>& choices, const std::vector<Counter>& counters,
              const std::vector<Condition>& conditions, std::string* key) {
  for (const std::vector<Choice>& list : choices) {
    Put(list.size(), key);
    for (const Choice& choice : list) {
      Put(choice.value, key);
      Put(choice.counts, key);
    }
  }
  Put(counters.size(), key);
  for (const Counter& counter : counters) {
    Put(counter.kind, key);
    Put(counter.limit, key);
  }
  for (const Condition& condition : conditions) {
    Put(condition.kind, key);
    Put(condition.index, key);
    Put(condition.number, key);
    Put(condition.parts.size(), key);
    for (const uint32_t part : condition.parts) Put(part, key);
  }
}

std::string KeyOf(const NumberNode& node) {
  std::string key(1, static_cast<char>(node.integer));
  key.push_back(static_cast<char>(node.spelling));
  for (const std::optional<NumberBound>* bound : {&node.lower, &node.upper}) {
    key.push_back(!*bound ? 'n' : (*bound)->exclusive ? 'x' : 'i');
    if (*bound) key += (*bound)->value.ToString();
  }
  const auto put = [&](char mark, const std::vector<Decimal>& values) {
    key.push_back(mark);
    for (const Decimal& value : values) key += value.ToString() + ',';
  };
  if (node.one_of) put('o', *node.one_of);
  put('e', node.none_of);
  put('m', node.multiples_of);
  put('r', node.no_multiples_of);
  return key;
}

std::string KeyOf(const ArrayNode& node) {
  std::string key;
  for (ValueId id : node.prefix) Put(id, &key);
  Put(node.rest, &key);
  Put(node.min_items, &key);
  Put(node.max_items, &key);
  Put(node.distinctness, &key);
  PutParts(node.choices, node.counters, node.conditions, &key);
  return key;
}

std::string KeyOf(const ObjectNode& node) {
  std::string key;
  for (const ObjectNode::Property& property : node.properties) {
    Put(property.name.size(), &key);
    key.append(reinterpret_cast<const char*>(property.name.data()),
               property.name.size() * sizeof(char32_t));
    Put(property.value, &key);
    Put(property.required, &key);
  }
  Put(node.other_keys.get(), &key);
  for (ValueId id : node.other_values) Put(id, &key);
  Put(node.min_properties, &key);
  Put(node.max_properties, &key);
  PutParts(node.choices, node.counters, node.conditions, &key);
  return key;
}

std::string KeyOf(const ValueNode& node) {
  std::string key(
      1, static_cast<char>(node.allows_null * 4 + node.allows_true * 2 + node.allows_false));
  for (const Ids* ids : {&node.strings, &node.numbers, &node.arrays, &node.objects}) {
    Put(ids->size(), &key);
    for (NodeId id : *ids) Put(id, &key);
  }
  return key;
}

// Maps each node to the first one with its key. Returns whether some node got another's id.
template <typename Node>
bool FindRepresentatives(const std::vector<Node>& nodes, Ids* map) {
  std::unordered_map<std::string, uint32_t> first;
  first.reserve(nodes.size());
  bool changed = false;
  map->resize(nodes.size());
  for (uint32_t id = 0; id < nodes.size(); ++id) {
    uint32_t representative = first.try_emplace(KeyOf(nodes[id]), id).first->second;
    changed |= representative != (*map)[id];
    (*map)[id] = representative;
  }
  return changed;
}

Ids Identity(size_t size) {
  Ids map(size);
  for (size_t i = 0; i < size; ++i) map[i] = static_cast<uint32_t>(i);
  return map;
}

}  // namespace

ValueId MergeNodes(Grammar* grammar, ValueId root) {
  AutomatonInterner automata;
  for (StringNode& node : grammar->strings) automata.Intern(&node.automaton);
  for (ObjectNode& node : grammar->objects) automata.Intern(&node.other_keys);
  Ids strings = Identity(grammar->strings.size());
  if (FindRepresentatives(grammar->strings, &strings)) {
    for (ValueNode& value : grammar->values) MapAlternatives(strings, &value.strings);
  }
  Ids numbers = Identity(grammar->numbers.size());
  if (FindRepresentatives(grammar->numbers, &numbers)) {
    for (ValueNode& value : grammar->values) MapAlternatives(numbers, &value.numbers);
  }
  const auto map_choices = [](const Ids& map, std::vector<std::vector<Choice>>* choices) {
    for (std::vector<Choice>& list : *choices) {
      for (Choice& choice : list) choice.value = Mapped(map, choice.value);
    }
  };
  Ids values = Identity(grammar->values.size());
  Ids arrays = Identity(grammar->arrays.size());
  Ids objects = Identity(grammar->objects.size());
  for (int round = 0; round < Budget(kMaxRounds); ++round) {
    if (!FindRepresentatives(grammar->values, &values) && round > 0) break;
    for (ArrayNode& array : grammar->arrays) {
      MapAll(values, &array.prefix);
      array.rest = Mapped(values, array.rest);
      map_choices(values, &array.choices);
    }
    for (ObjectNode& object : grammar->objects) {
      for (ObjectNode::Property& property : object.properties) {
        property.value = Mapped(values, property.value);
      }
      MapAll(values, &object.other_values);
      map_choices(values, &object.choices);
    }
    bool changed = FindRepresentatives(grammar->arrays, &arrays);
    changed |= FindRepresentatives(grammar->objects, &objects);
    if (!changed) break;
    for (ValueNode& value : grammar->values) {
      MapAlternatives(arrays, &value.arrays);
      MapAlternatives(objects, &value.objects);
    }
  }
  return values.empty() ? root : values[root];
}

namespace {

// Gives out new ids in the order of first use and remembers the old ones in that order.
class Numbering {
 public:
  explicit Numbering(size_t size) : new_id_(size, kNeverValue) {}
  void Visit(uint32_t* id) {
    if (*id == kNeverValue) return;
    if (new_id_[*id] == kNeverValue) {
      new_id_[*id] = static_cast<uint32_t>(order_.size());
      order_.push_back(*id);
    }
    *id = new_id_[*id];
  }
  const Ids& order() const { return order_; }

  template <typename Node>
  void Apply(std::vector<Node>* nodes) const {
    std::vector<Node> sorted;
    sorted.reserve(order_.size());
    for (uint32_t old : order_) sorted.push_back(std::move((*nodes)[old]));
    *nodes = std::move(sorted);
  }

 private:
  Ids new_id_;
  Ids order_;
};

}  // namespace

ValueId RenumberNodes(Grammar* grammar, ValueId root) {
  Numbering values(grammar->values.size());
  Numbering strings(grammar->strings.size());
  Numbering numbers(grammar->numbers.size());
  Numbering arrays(grammar->arrays.size());
  Numbering objects(grammar->objects.size());
  const auto visit_choices = [&](std::vector<std::vector<Choice>>* choices) {
    for (std::vector<Choice>& list : *choices) {
      for (Choice& choice : list) values.Visit(&choice.value);
    }
  };
  values.Visit(&root);
  size_t value = 0;
  size_t array = 0;
  size_t object = 0;
  while (value < values.order().size() || array < arrays.order().size() ||
         object < objects.order().size()) {
    for (; value < values.order().size(); ++value) {
      ValueNode& node = grammar->values[values.order()[value]];
      for (NodeId& id : node.strings) strings.Visit(&id);
      for (NodeId& id : node.numbers) numbers.Visit(&id);
      for (NodeId& id : node.arrays) arrays.Visit(&id);
      for (NodeId& id : node.objects) objects.Visit(&id);
    }
    for (; array < arrays.order().size(); ++array) {
      ArrayNode& node = grammar->arrays[arrays.order()[array]];
      for (ValueId& id : node.prefix) values.Visit(&id);
      values.Visit(&node.rest);
      visit_choices(&node.choices);
    }
    for (; object < objects.order().size(); ++object) {
      ObjectNode& node = grammar->objects[objects.order()[object]];
      for (ObjectNode::Property& property : node.properties) values.Visit(&property.value);
      for (ValueId& id : node.other_values) values.Visit(&id);
      visit_choices(&node.choices);
    }
  }
  values.Apply(&grammar->values);
  strings.Apply(&grammar->strings);
  numbers.Apply(&grammar->numbers);
  arrays.Apply(&grammar->arrays);
  objects.Apply(&grammar->objects);
  return root;
}

}  // namespace maskloom
