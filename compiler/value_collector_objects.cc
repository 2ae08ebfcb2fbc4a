// Objects; see value_collector.h.
//
// Members may come in any order and mean the same, so only one order is followed: declared names as
// declared, then undeclared keys in code point order.
#include <algorithm>
#include <span>

#include "compiler/liveness.h"
#include "compiler/object_registers.h"
#include "compiler/spelled_automaton.h"
#include "compiler/value_collector.h"
#include "grammar/regular/regular.h"

namespace maskloom {
namespace {

bool TestBit(std::span<const uint64_t> words, uint32_t index) {
  return words[index / 64] >> (index % 64) & 1;
}

}  // namespace

template <typename Then>
void ValueCollector::ForValues(const Frame& frame, Then then) {
  const ObjectTable& table = machine_.object(frame.node);
  const ObjectRegisters registers(table, machine_.declared_order(), frame);
  Frame behind = frame;
  behind.phase = Phase::kAfterValue;
  behind.state = 0;
  behind.space = 0;
  const auto each = [&](ValueId value) {
    ValueList scratch;
    const ValueList& values = space_.ValuesOf(value, limit_, &scratch);
    if (values.many) {
      many_ = true;
      return;
    }
    for (const ValueKey& key : values.keys) {
      if (!many_) then(behind, key);
    }
  };
  if (!table.has_choices) return each(frame.state);
  for (const MemberChoice& choice : table.choices[frame.state]) {
    behind.marks = table.marks.Add(frame.marks, choice.counts);
    if (!many_ && registers.MayFinish(behind.marks)) each(choice.value);
  }
}

Frame ValueCollector::BehindOtherKey(const Frame& frame, const std::u32string& key) {
  const ObjectTable& table = machine_.object(frame.node);
  const KeyText* text = nullptr;
  for (size_t i = 0; i < key.size(); ++i) {
    text = arena_.New<KeyText>(text, uint32_t{key[i]}, static_cast<uint32_t>(i + 1));
  }
  const ObjectRegisters registers(table, machine_.declared_order(), frame);
  Frame next = frame;
  registers.AddOther(text, &arena_, &next);
  next.phase = Phase::kColon;
  next.state2 = 0;
  next.key_text = nullptr;
  const uint32_t label = table.other_keys == nullptr ? 1 : table.other_keys->Match(key);
  next.state = table.has_choices ? table.names.size() + label - 1 : table.other_values[label - 1];
  return next;
}

bool ValueCollector::OtherKeys(const Frame& frame, uint32_t state, const std::u32string& text,
                               std::vector<std::u32string>* keys) const {
  const ObjectTable& table = machine_.object(frame.node);
  const ObjectRegisters registers(table, machine_.declared_order(), frame);
  if (table.spelled_other_keys == nullptr) return false;
  TextAutomaton usable = *table.spelled_other_keys;
  for (uint32_t& label : usable.labels) {
    if (label != TextAutomaton::kNotAccepting && !registers.MayAddClass(label - 1)) {
      label = TextAutomaton::kNotAccepting;
    }
  }
  const std::vector<uint32_t> distances = DistancesToAccept(usable);
  // Of the keys below a text some are declared or were seen: beyond these there must be few.
  uint64_t most = limit_ + table.names.size();
  std::vector<std::u32string> seen;
  for (const SeenKey* key = frame.seen_keys; key != nullptr; key = key->previous) {
    std::u32string whole;
    for (const KeyText* t = key->text; t != nullptr; t = t->previous) {
      whole.push_back(static_cast<char32_t>(t->code_point));
    }
    std::reverse(whole.begin(), whole.end());
    seen.push_back(std::move(whole));
  }
  most += seen.size();
  struct Node {
    uint32_t state;
    std::u32string text;
  };
  std::vector<Node> level;
  if (distances[state] != kUnreachable) level.push_back({state, text});
  while (!level.empty()) {
    std::vector<Node> next;
    for (const Node& node : level) {
      if (usable.labels[node.state] != TextAutomaton::kNotAccepting) {
        const bool taken = table.names.Contains(node.text) ||
                           std::find(seen.begin(), seen.end(), node.text) != seen.end();
        if (!taken) keys->push_back(node.text);
      }
      for (const TextAutomaton::Edge& edge : usable.EdgesOf(node.state)) {
        if (distances[edge.target] == kUnreachable) continue;
        for (uint32_t c = edge.first; c <= edge.last; ++c) {
          next.push_back({edge.target, node.text + static_cast<char32_t>(c)});
          if (next.size() + keys->size() > most) return false;
        }
      }
    }
    level = std::move(next);
  }
  std::sort(keys->begin(), keys->end());
  return true;
}

void ValueCollector::CollectObjects(const Frame& frame, const OpenContainer& container) {
  const bool indented = machine_.style().whitespace == StylePolicy::Whitespace::kIndent;
  std::vector<MemberKey> members = container.members;
  switch (frame.phase) {
    case Phase::kColon:
    case Phase::kBeforeValue:
      return ForValues(frame, [&](const Frame& behind, const ValueKey& value) {
        members.push_back({container.pending, value});
        AddMembers(behind, 0, &members);
        members.pop_back();
      });
    case Phase::kAfterValue:
      if (indented && frame.space != 0) {
        Add(ObjectKey(std::move(members)));
        return;
      }
      break;
    default:
      break;
  }
  // Where a member must follow, what is there already is no value.
  if (frame.phase == Phase::kComma || (frame.phase == Phase::kOpen && indented && frame.space)) {
    excluded_ = ObjectKey(members);
  }
  AddMembers(frame, 0, &members);
  excluded_.reset();
}

void ValueCollector::AddMembers(const Frame& frame, uint32_t next,
                                std::vector<MemberKey>* members) {
  const ObjectTable& table = machine_.object(frame.node);
  const ObjectRegisters registers(table, machine_.declared_order(), frame);
  const uint32_t names = table.names.size();
  if (registers.MayClose() && !Add(ObjectKey(*members))) return;
  if (table.counted && frame.count < table.min) {
    uint64_t reachable = frame.count;
    for (uint32_t i = next; i < names; ++i) reachable += registers.MayAddName(table.by_order[i]);
    if (table.has_others) reachable += table.other_total;
    if (reachable < table.min) return;
  }
  for (uint32_t position = next; position < names; ++position) {
    const uint32_t name = table.by_order[position];
    if (many_ || !registers.MayAddName(name)) continue;
    Frame named = frame;
    registers.AddName(name, &arena_, &named);
    named.state = table.has_choices ? name : table.values[name];
    ForValues(named, [&](const Frame& behind, const ValueKey& value) {
      members->push_back({StringKey(table.names.name(name)), value});
      AddMembers(behind, position + 1, members);
      members->pop_back();
    });
    if (TestBit(table.required, name)) return;  // it cannot be left out
  }
  if (many_ || !registers.MayAddOther(0, 0, nullptr)) return;
  std::vector<std::u32string> keys;
  if (registers.MayAddEndless(0) || !OtherKeys(frame, 0, U"", &keys)) {
    many_ = true;
    return;
  }
  AddOtherMembers(frame, keys, 0, members);
}

void ValueCollector::AddOtherMembers(const Frame& frame, const std::vector<std::u32string>& keys,
                                     size_t next, std::vector<MemberKey>* members) {
  const ObjectTable& table = machine_.object(frame.node);
  const ObjectRegisters registers(table, machine_.declared_order(), frame);
  for (size_t i = next; i < keys.size() && !many_; ++i) {
    if (!registers.MayAddOther(0, 0, nullptr)) return;
    const uint32_t label = table.other_keys == nullptr ? 1 : table.other_keys->Match(keys[i]);
    if (!registers.MayAddClass(label - 1)) continue;
    ForValues(BehindOtherKey(frame, keys[i]), [&](const Frame& behind, const ValueKey& value) {
      members->push_back({StringKey(keys[i]), value});
      if (ObjectRegisters(table, machine_.declared_order(), behind).MayClose()) {
        Add(ObjectKey(*members));
      }
      AddOtherMembers(behind, keys, i + 1, members);
      members->pop_back();
    });
  }
}

void ValueCollector::FinishKeys(const Frame& frame, const std::u32string& text,
                                const OpenContainer& container) {
  const ObjectTable& table = machine_.object(frame.node);
  if (frame.partial != kBoundary) {
    uint64_t live = 0;
    AnyRangeOf(machine_.spelling(machine_.string_coding()), frame.partial,
               [&](uint32_t first, uint32_t last) {
                 for (uint32_t c = first; c <= last && !many_; ++c) {
                   Frame next = frame;
                   next.partial = kBoundary;
                   if (next.state != NameTrie::kDead) {
                     next.state = table.names.Step(next.state, c);
                   }
                   if (next.state2 != TextAutomaton::kDead) {
                     if (table.other_keys != nullptr) {
                       next.state2 = table.other_keys->Step(next.state2, c);
                     }
                     const uint32_t length =
                         frame.key_text == nullptr ? 1 : frame.key_text->length + 1;
                     next.key_text = next.state2 == TextAutomaton::kDead
                                         ? nullptr
                                         : arena_.New<KeyText>(frame.key_text, c, length);
                   }
                   if (!IsLiveKey(machine_, table, next)) continue;
                   many_ |= ++live > limit_;
                   if (!many_) FinishKeys(next, text + static_cast<char32_t>(c), container);
                 }
                 return many_;
               });
    return;
  }
  const ObjectRegisters registers(table, machine_.declared_order(), frame);
  std::vector<MemberKey> members = container.members;
  const auto finish = [&](const Frame& ended, const ValueKey& key) {
    ForValues(ended, [&](const Frame& behind, const ValueKey& value) {
      members.push_back({key, value});
      AddMembers(behind, 0, &members);
      members.pop_back();
    });
  };
  if (frame.state != NameTrie::kDead) {
    const NameTrie::Node& node = table.names.node(frame.state);
    for (uint32_t i = node.begin; i < node.end && !many_; ++i) {
      if (!registers.MayAddName(i)) continue;
      Frame named = frame;
      registers.AddName(i, &arena_, &named);
      named.phase = Phase::kColon;
      named.state2 = 0;
      named.key_text = nullptr;
      named.state = table.has_choices ? i : table.values[i];
      finish(named, StringKey(table.names.name(i)));
    }
  }
  if (many_ || !registers.MayAddOther(frame.state2, frame.state, frame.key_text)) return;
  std::vector<std::u32string> keys;
  if (registers.MayAddEndless(frame.state2) || !OtherKeys(frame, frame.state2, text, &keys)) {
    many_ = true;
    return;
  }
  for (const std::u32string& key : keys) {
    if (many_) return;
    finish(BehindOtherKey(frame, key), StringKey(key));
  }
}

}  // namespace maskloom
