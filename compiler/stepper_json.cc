// Steps inside JSON values; see stepper.h.
#include <algorithm>

#include "compiler/distinct_items.h"
#include "compiler/liveness.h"
#include "compiler/object_registers.h"
#include "compiler/stepper.h"

namespace maskloom {
namespace {

// Indented texts nest no deeper than this many blanks, so that a run fits its 16-bit state.
constexpr uint32_t kMaxIndentBlanks = 60000;

}  // namespace

void Stepper::StartValue(ValueId value, uint8_t byte, const StackNode* stack, uint32_t level,
                         uint32_t depth) {
  const ValueTable& table = machine_->value(value);
  if (!table.first_bytes[byte]) return;
  Item item;
  item.stack = stack;
  item.level = level;
  item.trace = trace_;
  Frame& frame = item.frame;
  switch (byte) {
    case 'n':
    case 't':
    case 'f':
      frame.kind = FrameKind::kLiteral;
      frame.node = byte == 'n' ? 0 : byte == 't' ? 1 : 2;
      frame.state = 1;
      return Emit(item);
    case '"':
      frame.kind = FrameKind::kString;
      for (const NodeId id : table.strings) {
        frame.node = id;
        Emit(item);
      }
      return;
    case '[':
    case '{':
      if (machine_->style().whitespace == StylePolicy::Whitespace::kIndent) {
        frame.depth = depth + 1;
        if (frame.depth * machine_->style().indent > kMaxIndentBlanks) return;
      }
      frame.kind = byte == '[' ? FrameKind::kArray : FrameKind::kObject;
      for (const NodeId id : byte == '[' ? table.arrays : table.objects) {
        frame.node = id;
        Emit(item);
      }
      return;
    default:
      frame.kind = FrameKind::kNumber;
      for (const NodeId id : table.numbers) {
        const NumberAutomaton& automaton = *machine_->number(id).automaton;
        frame.node = id;
        frame.state = automaton.Step(automaton.start(), byte);
        if (frame.state == NumberAutomaton::kDead) continue;
        Emit(item);
        if (automaton.accepting(frame.state)) Return(stack, level);
      }
  }
}

void Stepper::CallValue(ValueId value, uint8_t byte, const Frame& return_frame, const Item& item) {
  // No rule calls arrays, so their kind marks values that have begun.
  const uint32_t key = value << 4 | static_cast<uint32_t>(FrameKind::kArray);
  const TraceByte* trace = item.trace;
  if (trace == nullptr && return_frame.kind == FrameKind::kArray &&
      Compares(machine_->array(return_frame.node), return_frame)) {
    trace = Extend(nullptr, byte);
  }
  const TraceByte* caller_trace = trace_;
  const bool traced = item.trace != nullptr;
  for (const Call& call : calls_) {
    if (call.kind_and_callee != key || call.trace != trace) continue;
    for (const ReturnEdge* edge = call.node->edges; edge != nullptr; edge = edge->next) {
      if (edge->below == item.stack && IsAsGood(edge->frame, return_frame)) return;
    }
    call.node->edges =
        arena_->New<ReturnEdge>(return_frame, item.stack, item.level, call.node->edges, traced);
    NoteEdge(*machine_, *call.node->edges, call.node);
    // A number of one digit has returned to the other edges already.
    for (const NodeId id : machine_->value(value).numbers) {
      const NumberAutomaton& automaton = *machine_->number(id).automaton;
      const uint32_t state = automaton.Step(automaton.start(), byte);
      if (state == NumberAutomaton::kDead || !automaton.accepting(state)) continue;
      Item behind = item;
      behind.frame = return_frame;
      trace_ = trace;
      if (return_frame.kind != FrameKind::kArray || EndArrayItem(&behind)) Emit(behind);
      break;
    }
    trace_ = caller_trace;
    return;
  }
  auto* edge = arena_->New<ReturnEdge>(return_frame, item.stack, item.level, nullptr, traced);
  auto* node = arena_->New<StackNode>(edge);
  NoteEdge(*machine_, *edge, node);
  calls_.push_back({key, node, 1, trace});
  trace_ = trace;
  StartValue(value, byte, node, 0, item.frame.depth);
  trace_ = caller_trace;
}

void Stepper::StepString(const Item& item, uint8_t byte) {
  const StringTable& table = machine_->string(item.frame.node);
  const CodingStep step = StepCoding(machine_->string_coding(), item.frame.partial, byte);
  Item next = item;
  switch (step.outcome) {
    case CodingStep::Outcome::kDead:
      return;
    case CodingStep::Outcome::kQuote:
      if (!MayEndString(table, item.frame.state, item.frame.count)) return;
      return Return(item.stack, item.level);
    case CodingStep::Outcome::kPartial:
      next.frame.partial = step.partial;
      if (IsLiveStringPartial(*machine_, table, item.frame.state, item.frame.count, step.partial)) {
        Emit(next);
      }
      return;
    case CodingStep::Outcome::kCodePoint:
      next.frame.partial = kBoundary;
      if (AdvanceString(table, step.code_point, &next.frame)) Emit(next);
      return;
  }
}

void Stepper::StepArray(const Item& item, uint8_t byte) {
  const ArrayTable& table = machine_->array(item.frame.node);
  const Frame& frame = item.frame;
  Item next = item;
  SpacePlace place = SpacePlace::kBeforeItem;
  if (frame.phase == Phase::kOpen) place = SpacePlace::kBeforeFirst;
  if (frame.phase == Phase::kAfterValue) place = SpacePlace::kBeforeClose;
  next.frame.space = Space(place, frame, byte);
  if (next.frame.space != kNoSpace) {
    bool fits = true;
    if (machine_->style().whitespace == StylePolicy::Whitespace::kIndent) {
      fits = frame.phase == Phase::kAfterValue ? MayCloseArray(table, frame)
                                               : MayAddItem(*machine_, table, frame);
    }
    if (fits) Emit(next);
    return;
  }
  next.frame.space = 0;
  if (frame.phase == Phase::kAfterValue && byte == ',') {
    if (!SpaceEnds(SpacePlace::kNowhere, frame) ||
        !NoteRefusal(table, frame, MayAddItem(*machine_, table, frame))) {
      return;
    }
    next.frame.phase = Phase::kComma;
    return Emit(next);
  }
  if (frame.phase != Phase::kComma && byte == ']') {
    const SpacePlace close =
        frame.phase == Phase::kAfterValue ? SpacePlace::kBeforeClose : SpacePlace::kNowhere;
    if (!MayCloseArray(table, frame) || !SpaceEnds(close, frame)) return;
    if (Compares(table, frame)) closed_ = &frame;
    Return(item.stack, item.level);
    closed_ = nullptr;
    return;
  }
  if (frame.phase == Phase::kAfterValue || frame.count >= table.max || !SpaceEnds(place, frame)) {
    return;
  }
  StartItem(table, item, byte);
}

void Stepper::StartItem(const ArrayTable& table, const Item& item, uint8_t byte) {
  Frame next = item.frame;
  next.space = 0;
  next.phase = Phase::kAfterValue;
  const bool compares = Compares(table, item.frame);
  if (compares) next.state = item.trace == nullptr ? 0 : item.trace->length - 1;
  if (table.plain && !compares) {
    const ValueId value = table.ItemValue(item.frame.count);
    if (!machine_->value(value).first_bytes[byte]) return;
    next.count = std::min(item.frame.count + 1, table.saturation);
    return CallValue(value, byte, next, item);
  }
  for (const Choice& choice : ItemChoices(table, item.frame.count)) {
    if (choice.value == kNeverValue || !machine_->value(choice.value).first_bytes[byte]) continue;
    if (!NoteRefusal(table, item.frame, MayTakeItem(*machine_, table, item.frame, choice, &next))) {
      continue;
    }
    CallValue(choice.value, byte, next, item);
  }
}

void Stepper::StepObject(const Item& item, uint8_t byte) {
  const Frame& frame = item.frame;
  if (frame.phase == Phase::kKey) return StepKey(item, byte);
  const ObjectTable& table = machine_->object(frame.node);
  const ObjectRegisters registers(table, machine_->declared_order(), frame);
  const bool indented = machine_->style().whitespace == StylePolicy::Whitespace::kIndent;
  Item next = item;
  SpacePlace place = SpacePlace::kBeforeItem;
  if (frame.phase == Phase::kOpen) place = SpacePlace::kBeforeFirst;
  if (frame.phase == Phase::kColon) place = SpacePlace::kNowhere;
  if (frame.phase == Phase::kBeforeValue) place = SpacePlace::kBeforeValue;
  if (frame.phase == Phase::kAfterValue) place = SpacePlace::kBeforeClose;
  next.frame.space = Space(place, frame, byte);
  if (next.frame.space != kNoSpace) {
    bool fits = true;
    if (indented && frame.phase == Phase::kOpen) fits = registers.MayAddKey();
    if (indented && frame.phase == Phase::kAfterValue) fits = registers.MayClose();
    if (fits) Emit(next);
    return;
  }
  next.frame.space = 0;
  switch (frame.phase) {
    case Phase::kColon:
      if (byte != ':' || !SpaceEnds(place, frame)) return;
      next.frame.phase = Phase::kBeforeValue;
      return Emit(next);
    case Phase::kBeforeValue: {
      if (!SpaceEnds(place, frame)) return;
      next.frame.phase = Phase::kAfterValue;
      next.frame.state = 0;
      if (table.has_choices) return CallChoices(item, byte, &next.frame);
      if (!machine_->value(frame.state).first_bytes[byte]) return;
      return CallValue(frame.state, byte, next.frame, item);
    }
    case Phase::kAfterValue:
      if (byte == ',') {
        if (!SpaceEnds(SpacePlace::kNowhere, frame) || !registers.MayAddKey()) return;
        next.frame.phase = Phase::kComma;
        return Emit(next);
      }
      if (byte == '}' && SpaceEnds(SpacePlace::kBeforeClose, frame) && registers.MayClose()) {
        Return(item.stack, item.level);
      }
      return;
    case Phase::kOpen:
      if (byte == '}') {
        if (SpaceEnds(SpacePlace::kNowhere, frame) && registers.MayClose()) {
          Return(item.stack, item.level);
        }
        return;
      }
      [[fallthrough]];
    case Phase::kComma:
      if (byte != '"' || !SpaceEnds(place, frame) || !registers.MayAddKey()) return;
      next.frame.phase = Phase::kKey;
      next.frame.state = 0;
      next.frame.state2 = registers.MayAddOther(0, 0, nullptr) ? 0 : TextAutomaton::kDead;
      return Emit(next);
    case Phase::kKey:
      return;
  }
}

void Stepper::CallChoices(const Item& item, uint8_t byte, Frame* return_frame) {
  const ObjectTable& table = machine_->object(item.frame.node);
  const ObjectRegisters registers(table, machine_->declared_order(), item.frame);
  for (const MemberChoice& choice : table.choices[item.frame.state]) {
    if (!machine_->value(choice.value).first_bytes[byte]) continue;
    return_frame->marks = table.marks.Add(item.frame.marks, choice.counts);
    if (registers.MayFinish(return_frame->marks)) {
      CallValue(choice.value, byte, *return_frame, item);
    }
  }
}

void Stepper::StepKey(const Item& item, uint8_t byte) {
  const ObjectTable& table = machine_->object(item.frame.node);
  const CodingStep step = StepCoding(machine_->string_coding(), item.frame.partial, byte);
  Item next = item;
  Frame& frame = next.frame;
  switch (step.outcome) {
    case CodingStep::Outcome::kDead:
      return;
    case CodingStep::Outcome::kQuote:
      return EndKey(item);
    case CodingStep::Outcome::kPartial:
      frame.partial = step.partial;
      break;
    case CodingStep::Outcome::kCodePoint: {
      frame.partial = kBoundary;
      if (frame.state != NameTrie::kDead) {
        frame.state = table.names.Step(frame.state, step.code_point);
      }
      if (frame.state2 == TextAutomaton::kDead) break;
      if (table.other_keys != nullptr) {
        frame.state2 = table.other_keys->Step(frame.state2, step.code_point);
      }
      const uint32_t length = frame.key_text == nullptr ? 1 : frame.key_text->length + 1;
      const bool dead = frame.state2 == TextAutomaton::kDead;
      frame.key_text =
          dead ? nullptr : arena_->New<KeyText>(frame.key_text, step.code_point, length);
      break;
    }
  }
  if (IsLiveKey(*machine_, table, frame)) Emit(next);
}

void Stepper::EndKey(const Item& item) {
  const Frame& frame = item.frame;
  const ObjectTable& table = machine_->object(frame.node);
  const ObjectRegisters registers(table, machine_->declared_order(), frame);
  Item next = item;
  next.frame.phase = Phase::kColon;
  next.frame.state2 = 0;
  next.frame.key_text = nullptr;
  const uint32_t name =
      frame.state == NameTrie::kDead ? NameTrie::kNoName : table.names.node(frame.state).name;
  if (name != NameTrie::kNoName) {
    if (!registers.MayAddName(name)) return;
    registers.AddName(name, arena_, &next.frame);
    next.frame.state = table.has_choices ? name : table.values[name];
    return Emit(next);
  }
  if (frame.state2 == TextAutomaton::kDead || registers.SawOther(frame.key_text)) return;
  uint32_t label = 1;
  if (table.other_keys != nullptr) label = table.other_keys->labels[frame.state2];
  if (label == TextAutomaton::kNotAccepting || !registers.MayAddClass(label - 1)) return;
  registers.AddOther(frame.key_text, arena_, &next.frame);
  next.frame.state =
      table.has_choices ? table.names.size() + label - 1 : table.other_values[label - 1];
  Emit(next);
}

}  // namespace maskloom
