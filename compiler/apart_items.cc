#include "compiler/apart_items.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <vector>

#include "compiler/begun_item.h"
#include "compiler/distinct_items.h"
#include "compiler/item_trace.h"
#include "compiler/value_space.h"
#include "compiler/white_space.h"

namespace maskloom {
namespace {

// Stacks with more nodes than this, and arrays of more values, are walked with care.
constexpr size_t kMaxNodes = 32;
constexpr uint32_t kMaxValues = 1024;

// Finds the kinds of values, and which of them are simple and scarce; see ArrayTable::simple_kinds.
class ItemKindFinder {
 public:
  explicit ItemKindFinder(const Machine& machine)
      : machine_(machine), space_(*machine.value_space()) {}

  void Add(const ValueTable& value) {
    const auto& literals = value.allows_literal;
    if (literals[0] || literals[1] || literals[2]) Add(kLiteralItems, false);
    for (const NodeId id : value.numbers) {
      Add(kNumberItems, IsSimple(machine_.grammar().numbers[id]));
    }
    // What of a string is read in a token must leave it endless.
    for (const NodeId id : value.strings) {
      if (!space_.IsEndless(Begun(FrameKind::kString, id))) scarce_ |= kStringItems;
      Add(kStringItems,
          space_.EndlessReach(Begun(FrameKind::kString, id)) > machine_.max_token_bytes());
    }
    if (!value.arrays.empty()) {
      Add(kArrayItems, false);
      scarce_ |= kArrayItems;
    }
    for (const NodeId id : value.objects) {
      const bool is_endless = space_.IsEndless(Begun(FrameKind::kObject, id));
      Add(kObjectItems, is_endless);
      if (!is_endless) scarce_ |= kObjectItems;
    }
  }
  uint8_t kinds() const { return kinds_; }
  uint8_t simple_kinds() const { return kinds_ & ~others_; }
  // Of one kind alone there is a value wherever an item may come.
  uint8_t scarce_kinds() const { return std::has_single_bit(kinds_) ? 0 : scarce_; }

 private:
  void Add(ItemKinds kind, bool simple) {
    kinds_ |= kind;
    if (!simple) others_ |= kind;
  }
  static bool IsSimple(const NumberNode& number) {
    return number.spelling == NumberNode::Spelling::kAny && !number.lower && !number.upper &&
           !number.one_of && number.none_of.empty() && number.multiples_of.empty() &&
           number.no_multiples_of.empty();
  }
  static Frame Begun(FrameKind kind, NodeId id) {
    Frame frame;
    frame.kind = kind;
    frame.node = id;
    return frame;
  }

  const Machine& machine_;
  const ValueSpace& space_;
  uint8_t kinds_ = 0;
  uint8_t others_ = 0;  // kinds that are not simple
  uint8_t scarce_ = 0;
};

// Of the kinds of items of `table`, those of which any that begins in a token has endless values.
uint8_t SimpleKinds(const ArrayTable& table, const HeldItems& held) {
  return static_cast<uint8_t>(table.simple_kinds & ~(held.begins_members() ? kObjectItems : 0));
}

// Does the array in `frame`, between items, not mind which come next?
bool IsApartBetween(const ArrayTable& table, const HeldItems& held, const Frame& frame) {
  if (!table.never_runs_out) return false;
  return frame.seen_values == nullptr ||
         (table.plain && (table.item_kinds & ~SimpleKinds(table, held)) == 0);
}

// Adds to `near` which tokens must be read with care for an array of `table`.
void AddKinds(const ArrayTable& table, const HeldItems& held, Nearness* near) {
  near->counts |= !table.never_runs_out;
  near->items.whole |= table.item_kinds;
  near->items.begun |= table.item_kinds & ~SimpleKinds(table, held);
  near->items.opened |= table.scarce_kinds;
}

// Adds to `near` what the array in `frame` says, between items.
void AddBetween(const Machine& machine, const HeldItems& held, const Frame& frame, Nearness* near) {
  const ArrayTable& table = machine.array(frame.node);
  if (!ComparesItems(table, frame) || table.repeats_freely) return;
  AddKinds(table, held, near);
  if (IsApartBetween(table, held, frame)) return;
  const bool takes_any = TakesAnyNewItem(table, frame.count + 1, frame.marks);
  near->kind = takes_any ? Nearness::Kind::kNear : Nearness::Kind::kUnknown;
  for (const SeenValue* value = frame.seen_values; value != nullptr; value = value->previous) {
    near->values.push_back({value->bytes, value->size});
  }
}

// What was read of an item, as far as it is asked for.
class BegunText {
 public:
  explicit BegunText(const Item& item) : item_(item) {}

  uint32_t length() const { return item_.trace->length; }
  const PartedItems& parted() const { return item_.trace->parted; }
  // Appends to `close` those of `values`, that the array has seen whose item begins behind `length`
  // bytes of the trace, which it can still become.
  void AppendClose(const SeenValue* values, uint32_t length, std::vector<std::string_view>* close) {
    ReadNumber();
    const BegunItem begun(TraceText(item_.trace, length));
    for (; values != nullptr; values = values->previous) {
      const std::string_view key(values->bytes, values->size);
      if (begun.MayBecome(key) && (!number_ || number_->MayBecomePart(key))) close->push_back(key);
    }
  }

 private:
  // The number with which it ends, if it does: one that goes on or has just ended.
  void ReadNumber() {
    if (is_read_) return;
    is_read_ = true;
    const Frame& frame = item_.frame;
    const uint8_t last = item_.trace->byte;
    const bool has_ended = !IsInText(frame) && last >= '0' && last <= '9';
    if (frame.kind == FrameKind::kNumber || has_ended) number_.emplace(TraceNumber(item_.trace));
  }

  const Item& item_;
  bool is_read_ = false;
  std::optional<BegunNumber> number_;
};

// The same of an array whose item is being read, as `text`.
void AddInside(const Machine& machine, const HeldItems& held, const Frame& frame, BegunText* text,
               Nearness* near) {
  const ArrayTable& table = machine.array(frame.node);
  if (!ComparesItems(table, frame)) return;
  if (!table.repeats_freely) AddKinds(table, held, near);
  const bool takes_any = table.repeats_freely || TakesAnyNewItem(table, frame.count, frame.marks);
  const bool is_many = frame.seen_values != nullptr && frame.seen_values->count > kMaxValues;
  if (!takes_any || is_many || text->length() <= frame.state) {
    near->kind = Nearness::Kind::kUnknown;
    return;
  }
  if (frame.seen_values == nullptr) return;
  const size_t before = near->values.size();
  if (!text->parted().Has(frame.state)) {
    text->AppendClose(frame.seen_values, frame.state, &near->values);
    if (near->values.size() == before) text->parted().Note(frame.state);
  }
  near->arrays.push_back({frame.seen_values, frame.state, before, near->values.size()});
  if (near->values.size() > before && near->kind == Nearness::Kind::kApart) {
    near->kind = Nearness::Kind::kNear;
  }
}

}  // namespace

void SetItemKinds(const Machine& machine, ArrayTable* table) {
  ItemKindFinder finder(machine);
  const uint64_t slots = std::min<uint64_t>(uint64_t{table->prefix.size()} + 1, table->max);
  for (uint32_t i = 0; i < slots; ++i) {
    for (const Choice& choice : ItemChoices(*table, i)) {
      if (choice.value == kNeverValue || !machine.HasValue(choice.value)) continue;
      finder.Add(machine.value(choice.value));
    }
  }
  table->item_kinds = finder.kinds();
  table->simple_kinds = finder.simple_kinds();
  table->scarce_kinds = finder.scarce_kinds();
}

Nearness FindNearness(const Machine& machine, const HeldItems& held, const Item& item) {
  Nearness near;
  near.repeats = machine.has_repeated_arrays();
  // What stands before a bracket may depend on whether it may come.
  const bool indented = machine.style().whitespace == StylePolicy::Whitespace::kIndent;
  if (machine.value_space() == nullptr || (near.repeats && indented)) return near;
  near.kind = Nearness::Kind::kApart;
  if (item.frame.kind == FrameKind::kArray) AddBetween(machine, held, item.frame, &near);
  if (item.trace == nullptr) return near;
  BegunText text(item);
  std::vector<const StackNode*> nodes{item.stack};
  for (size_t i = 0; i < nodes.size(); ++i) {
    for (const ReturnEdge* edge = nodes[i]->edges; edge != nullptr; edge = edge->next) {
      if (edge->frame.kind == FrameKind::kArray) {
        AddInside(machine, held, edge->frame, &text, &near);
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

}  // namespace maskloom
