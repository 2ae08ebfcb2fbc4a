#include "compiler/stepper.h"

#include <algorithm>

#include "compiler/distinct_items.h"
#include "compiler/liveness.h"
#include "compiler/value_space.h"

namespace maskloom {
namespace {

// From this many on, arrivals and items are compared by hash.
constexpr size_t kMany = 32;

bool HasHigherCount(const Item& a, const Item& b) { return a.frame.count > b.frame.count; }

size_t Mix(size_t hash, uint64_t word) {
  hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
  return hash ^ hash >> 29;
}

// Items that differ in marks alone have the same hash.
size_t HashItem(const Item& item) {
  const Frame& frame = item.frame;
  size_t hash =
      Mix(reinterpret_cast<uintptr_t>(item.stack), uint64_t{frame.node} << 32 | frame.state);
  hash = Mix(hash, uint64_t{frame.count} << 32 | frame.partial);
  return Mix(hash, static_cast<uint64_t>(frame.kind) << 8 | static_cast<uint64_t>(frame.phase));
}

// A frame behind which nothing of its rule is left.
bool IsTail(const TextAutomaton& automaton, uint32_t state) {
  return automaton.labels[state] != TextAutomaton::kNotAccepting &&
         automaton.EdgesOf(state).empty() && automaton.CallsOf(state).empty();
}

}  // namespace

size_t Stepper::HashArrival::operator()(const Arrival& arrival) const {
  size_t hash =
      Mix(reinterpret_cast<uintptr_t>(arrival.stack), uint64_t{arrival.node} << 32 | arrival.state);
  return Mix(hash, uint64_t{arrival.count} << 8 | static_cast<uint64_t>(arrival.kind) << 1 |
                       static_cast<uint64_t>(arrival.is_start));
}

size_t Stepper::HashEdge::operator()(const std::pair<const StackNode*, Arrival>& edge) const {
  return Mix(HashArrival()(edge.second), reinterpret_cast<uintptr_t>(edge.first));
}

void Stepper::BeginPosition(std::vector<Item>* items) {
  out_ = items;
  calls_.clear();
  visited_.clear();
  trace_ = nullptr;
  has_refused_ = false;
  if (!extended_.empty()) extended_.clear();
  if (!ended_items_.empty()) ended_items_.clear();
  if (!many_visited_.empty()) many_visited_ = {};
  if (!many_edges_.empty()) many_edges_ = {};
}

void Stepper::Start(std::vector<Item>* items) {
  BeginPosition(items);
  Frame end;
  end.kind = FrameKind::kEnd;
  auto* edge = arena_->New<ReturnEdge>(end, nullptr, 0u, nullptr);
  auto* node = arena_->New<StackNode>(edge);
  Item item;
  item.stack = node;
  item.frame.kind = FrameKind::kRule;
  item.frame.node = machine_->root_rule();
  if (machine_->is_json()) {
    // A JSON text is one value; the white space before it belongs to the root, not to a rule.
    item.frame.kind = FrameKind::kValue;
    item.frame.node = machine_->root_value();
    Emit(item);
    return;
  }
  if (machine_->rule(machine_->root_rule()).nullable) Return(node, 0);
  ArriveLater(item, true);
  DrainArrivals();
}

bool Stepper::Step(std::vector<Item>* items, size_t begin, size_t end, uint8_t byte) {
  BeginPosition(items);
  const size_t first = items->size();
  for (size_t i = begin; i < end; ++i) {
    Item item = (*items)[i];  // a copy: the vector grows
    if (item.trace != nullptr) item.trace = Extend(item.trace, byte);
    trace_ = item.trace;
    StepItem(item, byte);
  }
  DrainArrivals();
  RemoveDeadItems(first);
  if (!notes_levels_ && !calls_.empty()) MergeNodes(first);
  if (items->size() > first + 1) RemoveDuplicates(first);
  return items->size() > first;
}

void Stepper::AppendReturns(std::vector<Item>* items, const Item& item) {
  BeginPosition(items);
  const size_t first = items->size();
  trace_ = item.trace;
  Return(item.stack, item.level);
  DrainArrivals();
  RemoveDeadItems(first);
}

void Stepper::RemoveDeadItems(size_t begin) {
  if (machine_->value_space() == nullptr) return;
  std::vector<Item>& items = *out_;
  size_t kept = begin;
  for (size_t i = begin; i < items.size(); ++i) {
    if (items[i].trace != nullptr && !machine_->value_space()->IsEndless(items[i].frame)) {
      if (notes_levels_) NoteTracedLevels(items[i].stack, items[i].level);
      if (!IsLiveAmongItems(*machine_, items[i])) {
        has_refused_ = true;
        continue;
      }
    }
    if (kept != i) items[kept] = items[i];
    ++kept;
  }
  items.resize(kept);
}

void Stepper::NoteTracedLevels(const StackNode* node, uint32_t level) {
  if (level > 0) {
    deepest_level_ = std::max(deepest_level_, level + node->traced_depth);
    return;
  }
  for (const ReturnEdge* edge = node->edges; edge != nullptr; edge = edge->next) {
    if (edge->traced) NoteTracedLevels(edge->below, edge->below_level);
  }
}

const TraceByte* Stepper::Extend(const TraceByte* trace, uint8_t byte) {
  for (const auto& [before, after] : extended_) {
    if (before == trace) return after;
  }
  const TraceByte* extended =
      trace == nullptr ? arena_->New<TraceByte>(nullptr, 1u, byte)
                       : arena_->New<TraceByte>(trace, trace->length + 1, byte, trace->parted);
  extended_.push_back({trace, extended});
  return extended_.back().second;
}

bool Stepper::EndArrayItem(Item* item) {
  const ArrayTable& table = machine_->array(item->frame.node);
  if (!Compares(table, item->frame)) return true;
  // Readings of one item by several choices end in one value.
  const Frame before = item->frame;
  for (const EndedItem& ended : ended_items_) {
    if (ended.trace != trace_ || ended.before != before) continue;
    item->frame = ended.after;
    return NoteRefusal(table, before, ended.live);
  }
  const SeenValue* seen = nullptr;
  for (const EndedItem& ended : ended_items_) {
    if (ended.trace == trace_ && ended.before.seen_values == before.seen_values &&
        ended.before.state == before.state && ended.after.state2 == 0) {
      seen = ended.after.seen_values;
    }
  }
  const bool live = EndItem(*machine_, table, trace_, closed_, arena_, &item->frame);
  if (live && seen != nullptr && item->frame.seen_values != nullptr &&
      seen->previous == before.seen_values && before.state2 == 0) {
    item->frame.seen_values = seen;
  }
  ended_items_.push_back({before, item->frame, trace_, live});
  return NoteRefusal(table, before, live);
}

bool Stepper::IsAsGood(const Frame& a, const Frame& b) const {
  if (a.marks == b.marks) return a == b;
  if (a.kind != b.kind || a.node != b.node) return false;
  Frame same = b;
  same.marks = a.marks;
  if (a != same) return false;
  const MarkLayout& layout =
      a.kind == FrameKind::kArray ? machine_->array(a.node).marks : machine_->object(a.node).marks;
  return layout.IsAsGood(a.marks, b.marks);
}

void Stepper::RemoveDuplicates(size_t begin) {
  std::vector<Item>& items = *out_;
  if (items.size() - begin > kMany) {
    // Equal items come together by hash, the first of them in front; the others and those with
    // worse marks are marked as repeats, which never are among the items.
    hashes_.clear();
    for (size_t i = begin; i < items.size(); ++i) hashes_.push_back({HashItem(items[i]), i});
    std::sort(hashes_.begin(), hashes_.end());
    for (size_t i = 0; i < hashes_.size(); ++i) {
      for (size_t j = i; j-- > 0 && hashes_[j].first == hashes_[i].first;) {
        Item& before = items[hashes_[j].second];
        Item& item = items[hashes_[i].second];
        if (IsAsGood(before, item)) {
          item.frame.kind = FrameKind::kRepeat;
          break;
        }
        if (IsAsGood(item, before)) before.frame.kind = FrameKind::kRepeat;
      }
    }
    const auto is_marked = [](const Item& item) { return item.frame.kind == FrameKind::kRepeat; };
    items.erase(
        std::remove_if(items.begin() + static_cast<ptrdiff_t>(begin), items.end(), is_marked),
        items.end());
    return;
  }
  size_t kept = begin;
  for (size_t i = begin; i < items.size(); ++i) {
    size_t j = begin;
    while (j < kept && !IsAsGood(items[j], items[i])) ++j;
    if (j < kept) continue;
    // Those that it is better than make room; the order of the others stays.
    size_t left = begin;
    for (j = begin; j < kept; ++j) {
      if (IsAsGood(items[i], items[j])) continue;
      if (left != j) items[left] = items[j];
      ++left;
    }
    kept = left;
    if (kept != i) items[kept] = items[i];
    ++kept;
  }
  items.resize(kept);
}

uint16_t Stepper::Space(SpacePlace place, const Frame& frame, uint8_t byte) const {
  const uint16_t next = StepSpace(machine_->style(), place, frame.depth, frame.space, byte);
  if (byte == '\r' && machine_->style().whitespace == StylePolicy::Whitespace::kFlexible &&
      !machine_->Spells('\n')) {
    return kNoSpace;  // its line feed could not follow
  }
  return next;
}

void Stepper::StepItem(const Item& item, uint8_t byte) {
  switch (item.frame.kind) {
    case FrameKind::kEnd: {
      // Only JSON texts may be followed by white space.
      if (!machine_->is_json()) return;
      Item next = item;
      next.frame.space = Space(SpacePlace::kRoot, item.frame, byte);
      if (next.frame.space != kNoSpace) Emit(next);
      return;
    }
    case FrameKind::kValue: {
      Item next = item;
      next.frame.space = Space(SpacePlace::kRoot, item.frame, byte);
      if (next.frame.space != kNoSpace) return Emit(next);
      return StartValue(item.frame.node, byte, item.stack, item.level, item.frame.depth);
    }
    case FrameKind::kLiteral: {
      const char* text = kLiteralTexts[item.frame.node];
      if (static_cast<uint8_t>(text[item.frame.state]) != byte) return;
      if (text[item.frame.state + 1] == '\0') return Return(item.stack, item.level);
      if (!machine_->Spells(static_cast<uint8_t>(text[item.frame.state + 1]))) return;
      Item next = item;
      ++next.frame.state;
      return Emit(next);
    }
    case FrameKind::kNumber: {
      const NumberAutomaton& automaton = *machine_->number(item.frame.node).automaton;
      Item next = item;
      next.frame.state = automaton.Step(item.frame.state, byte);
      if (next.frame.state == NumberAutomaton::kDead) return;
      Emit(next);
      if (automaton.accepting(next.frame.state)) Return(item.stack, item.level);
      return;
    }
    case FrameKind::kString:
      return StepString(item, byte);
    case FrameKind::kArray:
      return StepArray(item, byte);
    case FrameKind::kObject:
      return StepObject(item, byte);
    case FrameKind::kRule:
      return StepRule(item, byte);
    case FrameKind::kRepeat:
      return;  // never scans: its body does
  }
}

void Stepper::Return(const StackNode* stack, uint32_t level) {
  if (level > deepest_level_) deepest_level_ = level;
  for (const ReturnEdge* edge = stack->edges; edge != nullptr; edge = edge->next) {
    Item item;
    item.frame = edge->frame;
    item.stack = edge->below;
    item.level = level > 0 ? level + 1 : edge->below_level;
    if (item.frame.kind == FrameKind::kArray && !EndArrayItem(&item)) continue;
    if (edge->traced) item.trace = trace_;
    ArriveLater(item, false);
  }
}

void Stepper::ArriveLater(const Item& item, bool is_start) {
  if (item.frame.kind != FrameKind::kRule && item.frame.kind != FrameKind::kRepeat) {
    Emit(item);
  } else if (item.frame.kind == FrameKind::kRepeat && !is_start &&
             item.frame.count >= machine_->repeat(item.frame.node).min) {
    waiting_.push_back(item);
    std::push_heap(waiting_.begin(), waiting_.end(), HasHigherCount);
  } else if (FirstVisit(item, is_start)) {
    pending_.push_back({item, is_start});
  }
}

bool Stepper::FirstVisit(const Item& item, bool is_start) {
  const Arrival arrival{item.frame.kind,  is_start,         item.frame.node,
                        item.frame.state, item.frame.count, item.stack};
  if (visited_.size() < kMany) {
    if (std::find(visited_.begin(), visited_.end(), arrival) != visited_.end()) return false;
    visited_.push_back(arrival);
    return true;
  }
  if (many_visited_.empty()) many_visited_.insert(visited_.begin(), visited_.end());
  return many_visited_.insert(arrival).second;
}

void Stepper::DrainArrivals() {
  while (!pending_.empty() || !waiting_.empty()) {
    if (pending_.empty()) {
      ArriveLowestRepeat();
      continue;
    }
    const Pending next = pending_.back();
    pending_.pop_back();
    Arrive(next.item, next.is_start);
  }
  if (!settled_.empty()) settled_ = {};
}

void Stepper::ArriveLowestRepeat() {
  std::pop_heap(waiting_.begin(), waiting_.end(), HasHigherCount);
  const Item item = waiting_.back();
  waiting_.pop_back();
  const Arrival arrival{FrameKind::kRepeat, false, item.frame.node, 0, 0, item.stack};
  if (settled_.insert(arrival).second) Arrive(item, false);
}

void Stepper::Arrive(const Item& item, bool is_start) {
  if (item.frame.kind == FrameKind::kRule) {
    ArriveRule(item, is_start);
  } else {
    ArriveRepeat(item, is_start);
  }
}

void Stepper::ArriveRule(const Item& item, bool is_start) {
  const TextAutomaton& automaton = *machine_->rule(item.frame.node).automaton;
  const uint32_t state = item.frame.state;
  if (!automaton.EdgesOf(state).empty()) Emit(item);
  if (!is_start && automaton.labels[state] != TextAutomaton::kNotAccepting) {
    Return(item.stack, item.level);
  }
  for (const TextAutomaton::Call& call : automaton.CallsOf(state)) {
    const Callee callee = machine_->CalleeOf(call);
    Frame return_frame = item.frame;
    return_frame.state = call.target;
    PushCall(callee.kind, callee.index, return_frame, item);
    if (callee.nullable) {
      Item skipped = item;
      skipped.frame.state = call.target;
      ArriveLater(skipped, is_start);
    }
  }
}

void Stepper::ArriveRepeat(const Item& item, bool is_start) {
  const RepeatTable& table = machine_->repeat(item.frame.node);
  if (!is_start && item.frame.count >= table.min) Return(item.stack, item.level);
  if (item.frame.count >= table.max) return;
  Frame return_frame = item.frame;
  // Without a limit only the distance to `min` matters.
  return_frame.count =
      table.max == kNoLimit ? std::min(item.frame.count + 1, table.min) : item.frame.count + 1;
  PushCall(FrameKind::kRule, table.body, return_frame, item);
}

void Stepper::PushCall(FrameKind kind, uint32_t callee, const Frame& return_frame,
                       const Item& item) {
  Item start;
  start.frame.kind = kind;
  start.frame.node = callee;
  if (return_frame.kind == FrameKind::kRule &&
      IsTail(*machine_->rule(return_frame.node).automaton, return_frame.state)) {
    start.stack = item.stack;
    start.level = item.level;
    return ArriveLater(start, true);
  }
  const uint32_t key = callee << 4 | static_cast<uint32_t>(kind);
  for (Call& call : calls_) {
    if (call.kind_and_callee == key) return AddEdge(&call, return_frame, item);
  }
  auto* edge = arena_->New<ReturnEdge>(return_frame, item.stack, item.level, nullptr);
  auto* node = arena_->New<StackNode>(edge);
  calls_.push_back({key, node});
  start.stack = node;
  ArriveLater(start, true);
}

void Stepper::AddEdge(Call* call, const Frame& return_frame, const Item& item) {
  const auto key_of = [](const Frame& frame, const StackNode* below) {
    return Arrival{frame.kind, false, frame.node, frame.state, frame.count, below};
  };
  StackNode* node = call->node;
  if (call->edge_count < kMany) {
    for (const ReturnEdge* edge = node->edges; edge != nullptr; edge = edge->next) {
      if (edge->below == item.stack && edge->frame == return_frame) return;
    }
  } else {
    if (call->edge_count == kMany) {
      for (const ReturnEdge* edge = node->edges; edge != nullptr; edge = edge->next) {
        many_edges_.insert({node, key_of(edge->frame, edge->below)});
      }
    }
    if (!many_edges_.insert({node, key_of(return_frame, item.stack)}).second) return;
  }
  ++call->edge_count;
  node->edges = arena_->New<ReturnEdge>(return_frame, item.stack, item.level, node->edges);
}

void Stepper::StepRule(const Item& item, uint8_t byte) {
  const CodingStep step = StepCoding(TextCoding::kUtf8, item.frame.partial, byte);
  const TextAutomaton& automaton = *machine_->rule(item.frame.node).automaton;
  Item next = item;
  switch (step.outcome) {
    case CodingStep::Outcome::kCodePoint:
      next.frame.state = automaton.Step(item.frame.state, step.code_point);
      next.frame.partial = kBoundary;
      if (next.frame.state != TextAutomaton::kDead) ArriveLater(next, false);
      return;
    case CodingStep::Outcome::kPartial:
      next.frame.partial = step.partial;
      if (IsLiveRulePartial(*machine_, automaton, item.frame.state, step.partial)) Emit(next);
      return;
    default:
      return;
  }
}

bool IsAcceptingItem(const Machine& machine, const Item& item) {
  return item.frame.kind == FrameKind::kEnd &&
         SpaceMayEnd(machine.style(), SpacePlace::kRoot, 0, item.frame.space);
}

}  // namespace maskloom
