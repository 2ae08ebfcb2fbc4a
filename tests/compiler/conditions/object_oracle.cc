#include "tests/compiler/conditions/object_oracle.h"

#include <algorithm>

namespace maskloom::conditions {
namespace {

// More undeclared keys than this are of no use to any object here.
constexpr size_t kMostOthers = 12;

// Splits at commas outside of quotes; `in_quotes`: does the text end inside some?
std::vector<std::string> Split(const std::string& text, bool* in_quotes) {
  std::vector<std::string> parts(1);
  *in_quotes = false;
  for (const char c : text) {
    if (c == '"') *in_quotes = !*in_quotes;
    if (c == ',' && !*in_quotes) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

std::string Narrow(const std::u32string& text) { return std::string(text.begin(), text.end()); }

}  // namespace

int ObjectOracle::SlotOf(const std::string& key) const {
  const ObjectNode& node = model_.node;
  for (size_t i = 0; i < node.properties.size(); ++i) {
    if (Narrow(node.properties[i].name) == key) return static_cast<int>(i);
  }
  if (node.other_values.empty()) return -1;
  uint32_t label = 1;
  if (node.other_keys) label = node.other_keys->Match(std::u32string(key.begin(), key.end()));
  return label == 0 ? -1 : static_cast<int>(node.properties.size() + label - 1);
}

std::vector<Choice> ObjectOracle::ChoicesOf(int slot) const {
  const ObjectNode& node = model_.node;
  if (!node.choices.empty() && !node.choices[slot].empty()) return node.choices[slot];
  const size_t names = node.properties.size();
  const size_t at = static_cast<size_t>(slot);
  return {{at < names ? node.properties[at].value : node.other_values[at - names], 0}};
}

bool ObjectOracle::Read(const std::string& key, const std::string& value, State* state) const {
  const auto scalar = std::find(kScalars.begin(), kScalars.end(), value);
  const int slot = SlotOf(key);
  if (scalar == kScalars.end() || slot < 0) return false;
  Known& known = state->known;
  const uint32_t names = static_cast<uint32_t>(model_.node.properties.size());
  if (slot < static_cast<int>(names)) {
    if (known.seen >> slot & 1) return false;
    if (model_.declared_order && static_cast<uint32_t>(slot) < known.last) return false;
    known.seen |= 1u << slot;
    known.last = static_cast<uint32_t>(slot) + 1;
  } else {
    if (std::find(known.others.begin(), known.others.end(), key) != known.others.end()) {
      return false;
    }
    known.others.push_back(key);
    known.last = names + 1;
  }
  std::set<Counts> next;
  for (const Counts& counts : state->counts) {
    for (const Choice& choice : ChoicesOf(slot)) {
      if (choice.value == kNeverValue ||
          (model_.values[choice.value] >> (scalar - kScalars.begin()) & 1) == 0) {
        continue;
      }
      Counts raised = counts;
      for (size_t c = 0; c < raised.size(); ++c) raised[c] += choice.counts >> c & 1;
      next.insert(raised);
    }
  }
  state->counts = std::move(next);
  return !state->counts.empty();
}

bool ObjectOracle::ReadMembers(const std::vector<std::string>& members, State* state) const {
  for (const std::string& member : members) {
    const size_t quote = member.find('"', 1);
    const size_t colon = quote == std::string::npos ? quote : member.find(':', quote);
    if (colon == std::string::npos || colon < 2 || member[0] != '"' || member[colon - 1] != '"') {
      return false;
    }
    const std::string key = member.substr(1, colon - 2);
    if (key.find('"') != std::string::npos) return false;
    if (!Read(key, member.substr(colon + 1), state)) return false;
  }
  return true;
}

bool ObjectOracle::Evaluate(const Known& known, const Counts& counts) const {
  const std::vector<Condition>& conditions = model_.node.conditions;
  if (conditions.empty()) return true;
  uint64_t size = known.others.size();
  for (uint32_t seen = known.seen; seen != 0; seen &= seen - 1) ++size;
  std::vector<bool> holds;
  for (const Condition& condition : conditions) {
    bool value = condition.kind == Condition::Kind::kAll;
    switch (condition.kind) {
      case Condition::Kind::kAll:
        for (uint32_t part : condition.parts) value = value && holds[part];
        break;
      case Condition::Kind::kAny:
        for (uint32_t part : condition.parts) value = value || holds[part];
        break;
      case Condition::Kind::kAtLeast:
        value = counts[condition.index] >= condition.number;
        break;
      case Condition::Kind::kAtMost:
        value = counts[condition.index] <= condition.number;
        break;
      case Condition::Kind::kPresent:
        value = known.seen >> condition.index & 1;
        break;
      case Condition::Kind::kAbsent:
        value = (known.seen >> condition.index & 1) == 0;
        break;
      case Condition::Kind::kMinSize:
        value = size >= condition.number;
        break;
      case Condition::Kind::kMaxSize:
        value = size <= condition.number;
        break;
    }
    holds.push_back(value);
  }
  return holds.back();
}

bool ObjectOracle::MayClose(const Known& known, const Counts& counts) const {
  uint64_t size = known.others.size();
  for (size_t i = 0; i < model_.node.properties.size(); ++i) {
    const bool seen = known.seen >> i & 1;
    size += seen;
    if (model_.node.properties[i].required && !seen) return false;
  }
  return size >= model_.node.min_properties && size <= model_.node.max_properties &&
         Evaluate(known, counts);
}

bool ObjectOracle::Search(const Known& known, const Counts& counts) {
  if (MayClose(known, counts)) return true;
  if (known.others.size() >= kMostOthers) return false;
  std::vector<uint64_t> key{known.seen, model_.declared_order ? known.last : 0};
  std::map<int, uint64_t> classes;
  for (const std::string& other : known.others) ++classes[SlotOf(other)];
  for (const auto& [slot, count] : classes) {
    key.push_back(static_cast<uint64_t>(slot));
    key.push_back(count);
  }
  key.push_back(~uint64_t{0});
  for (const uint64_t count : counts) key.push_back(std::min<uint64_t>(count, 4));
  const auto it = known_.find(key);
  if (it != known_.end()) return it->second;
  std::vector<std::string> keys;
  for (const auto& property : model_.node.properties) keys.push_back(Narrow(property.name));
  std::set<int> tried;  // one fresh key of a class is as good as another
  for (const std::string& other : model_.other_keys) {
    if (std::find(known.others.begin(), known.others.end(), other) != known.others.end()) continue;
    const int slot = SlotOf(other);
    if (slot >= static_cast<int>(model_.node.properties.size()) && tried.insert(slot).second) {
      keys.push_back(other);
    }
  }
  bool found = false;
  for (size_t k = 0; k < keys.size() && !found; ++k) {
    for (const Choice& choice : ChoicesOf(SlotOf(keys[k]))) {
      if (!HasValue(choice.value)) continue;
      State next{known, {Counts(counts.size())}};
      size_t scalar = 0;
      while ((model_.values[choice.value] >> scalar & 1) == 0) ++scalar;
      if (!Read(keys[k], kScalars[scalar], &next)) break;
      Counts raised = counts;
      for (size_t c = 0; c < raised.size(); ++c) raised[c] += choice.counts >> c & 1;
      if (Search(next.known, raised)) {
        found = true;
        break;
      }
    }
  }
  return known_[key] = found;
}

bool ObjectOracle::MayFinish(const State& state) {
  return std::any_of(state.counts.begin(), state.counts.end(),
                     [&](const Counts& counts) { return Search(state.known, counts); });
}

bool ObjectOracle::Accepts(const std::string& text) {
  if (text.size() < 2 || text[0] != '{' || text.back() != '}') return false;
  bool in_quotes = false;
  std::vector<std::string> members = Split(text.substr(1, text.size() - 2), &in_quotes);
  if (in_quotes) return false;
  if (members.size() == 1 && members[0].empty()) members.clear();
  State state{{}, {Counts(model_.node.counters.size())}};
  if (!ReadMembers(members, &state)) return false;
  return std::any_of(state.counts.begin(), state.counts.end(),
                     [&](const Counts& counts) { return MayClose(state.known, counts); });
}

bool ObjectOracle::IsLive(const std::string& prefix) {
  State start{{}, {Counts(model_.node.counters.size())}};
  if (prefix.empty()) return MayFinish(start);
  if (prefix[0] != '{') return false;
  bool in_quotes = false;
  std::vector<std::string> members = Split(prefix.substr(1), &in_quotes);
  if (prefix.back() == '}' && !in_quotes) return Accepts(prefix);
  const std::string tail = members.back();
  members.pop_back();
  State state = start;
  if (!ReadMembers(members, &state)) return false;
  if (tail.empty() && members.empty()) return MayFinish(state);
  // Some whole member begins with the tail.
  std::vector<std::string> keys = model_.other_keys;
  for (const auto& property : model_.node.properties) keys.push_back(Narrow(property.name));
  if (tail.size() > 1 && tail[0] == '"') {
    // Undeclared keys go on as they like.
    const std::string begun = tail.substr(1, tail.find('"', 1) - 1);
    keys.push_back(begun);
    for (const char a : {'a', 'b', 'c', 'd', 'x'}) {
      keys.push_back(begun + a);
      for (const char b : {'a', 'b', 'x'}) keys.push_back(begun + a + b);
    }
  }
  for (const std::string& key : keys) {
    for (const std::string& value : kScalars) {
      const std::string member = "\"" + key + "\":" + value;
      if (!member.starts_with(tail)) continue;
      State next = state;
      if (Read(key, value, &next) && MayFinish(next)) return true;
    }
  }
  return false;
}

}  // namespace maskloom::conditions
