#include "compiler/liveness.h"

#include <algorithm>

namespace maskloom {

bool IsLiveString(const StringTable& table, uint32_t state, uint32_t count) {
  if (!table.bounded) return true;
  if (count > table.max) return false;
  const uint64_t owed = table.min > count ? table.min - count : 0;
  const uint64_t left = table.max == kNoLimit ? ~uint64_t{0} : table.max - count;
  return !table.lengths || table.lengths->AnyIn(state, owed, left);
}

bool AdvanceString(const StringTable& table, uint32_t code_point, Frame* frame) {
  if (table.automaton != nullptr) {
    frame->state = table.automaton->Step(frame->state, code_point);
    if (frame->state == TextAutomaton::kDead) return false;
  }
  return !table.bounded || CountCodePoint(table, frame);
}

bool CountCodePoint(const StringTable& table, Frame* frame) {
  // Without a maximum only the distance to the minimum matters.
  ++frame->count;
  if (table.max == kNoLimit) frame->count = std::min(frame->count, table.min);
  return IsLiveString(table, frame->state, frame->count);
}

bool MayEndString(const StringTable& table, uint32_t state, uint32_t count) {
  if (table.automaton != nullptr &&
      table.automaton->labels[state] == TextAutomaton::kNotAccepting) {
    return false;
  }
  return !table.bounded || count >= table.min;
}

bool IsLiveStringPartial(const Machine& machine, const StringTable& table, uint32_t state,
                         uint32_t count, Partial partial) {
  const uint32_t next_count = table.bounded ? count + 1 : count;
  const Spelling& spelling = machine.spelling(machine.string_coding());
  return AnyRangeOf(spelling, partial, [&](uint32_t first, uint32_t last) {
    if (table.automaton == nullptr) return IsLiveString(table, 0, next_count);
    return AnyEdgeIn(*table.automaton, state, first, last, [&](const TextAutomaton::Edge& edge) {
      return IsLiveString(table, edge.target, next_count);
    });
  });
}

bool IsLiveKey(const Machine& machine, const ObjectTable& table, const Frame& frame) {
  const ObjectRegisters registers(table, machine.declared_order(), frame);
  if (frame.partial == kBoundary) {
    if (frame.state != NameTrie::kDead) {
      const NameTrie::Node& node = table.names.node(frame.state);
      if (registers.MayAddNameIn(node.begin, node.end)) return true;
    }
    return registers.MayAddOther(frame.state2, frame.state, frame.key_text);
  }
  const Spelling& spelling = machine.spelling(machine.string_coding());
  return AnyRangeOf(spelling, frame.partial, [&](uint32_t first, uint32_t last) {
    if (frame.state != NameTrie::kDead) {
      for (const NameTrie::Edge& edge : table.names.edges(frame.state)) {
        if (edge.code_point < first) continue;
        if (edge.code_point > last) break;
        const NameTrie::Node& node = table.names.node(edge.target);
        if (registers.MayAddNameIn(node.begin, node.end)) return true;
      }
    }
    if (frame.state2 == TextAutomaton::kDead) return false;
    if (table.other_keys == nullptr) return registers.MayAddOther(0, NameTrie::kDead, nullptr);
    const OtherKeys others(table, registers);
    // Asked per code point only where finitely many keys are left: else a target's state decides.
    return AnyEdgeIn(
        *table.other_keys, frame.state2, first, last, [&](const TextAutomaton::Edge& edge) {
          if (others.AreEndless(edge.target)) return true;
          if (!others.AreFew(edge.target)) return false;
          const uint32_t begin = std::max(first, edge.first);
          const uint32_t end = std::min(last, edge.last);
          for (uint32_t c = begin; c <= end; ++c) {
            const uint32_t names =
                frame.state == NameTrie::kDead ? NameTrie::kDead : table.names.Step(frame.state, c);
            const KeyText text{frame.key_text, c, frame.key_text ? frame.key_text->length + 1 : 1};
            if (others.MayAdd(edge.target, names, &text)) return true;
          }
          return false;
        });
  });
}

bool IsLiveRulePartial(const Machine& machine, const TextAutomaton& automaton, uint32_t state,
                       Partial partial) {
  return AnyRangeOf(machine.spelling(TextCoding::kUtf8), partial,
                    [&](uint32_t first, uint32_t last) {
                      return AnyEdgeIn(automaton, state, first, last,
                                       [](const TextAutomaton::Edge&) { return true; });
                    });
}

}  // namespace maskloom
