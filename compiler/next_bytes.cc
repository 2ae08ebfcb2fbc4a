#include "compiler/next_bytes.h"

#include "compiler/array_plan.h"

namespace maskloom {
namespace {

// First bytes of the code points in [first, last].
void AddFirstBytes(uint32_t first, uint32_t last, bool json, std::bitset<256>* bytes) {
  const auto lead = [](uint32_t c) -> uint32_t {
    return c < 0x80 ? c : c < 0x800 ? 0xC0 | c >> 6 : c < 0x10000 ? 0xE0 | c >> 12 : 0xF0 | c >> 18;
  };
  for (uint32_t b = lead(first); b <= lead(last); ++b) bytes->set(b);
  if (json) bytes->set('\\');
}

void AddSpace(const Machine& machine, std::bitset<256>* bytes) {
  if (machine.style().whitespace == StylePolicy::Whitespace::kCompact) return;
  for (const char c : {' ', '\t', '\n', '\r'}) bytes->set(static_cast<uint8_t>(c));
}

void AddAutomatonBytes(const TextAutomaton& automaton, uint32_t state, bool json,
                       std::bitset<256>* bytes) {
  for (const TextAutomaton::Edge& edge : automaton.EdgesOf(state)) {
    AddFirstBytes(edge.first, edge.last, json, bytes);
  }
}

}  // namespace

void AddNameBytes(const NameTrie& names, uint32_t state, std::bitset<256>* bytes) {
  for (const NameTrie::Edge& edge : names.edges(state)) {
    AddFirstBytes(edge.code_point, edge.code_point, true, bytes);
  }
}

void AddNextBytes(const Machine& machine, const Item& item, std::bitset<256>* bytes) {
  const Frame& frame = item.frame;
  const auto add = [bytes](const char* list) {
    for (; *list != '\0'; ++list) bytes->set(static_cast<uint8_t>(*list));
  };
  if (frame.partial != kBoundary) {
    const bool utf8 = frame.kind == FrameKind::kRule;
    *bytes |= BytesAfter(utf8 ? TextCoding::kUtf8 : machine.string_coding(), frame.partial);
    return;
  }
  switch (frame.kind) {
    case FrameKind::kEnd:
      return AddSpace(machine, bytes);
    case FrameKind::kValue:
      AddSpace(machine, bytes);
      *bytes |= machine.value(frame.node).first_bytes;
      return;
    case FrameKind::kLiteral:
      bytes->set(static_cast<uint8_t>(kLiteralTexts[frame.node][frame.state]));
      return;
    case FrameKind::kString: {
      const StringTable& table = machine.string(frame.node);
      bytes->set('"');
      if (table.automaton == nullptr) {
        *bytes |= BytesAfter(machine.string_coding(), kBoundary);
      } else {
        AddAutomatonBytes(*table.automaton, frame.state, true, bytes);
      }
      return;
    }
    case FrameKind::kNumber:
      return add("-+.eE0123456789");
    case FrameKind::kArray:
      AddSpace(machine, bytes);
      add(frame.phase == Phase::kAfterValue ? "]," : "]");
      if (frame.phase != Phase::kAfterValue) {
        const ArrayTable& table = machine.array(frame.node);
        if (frame.count < table.max && table.plain) {
          *bytes |= machine.value(table.ItemValue(frame.count)).first_bytes;
        } else if (frame.count < table.max) {
          for (const Choice& choice : ItemChoices(table, frame.count)) {
            if (choice.value != kNeverValue) *bytes |= machine.value(choice.value).first_bytes;
          }
        }
      }
      return;
    case FrameKind::kObject: {
      if (frame.phase != Phase::kKey) AddSpace(machine, bytes);
      switch (frame.phase) {
        case Phase::kOpen:
          return add("\"}");
        case Phase::kColon:
          return add(":");
        case Phase::kAfterValue:
          return add(",}");
        case Phase::kComma:
          return add("\"");
        case Phase::kBeforeValue: {
          const ObjectTable& table = machine.object(frame.node);
          if (!table.has_choices) {
            *bytes |= machine.value(frame.state).first_bytes;
            return;
          }
          for (const MemberChoice& choice : table.choices[frame.state]) {
            *bytes |= machine.value(choice.value).first_bytes;
          }
          return;
        }
        case Phase::kKey:
          break;
      }
      const ObjectTable& table = machine.object(frame.node);
      bytes->set('"');
      if (frame.state2 != TextAutomaton::kDead) {
        if (table.other_keys == nullptr) {
          *bytes |= BytesAfter(machine.string_coding(), kBoundary);
        } else {
          AddAutomatonBytes(*table.other_keys, frame.state2, true, bytes);
        }
      }
      if (frame.state != NameTrie::kDead) AddNameBytes(table.names, frame.state, bytes);
      return;
    }
    case FrameKind::kRule:
      return AddAutomatonBytes(*machine.rule(frame.node).automaton, frame.state, false, bytes);
    case FrameKind::kRepeat:
      return;
  }
}

void RemoveSpace(std::bitset<256>* bytes) {
  for (const char c : {' ', '\t', '\n', '\r'}) bytes->reset(static_cast<uint8_t>(c));
}

CategorySet CategoriesOf(const std::bitset<256>& bytes) {
  CategorySet categories = 0;
  for (size_t byte = bytes._Find_first(); byte < bytes.size(); byte = bytes._Find_next(byte)) {
    categories |= CategorySet{1} << CategoryOf(static_cast<uint8_t>(byte));
  }
  return categories;
}

}  // namespace maskloom
