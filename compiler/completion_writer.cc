// Strings, values and rules; see completion_writer.h. Containers are in completion_containers.cc.
#include "compiler/completion_writer.h"

#include <algorithm>
#include <span>

#include "compiler/liveness.h"
#include "compiler/spelled_automaton.h"
#include "grammar/base/utf8.h"

namespace maskloom {

std::string CompletionWriter::Break(uint32_t depth) const {
  return Indented() ? "\n" + std::string(machine_.style().indent * depth, ' ') : "";
}

void CompletionWriter::FinishSpace(SpacePlace place, const Frame& frame) {
  // At most one byte is tried at a time, until something else may follow.
  uint16_t space = frame.space;
  while (!SpaceMayEnd(machine_.style(), place, frame.depth, space)) {
    for (const char c : {'\n', ' '}) {
      const uint16_t next =
          StepSpace(machine_.style(), place, frame.depth, space, static_cast<uint8_t>(c));
      if (next == kNoSpace) continue;
      out_ += c;
      space = next;
      break;
    }
  }
}

uint32_t CompletionWriter::PickSpelled(TextCoding coding, uint32_t first, uint32_t last) const {
  const Spelling& spelling = machine_.spelling(coding);
  // A letter reads best, then anything printable.
  for (const auto& [begin, end] : {std::pair{'a', 'z'}, {'A', 'Z'}, {'0', '9'}, {'!', '~'}}) {
    const uint32_t from = std::max<uint32_t>(first, begin);
    const uint32_t to = std::min<uint32_t>(last, end);
    for (uint32_t c = from; c <= to; ++c) {
      if (spelling.code_points().Contains(c) && machine_.Spells(static_cast<uint8_t>(c)) &&
          c != '"' && c != '\\') {
        return c;
      }
    }
  }
  const CodePointSet part = CodePointSet{{first, last}}.Intersect(spelling.code_points());
  return part.empty() ? kInvalidCodePoint : part.ranges()[0].first;
}

void CompletionWriter::WriteCodePoint(TextCoding coding, uint32_t code_point) {
  std::string raw;
  AppendUtf8(code_point, &raw);
  const bool json = coding != TextCoding::kUtf8;
  const bool raw_allowed = !json || (code_point >= 0x20 && code_point != '"' && code_point != '\\');
  const auto spelled = [&](const std::string& text) {
    return std::all_of(text.begin(), text.end(),
                       [&](char c) { return machine_.Spells(static_cast<uint8_t>(c)); });
  };
  if (raw_allowed && spelled(raw)) {
    out_ += raw;
    return;
  }
  // The escape whose code point is the wanted one, found by search over spellable bytes.
  out_ += '\\';
  FinishPartial(coding, StepCoding(coding, kBoundary, '\\').partial,
                [&](uint32_t c) { return c == code_point; });
}

uint32_t CompletionWriter::FinishPartial(TextCoding coding, Partial partial,
                                         const std::function<bool(uint32_t)>& accept) {
  struct Level {
    Partial partial;
    int next_byte = 0;
  };
  std::vector<Level> path{{partial}};
  const size_t begin = out_.size();
  while (!path.empty()) {
    Level& level = path.back();
    if (level.next_byte == 256) {
      path.pop_back();
      if (out_.size() > begin) out_.pop_back();
      continue;
    }
    const uint8_t byte = static_cast<uint8_t>(level.next_byte++);
    if (!machine_.Spells(byte)) continue;
    const CodingStep step = StepCoding(coding, level.partial, byte);
    if (step.outcome == CodingStep::Outcome::kCodePoint && accept(step.code_point)) {
      out_ += static_cast<char>(byte);
      return step.code_point;
    }
    if (step.outcome != CodingStep::Outcome::kPartial) continue;
    out_ += static_cast<char>(byte);
    path.push_back({step.partial});
  }
  return kInvalidCodePoint;
}

void CompletionWriter::WriteStringRest(const StringTable& table, uint32_t state, uint32_t count) {
  const TextCoding coding = machine_.string_coding();
  const uint64_t owed = table.bounded && table.min > count ? table.min - count : 0;
  if (table.automaton == nullptr) {
    const uint32_t code_point = owed > 0 ? PickSpelled(coding, 0, kMaxCodePoint) : 0;
    for (uint64_t i = 0; i < owed; ++i) WriteCodePoint(coding, code_point);
    return;
  }
  const TextAutomaton& automaton = *table.spelled;
  if (!table.bounded) {
    const std::vector<uint32_t> distances = DistancesToAccept(automaton);
    while (automaton.labels[state] == TextAutomaton::kNotAccepting) {
      for (const TextAutomaton::Edge& edge : automaton.EdgesOf(state)) {
        if (distances[edge.target] >= distances[state]) continue;
        WriteCodePoint(coding, PickSpelled(coding, edge.first, edge.last));
        state = edge.target;
        break;
      }
    }
    return;
  }
  uint64_t length = owed;
  while (!table.lengths->Contains(state, length)) ++length;
  for (; length > 0; --length) {
    for (const TextAutomaton::Edge& edge : automaton.EdgesOf(state)) {
      if (!table.lengths->Contains(edge.target, length - 1)) continue;
      WriteCodePoint(coding, PickSpelled(coding, edge.first, edge.last));
      state = edge.target;
      break;
    }
  }
}

void CompletionWriter::FinishString(const Frame& frame) {
  const StringTable& table = machine_.string(frame.node);
  uint32_t state = frame.state;
  uint32_t count = frame.count;
  if (frame.partial != kBoundary) {
    if (table.bounded) ++count;
    const uint32_t code_point =
        FinishPartial(machine_.string_coding(), frame.partial, [&](uint32_t c) {
          if (table.automaton == nullptr) return IsLiveString(table, 0, count);
          const uint32_t next = table.automaton->Step(state, c);
          return next != TextAutomaton::kDead && IsLiveString(table, next, count);
        });
    if (table.automaton != nullptr) state = table.automaton->Step(state, code_point);
  }
  WriteStringRest(table, state, count);
  out_ += '"';
}

void CompletionWriter::ExpandValue(ValueId id, uint32_t depth) {
  const ValueTable& table = machine_.value(id);
  TextCost best = kNoText;
  for (int i = 0; i < 3; ++i) {
    if (table.allows_literal[i]) best = std::min<TextCost>(best, i == 2 ? 5 : 4);
  }
  const auto lower = [&](std::span<const NodeId> ids, const auto& cost) {
    NodeId found = 0xFFFFFFFF;
    for (const NodeId node : ids) {
      if (cost(node) < best) best = cost(node), found = node;
    }
    return found;
  };
  constexpr NodeId kNone = 0xFFFFFFFF;
  const NodeId string = lower(table.strings, [&](NodeId n) { return machine_.string(n).cost; });
  const NodeId number = lower(table.numbers, [&](NodeId n) { return machine_.number(n).cost; });
  const NodeId array = lower(table.arrays, [&](NodeId n) { return machine_.array(n).cost; });
  const NodeId object = lower(table.objects, [&](NodeId n) { return machine_.object(n).cost; });
  if (object != kNone) {
    out_ += '{';
    Frame frame;
    frame.node = object;
    ExpandMembers(Plan(machine_.object(object), frame), true, depth + 1);
  } else if (array != kNone) {
    out_ += '[';
    const ArrayTable& node = machine_.array(array);
    ExpandItems(PlanItems(node, 0, 0, node.cost, false), true, depth + 1);
  } else if (number != kNone) {
    const NumberAutomaton& automaton = *machine_.number(number).automaton;
    out_ += automaton.ShortestFrom(automaton.start());
  } else if (string != kNone) {
    out_ += '"';
    WriteStringRest(machine_.string(string), 0, 0);
    out_ += '"';
  } else {
    for (int i = 0; i < 3; ++i) {
      if (table.allows_literal[i] && best == (i == 2 ? 5 : 4)) {
        out_ += kLiteralTexts[i];
        return;
      }
    }
  }
}

void CompletionWriter::PushCallee(const TextAutomaton::Call& call) {
  const Callee callee = machine_.CalleeOf(call);
  switch (callee.kind) {
    case FrameKind::kRule:
      tasks_.push_back({Task::Kind::kRule, "", callee.index, 0, true});
      return;
    case FrameKind::kRepeat:
      tasks_.push_back({Task::Kind::kRepeat, "", callee.index,
                        std::max(machine_.repeat(callee.index).min, 1u), false});
      return;
    default:
      PushValue(callee.index, 0);
  }
}

void CompletionWriter::ExpandRule(uint32_t rule, uint32_t state, bool from_start) {
  const RuleTable& table = machine_.rule(rule);
  const TextAutomaton& automaton = *table.automaton;
  // Follows edges until a call interrupts; a call is left on the task stack with what follows it.
  while (from_start || automaton.labels[state] == TextAutomaton::kNotAccepting) {
    TextCost best = kNoText;
    const TextAutomaton::Edge* edge = nullptr;
    uint32_t code_point = 0;
    const TextAutomaton::Call* call = nullptr;
    bool skip = false;
    for (const TextAutomaton::Edge& candidate : automaton.EdgesOf(state)) {
      const TextCost rest = table.costs[candidate.target];
      if (rest >= best || rest + 1 >= best) continue;
      const uint32_t c = PickSpelled(TextCoding::kUtf8, candidate.first, candidate.last);
      if (c == kInvalidCodePoint) continue;
      best = rest + 1;
      edge = &candidate;
      code_point = c;
    }
    for (const TextAutomaton::Call& candidate : automaton.CallsOf(state)) {
      const Callee callee = machine_.CalleeOf(candidate);
      const TextCost rest = table.costs[candidate.target];
      const TextCost whole = AddCosts(callee.cost, rest);
      if (rest == kNoText) continue;
      if (whole < best) {
        best = whole;
        call = &candidate;
        skip = false;
      }
      if (callee.nullable && !from_start && rest < best) {
        best = rest;
        call = &candidate;
        skip = true;
      }
    }
    if (call == nullptr && edge == nullptr) {
      // From the start, only skipping leads on.
      for (const TextAutomaton::Call& candidate : automaton.CallsOf(state)) {
        if (machine_.CalleeOf(candidate).nullable && table.costs[candidate.target] != kNoText) {
          call = &candidate;
          skip = true;
          break;
        }
      }
      if (call == nullptr) return;
    }
    if (call != nullptr) {
      if (skip) {
        state = call->target;
        continue;
      }
      tasks_.push_back({Task::Kind::kRule, "", rule, call->target, false});
      PushCallee(*call);
      return;
    }
    WriteCodePoint(TextCoding::kUtf8, code_point);
    state = edge->target;
    from_start = false;
  }
}

void CompletionWriter::Run() {
  while (!tasks_.empty()) {
    const Task task = std::move(tasks_.back());
    tasks_.pop_back();
    switch (task.kind) {
      case Task::Kind::kText:
        out_ += task.text;
        break;
      case Task::Kind::kValue:
        ExpandValue(task.index, task.detail);
        break;
      case Task::Kind::kRule:
        ExpandRule(task.index, task.detail, task.from_start);
        break;
      case Task::Kind::kRepeat:
        if (task.detail > 1) {
          tasks_.push_back({Task::Kind::kRepeat, "", task.index, task.detail - 1, false});
        }
        tasks_.push_back({Task::Kind::kRule, "", machine_.repeat(task.index).body, 0, true});
        break;
    }
  }
}

void CompletionWriter::WriteValue(ValueId id, uint32_t depth) {
  PushValue(id, depth);
  Run();
}

void CompletionWriter::FinishFrame(const Frame& frame) {
  switch (frame.kind) {
    case FrameKind::kEnd:
      return;
    case FrameKind::kValue:
      return WriteValue(frame.node, frame.depth);
    case FrameKind::kLiteral:
      out_ += kLiteralTexts[frame.node] + frame.state;
      return;
    case FrameKind::kNumber:
      out_ += machine_.number(frame.node).automaton->ShortestFrom(frame.state);
      return;
    case FrameKind::kString:
      return FinishString(frame);
    case FrameKind::kArray:
      return FinishArray(frame);
    case FrameKind::kObject:
      return FinishObject(frame);
    case FrameKind::kRule: {
      uint32_t state = frame.state;
      if (frame.partial != kBoundary) {
        const TextAutomaton& automaton = *machine_.rule(frame.node).automaton;
        const uint32_t code_point = FinishPartial(
            TextCoding::kUtf8, frame.partial,
            [&](uint32_t c) { return automaton.Step(state, c) != TextAutomaton::kDead; });
        state = automaton.Step(state, code_point);
      }
      tasks_.push_back({Task::Kind::kRule, "", frame.node, state, false});
      return Run();
    }
    case FrameKind::kRepeat: {
      const RepeatTable& table = machine_.repeat(frame.node);
      if (frame.count >= table.min) return;
      tasks_.push_back({Task::Kind::kRepeat, "", frame.node, table.min - frame.count, false});
      return Run();
    }
  }
}

void CompletionWriter::WriteRoot() {
  if (machine_.is_json()) {
    return WriteValue(machine_.root_value(), 0);
  }
  if (machine_.rule(machine_.root_rule()).nullable) return;
  tasks_.push_back({Task::Kind::kRule, "", machine_.root_rule(), 0, true});
  Run();
}

}  // namespace maskloom
