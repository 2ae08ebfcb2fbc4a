#include "compiler/apart_items.h"

#include <algorithm>
#include <vector>

#include "compiler/distinct_items.h"
#include "compiler/white_space.h"

namespace maskloom {
namespace {

// Stacks with more nodes than this, and arrays of more values, are walked with care.
constexpr size_t kMaxNodes = 32;
constexpr uint32_t kMaxValues = 64;

// Is every item that has begun endless, whatever else was read of it? So it is for unbounded
// strings and numbers, and not for literals.
bool BeginsEndless(const Machine& machine, const ArrayTable& table) {
  const auto has_literals = [&](ValueId id) {
    if (id == kNeverValue || !machine.HasValue(id)) return false;
    const auto& allowed = machine.value(id).allows_literal;
    return allowed[0] || allowed[1] || allowed[2];
  };
  return table.simple_items && table.plain && !has_literals(table.rest) &&
         std::none_of(table.prefix.begin(), table.prefix.end(), has_literals);
}

// Does the array in `frame`, between items, not mind which come next?
bool IsApartBetween(const Machine& machine, const Frame& frame) {
  const ArrayTable& table = machine.array(frame.node);
  if (!ComparesItems(table, frame)) return true;
  return table.never_runs_out && (frame.seen_values == nullptr || BeginsEndless(machine, table));
}

// Does the array in `frame`, whose item is being read with `trace`, not hold what it can become?
bool IsApartInside(const ArrayTable& table, const Frame& frame, const TraceByte* trace) {
  if (!ComparesItems(table, frame)) return true;
  if (!table.never_runs_out) return false;
  if (frame.seen_values == nullptr) return true;
  if (frame.seen_values->count > kMaxValues) return false;
  const std::string text = TraceText(trace, frame.state);
  for (const SeenValue* value = frame.seen_values; value != nullptr; value = value->previous) {
    if (text.empty() || MayBecome(text, {value->bytes, value->size})) return false;
  }
  return true;
}

// May a value that begins at bytes[begin] end in `bytes`?
bool MayEnd(std::string_view bytes, size_t begin) {
  const std::string_view rest = bytes.substr(begin + 1);
  switch (bytes[begin]) {
    case '"':
      return rest.find('"') != std::string_view::npos;
    case '[':
      return rest.find(']') != std::string_view::npos;
    case '{':
      return rest.find('}') != std::string_view::npos;
    default:
      break;
  }
  for (const char* literal : kLiteralTexts) {
    if (bytes.substr(begin).starts_with(literal)) return true;
  }
  if (bytes[begin] != '-' && (bytes[begin] < '0' || bytes[begin] > '9')) return false;
  return !std::all_of(rest.begin(), rest.end(), [](char c) {
    return NumberAutomaton::IsNumberByte(static_cast<uint8_t>(c));
  });
}

}  // namespace

bool IsApartFromSeen(const Machine& machine, const Item& item) {
  if (item.frame.kind == FrameKind::kArray && !IsApartBetween(machine, item.frame)) return false;
  if (item.trace == nullptr) return true;
  std::vector<const StackNode*> nodes{item.stack};
  for (size_t i = 0; i < nodes.size(); ++i) {
    for (const ReturnEdge* edge = nodes[i]->edges; edge != nullptr; edge = edge->next) {
      const Frame& frame = edge->frame;
      if (frame.kind == FrameKind::kArray &&
          !IsApartInside(machine.array(frame.node), frame, item.trace)) {
        return false;
      }
      if (!edge->traced) continue;
      if (nodes.size() == kMaxNodes) return false;
      if (std::find(nodes.begin(), nodes.end(), edge->below) == nodes.end()) {
        nodes.push_back(edge->below);
      }
    }
  }
  return true;
}

bool MayHoldItem(std::string_view bytes) {
  bool begins = true;  // may an item begin here?
  bool behind_comma = false;
  for (size_t i = 0; i < bytes.size(); ++i) {
    const char c = bytes[i];
    if (IsJsonSpace(c)) continue;
    if (begins) {
      const bool quote_or_bracket = c == '"' || c == '[' || c == '{';
      const bool goes_on = behind_comma && (!quote_or_bracket || i + 1 < bytes.size());
      if (goes_on || MayEnd(bytes, i)) return true;
    }
    begins = c == ',' || c == '[';
    behind_comma = c == ',';
  }
  return false;
}

}  // namespace maskloom
