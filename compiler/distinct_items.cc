#include "compiler/distinct_items.h"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "compiler/begun_item.h"
#include "compiler/finite_texts.h"
#include "compiler/item_trace.h"
#include "compiler/liveness.h"
#include "compiler/seen_values.h"
#include "compiler/value_collector.h"
#include "grammar/base/utf8.h"

namespace maskloom {
namespace {

using Distinctness = ArrayNode::Distinctness;

std::string_view KeyOf(const SeenValue& value) { return {value.bytes, value.size}; }

std::vector<std::string_view> SeenKeys(const SeenValue* seen) {
  std::vector<std::string_view> keys;
  for (; seen != nullptr; seen = seen->previous) keys.push_back(KeyOf(*seen));
  return keys;
}

// The key of an array whose items are all of `seen`.
ValueKey KeyOfItems(const SeenValue* seen) {
  size_t size = 2;
  for (const SeenValue* value = seen; value != nullptr; value = value->previous) {
    size += value->size;
  }
  ValueKey key(size, '[');
  key.back() = ']';
  size_t end = size - 1;
  for (const SeenValue* value = seen; value != nullptr; value = value->previous) {
    end -= value->size;
    std::copy(value->bytes, value->bytes + value->size, key.begin() + static_cast<ptrdiff_t>(end));
  }
  return key;
}

// Does what was seen, or what is owed, matter to how the array can be finished?
bool CountsValues(const ArrayTable& table, bool repeated) {
  switch (table.distinctness) {
    case Distinctness::kAny:
      return false;
    case Distinctness::kDistinct:
      return !table.never_runs_out;
    case Distinctness::kRepeated:
      return !repeated && !table.repeats_freely;
  }
  return false;
}

// May an array of `count` items with `marks` end, whatever was seen and whichever items follow?
bool MayEndAnyway(const ArrayTable& table, uint32_t count, uint64_t marks) {
  if (table.distinctness != Distinctness::kDistinct || count < table.min) return false;
  if (table.plain) return true;
  // More items make no count less, but may make one too large.
  const auto holds_on = [&](const ArrayCase& one) {
    if (one.max_size != kNoMaximum || count < one.min_size) return false;
    for (uint32_t i = 0; i < one.bounds.size(); ++i) {
      if (one.bounds[i] == kNoMaximum) continue;
      if (!table.marks.fields()[i].at_least || table.marks.Get(marks, i) < one.bounds[i]) {
        return false;
      }
    }
    return true;
  };
  return std::any_of(table.cases.begin(), table.cases.end(), holds_on);
}

// Can the items of `plan` have values that are distinct and not `seen`?
bool HasRepresentatives(const Machine& machine, const ArrayPlan& plan,
                        const std::vector<std::string_view>& seen) {
  const ValueSpace& space = *machine.value_space();
  uint64_t total = 0;
  std::unordered_map<ValueId, uint64_t> copies;
  for (const auto& [choice, number] : plan) {
    copies[choice.value] += number;
    total += number;
  }
  // Items with few values, each as places in `values`.
  std::vector<std::vector<uint32_t>> items;
  std::unordered_map<std::string, uint32_t> values;
  const std::unordered_set<std::string_view> gone(seen.begin(), seen.end());
  for (const auto& [value, number] : copies) {
    ValueList scratch;
    const ValueList& list = space.ValuesOf(value, seen.size() + total, &scratch);
    if (list.many || list.keys.size() >= seen.size() + total) continue;
    std::vector<uint32_t> left;
    for (const ValueKey& key : list.keys) {
      if (gone.count(key) != 0) continue;
      left.push_back(values.try_emplace(key, static_cast<uint32_t>(values.size())).first->second);
    }
    if (left.size() < number) return false;  // before that many copies are made
    if (copies.size() == 1) return true;     // any of them will do
    items.insert(items.end(), number, left);
  }
  // Augmenting paths, one item at a time.
  constexpr uint32_t kNone = 0xFFFFFFFF;
  std::vector<uint32_t> holder(values.size(), kNone);
  std::vector<uint32_t> visited(values.size(), kNone);
  for (uint32_t root = 0; root < items.size(); ++root) {
    struct Step {
      uint32_t item;
      size_t next = 0;
      uint32_t taken = kNone;
    };
    std::vector<Step> path{{root}};
    bool placed = false;
    while (!path.empty() && !placed) {
      Step& step = path.back();
      if (step.next == items[step.item].size()) {
        path.pop_back();
        continue;
      }
      const uint32_t value = items[step.item][step.next++];
      if (visited[value] == root) continue;
      visited[value] = root;
      step.taken = value;
      if (holder[value] == kNone) {
        for (const Step& s : path) holder[s.taken] = s.item;
        placed = true;
      } else {
        path.push_back({holder[value]});
      }
    }
    if (!placed) return false;
  }
  return true;
}

// Can two equal items be among those of `plan` and the seen ones, of which no two are equal?
bool HasRepetition(const Machine& machine, const ArrayPlan& plan,
                   const std::vector<std::string_view>& seen) {
  const ValueSpace& space = *machine.value_space();
  std::unordered_set<std::string> met;
  for (const std::string_view key : seen) met.emplace(key);
  for (const auto& [choice, number] : plan) {
    if (number > 1) return true;
    ValueList scratch;
    const ValueList& list = space.ValuesOf(choice.value, ValueSpace::kListed, &scratch);
    for (const ValueKey& key : list.keys) {
      if (met.count(key) != 0) return true;
    }
    met.insert(list.keys.begin(), list.keys.end());
  }
  return false;
}

// How many values the array in `frame` may refuse to an item, one way or another.
uint64_t Blocked(const ArrayTable& table, const Frame& frame) {
  if (!ComparesItems(table, frame)) return 0;
  if (table.distinctness == Distinctness::kRepeated) {
    return table.repeats_freely ? 0 : ValueSpace::kListed;
  }
  const uint64_t seen = frame.seen_values == nullptr ? 0 : frame.seen_values->count;
  return seen + (table.never_runs_out ? 0 : ItemsOwed(table, frame.count));
}

// One question of IsLiveAmongItems.
class ItemLiveness {
 public:
  explicit ItemLiveness(const Machine& machine)
      : machine_(machine), space_(*machine.value_space()) {}

  bool IsLive(const Item& item) {
    limit_ = item.stack->blocked;
    if (limit_ == 0 || IsClearlyLive(item)) return true;
    item_ = &item;
    const bool is_number = item.frame.kind == FrameKind::kNumber;
    const std::string number = is_number ? TraceNumber(item.trace) : std::string();
    if (is_number && HasManyNumbers(machine_, item.frame.node, item.frame.state, number, limit_)) {
      return true;
    }
    if (is_number && limit_ > kTriedFirst) {
      // Where they are neither few nor many, the first of them mostly do.
      const ValueList some{false, FirstNumbers(machine_, item.frame.node, number, kTriedFirst)};
      if (IsLiveBelow(some, item.stack, 0)) return true;
    }
    if (item.frame.kind == FrameKind::kString) {
      const std::optional<bool> live = IsLiveByTexts(item);
      if (live) return *live;
    }
    limit_ = RefusedAtMost(item);
    if (limit_ == 0) return true;
    switch (item.frame.kind) {
      case FrameKind::kArray:
      case FrameKind::kObject: {
        if (HasManyValues(item.frame)) return true;
        const OpenContainer* innermost = &Read().open.back();
        return IsLiveBelow(space_.ValuesFrom(item.frame, Read().text, {}, innermost, limit_),
                           item.stack, 1);
      }
      case FrameKind::kString: {
        const std::u32string text = ReadJsonValue(TraceString(item.trace)).text;
        return IsLiveBelow(space_.ValuesFrom(item.frame, text, {}, nullptr, limit_), item.stack, 0);
      }
      default:
        return IsLiveBelow(space_.ValuesFrom(item.frame, {}, number, nullptr, limit_), item.stack,
                           0);
    }
  }

 private:
  static constexpr uint64_t kTriedFirst = 8;
  // ... and so many texts of a string.
  static constexpr uint64_t kTextsTried = 32;
  // Of more values than this in an array it is not asked which of them matter.
  static constexpr uint32_t kMaxCompared = 256;

  // The same of a string that can become finitely many texts, if these are more than are refused,
  // if one of the last is live, or if they are few.
  std::optional<bool> IsLiveByTexts(const Item& item) {
    const StringTable& table = machine_.string(item.frame.node);
    if (table.automaton == nullptr || table.bounded) return {};
    const bool partial = item.frame.partial != kBoundary;
    std::vector<TextAutomaton::Edge> next;
    if (partial) next = EdgesInside(table, item.frame);
    if ((partial ? FewestTexts(item.frame, next) : space_.FewestTexts(item.frame)) > limit_) {
      return true;
    }
    std::string begin = ToUtf8(ReadJsonValue(TraceString(item.trace)).text);
    if (partial) {
      FiniteTexts texts(*table.spelled, std::move(next), std::move(begin));
      return IsLiveAsOneOf(&texts, *item.stack);
    }
    FiniteTexts texts(*table.spelled, item.frame.state, std::move(begin));
    return IsLiveAsOneOf(&texts, *item.stack);
  }

  // The edges for the character of which a part was read, in order.
  std::vector<TextAutomaton::Edge> EdgesInside(const StringTable& table, const Frame& frame) const {
    std::vector<TextAutomaton::Edge> edges;
    AnyRangeOf(machine_.spelling(TextCoding::kJsonString), frame.partial,
               [&](uint32_t first, uint32_t last) {
                 return AnyEdgeIn(*table.automaton, frame.state, first, last,
                                  [&](const TextAutomaton::Edge& edge) {
                                    edges.push_back({std::max(first, edge.first),
                                                     std::min(last, edge.last), edge.target});
                                    return false;
                                  });
               });
    return edges;
  }

  // How many texts the string in `frame` can surely become over `edges`.
  uint64_t FewestTexts(const Frame& frame, const std::vector<TextAutomaton::Edge>& edges) const {
    uint64_t texts = 0;
    uint64_t end = 0;  // of the code points that were counted
    Frame behind = frame;
    behind.partial = kBoundary;
    for (const TextAutomaton::Edge& edge : edges) {
      if (edge.first < end) continue;
      behind.state = edge.target;
      texts += (edge.last - edge.first + 1) * space_.FewestTexts(behind);
      end = uint64_t{edge.last} + 1;
    }
    return texts;
  }

  std::optional<bool> IsLiveAsOneOf(FiniteTexts* texts, const StackNode& node) {
    const bool only_if_seen = IsRefusedOnlyIfSeen(node);
    for (uint64_t i = 0; only_if_seen || i < kTextsTried; ++i) {
      const std::string* text = texts->Next();
      if (text == nullptr) return false;
      ValueKey key = StringKey(*text);
      const bool live = only_if_seen ? !IsSeen(node.edges->frame.seen_values, key)
                                     : IsLiveBelow({false, {std::move(key)}}, &node, 0);
      if (live) return true;
    }
    return {};
  }

  // Is every value that was not seen live below `node`, and no other one?
  bool IsRefusedOnlyIfSeen(const StackNode& node) const {
    const ReturnEdge& edge = *node.edges;
    if (edge.next != nullptr || edge.traced || edge.frame.kind != FrameKind::kArray) return false;
    const ArrayTable& table = machine_.array(edge.frame.node);
    return table.distinctness == Distinctness::kDistinct &&
           (table.never_runs_out || MayEndAnyway(table, edge.frame.count, edge.frame.marks));
  }

  static bool IsNumberByte(uint8_t byte) { return NumberAutomaton::IsNumberByte(byte); }

  // Can the array or object in `frame` surely become more values than could be refused, whatever it
  // holds so far? Requires: `frame` does not stand behind a key.
  bool HasManyValues(const Frame& frame) const {
    if (space_.IsEndless(frame)) return true;
    if (frame.kind != FrameKind::kArray || frame.space != 0) return false;
    const ArrayTable& table = machine_.array(frame.node);
    if (!table.plain || table.distinctness == Distinctness::kRepeated) return false;
    if (frame.count >= table.max || frame.count + 1 < table.min) return false;
    // One more item that was not seen, and then the end.
    const uint64_t seen = frame.seen_values == nullptr ? 0 : frame.seen_values->count;
    ValueList scratch;
    return space_.ValuesOf(table.ItemValue(frame.count), limit_ + seen + 1, &scratch).many;
  }

  // The containers around the item. Most questions are answered without them.
  const ReadValue& Read() {
    if (is_read_) return read_;
    is_read_ = true;
    std::string text = TraceText(item_->trace, 0);
    if (item_->frame.kind == FrameKind::kNumber) {
      while (!text.empty() && IsNumberByte(static_cast<uint8_t>(text.back()))) text.pop_back();
    }
    read_ = ReadJsonValue(text);
    return read_;
  }

  bool IsClearlyLive(const Item& item) const {
    if (space_.IsEndless(item.frame)) return true;
    for (const StackNode* node = item.stack; node->edges->next == nullptr;) {
      const ReturnEdge& edge = *node->edges;
      const bool array = edge.frame.kind == FrameKind::kArray;
      if (array && Blocked(machine_.array(edge.frame.node), edge.frame) > 0) return false;
      if (!edge.traced) return true;
      if (space_.IsEndless(edge.frame)) return true;
      node = edge.below;
    }
    return false;
  }

  // How many of the values that the item can become the arrays around it may refuse: of those that
  // they hold, only what begins as it does matters.
  uint64_t RefusedAtMost(const Item& item) const {
    uint64_t refused = 0;
    for (const StackNode* node = item.stack;; node = node->edges->below) {
      if (node->edges->next != nullptr) return refused + node->blocked;
      const ReturnEdge& edge = *node->edges;
      if (edge.frame.kind == FrameKind::kArray) {
        refused += RefusedBy(machine_.array(edge.frame.node), edge.frame, item.trace);
      }
      if (!edge.traced) return refused;
    }
  }

  uint64_t RefusedBy(const ArrayTable& table, const Frame& frame, const TraceByte* trace) const {
    const uint64_t blocked = Blocked(table, frame);
    if (blocked == 0 || table.distinctness == Distinctness::kRepeated ||
        (frame.seen_values != nullptr && frame.seen_values->count > kMaxCompared)) {
      return blocked;
    }
    const std::string text = TraceText(trace, frame.state);
    if (text.empty()) return blocked;
    uint64_t refused = CountsValues(table, false) && !MayEndAnyway(table, frame.count, frame.marks)
                           ? ItemsOwed(table, frame.count)
                           : 0;
    if (frame.seen_values == nullptr) return refused;
    const BegunItem begun(text);
    for (const SeenValue* value = frame.seen_values; value != nullptr; value = value->previous) {
      refused += begun.MayBecome(KeyOf(*value));
    }
    return refused;
  }

  // Keeps of `values` what the array in `frame` lets be its next item.
  ValueList Filter(const ValueList& values, const ArrayTable& table, const Frame& frame) const {
    if (values.many || !ComparesItems(table, frame)) return values;
    ValueList kept;
    const bool distinct = table.distinctness == Distinctness::kDistinct;
    const bool ends = MayEndAnyway(table, frame.count, frame.marks);
    std::vector<std::string_view> seen;
    if (!ends && CountsValues(table, false)) seen = SeenKeys(frame.seen_values);
    for (const ValueKey& key : values.keys) {
      const bool known = IsSeen(frame.seen_values, key);
      if (known && distinct) continue;
      if (!ends && CountsValues(table, known)) {
        seen.push_back(key);
        const bool live = CanFinishArray(machine_, table, frame.count, frame.marks, seen, known);
        seen.pop_back();
        if (!live) continue;
      }
      kept.keys.push_back(key);
    }
    return kept;
  }

  // Can one of `values` become an item of the arrays below? Of the containers that are open,
  // `closed` are behind it.
  bool IsLiveBelow(const ValueList& values, const StackNode* node, size_t closed) {
    if (values.many) return true;
    if (values.keys.empty()) return false;
    for (const ReturnEdge* edge = node->edges; edge != nullptr; edge = edge->next) {
      const Frame& frame = edge->frame;
      const bool array = frame.kind == FrameKind::kArray;
      const ValueList kept = array ? Filter(values, machine_.array(frame.node), frame) : values;
      if (!kept.many && kept.keys.empty()) continue;
      if (!edge->traced || kept.many || HasManyValues(frame)) return true;
      if (Read().open.size() <= closed) return true;
      ValueList around;
      std::unordered_set<std::string> met;
      for (const ValueKey& key : kept.keys) {
        OpenContainer container = read_.open[read_.open.size() - 1 - closed];
        Frame behind = frame;
        if (array) {
          container.items.push_back(key);
          if (ComparesItems(machine_.array(frame.node), frame) && IsSeen(frame.seen_values, key)) {
            behind.state2 = 1;
          }
        } else {
          container.members.push_back({container.pending, key});
        }
        ValueList more = space_.ValuesFrom(behind, {}, {}, &container, limit_);
        around.many |= more.many;
        for (ValueKey& value : more.keys) met.insert(std::move(value));
        around.many |= met.size() > limit_;
        if (around.many) break;
      }
      if (!around.many) around.keys.assign(met.begin(), met.end());
      if (IsLiveBelow(around, edge->below, closed + 1)) return true;
    }
    return false;
  }

  const Machine& machine_;
  const ValueSpace& space_;
  uint64_t limit_ = 0;
  const Item* item_ = nullptr;
  bool is_read_ = false;
  ReadValue read_;
};

}  // namespace

bool MayCloseArray(const ArrayTable& table, uint32_t count, uint64_t marks, bool repeated) {
  if (count < table.min || !table.condition.Holds(table.marks, marks, count)) return false;
  return table.distinctness != Distinctness::kRepeated || repeated;
}

bool MayCloseArray(const ArrayTable& table, const Frame& frame) {
  return MayCloseArray(table, frame.count, frame.marks, IsRepeatedFrame(frame));
}

uint64_t ItemsOwed(const ArrayTable& table, uint32_t count) {
  uint64_t size = table.min;
  if (!table.plain || table.distinctness == Distinctness::kRepeated) {
    size = std::max<uint64_t>(size, table.prefix.size());
  }
  for (const ArrayCase& one : table.cases) size = std::max(size, one.min_size);
  return (size > count ? size - count : 0) + table.horizon;
}

bool CanFinishArray(const Machine& machine, const ArrayTable& table, uint32_t count, uint64_t marks,
                    const std::vector<std::string_view>& seen, bool repeated) {
  if (!CountsValues(table, repeated)) {
    return table.plain || FindArrayPlan(machine, table, count, marks, kNoText, nullptr, nullptr);
  }
  if (table.distinctness == Distinctness::kDistinct) {
    if (MayEndAnyway(table, count, marks)) return true;
    const AcceptPlan accept = [&](const ArrayPlan& plan) {
      return HasRepresentatives(machine, plan, seen);
    };
    return FindArrayPlan(machine, table, count, marks, kNoText, &accept, nullptr);
  }
  const AcceptPlan accept = [&](const ArrayPlan& plan) {
    return HasRepetition(machine, plan, seen);
  };
  const uint64_t most = ItemsOwed(table, count) + 2;
  for (uint64_t more = 1; more <= most; ++more) {
    if (FindArrayPlan(machine, table, count, marks, kNoText, &accept, nullptr, count + more)) {
      return true;
    }
  }
  return false;
}

bool MayTakeItem(const Machine& machine, const ArrayTable& table, const Frame& frame,
                 const Choice& choice, Frame* next) {
  if (choice.value == kNeverValue || !machine.HasValue(choice.value)) return false;
  next->count = std::min(frame.count + 1, table.saturation);
  next->marks = table.marks.Add(frame.marks, choice.counts);
  const bool repeated = IsRepeatedFrame(frame);
  if (!CountsValues(table, repeated)) {
    return CanFinishArray(machine, table, next->count, next->marks, {}, repeated);
  }
  const bool distinct = table.distinctness == Distinctness::kDistinct;
  const bool ends = MayEndAnyway(table, next->count, next->marks);
  const uint64_t count = frame.seen_values == nullptr ? 0 : frame.seen_values->count;
  const uint64_t limit = distinct ? count + ItemsOwed(table, frame.count) : ValueSpace::kListed;
  ValueList scratch;
  const ValueList& list = machine.value_space()->ValuesOf(choice.value, limit, &scratch);
  if (list.many && ends) return true;
  std::vector<std::string_view> seen;
  if (!ends) seen = SeenKeys(frame.seen_values);
  if (list.many) return CanFinishArray(machine, table, next->count, next->marks, seen, false);
  for (const ValueKey& key : list.keys) {
    const bool known = IsSeen(frame.seen_values, key);
    if (known && distinct) continue;
    if (ends) return true;
    seen.push_back(key);
    const bool live = CanFinishArray(machine, table, next->count, next->marks, seen, known);
    seen.pop_back();
    if (live) return true;
  }
  return false;
}

bool MayAddItem(const Machine& machine, const ArrayTable& table, const Frame& frame) {
  if (frame.count >= table.max) return false;
  if (table.plain && !CountsValues(table, IsRepeatedFrame(frame))) return true;
  Frame next;
  for (const Choice& choice : ItemChoices(table, frame.count)) {
    if (MayTakeItem(machine, table, frame, choice, &next)) return true;
  }
  return false;
}

bool EndItem(const Machine& machine, const ArrayTable& table, const TraceByte* trace,
             const Frame* closed, Arena* arena, Frame* frame) {
  // An array that compared its items to the end has their keys.
  const bool has_keys = closed != nullptr && ComparesItems(machine.array(closed->node), *closed);
  const ValueKey key = has_keys ? KeyOfItems(closed->seen_values)
                                : ReadJsonValue(TraceText(trace, frame->state)).key;
  frame->state = 0;
  const bool known = IsSeen(frame->seen_values, key);
  if (known) {
    if (table.distinctness == Distinctness::kDistinct) return false;
    frame->state2 = 1;
    frame->seen_values = nullptr;
  } else {
    frame->seen_values = AddSeen(frame->seen_values, key, arena);
  }
  if (!CountsValues(table, known) || MayEndAnyway(table, frame->count, frame->marks)) return true;
  return CanFinishArray(machine, table, frame->count, frame->marks, SeenKeys(frame->seen_values),
                        known);
}

void NoteEdge(const Machine& machine, const ReturnEdge& edge, StackNode* node) {
  uint64_t blocked = 0;
  if (edge.frame.kind == FrameKind::kArray) {
    blocked = Blocked(machine.array(edge.frame.node), edge.frame);
  }
  if (edge.traced) {
    blocked += edge.below->blocked;
    node->traced_depth = std::max(node->traced_depth, edge.below->traced_depth + 1);
  }
  node->blocked = std::max(node->blocked, blocked);
}

bool TakesAnyNewItem(const ArrayTable& table, uint32_t count, uint64_t marks) {
  return table.distinctness == Distinctness::kDistinct &&
         (table.never_runs_out || MayEndAnyway(table, count, marks));
}

bool IsLiveAmongItems(const Machine& machine, const Item& item) {
  return ItemLiveness(machine).IsLive(item);
}

}  // namespace maskloom
