// One sweep finds the values of which some type has no text; only then places and keys are looked
// for. Types, not alternatives: the normal form splits what is one alternative in the schema, and
// drops such parts without a loss.
#include "runtime/engine/vanished.h"

#include <set>
#include <string>
#include <utility>

#include "grammar/base/utf8.h"
#include "grammar/schema/node_passes.h"

namespace maskloom {
namespace {

// Are there such nodes, all of them without a text?
template <typename HasText>
bool AllVanished(const std::vector<NodeId>& nodes, HasText has_text) {
  return !nodes.empty() && std::none_of(nodes.begin(), nodes.end(), has_text);
}

// Returns the types of which a value has no text although its nodes allow them, as words.
std::vector<const char*> VanishedTypes(const Machine& machine, const ValueNode& value) {
  std::vector<const char*> types;
  const auto add = [&](const char* type, const std::vector<NodeId>& nodes, auto table_of) {
    const auto has_text = [&](NodeId id) { return (machine.*table_of)(id).cost != kNoText; };
    if (AllVanished(nodes, has_text)) types.push_back(type);
  };
  add("string", value.strings, &Machine::string);
  add("number", value.numbers, &Machine::number);
  add("array", value.arrays, &Machine::array);
  add("object", value.objects, &Machine::object);
  return types;
}

}  // namespace

void NoteVanished(const Machine& machine, std::vector<SchemaNote>* notes) {
  constexpr size_t kMaxNotes = 1000;
  const Grammar& grammar = machine.grammar();
  std::vector<std::pair<ValueId, std::vector<const char*>>> vanished;
  for (ValueId id = 0; id < grammar.values.size(); ++id) {
    auto types = VanishedTypes(machine, grammar.values[id]);
    if (!types.empty()) vanished.emplace_back(id, std::move(types));
  }
  if (vanished.empty()) return;
  std::set<std::pair<std::string, std::string>> known;
  const auto add = [&](const std::string& pointer, std::string text) {
    if (known.size() >= kMaxNotes || !known.emplace(pointer, text).second) return;
    notes->push_back({pointer, std::move(text)});
  };
  // Values of keys say so by the key.
  std::vector<bool> places = ValuesOfPlaces(grammar, grammar.exprs.payload(grammar.root));
  for (const ObjectNode& object : grammar.objects) {
    for (const ObjectNode::Property& property : object.properties) {
      if (property.value == kNeverValue || machine.HasValue(property.value)) continue;
      add(grammar.values[property.value].origin,
          "the key \"" + ToUtf8(property.name) + "\" never appears: nothing satisfies this schema");
      places[property.value] = false;
    }
  }
  for (const auto& [id, types] : vanished) {
    if (!places[id]) continue;
    for (const char* type : types) {
      add(grammar.values[id].origin, std::string("no ") + type + " satisfies this schema");
    }
  }
}

std::vector<bool> VanishedValues(const Machine& machine) {
  std::vector<bool> vanished(machine.grammar().values.size());
  for (ValueId id = 0; id < vanished.size(); ++id) vanished[id] = !machine.HasValue(id);
  return vanished;
}

}  // namespace maskloom
