// One byte at a time through the stacks. A frame is pushed only if it can still be completed, and a
// frame below another was checked when that one was opened, so a state with a stack is live.
#include "tests/judge/json_judge.h"

#include <algorithm>
#include <cstring>

namespace maskloom::judge {
namespace {

using Phase = Frame::Phase;
using Kind = Frame::Kind;
using Whitespace = JudgeStyle::Whitespace;

void AppendNumber(std::string* out, uint64_t value) {
  out->append(reinterpret_cast<const char*>(&value), sizeof(value));
}

void AppendText(std::string* out, std::u32string_view text) {
  AppendNumber(out, text.size());
  out->append(reinterpret_cast<const char*>(text.data()), text.size() * sizeof(char32_t));
}

bool IsNumberByte(uint8_t byte) {
  return (byte >= '0' && byte <= '9') || byte == '-' || byte == '+' || byte == '.' || byte == 'e' ||
         byte == 'E';
}

// Without bounds the digits of a number do not matter: 1 stands for each, but a lone 0 is kept.
std::string Canonical(std::string text) {
  for (size_t i = 0; i < text.size(); ++i) {
    bool first = i == 0 || (i == 1 && text[0] == '-');
    if (text[i] >= '0' && text[i] <= '9' && !(first && text[i] == '0')) text[i] = '1';
  }
  return text;
}

}  // namespace

std::string Frame::Key() const {
  std::string key;
  key.reserve(160 + 4 * text.text.size());
  for (int part : {static_cast<int>(kind), static_cast<int>(phase),
                   static_cast<int>(blank.line_break), static_cast<int>(blank.carriage_return)}) {
    key += static_cast<char>(part);
  }
  for (uint64_t part : {static_cast<uint64_t>(alt), static_cast<uint64_t>(depth),
                        static_cast<uint64_t>(blank.blanks), count, static_cast<uint64_t>(value),
                        text.length, static_cast<uint64_t>(object.last_order)}) {
    AppendNumber(&key, part);
  }
  AppendNumber(&key, rest.size());
  key += rest;
  AppendNumber(&key, text.pending.size());
  key += text.pending;
  AppendText(&key, text.text);
  AppendNumber(&key, text.regexes.size());
  for (RegexId regex : text.regexes) AppendNumber(&key, static_cast<uint64_t>(regex));
  for (bool seen : object.seen) key += seen ? '1' : '0';
  for (const auto& other : object.others) AppendText(&key, other);
  return key;
}

JsonJudge::JsonJudge(SchemaNodes schema, std::shared_ptr<RegexPool> pool, const JudgeStyle& style)
    : logic_(std::move(schema), std::move(pool), style) {
  root_ = logic_.Conj({logic_.schema().root});
}

Status JsonJudge::Admit() {
  bool satisfiable = logic_.Satisfiable(root_);
  if (logic_.overflowed()) {
    return Status(StatusCode::kResourceLimit, "too many alternatives for the judge");
  }
  if (!satisfiable) return Status(StatusCode::kUnsatisfiable, "no text is valid");
  logic_.SetMode(SchemaLogic::kAnyBytes);
  Frame root;
  root.value = root_;
  Intern({Push(-1, root)});
  return Status::Ok();
}

State JsonJudge::Start() { return 0; }

JsonJudge::StackId JsonJudge::Push(StackId below, const Frame& frame) {
  std::string key = frame.Key();
  key.append(reinterpret_cast<const char*>(&below), sizeof(below));
  auto [it, fresh] = stack_index_.try_emplace(std::move(key), static_cast<StackId>(stacks_.size()));
  if (fresh) {
    StackNode node;
    node.below = below;
    node.frame = std::make_shared<const Frame>(frame);
    node.key = &it->first;
    stacks_.push_back(std::move(node));
  }
  return it->second;
}

State JsonJudge::Intern(std::vector<StackId> stacks) {
  if (stacks.empty()) return kDead;
  std::sort(stacks.begin(), stacks.end());
  stacks.erase(std::unique(stacks.begin(), stacks.end()), stacks.end());
  auto [it, fresh] = state_index_.try_emplace(stacks, static_cast<State>(states_.size()));
  if (fresh) {
    states_.push_back(stacks);
    stacks_at_.push_back(stacks_.size());
  }
  return it->second;
}

void JsonJudge::DropFrom(State mark) {
  for (size_t i = static_cast<size_t>(mark); i < states_.size(); ++i) {
    state_index_.erase(states_[i]);
  }
  states_.resize(static_cast<size_t>(mark));
  stacks_at_.resize(static_cast<size_t>(mark));
  size_t keep = stacks_at_.empty() ? 0 : stacks_at_.back();
  for (size_t i = keep; i < stacks_.size(); ++i) stack_index_.erase(std::string(*stacks_[i].key));
  stacks_.resize(keep);
}

bool JsonJudge::Accepting(State state) {
  for (StackId id : states_[static_cast<size_t>(state)]) {
    const Frame& top = *stacks_[static_cast<size_t>(id)].frame;
    if (top.kind == Kind::kRoot && top.phase == Phase::kAfterValue) return true;
    if (top.kind != Kind::kNumber) continue;
    StackId below = stacks_[static_cast<size_t>(id)].below;
    if (stacks_[static_cast<size_t>(below)].frame->kind == Kind::kRoot &&
        NumberAccepts(top.rest, logic_.alt(top.alt).number, logic_.number_style())) {
      return true;
    }
  }
  return false;
}

State JsonJudge::Advance(State state, uint8_t byte) {
  std::vector<StackId> out;
  std::vector<StackId> stacks = states_[static_cast<size_t>(state)];
  for (StackId stack : stacks) StepStack(stack, byte, &out);
  return Intern(std::move(out));
}

void JsonJudge::PushLive(StackId below, const Frame& frame, std::vector<StackId>* out) {
  if (FrameLive(frame)) out->push_back(Push(below, frame));
}

void JsonJudge::FinishValue(StackId below, std::vector<StackId>* out) {
  Frame parent = *stacks_[static_cast<size_t>(below)].frame;
  parent.phase = Phase::kAfterValue;
  parent.blank = BlankProgress();
  out->push_back(Push(stacks_[static_cast<size_t>(below)].below, parent));
}

void JsonJudge::StepStack(StackId stack, uint8_t byte, std::vector<StackId>* out) {
  StackId below = stacks_[static_cast<size_t>(stack)].below;
  std::shared_ptr<const Frame> top = stacks_[static_cast<size_t>(stack)].frame;
  bool container =
      top->kind == Kind::kRoot || top->kind == Kind::kArray || top->kind == Kind::kObject;
  if (container) {
    StepContainer(below, *top, byte, out);
    return;
  }
  Frame next = *top;
  switch (top->kind) {
    case Kind::kLiteral:
      if (static_cast<uint8_t>(top->rest[0]) != byte) return;
      next.rest.erase(0, 1);
      if (next.rest.empty()) {
        FinishValue(below, out);
      } else {
        PushLive(below, next, out);
      }
      return;
    case Kind::kNumber:
      if (IsNumberByte(byte)) {
        next.rest += static_cast<char>(byte);
        if (logic_.alt(top->alt).number.Unconstrained()) next.rest = Canonical(next.rest);
        PushLive(below, next, out);
      } else if (NumberAccepts(top->rest, logic_.alt(top->alt).number, logic_.number_style())) {
        std::vector<StackId> finished;
        FinishValue(below, &finished);
        StepStack(finished[0], byte, out);
      }
      return;
    case Kind::kString: {
      const Alternative& alt = logic_.alt(top->alt);
      if (byte == '"' && top->text.pending.empty()) {
        if (logic_.StringAccepts(top->alt, top->text)) FinishValue(below, out);
      } else if (logic_.Advance(alt, alt.strings != nullptr, byte, &next.text)) {
        PushLive(below, next, out);
      }
      return;
    }
    default:
      return;
  }
}

void JsonJudge::StepContainer(StackId below, const Frame& frame, uint8_t byte,
                              std::vector<StackId>* out) {
  Frame next = frame;
  if (frame.phase == Phase::kInKey) {
    if (byte == '"' && frame.text.pending.empty()) {
      if (!logic_.AddKey(frame.alt, frame.text, &next.object, &next.value)) return;
      next.phase = Phase::kAfterKey;
      next.text = TextProgress();
      PushLive(below, next, out);
    } else if (logic_.Advance(logic_.alt(frame.alt), true, byte, &next.text)) {
      PushLive(below, next, out);
    }
    return;
  }
  if (ReadBlank(frame, byte, &next)) {
    PushLive(below, next, out);
    return;
  }
  if (!BlankDone(frame, byte)) return;
  next.blank = BlankProgress();
  bool array = frame.kind == Kind::kArray;
  bool object = frame.kind == Kind::kObject;
  bool may_close = frame.phase == Phase::kOpened || frame.phase == Phase::kAfterValue;
  if (may_close && ((array && byte == ']' && logic_.ArrayClosable(frame.alt, frame.count)) ||
                    (object && byte == '}' && logic_.ObjectClosable(frame.alt, frame.object)))) {
    FinishValue(below, out);
    return;
  }
  if ((array || object) && frame.phase == Phase::kAfterValue && byte == ',') {
    next.phase = Phase::kAfterComma;
    PushLive(below, next, out);
    return;
  }
  bool element = frame.phase == Phase::kOpened || frame.phase == Phase::kAfterComma;
  if (object && element && byte == '"') {
    next.phase = Phase::kInKey;
    next.text = TextProgress();
    next.text.regexes = logic_.alt(frame.alt).patterns;
    PushLive(below, next, out);
  } else if (object && frame.phase == Phase::kAfterKey && byte == ':') {
    next.phase = Phase::kAfterColon;
    PushLive(below, next, out);
  } else if (object && frame.phase == Phase::kAfterColon) {
    next.value = 0;
    OpenValue(below, next, frame.value, byte, out);
  } else if (array && element) {
    next.count = logic_.CutCount(frame.alt, frame.count + 1);
    ConjId item = logic_.ItemConj(frame.alt, frame.count);
    OpenValue(below, next, item, byte, out);
  } else if (frame.kind == Kind::kRoot && frame.phase == Phase::kOpened) {
    next.value = 0;
    OpenValue(below, next, frame.value, byte, out);
  }
}

void JsonJudge::OpenValue(StackId below, Frame parent, ConjId conj, uint8_t byte,
                          std::vector<StackId>* out) {
  parent.phase = Phase::kInValue;
  if (!FrameLive(parent)) return;
  Frame child;
  TypeBit type = kNullBit;
  switch (byte) {
    case 'n':
      child.kind = Kind::kLiteral, child.rest = "ull";
      break;
    case 't':
      type = kTrueBit, child.kind = Kind::kLiteral, child.rest = "rue";
      break;
    case 'f':
      type = kFalseBit, child.kind = Kind::kLiteral, child.rest = "alse";
      break;
    case '"':
      type = kStringBit, child.kind = Kind::kString;
      break;
    case '[':
      type = kArrayBit, child.kind = Kind::kArray;
      break;
    case '{':
      type = kObjectBit, child.kind = Kind::kObject;
      break;
    default:
      if (byte != '-' && (byte < '0' || byte > '9')) return;
      type = kNumberBit, child.kind = Kind::kNumber;
      child.rest = static_cast<char>(byte);
  }
  StackId parent_id = -1;
  for (AltId id : logic_.AlternativesOf(conj, type)) {
    Frame opened = child;
    const Alternative& alt = logic_.alt(id);
    if (type == kNumberBit && alt.number.Unconstrained()) opened.rest = Canonical(opened.rest);
    if (type >= kNumberBit) opened.alt = id;
    if (type == kStringBit) opened.text.regexes = alt.patterns;
    if (type == kObjectBit) opened.object.seen.resize(alt.keys.size());
    if (logic_.style().whitespace == Whitespace::kIndent && type >= kArrayBit) {
      opened.depth = parent.depth + 1;
    }
    if (!FrameLive(opened)) continue;
    if (parent_id < 0) parent_id = Push(below, parent);
    out->push_back(Push(parent_id, opened));
  }
}

bool JsonJudge::StackLive(StackId stack) {
  std::vector<StackId> asked;
  int live = 1;
  logic_.SetMode(SchemaLogic::kSpellable);
  for (StackId id = stack; id >= 0 && live == 1; id = stacks_[static_cast<size_t>(id)].below) {
    const StackNode& node = stacks_[static_cast<size_t>(id)];
    if (node.live >= 0) {
      live = node.live;
      break;
    }
    asked.push_back(id);
    live = FrameLive(*node.frame) ? 1 : 0;
  }
  logic_.SetMode(SchemaLogic::kAnyBytes);
  // A frame that cannot be completed fails all stacks above it; those below were not all asked.
  if (live == 1) {
    for (StackId id : asked) stacks_[static_cast<size_t>(id)].live = 1;
  } else {
    stacks_[static_cast<size_t>(stack)].live = 0;
  }
  return live == 1;
}

bool JsonJudge::Live(State state) {
  if (logic_.style().spellable.all()) return true;  // stepping has asked that already
  for (StackId id : states_[static_cast<size_t>(state)]) {
    if (StackLive(id)) return true;
  }
  return false;
}

bool JsonJudge::FrameLive(const Frame& frame) {
  bool indent = logic_.style().whitespace == Whitespace::kIndent;
  if (frame.blank.carriage_return && !logic_.spellable('\n')) return false;
  bool committed = indent && frame.blank.blanks > 0;
  switch (frame.kind) {
    case Kind::kRoot:
      return true;
    case Kind::kLiteral:
      return std::all_of(frame.rest.begin(), frame.rest.end(),
                         [&](char c) { return logic_.spellable(static_cast<uint8_t>(c)); });
    case Kind::kNumber: {
      auto [it, fresh] = number_live_[logic_.mode()].try_emplace({frame.alt, frame.rest}, false);
      if (fresh) {
        it->second = NumberLive(frame.rest, logic_.alt(frame.alt).number, logic_.number_style());
      }
      return it->second;
    }
    case Kind::kString:
      return logic_.StringLive(frame.alt, frame.text);
    case Kind::kArray:
      if (frame.phase == Phase::kAfterComma || (frame.phase == Phase::kOpened && committed)) {
        return logic_.ArrayCanAdd(frame.alt, frame.count);
      }
      if (frame.phase == Phase::kAfterValue && committed) {
        return logic_.spellable(']') && logic_.ArrayClosable(frame.alt, frame.count);
      }
      return logic_.ArrayCanEnd(frame.alt, frame.count);
    default:
      break;
  }
  switch (frame.phase) {
    case Phase::kInKey:
      return logic_.KeyLive(frame.alt, frame.object, frame.text);
    case Phase::kAfterKey:
      return logic_.spellable(':') && logic_.Satisfiable(frame.value) &&
             logic_.ObjectCanEnd(frame.alt, frame.object);
    case Phase::kAfterColon:
      return logic_.Satisfiable(frame.value) && logic_.ObjectCanEnd(frame.alt, frame.object);
    case Phase::kAfterComma:
      return logic_.ObjectCanAdd(frame.alt, frame.object);
    case Phase::kOpened:
      return committed ? logic_.ObjectCanAdd(frame.alt, frame.object)
                       : logic_.ObjectCanEnd(frame.alt, frame.object);
    case Phase::kAfterValue:
      if (committed) return logic_.spellable('}') && logic_.ObjectClosable(frame.alt, frame.object);
      return logic_.ObjectCanEnd(frame.alt, frame.object);
    default:
      return logic_.ObjectCanEnd(frame.alt, frame.object);
  }
}

std::string JsonJudge::IndentText(const Frame& frame, bool closing) const {
  if (frame.kind == Kind::kRoot || frame.phase == Phase::kAfterKey) return "";
  if (frame.phase == Phase::kAfterColon) return " ";
  if (logic_.style().whitespace == Whitespace::kSpaced) {
    return frame.phase == Phase::kAfterComma ? " " : "";
  }
  uint32_t depth = closing ? frame.depth - 1 : frame.depth;
  return "\n" + std::string(static_cast<size_t>(depth) * logic_.style().indent, ' ');
}

bool JsonJudge::ReadBlank(const Frame& frame, uint8_t byte, Frame* next) const {
  if (byte != ' ' && byte != '\t' && byte != '\n' && byte != '\r') return false;
  bool root = frame.kind == Kind::kRoot;
  switch (logic_.style().whitespace) {
    case Whitespace::kAny:
      return true;
    case Whitespace::kCompact:
      return false;
    case Whitespace::kSpaced:
    case Whitespace::kIndent: {
      std::string expected = IndentText(frame, frame.phase == Phase::kAfterValue);
      if (frame.blank.blanks >= expected.size() ||
          static_cast<uint8_t>(expected[frame.blank.blanks]) != byte) {
        return false;
      }
      ++next->blank.blanks;
      return true;
    }
    case Whitespace::kFlexible:
      break;
  }
  if (root) return false;
  if (frame.blank.carriage_return) {
    next->blank.carriage_return = false;
    return byte == '\n';
  }
  if (byte == '\n' || byte == '\r') {
    if (frame.blank.line_break) return false;
    next->blank.line_break = true;
    next->blank.carriage_return = byte == '\r';
    return true;
  }
  return ++next->blank.blanks <= logic_.style().max_blanks;
}

bool JsonJudge::BlankDone(const Frame& frame, uint8_t next) const {
  if (frame.blank.carriage_return) return false;
  if (logic_.style().whitespace == Whitespace::kSpaced) {
    return frame.blank.blanks == IndentText(frame, false).size();
  }
  if (logic_.style().whitespace != Whitespace::kIndent) return true;
  bool closer = next == ']' || next == '}';
  size_t read = frame.blank.blanks;
  if (frame.phase == Phase::kOpened && frame.kind != Kind::kRoot) {
    return closer ? read == 0 : read == IndentText(frame, false).size();
  }
  if (frame.phase == Phase::kAfterValue && frame.kind != Kind::kRoot) {
    return closer ? read == IndentText(frame, true).size() : read == 0;
  }
  return read == IndentText(frame, false).size();
}

}  // namespace maskloom::judge
