#include "runtime/cli/state_kind.h"

#include "compiler/machine.h"
#include "compiler/mask_walk.h"
#include "compiler/space_rows.h"
#include "compiler/string_index.h"

namespace maskloom::cli {
namespace {

constexpr StateKind kKinds[] = {
    {'a', "string, any text"},
    {'p', "string, automaton"},
    {'k', "key, any text"},
    {'d', "key, declared or automaton"},
    {'v', "before a value"},
    {'n', "number"},
    {'s', "structure"},
    {'l', "literal"},
    {'r', "rule"},
    {'e', "end"},
};

char KindOfContainer(const Machine& machine, const Item& item) {
  switch (item.frame.phase) {
    case Phase::kKey:
      return IsAnyText(machine, item) ? 'k' : 'd';
    case Phase::kBeforeValue:
      return 'v';
    case Phase::kOpen:
    case Phase::kComma:
      return item.frame.kind == FrameKind::kArray ? 'v' : 's';
    default:
      return 's';
  }
}

}  // namespace

std::span<const StateKind> StateKinds() { return kKinds; }

char StateKindOf(const Matcher& matcher) {
  const Machine& machine = matcher.grammar().machine();
  const Item& item = matcher.items().front();
  switch (item.frame.kind) {
    case FrameKind::kString:
      return machine.string(item.frame.node).automaton == nullptr ? 'a' : 'p';
    case FrameKind::kArray:
    case FrameKind::kObject:
      return KindOfContainer(machine, item);
    case FrameKind::kValue:
      return 'v';
    case FrameKind::kNumber:
      return 'n';
    case FrameKind::kLiteral:
      return 'l';
    case FrameKind::kRule:
    case FrameKind::kRepeat:
      return 'r';
    case FrameKind::kEnd:
      return 'e';
  }
  return 'e';
}

const char* StateKindName(char letter) {
  for (const StateKind& kind : kKinds) {
    if (kind.letter == (letter | 0x20)) return kind.name;
  }
  return "";
}

const char* BaseKindName(const ItemMask& mask) {
  if (mask.base_id == 0) return "none";
  if (!mask.own_row.empty()) return "a row of its own";
  if (mask.base_id >= SpaceRows::kFirstId) return "white space, or before any value";
  if (mask.base_id == StringIndex::kBaseCount) return "digits";
  return mask.base_id > StringIndex::kBaseCount ? "region" : "string";
}

}  // namespace maskloom::cli
