#include "compiler/apart_items.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "compiler/begun_item.h"
#include "compiler/distinct_items.h"
#include "compiler/item_trace.h"
#include "compiler/white_space.h"

namespace maskloom {
namespace {

// Stacks with more nodes than this, and arrays of more values, are walked with care.
constexpr size_t kMaxNodes = 32;
constexpr uint32_t kMaxValues = 1024;

// Is every item that has begun endless, whatever else was read of it? So it is for unbounded
// strings, and numbers before their exponent, and not for literals.
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

uint8_t KindsOf(const Machine& machine, const ArrayTable& table) {
  uint8_t kinds = 0;
  for (uint32_t i = 0; i <= table.prefix.size(); ++i) {
    for (const Choice& choice : ItemChoices(table, i)) {
      if (choice.value == kNeverValue || !machine.HasValue(choice.value)) continue;
      const ValueTable& value = machine.value(choice.value);
      const auto& literals = value.allows_literal;
      if (literals[0] || literals[1] || literals[2]) kinds |= kLiteralItems;
      if (!value.numbers.empty()) kinds |= kNumberItems;
      if (!value.strings.empty()) kinds |= kStringItems;
      if (!value.arrays.empty()) kinds |= kArrayItems;
      if (!value.objects.empty()) kinds |= kObjectItems;
    }
  }
  return kinds;
}

// Adds to `near` what the array in `frame` says, between items.
void AddBetween(const Machine& machine, const Frame& frame, Nearness* near) {
  const ArrayTable& table = machine.array(frame.node);
  if (!ComparesItems(table, frame)) return;
  near->counts |= !table.never_runs_out;
  near->items |= KindsOf(machine, table);
  if (IsApartBetween(machine, frame)) return;
  near->kind = TakesAnyNewItem(table) ? Nearness::Kind::kNear : Nearness::Kind::kUnknown;
  for (const SeenValue* value = frame.seen_values; value != nullptr; value = value->previous) {
    near->values.push_back({value->bytes, value->size});
  }
}

// The number with which the text of `item` ends, if it does: one that goes on or has just ended.
std::optional<BegunNumber> NumberAtEnd(const Item& item) {
  const Frame& frame = item.frame;
  const uint8_t last = item.trace->byte;
  if (frame.kind != FrameKind::kNumber && (IsInText(frame) || last < '0' || last > '9')) return {};
  return BegunNumber(TraceNumber(item.trace));
}

// The same of an array whose item is being read, of which and of what is around it `trace` was
// read, at the end of which is `number`.
void AddInside(const Machine& machine, const Frame& frame, std::string_view trace,
               const std::optional<BegunNumber>& number, Nearness* near) {
  const ArrayTable& table = machine.array(frame.node);
  if (!ComparesItems(table, frame)) return;
  near->counts |= !table.never_runs_out;
  near->items |= KindsOf(machine, table);
  const bool is_many = frame.seen_values != nullptr && frame.seen_values->count > kMaxValues;
  const std::string_view text = trace.substr(std::min<size_t>(frame.state, trace.size()));
  if (!TakesAnyNewItem(table) || is_many || text.empty()) {
    near->kind = Nearness::Kind::kUnknown;
    return;
  }
  if (frame.seen_values == nullptr) return;
  const BegunItem begun(text);
  for (const SeenValue* value = frame.seen_values; value != nullptr; value = value->previous) {
    const std::string_view key(value->bytes, value->size);
    if (!begun.MayBecome(key) || (number && !number->MayBecomePart(key))) continue;
    if (near->kind == Nearness::Kind::kApart) near->kind = Nearness::Kind::kNear;
    near->values.push_back(key);
  }
}

// May a value that begins at bytes[begin] end in `bytes`, or be a number from whose exponent on it
// can become but one value, as with 0e and integers with 9e-?
bool MayEnd(std::string_view bytes, size_t begin) {
  const std::string_view rest = bytes.substr(begin + 1);
  switch (bytes[begin]) {
    case '"':
      return rest.find('"') != std::string_view::npos;
    case '[':
      return rest.find(']') != std::string_view::npos;
    case '{':
      return rest.find('}') != std::string_view::npos;
    case 'n':
    case 't':
    case 'f':
      return std::any_of(std::begin(kLiteralTexts), std::end(kLiteralTexts),
                         [&](const char* text) { return bytes.substr(begin).starts_with(text); });
    default:
      return !std::all_of(rest.begin(), rest.end(), [](char c) {
        return c != 'e' && c != 'E' && NumberAutomaton::IsNumberByte(static_cast<uint8_t>(c));
      });
  }
}

// The kind of values that begin with `c`.
uint8_t KindBegunBy(char c) {
  switch (c) {
    case '"':
      return kStringItems;
    case '[':
      return kArrayItems;
    case '{':
      return kObjectItems;
    case 'n':
    case 't':
    case 'f':
      return kLiteralItems;
    default:
      return c == '-' || (c >= '0' && c <= '9') ? kNumberItems : 0;
  }
}

}  // namespace

Nearness FindNearness(const Machine& machine, const Item& item) {
  Nearness near;
  if (item.frame.kind == FrameKind::kArray) AddBetween(machine, item.frame, &near);
  if (item.trace == nullptr) return near;
  const std::optional<BegunNumber> number = NumberAtEnd(item);
  const std::string trace = TraceText(item.trace, 0);
  std::vector<const StackNode*> nodes{item.stack};
  for (size_t i = 0; i < nodes.size(); ++i) {
    for (const ReturnEdge* edge = nodes[i]->edges; edge != nullptr; edge = edge->next) {
      if (edge->frame.kind == FrameKind::kArray) {
        AddInside(machine, edge->frame, trace, number, &near);
      }
      if (near.kind == Nearness::Kind::kUnknown) return near;
      if (!edge->traced) continue;
      if (nodes.size() == kMaxNodes) {
        near.kind = Nearness::Kind::kUnknown;
        return near;
      }
      if (std::find(nodes.begin(), nodes.end(), edge->below) == nodes.end()) {
        nodes.push_back(edge->below);
      }
    }
  }
  return near;
}

bool MayHoldItem(std::string_view bytes, uint8_t items) {
  if (bytes.find('[') != std::string_view::npos) items = kAllItems;
  bool begins = true;  // may an item begin here?
  bool behind_comma = false;
  for (size_t i = 0; i < bytes.size(); ++i) {
    const char c = bytes[i];
    if (IsJsonSpace(c)) continue;
    if (begins && (KindBegunBy(c) & items) != 0) {
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
