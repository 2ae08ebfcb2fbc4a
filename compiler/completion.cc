#include "compiler/completion.h"

#include <tsl/robin_map.h>

#include <algorithm>
#include <vector>

#include "compiler/liveness.h"
#include "compiler/object_registers.h"
#include "compiler/spelled_automaton.h"
#include "compiler/white_space.h"
#include "grammar/base/utf8.h"

namespace maskloom {
namespace {

// Undeclared keys are looked for among this many shortest texts.
constexpr size_t kMaxKeyCandidates = 1 << 16;
constexpr uint32_t kBranchesPerEdge = 40;

class Writer {
 public:
  explicit Writer(const Machine& machine) : machine_(machine) {}

  void FinishFrame(const Frame& frame);
  void WriteValue(ValueId id, uint32_t depth);
  void WriteRoot();
  std::string Take() { return std::move(out_); }

 private:
  // What is left to write, last first. Values nest as deep as the grammar, so no recursion.
  struct Task {
    enum class Kind { kText, kValue, kRule, kRepeat } kind = Kind::kText;
    std::string text;
    uint32_t index = 0;       // ValueId, or RuleTable or RepeatTable index
    uint32_t detail = 0;      // depth of a value; state of a rule; repetitions owed
    bool from_start = false;  // a rule that must not match the empty text
  };
  struct Member {
    std::u32string key;
    ValueId value;
    uint32_t order;
  };

  void Run();
  void Push(std::string text) {
    tasks_.push_back({Task::Kind::kText, std::move(text), 0, 0, false});
  }
  void PushValue(ValueId id, uint32_t depth) {
    tasks_.push_back({Task::Kind::kValue, "", id, depth, false});
  }
  void ExpandValue(ValueId id, uint32_t depth);
  void ExpandRule(uint32_t rule, uint32_t state, bool from_start);
  void PushCallee(const TextAutomaton::Call& call);
  void ExpandArray(const ArrayTable& table, uint32_t count, bool first, uint32_t depth);
  void ExpandMembers(const std::vector<Member>& members, bool first, uint32_t depth);
  void FinishString(const Frame& frame);
  void FinishArray(const Frame& frame);
  void FinishObject(Frame frame);
  void FinishKey(Frame* frame);
  std::vector<Member> Plan(const ObjectTable& table, const Frame& frame);
  std::u32string FindOtherKey(const ObjectTable& table, const Frame& frame,
                              const std::vector<std::u32string>& taken);
  // Writes text from `state` after `count` code points to acceptance.
  void WriteStringRest(const StringTable& table, uint32_t state, uint32_t count);
  // Finishes the character `partial` so that `accept(code point)`; returns the code point.
  template <typename Accept>
  uint32_t FinishPartial(TextCoding coding, Partial partial, Accept accept);
  void WriteCodePoint(TextCoding coding, uint32_t code_point);
  uint32_t PickSpelled(TextCoding coding, uint32_t first, uint32_t last) const;
  std::string Break(uint32_t depth) const;
  bool Indented() const { return machine_.style().whitespace == StylePolicy::Whitespace::kIndent; }
  void FinishSpace(SpacePlace place, const Frame& frame);
  std::string KeyAndColon(const std::u32string& key);

  const Machine& machine_;
  Arena arena_;
  std::string out_;
  std::vector<Task> tasks_;
};

std::string Writer::Break(uint32_t depth) const {
  return Indented() ? "\n" + std::string(machine_.style().indent * depth, ' ') : "";
}

void Writer::FinishSpace(SpacePlace place, const Frame& frame) {
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

uint32_t Writer::PickSpelled(TextCoding coding, uint32_t first, uint32_t last) const {
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

void Writer::WriteCodePoint(TextCoding coding, uint32_t code_point) {
  std::string raw;
  AppendUtf8(code_point, &raw);
  const bool json = coding == TextCoding::kJsonString;
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

template <typename Accept>
uint32_t Writer::FinishPartial(TextCoding coding, Partial partial, Accept accept) {
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

void Writer::WriteStringRest(const StringTable& table, uint32_t state, uint32_t count) {
  const TextCoding coding = TextCoding::kJsonString;
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

void Writer::FinishString(const Frame& frame) {
  const StringTable& table = machine_.string(frame.node);
  uint32_t state = frame.state;
  uint32_t count = frame.count;
  if (frame.partial != kBoundary) {
    if (table.bounded) ++count;
    const uint32_t code_point =
        FinishPartial(TextCoding::kJsonString, frame.partial, [&](uint32_t c) {
          if (table.automaton == nullptr) return IsLiveString(table, 0, count);
          const uint32_t next = table.automaton->Step(state, c);
          return next != TextAutomaton::kDead && IsLiveString(table, next, count);
        });
    if (table.automaton != nullptr) state = table.automaton->Step(state, code_point);
  }
  WriteStringRest(table, state, count);
  out_ += '"';
}

std::string Writer::KeyAndColon(const std::u32string& key) {
  const std::string before = std::move(out_);
  out_ = "\"";
  for (const char32_t c : key) WriteCodePoint(TextCoding::kJsonString, c);
  std::string result = std::move(out_);
  out_ = before;
  return result + (Indented() ? "\": " : "\":");
}

std::u32string Writer::FindOtherKey(const ObjectTable& table, const Frame& frame,
                                    const std::vector<std::u32string>& taken) {
  // Breadth-first over texts from the key read so far, a few code points an edge.
  TextAutomaton any;
  if (table.spelled_other_keys == nullptr) any = AnyText();
  const TextAutomaton& automaton = table.spelled_other_keys ? *table.spelled_other_keys : any;
  std::u32string prefix;
  for (const KeyText* text = frame.key_text; text != nullptr; text = text->previous) {
    prefix.insert(prefix.begin(), text->code_point);
  }
  const auto fresh = [&](const std::u32string& key) {
    if (std::find(taken.begin(), taken.end(), key) != taken.end()) return false;
    if (std::binary_search(table.names.names().begin(), table.names.names().end(), key)) {
      return false;
    }
    for (const SeenKey* seen = frame.seen_keys; seen != nullptr; seen = seen->previous) {
      std::u32string text;
      for (const KeyText* t = seen->text; t != nullptr; t = t->previous) {
        text.insert(text.begin(), t->code_point);
      }
      if (text == key) return false;
    }
    return true;
  };
  struct Candidate {
    uint32_t state;
    std::u32string text;
  };
  std::vector<Candidate> queue{{frame.phase == Phase::kKey ? frame.state2 : 0, prefix}};
  for (size_t i = 0; i < queue.size(); ++i) {
    const Candidate candidate = queue[i];
    if (automaton.labels[candidate.state] != TextAutomaton::kNotAccepting &&
        fresh(candidate.text)) {
      return candidate.text;
    }
    for (const TextAutomaton::Edge& edge : automaton.EdgesOf(candidate.state)) {
      uint32_t c = PickSpelled(TextCoding::kJsonString, edge.first, edge.last);
      for (uint32_t n = 0; n < kBranchesPerEdge && c <= edge.last; ++n, ++c) {
        if (!machine_.spelling(TextCoding::kJsonString).code_points().Contains(c)) continue;
        if (queue.size() < kMaxKeyCandidates) {
          queue.push_back({edge.target, candidate.text + char32_t(c)});
        }
      }
    }
  }
  return prefix;
}

std::vector<Writer::Member> Writer::Plan(const ObjectTable& table, const Frame& frame) {
  std::vector<Member> members;
  const ObjectRegisters registers(table, machine_.declared_order(), frame);
  uint32_t count = frame.count;
  const auto seen = [&](uint32_t i) {
    if (frame.seen_words != nullptr) return (frame.seen_words[i / 64] >> (i % 64) & 1) != 0;
    return table.word_count() == 1 && (frame.seen >> i & 1) != 0;
  };
  const auto bit = [](const std::vector<uint64_t>& words, uint32_t i) {
    return (words[i / 64] >> (i % 64) & 1) != 0;
  };
  const auto add = [&](uint32_t i) {
    members.push_back({table.names.names()[i], table.values[i], table.order[i]});
    ++count;
  };
  for (uint32_t i = 0; i < table.names.size(); ++i) {
    if (bit(table.required, i) && !seen(i)) add(i);
  }
  if (table.counted) {
    for (uint32_t i = 0; i < table.names.size() && count < table.min; ++i) {
      const bool passed = machine_.declared_order() && table.order[i] < frame.last;
      if (bit(table.allowed, i) && !bit(table.required, i) && !seen(i) && !passed) add(i);
    }
  }
  std::sort(members.begin(), members.end(),
            [](const Member& a, const Member& b) { return a.order < b.order; });
  std::vector<std::u32string> taken;
  while (table.counted && count < table.min) {
    taken.push_back(FindOtherKey(table, frame, taken));
    const uint32_t label = table.other_keys == nullptr ? 1 : table.other_keys->Match(taken.back());
    members.push_back({taken.back(), table.other_values[label - 1], 0});
    ++count;
  }
  return members;
}

// Pushes separator, key and value of each member, and the closing bracket.
void Writer::ExpandMembers(const std::vector<Member>& members, bool first, uint32_t depth) {
  const bool empty = members.empty() && first;
  Push((empty ? "" : Break(depth - 1)) + "}");
  for (size_t i = members.size(); i-- > 0;) {
    PushValue(members[i].value, depth);
    Push((i > 0 || !first ? "," : "") + Break(depth) + KeyAndColon(members[i].key));
  }
}

void Writer::ExpandArray(const ArrayTable& table, uint32_t count, bool first, uint32_t depth) {
  const bool empty = first && count >= table.min;
  Push((empty ? "" : Break(depth - 1)) + "]");
  for (uint32_t i = table.min; i-- > count;) {
    PushValue(table.ItemValue(i), depth);
    Push((i > count || !first ? "," : "") + Break(depth));
  }
}

void Writer::ExpandValue(ValueId id, uint32_t depth) {
  const ValueTable& table = machine_.value(id);
  TextCost best = kNoText;
  for (int i = 0; i < 3; ++i) {
    if (table.allows_literal[i]) best = std::min<TextCost>(best, i == 2 ? 5 : 4);
  }
  const auto lower = [&](const std::vector<NodeId>& ids, const auto& cost) {
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
    ExpandArray(machine_.array(array), 0, true, depth + 1);
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

void Writer::PushCallee(const TextAutomaton::Call& call) {
  const uint32_t callee = machine_.callee(call.expr);
  switch (machine_.grammar().exprs.kind(call.expr)) {
    case ExprKind::kRule:
      tasks_.push_back({Task::Kind::kRule, "", callee, 0, true});
      return;
    case ExprKind::kRepeat:
      tasks_.push_back(
          {Task::Kind::kRepeat, "", callee, std::max(machine_.repeat(callee).min, 1u), false});
      return;
    default:
      PushValue(callee, 0);
  }
}

void Writer::ExpandRule(uint32_t rule, uint32_t state, bool from_start) {
  const RuleTable& table = machine_.rule(rule);
  const TextAutomaton& automaton = *table.automaton;
  const auto call_cost = [&](const TextAutomaton::Call& call, bool* nullable) {
    const uint32_t callee = machine_.callee(call.expr);
    switch (machine_.grammar().exprs.kind(call.expr)) {
      case ExprKind::kRule:
        *nullable = machine_.rule(callee).nullable;
        return machine_.rule(callee).cost;
      case ExprKind::kRepeat:
        *nullable = machine_.repeat(callee).nullable;
        return machine_.repeat(callee).cost;
      default:
        *nullable = false;
        return machine_.value(callee).cost;
    }
  };
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
      bool nullable = false;
      const TextCost cost = call_cost(candidate, &nullable);
      const TextCost rest = table.costs[candidate.target];
      if (rest == kNoText) continue;
      if (cost != kNoText && cost + rest < best) {
        best = cost + rest;
        call = &candidate;
        skip = false;
      }
      if (nullable && !from_start && rest < best) {
        best = rest;
        call = &candidate;
        skip = true;
      }
    }
    if (call == nullptr && edge == nullptr) {
      // From the start, only skipping leads on.
      for (const TextAutomaton::Call& candidate : automaton.CallsOf(state)) {
        bool nullable = false;
        call_cost(candidate, &nullable);
        if (nullable && table.costs[candidate.target] != kNoText) {
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

void Writer::Run() {
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

void Writer::FinishArray(const Frame& frame) {
  const ArrayTable& table = machine_.array(frame.node);
  uint32_t count = frame.count;
  bool first = frame.phase == Phase::kOpen;
  const bool must_add = frame.phase == Phase::kComma || (first && frame.space != 0 && Indented());
  if (must_add) {
    FinishSpace(SpacePlace::kBeforeItem, frame);
    WriteValue(table.ItemValue(count), frame.depth);
    ++count;
    first = false;
  } else if (frame.space != 0 && !first) {
    FinishSpace(SpacePlace::kBeforeClose, frame);
    if (Indented()) {  // only closing is left
      out_ += ']';
      return;
    }
  } else if (!Indented()) {
    FinishSpace(SpacePlace::kBeforeItem, frame);
  }
  ExpandArray(table, std::min(count, table.min), first, frame.depth);
  Run();
}

void Writer::FinishKey(Frame* frame) {
  const ObjectTable& table = machine_.object(frame->node);
  if (frame->partial != kBoundary) {
    Frame next;
    FinishPartial(TextCoding::kJsonString, frame->partial, [&](uint32_t c) {
      next = *frame;
      next.partial = kBoundary;
      if (next.state != NameTrie::kDead) next.state = table.names.Step(next.state, c);
      if (next.state2 != TextAutomaton::kDead) {
        if (table.other_keys != nullptr) next.state2 = table.other_keys->Step(next.state2, c);
        const uint32_t length = frame->key_text == nullptr ? 1 : frame->key_text->length + 1;
        next.key_text = arena_.New<KeyText>(frame->key_text, c, length);
      }
      return IsLiveKey(machine_, table, next);
    });
    *frame = next;
  }
  const ObjectRegisters registers(table, machine_.declared_order(), *frame);
  Frame next = *frame;
  next.phase = Phase::kColon;
  if (frame->state != NameTrie::kDead) {
    const NameTrie::Node& node = table.names.node(frame->state);
    for (uint32_t i = node.begin; i < node.end; ++i) {
      if (!registers.MayAddName(i)) continue;
      const std::u32string& name = table.names.names()[i];
      uint32_t state = 0;
      size_t depth = 0;
      while (state != frame->state) state = table.names.Step(state, name[depth++]);
      for (; depth < name.size(); ++depth) WriteCodePoint(TextCoding::kJsonString, name[depth]);
      registers.AddName(i, &arena_, &next);
      next.state = table.values[i];
      out_ += '"';
      *frame = next;
      return;
    }
  }
  const std::u32string key = FindOtherKey(table, *frame, {});
  const size_t read = frame->key_text == nullptr ? 0 : frame->key_text->length;
  const KeyText* text = frame->key_text;
  for (size_t i = read; i < key.size(); ++i) {
    WriteCodePoint(TextCoding::kJsonString, key[i]);
    text = arena_.New<KeyText>(text, uint32_t{key[i]}, static_cast<uint32_t>(i + 1));
  }
  registers.AddOther(text, &arena_, &next);
  const uint32_t label = table.other_keys == nullptr ? 1 : table.other_keys->Match(key);
  next.state = table.other_values[label - 1];
  out_ += '"';
  *frame = next;
}

void Writer::FinishObject(Frame frame) {
  const ObjectTable& table = machine_.object(frame.node);
  bool first = frame.phase == Phase::kOpen;
  const bool must_add = frame.phase == Phase::kComma || (first && frame.space != 0 && Indented());
  if (must_add) {
    FinishSpace(SpacePlace::kBeforeItem, frame);
    out_ += '"';
    const ObjectRegisters registers(table, machine_.declared_order(), frame);
    frame.state = 0;
    frame.state2 = registers.MayAddOther(0, 0, nullptr) ? 0 : TextAutomaton::kDead;
    frame.key_text = nullptr;
    frame.phase = Phase::kKey;
    frame.space = 0;
  }
  if (frame.phase == Phase::kKey) FinishKey(&frame);
  if (frame.phase == Phase::kColon) {
    if (frame.space != 0) FinishSpace(SpacePlace::kNowhere, frame);
    out_ += ':';
    frame.phase = Phase::kBeforeValue;
    frame.space = 0;
  }
  if (frame.phase == Phase::kBeforeValue) {
    FinishSpace(SpacePlace::kBeforeValue, frame);
    WriteValue(frame.state, frame.depth);
    frame.phase = Phase::kAfterValue;
    frame.space = 0;
    first = false;
  } else if (frame.space != 0) {
    FinishSpace(first ? SpacePlace::kBeforeItem : SpacePlace::kBeforeClose, frame);
    if (Indented()) {
      out_ += '}';
      return;
    }
  }
  ExpandMembers(Plan(table, frame), first, frame.depth);
  Run();
}

void Writer::WriteValue(ValueId id, uint32_t depth) {
  PushValue(id, depth);
  Run();
}

void Writer::FinishFrame(const Frame& frame) {
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

void Writer::WriteRoot() {
  if (machine_.is_json()) {
    return WriteValue(machine_.grammar().exprs.payload(machine_.grammar().root), 0);
  }
  if (machine_.rule(machine_.root_rule()).nullable) return;
  tasks_.push_back({Task::Kind::kRule, "", machine_.root_rule(), 0, true});
  Run();
}

}  // namespace

std::string ShortText(const Machine& machine) {
  Writer writer(machine);
  writer.WriteRoot();
  return writer.Take();
}

std::string CompletionFrom(const Machine& machine, const Item& item) {
  Writer writer(machine);
  writer.FinishFrame(item.frame);
  // The way out with the fewest returns; cycles of left recursion are never walked twice.
  struct Step {
    const ReturnEdge* edge;
    size_t previous;
  };
  constexpr size_t kFirst = ~size_t{0};
  std::vector<Step> queue;
  tsl::robin_map<const StackNode*, bool> visited;
  const auto expand = [&](const StackNode* node, size_t previous) {
    if (node == nullptr || !visited.insert({node, true}).second) return;
    for (const ReturnEdge* edge = node->edges; edge != nullptr; edge = edge->next) {
      queue.push_back({edge, previous});
    }
  };
  expand(item.stack, kFirst);
  for (size_t i = 0; i < queue.size(); ++i) {
    if (queue[i].edge->frame.kind != FrameKind::kEnd) {
      expand(queue[i].edge->below, i);
      continue;
    }
    std::vector<const ReturnEdge*> path;
    for (size_t j = i; j != kFirst; j = queue[j].previous) path.push_back(queue[j].edge);
    for (size_t j = path.size(); j-- > 0;) writer.FinishFrame(path[j]->frame);
    break;
  }
  return writer.Take();
}

}  // namespace maskloom
