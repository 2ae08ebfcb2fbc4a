#include "compiler/value_collector.h"

#include <algorithm>
#include <map>
#include <string>

#include "compiler/distinct_items.h"
#include "compiler/liveness.h"

namespace maskloom {

bool ValueCollector::Add(ValueKey key) {
  if (excluded_ && key == *excluded_) return true;
  found_.insert(std::move(key));
  many_ |= found_.size() > limit_;
  return !many_;
}

ValueList ValueCollector::Take() {
  ValueList list;
  list.many = many_;
  if (!many_) list.keys.assign(found_.begin(), found_.end());
  std::sort(list.keys.begin(), list.keys.end());
  return list;
}

ValueList ValueCollector::ValuesOf(ValueId id) {
  const ValueTable& table = machine_.value(id);
  for (uint32_t i = 0; i < 3; ++i) {
    if (table.allows_literal[i]) Add(LiteralKey(i));
  }
  for (const NodeId node : table.strings) {
    if (machine_.string(node).cost == kNoText || many_) continue;
    Frame frame;
    frame.kind = FrameKind::kString;
    frame.node = node;
    CollectStrings(frame, {});
  }
  for (const NodeId node : table.numbers) {
    const NumberTable& number = machine_.number(node);
    if (number.cost != kNoText && !many_) CollectNumbers(node, number.automaton->start(), "");
  }
  for (const NodeId node : table.arrays) {
    if (machine_.array(node).cost == kNoText || many_) continue;
    Frame frame;
    frame.kind = FrameKind::kArray;
    frame.node = node;
    CollectArrays(frame, {});
  }
  for (const NodeId node : table.objects) {
    if (machine_.object(node).cost == kNoText || many_) continue;
    Frame frame;
    frame.kind = FrameKind::kObject;
    frame.node = node;
    CollectObjects(frame, {});
  }
  return Take();
}

ValueList ValueCollector::ValuesFrom(const Frame& frame, std::u32string_view text,
                                     std::string_view number, const OpenContainer* container) {
  switch (frame.kind) {
    case FrameKind::kLiteral:
      Add(LiteralKey(frame.node));
      break;
    case FrameKind::kString:
      CollectStrings(frame, text);
      break;
    case FrameKind::kNumber:
      CollectNumbers(frame.node, frame.state, number);
      break;
    case FrameKind::kArray:
      CollectArrays(frame, container->items);
      break;
    case FrameKind::kObject:
      if (frame.phase == Phase::kKey) {
        FinishKeys(frame, std::u32string(text), *container);
      } else {
        CollectObjects(frame, *container);
      }
      break;
    default:
      break;
  }
  return Take();
}

void ValueCollector::CollectStrings(const Frame& frame, std::u32string_view text) {
  const StringTable& table = machine_.string(frame.node);
  if (space_.FewestTexts(frame) > limit_) {
    many_ = true;
    return;
  }
  const CodePointSet& spelled = machine_.spelling(TextCoding::kJsonString).code_points();
  // Texts as a tree: each node one character behind its parent. Every node can still become a
  // text, and nodes of one level become different ones.
  struct Node {
    size_t parent;
    uint32_t code_point;
    Frame frame;
  };
  constexpr size_t kRoot = ~size_t{0};
  std::vector<Node> nodes;
  size_t level_begin = 0;
  const auto add = [&](size_t parent, const Frame& from, uint32_t code_point) {
    Frame next = from;
    next.partial = kBoundary;
    if (!AdvanceString(table, code_point, &next)) return false;
    nodes.push_back({parent, code_point, next});
    return true;
  };
  // Characters of one edge lead to one state: where the first leads nowhere, so do all.
  const auto add_range = [&](size_t parent, const Frame& from, uint32_t first, uint32_t last) {
    for (uint32_t c = first; c <= last && !many_; ++c) {
      if (!add(parent, from, c)) return;
      many_ = nodes.size() - level_begin > limit_;
    }
  };
  const auto expand = [&](size_t parent, const Frame& from) {
    if (table.automaton == nullptr) {
      for (const CodePointRange& range : spelled.ranges()) {
        if (many_) return;
        add_range(parent, from, range.first, range.last);
      }
      return;
    }
    for (const TextAutomaton::Edge& edge : table.spelled->EdgesOf(from.state)) {
      if (many_) return;
      add_range(parent, from, edge.first, edge.last);
    }
  };
  const auto accept = [&](size_t node, const Frame& at) {
    if (table.automaton != nullptr &&
        table.automaton->labels[at.state] == TextAutomaton::kNotAccepting) {
      return;
    }
    if (table.bounded && at.count < table.min) return;
    std::u32string whole;
    for (; node != kRoot; node = nodes[node].parent) {
      whole.push_back(static_cast<char32_t>(nodes[node].code_point));
    }
    std::reverse(whole.begin(), whole.end());
    Add(StringKey(std::u32string(text) + whole));
  };
  if (frame.partial != kBoundary) {
    AnyRangeOf(machine_.spelling(TextCoding::kJsonString), frame.partial,
               [&](uint32_t first, uint32_t last) {
                 if (table.automaton == nullptr) {
                   add_range(kRoot, frame, first, last);
                   return many_;
                 }
                 AnyEdgeIn(*table.automaton, frame.state, first, last,
                           [&](const TextAutomaton::Edge& edge) {
                             add_range(kRoot, frame, std::max(first, edge.first),
                                       std::min(last, edge.last));
                             return many_;
                           });
                 return many_;
               });
  } else {
    accept(kRoot, frame);
    expand(kRoot, frame);
  }
  while (!many_ && level_begin < nodes.size()) {
    const size_t level_end = nodes.size();
    const size_t begin = level_begin;
    level_begin = level_end;
    for (size_t i = begin; i < level_end && !many_; ++i) {
      const Frame at = nodes[i].frame;
      accept(i, at);
      expand(i, at);
    }
  }
}

bool HasManyNumbers(const Machine& machine, NodeId id, uint32_t state, std::string_view text,
                    uint64_t limit) {
  const NumberAutomaton& automaton = *machine.number(id).automaton;
  // Digits that can follow, other than 0, each make another value, unless they stand in an
  // exponent of zero.
  const size_t exponent = text.find_first_of("eE");
  if (exponent != std::string_view::npos &&
      text.substr(0, exponent).find_first_of("123456789") == std::string_view::npos) {
    return false;
  }
  constexpr int kMostDigitsTried = 24;
  uint64_t values = automaton.accepting(state);
  uint32_t next = state;
  for (int tried = 0; tried < kMostDigitsTried && values <= limit; ++tried) {
    uint32_t found = NumberAutomaton::kDead;
    for (uint8_t digit = '9'; digit >= '1' && found == NumberAutomaton::kDead; --digit) {
      found = automaton.Step(next, digit);
    }
    if (found == NumberAutomaton::kDead) break;
    next = found;
    values += automaton.accepting(next);
  }
  return values > limit;
}

ValueList NumberValues(const Machine& machine, NodeId id, uint32_t state, std::string_view text,
                       uint64_t limit) {
  if (HasManyNumbers(machine, id, state, text, limit)) return {true, {}};
  const NumberAutomaton& automaton = *machine.number(id).automaton;
  const std::optional<std::vector<Decimal>> values = automaton.ValuesFrom(text, limit);
  if (!values) return {true, {}};
  ValueList list;
  for (const Decimal& value : *values) list.keys.push_back(NumberKey(value));
  return list;
}

std::vector<ValueKey> FirstNumbers(const Machine& machine, NodeId id, std::string_view text,
                                   uint64_t count) {
  std::vector<ValueKey> keys;
  for (const Decimal& value : machine.number(id).automaton->SomeValuesFrom(text, count)) {
    keys.push_back(NumberKey(value));
  }
  return keys;
}

void ValueCollector::CollectNumbers(NodeId id, uint32_t state, std::string_view text) {
  ValueList list = NumberValues(machine_, id, state, text, limit_);
  many_ |= list.many;
  for (ValueKey& key : list.keys) {
    if (!Add(std::move(key))) return;
  }
}

void ValueCollector::CollectArrays(const Frame& frame, const std::vector<ValueKey>& items) {
  const ArrayTable& table = machine_.array(frame.node);
  const bool indented = machine_.style().whitespace == StylePolicy::Whitespace::kIndent;
  const bool must_add =
      frame.phase == Phase::kComma || (frame.phase == Phase::kOpen && frame.space != 0 && indented);
  const bool must_close = frame.phase == Phase::kAfterValue && frame.space != 0 && indented;
  struct State {
    uint32_t count;
    uint64_t marks;
    bool repeated;
    bool operator==(const State&) const = default;
  };
  // What the items so far may be read as.
  using Level = std::map<std::vector<ValueKey>, std::vector<State>>;
  Level level;
  level[items] = {{frame.count, frame.marks, IsRepeatedFrame(frame)}};
  const bool distinct = table.distinctness == ArrayNode::Distinctness::kDistinct;
  for (bool first = true; !level.empty() && !many_; first = false) {
    Level next;
    for (const auto& [read, states] : level) {
      if (!(first && must_add)) {
        const bool closes = std::any_of(states.begin(), states.end(), [&](const State& s) {
          return MayCloseArray(table, s.count, s.marks, s.repeated);
        });
        if (closes && !Add(ArrayKey(read))) return;
      }
      if (first && must_close) continue;
      std::vector<std::string_view> seen(read.begin(), read.end());
      for (const State& state : states) {
        if (state.count >= table.max) continue;
        for (const Choice& choice : ItemChoices(table, state.count)) {
          if (choice.value == kNeverValue || !machine_.HasValue(choice.value)) continue;
          State behind{std::min(state.count + 1, table.saturation),
                       table.marks.Add(state.marks, choice.counts), state.repeated};
          // Beyond what was read and is owed, one more value is as good as another.
          // Where two must be equal all values matter.
          const uint64_t limit = distinct || table.distinctness == ArrayNode::Distinctness::kAny
                                     ? limit_ + read.size() + ItemsOwed(table, state.count)
                                     : std::max(limit_, ValueSpace::kListed);
          ValueList scratch;
          const ValueList& values = space_.ValuesOf(choice.value, limit, &scratch);
          if (values.many) {
            if (CanFinishArray(machine_, table, behind.count, behind.marks, seen,
                               behind.repeated)) {
              many_ = true;
              return;
            }
            continue;
          }
          for (const ValueKey& value : values.keys) {
            const bool known = table.distinctness != ArrayNode::Distinctness::kAny &&
                               std::find(seen.begin(), seen.end(), value) != seen.end();
            if (known && distinct) continue;
            State after = behind;
            after.repeated = state.repeated || known;
            seen.push_back(value);
            const bool live =
                CanFinishArray(machine_, table, after.count, after.marks, seen, after.repeated);
            seen.pop_back();
            if (!live) continue;
            std::vector<ValueKey> longer = read;
            longer.push_back(value);
            std::vector<State>& readings = next[std::move(longer)];
            if (std::find(readings.begin(), readings.end(), after) == readings.end()) {
              readings.push_back(after);
            }
            if (next.size() > limit_) {
              many_ = true;
              return;
            }
          }
        }
      }
    }
    level = std::move(next);
  }
}

}  // namespace maskloom
