#include "compiler/mask_walk.h"

#include <algorithm>
#include <string_view>

#include "compiler/liveness.h"
#include "compiler/next_bytes.h"
#include "compiler/object_registers.h"

namespace maskloom {
namespace {

// From this many children on, a filter by next bytes is cheaper than trying every child.
constexpr size_t kFilterFrom = 8;

// Where nothing is returned to.
const StackNode* NothingBehind() {
  static const StackNode nothing;
  return &nothing;
}

// Do the bytes of the inside of a string stand for themselves, one character each?
bool IsPlainText(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<uint8_t>(c);
    return byte >= 0x20 && byte < 0x80 && byte != '\\';
  });
}

// Is plain text `text` a declared name?
bool IsDeclared(const NameTrie& names, std::string_view text) {
  uint32_t state = 0;
  for (const char c : text) {
    state = names.Step(state, static_cast<uint8_t>(c));
    if (state == NameTrie::kDead) return false;
  }
  return names.node(state).name != NameTrie::kNoName;
}

// Is plain text `text` one of the keys that were seen?
bool IsSeen(const SeenKey* seen, std::string_view text) {
  for (; seen != nullptr; seen = seen->previous) {
    const KeyText* last = seen->text;
    size_t left = text.size();
    while (last != nullptr && left > 0 &&
           last->code_point == static_cast<uint8_t>(text[left - 1])) {
      last = last->previous;
      --left;
    }
    if (last == nullptr && left == 0) return true;
  }
  return false;
}

// May endless other keys follow wherever declared names lead from `node`, and `state`?
bool NamesStayEndless(const ObjectTable& table, uint32_t node, uint32_t state) {
  std::vector<std::pair<uint32_t, uint32_t>> places{{node, state}};
  while (!places.empty()) {
    const auto [at, at_state] = places.back();
    places.pop_back();
    if (table.other_counts[at_state] != kNoLimit) return false;
    for (const NameTrie::Edge& edge : table.names.edges(at)) {
      const uint32_t next = table.other_keys->Step(at_state, edge.code_point);
      if (next != TextAutomaton::kDead) places.push_back({edge.target, next});
    }
  }
  return true;
}

// Where keys may run out: are there endless ones that extend the key of `frame`, and endless ones
// to follow it?
bool HasEndlessKeys(const ObjectTable& table, const Frame& frame) {
  if (table.is_conditional() || table.finite_classes || table.other_counts.empty() ||
      table.other_counts[0] != kNoLimit || table.other_counts[frame.state2] != kNoLimit) {
    return false;
  }
  return frame.state == NameTrie::kDead || NamesStayEndless(table, frame.state, frame.state2);
}

}  // namespace

bool IsOpenKey(const Machine& machine, const Item& item) {
  const Frame& frame = item.frame;
  if (frame.kind != FrameKind::kObject || frame.phase != Phase::kKey ||
      frame.partial != kBoundary || frame.state2 == TextAutomaton::kDead) {
    return false;
  }
  const ObjectTable& table = machine.object(frame.node);
  return (!table.counts_keys() || HasEndlessKeys(table, frame)) &&
         ObjectRegisters(table, machine.declared_order(), frame)
             .MayAddOther(frame.state2, frame.state, frame.key_text);
}

bool IsAnyText(const Machine& machine, const Item& item) {
  const Frame& frame = item.frame;
  if (frame.partial != kBoundary) return false;
  if (frame.kind == FrameKind::kString) return machine.string(frame.node).automaton == nullptr;
  return IsOpenKey(machine, item) && machine.object(frame.node).other_keys == nullptr;
}

void MaskWalker::Bind(const Machine& machine, const VocabularyIndex& vocabulary,
                      TextRegions* regions) {
  machine_ = &machine;
  vocabulary_ = &vocabulary;
  regions_ = regions;
  standard_walks_ = &vocabulary.standard_walks(machine.style());
  stepper_.Bind(machine, &arena_);
  stepper_.IgnoreSeenValues(false);
  deepest_level_ = 0;
}

bool MaskWalker::Accepts(const Item& item, std::string_view bytes) {
  Reset(item);
  size_t begin = 0;
  bool lives = true;
  for (size_t i = 0; i < bytes.size() && lives; ++i) {
    const size_t end = items_.size();
    lives = stepper_.Step(&items_, begin, end, static_cast<uint8_t>(bytes[i]));
    begin = end;
  }
  Finish();
  return lives;
}

MaskWalker::Base MaskWalker::BaseBelow(const TokenTrie::Node& child, const Base& base) const {
  if (!base.holds || (base_categories_ >> child.category() & 1) == 0) return {};
  if (!BeginsCodePoint(child.byte) || base.length == CategoryIndex::kAnyLength) return base;
  return {base.length > 0, base.length - (base.length > 0)};
}

bool MaskWalker::IsDone(const TokenTrie::Node& child, const Base& base, const Base& below,
                        const Take& take) {
  const bool may_take = !base.holds && take.categories != 0;
  if ((!below.holds && !may_take) || below_ == nullptr) return false;
  const CategoriesBelow::Below found = (*below_)[trie_->IndexOf(child)];
  if (below.holds) {
    return (found.categories & ~base_categories_) == 0 && found.code_points <= base.length;
  }
  if ((found.categories & ~take.categories) != 0 || found.code_points > take.length) return false;
  Allow(trie_->tokens(trie_->IndexOf(child)));
  Allow(trie_->tokens_below(child));
  return true;
}

bool MaskWalker::TakeBelow(const TokenTrie::Node& node, const Take& take) {
  const CategoriesBelow::Below found = (*below_)[trie_->IndexOf(node)];
  const uint32_t code_points = found.code_points - BeginsCodePoint(node.byte);
  if ((found.categories & ~take.categories) != 0 || code_points > take.length) return false;
  Allow(trie_->tokens_below(node));
  return true;
}

bool MaskWalker::MayTakeBelow(const TokenTrie::Node& node) const {
  return below_ != nullptr && node.has_many_below();
}

MaskWalker::Take MaskWalker::RegionToTake(const Item& item) {
  const Frame& frame = item.frame;
  // What a key may be depends on more.
  const bool is_told = frame.partial == kBoundary &&
                       (frame.kind == FrameKind::kString || frame.kind == FrameKind::kNumber);
  KnownTake& known = known_takes_[(frame.state + 7 * frame.count) % known_takes_.size()];
  if (is_told && known.walk == walk_ && known.kind == frame.kind && known.node == frame.node &&
      known.state == frame.state && known.count == frame.count) {
    return known.take;
  }
  const TextRegion region = regions_->Find(*machine_, item);
  // Beyond ASCII a subtree may hold bytes that are no character here.
  const Take take{region.categories & AsciiCategories(), region.length};
  if (is_told) known = {walk_, frame.kind, frame.node, frame.state, frame.count, take};
  return take;
}

std::bitset<256> MaskWalker::BytesBehind(size_t begin, size_t end) const {
  std::bitset<256> bytes;
  for (size_t i = begin; i < end; ++i) AddNextBytes(*machine_, items_[i], &bytes);
  return bytes;
}

MaskWalker::Level* MaskWalker::PushLevel(const TokenTrie::Node& node, size_t begin, size_t end) {
  if (node.child_count < kFilterFrom) {
    trie_->Prefetch(node);
    return PushChildren(trie_->children(node), begin, end);
  }
  return PushFiltered(node, begin, end, BytesBehind(begin, end));
}

MaskWalker::Level* MaskWalker::PushFiltered(const TokenTrie::Node& node, size_t begin, size_t end,
                                            const std::bitset<256>& bytes) {
  trie_->Prefetch(node);
  Level* level = PushChildren(trie_->children(node), begin, end);
  level->filtered = true;
  level->bytes = bytes;
  if (!MayTakeBelow(node)) return level;
  for (size_t i = begin; i < end; ++i) {
    if (items_[i].trace != nullptr) return level;
  }
  for (size_t i = begin; i < end && level->take.categories == 0; ++i) {
    level->take = RegionToTake(items_[i]);
  }
  return level;
}

MaskWalker::Level* MaskWalker::PushChildren(std::span<const TokenTrie::Node> children, size_t begin,
                                            size_t end) {
  Level* level = &levels_.emplace_back();
  level->next = children.data();
  level->end = children.data() + children.size();
  level->begin_items = begin;
  level->end_items = end;
  level->mark = arena_.mark();
  return level;
}

void MaskWalker::WalkOtherChild(const TokenTrie::Node& child, const Item& item, const Base& base,
                                bool in_name) {
  const size_t kept = items_.size();
  const size_t floor = levels_.size();
  items_.push_back(item);
  Level* pushed = PushChildren(std::span(&child, 1), kept, kept + 1);
  pushed->base = base;
  pushed->in_name = in_name;
  RunLevels(floor);
  items_.resize(kept);
}

void MaskWalker::WalkEnds(const Item& item, size_t first) {
  if (ends_.size() == first) return;
  const size_t kept = items_.size();
  const Arena::Mark mark = arena_.mark();
  stepper_.AppendReturns(&items_, item);
  if (items_.size() == kept) {
    ends_.resize(first);
  } else {
    WalkEndsFrom(kept, first);
  }
  arena_.Release(mark);
}

void MaskWalker::WalkEndsFrom(size_t begin, size_t first) {
  const size_t floor = levels_.size();
  const size_t end = items_.size();
  const std::bitset<256> bytes = BytesBehind(begin, end);
  for (size_t i = first; i < ends_.size(); ++i) PushBehind(*ends_[i], begin, end, bytes);
  ends_.resize(first);
  RunLevels(floor);
  items_.resize(begin);
}

StandardPart MaskWalker::PartBegun(const Level& level, uint8_t byte, size_t begin) const {
  const Frame& frame = items_[begin].frame;
  if (items_[begin].trace != nullptr || frame.partial != kBoundary) return kNoStandardPart;
  const StandardNodes& nodes = machine_->standard_nodes();
  const bool alone = items_.size() == begin + 1;
  switch (byte) {
    case '"':
      if (!alone) return kNoStandardPart;
      if (frame.kind == FrameKind::kString) return nodes.strings[frame.node];
      // Only behind its quote a key of any text has none.
      return frame.key_text == nullptr && IsAnyText(*machine_, items_[begin]) ? StandardPart::kKey
                                                                              : kNoStandardPart;
    case '[':
    case '{': {
      if (!alone || frame.phase != Phase::kOpen) return kNoStandardPart;  // text of a key or string
      if (frame.kind == FrameKind::kArray) return nodes.arrays[frame.node];
      return frame.kind == FrameKind::kObject ? nodes.objects[frame.node] : kNoStandardPart;
    }
    case ':':
      return alone && nodes.IsBeforeAny(*machine_, frame) ? StandardPart::kMember : kNoStandardPart;
    default: {
      if (frame.kind != FrameKind::kNumber || !NumberAutomaton::IsNumberByte(byte)) {
        return kNoStandardPart;
      }
      for (size_t i = level.begin_items; i < level.end_items; ++i) {
        if (items_[i].frame.kind == FrameKind::kNumber) return kNoStandardPart;
      }
      return IsNumber(begin) ? nodes.numbers[frame.node] : kNoStandardPart;
    }
  }
}

bool MaskWalker::ReadKeyEnd(const StandardWalks::Exit& end, size_t begin) {
  const size_t kept = items_.size();
  const Arena::Mark mark = arena_.mark();
  size_t from = begin;
  size_t to = begin + 1;
  for (const char c : standard_walks_->BytesOf(end)) {
    const size_t behind = items_.size();
    if (!stepper_.Step(&items_, from, to, static_cast<uint8_t>(c))) {
      items_.resize(kept);
      arena_.Release(mark);
      return false;
    }
    from = behind;
    to = items_.size();
  }
  items_.erase(items_.begin() + static_cast<ptrdiff_t>(kept),
               items_.begin() + static_cast<ptrdiff_t>(from));
  return true;
}

// Behind an undeclared key the object is the same whichever it was, unless a token can bring in
// another one; the ends of such keys are read but once. All others are read one by one.
void MaskWalker::PushKeyEnds(std::span<const StandardWalks::Exit> ends, size_t begin) {
  const Frame& frame = items_[begin].frame;
  const ObjectTable& table = machine_->object(frame.node);
  const bool alike = !table.counts_keys() && !vocabulary_->has_two_key_tokens();
  const auto is_undeclared = [&, seen = frame.seen_keys](const StandardWalks::Exit& end) {
    std::string_view text = standard_walks_->BytesOf(end);
    text.remove_suffix(1);
    return alike && IsPlainText(text) && !IsDeclared(table.names, text) && !IsSeen(seen, text);
  };
  const auto push = [&](const StandardWalks::Exit& end, size_t from, size_t to) {
    Allow(trie_->tokens(end.node));
    if (end.next != 0) PushBehind(trie_->node(end.node), from, to, BytesBehind(from, to));
  };
  const StandardWalks::Exit* undeclared = nullptr;
  for (const StandardWalks::Exit& end : ends) {
    if (is_undeclared(end)) {
      undeclared = &end;
      continue;
    }
    const size_t from = items_.size();
    if (!ReadKeyEnd(end, begin)) continue;
    push(end, from, items_.size());
  }
  // Levels with the same items must follow each other.
  const size_t from = items_.size();
  if (undeclared == nullptr || !ReadKeyEnd(*undeclared, begin)) return;
  const size_t to = items_.size();
  for (const StandardWalks::Exit& end : ends) {
    if (is_undeclared(end)) push(end, from, to);
  }
}

void MaskWalker::AllowCounted(const StandardWalks::Walk& walk, const LengthRange& room) {
  const auto take = [&](size_t begin, size_t end, uint32_t min) {
    const auto lengths = walk.lengths.subspan(begin, end - begin);
    const auto first = std::lower_bound(lengths.begin(), lengths.end(), min);
    const auto last = std::upper_bound(first, lengths.end(), room.left);
    Allow(walk.tokens.subspan(begin + static_cast<size_t>(first - lengths.begin()),
                              static_cast<size_t>(last - first)));
  };
  take(0, walk.inside_count, 0);
  take(walk.inside_count, walk.tokens.size(), room.owed);
}

bool MaskWalker::TakePart(const TokenTrie::Node& node, StandardPart part, size_t begin) {
  const bool counted = part == StandardPart::kCountedString;
  const auto walk =
      standard_walks_->Find(*trie_, trie_->IndexOf(node), counted ? StandardPart::kString : part);
  if (!walk) return false;
  if (part == StandardPart::kKey) {
    Allow(walk->tokens);
    PushKeyEnds(walk->exits, begin);
    return true;
  }
  const Item item = items_[begin];
  LengthRange room;
  if (counted) {
    room = RoomOf(machine_->string(item.frame.node), item.frame.count);
    AllowCounted(*walk, room);
  } else {
    Allow(walk->tokens);
  }
  PushExits(*walk, part, item, room);
  return true;
}

void MaskWalker::AppendBehind(StandardPart part, const Item& item) {
  if (part != StandardPart::kMember && !IsSpaced(part)) {
    return stepper_.AppendReturns(&items_, item);
  }
  // As a step does where the value begins, for when it has ended.
  items_.push_back(item);
  Frame& frame = items_.back().frame;
  frame.phase = Phase::kAfterValue;
  frame.space = 0;
  if (frame.kind == FrameKind::kArray) {
    frame.count = std::min(frame.count + 1, machine_->array(frame.node).saturation);
  } else {
    frame.state = 0;
  }
}

void MaskWalker::PushExits(const StandardWalks::Walk& walk, StandardPart part, const Item& item,
                           const LengthRange& room) {
  if (walk.exits.empty()) return;
  const size_t behind = items_.size();
  AppendBehind(part, item);
  const size_t end = items_.size();
  const std::bitset<256> bytes = BytesBehind(behind, end);
  const CategorySet next = CategoriesOf(bytes);
  for (const StandardWalks::Exit& exit : walk.exits) {
    if ((exit.next & next) == 0 || !room.Has(exit.code_points)) continue;
    PushBehind(trie_->node(exit.node), behind, end, bytes);
  }
}

void MaskWalker::WalkChild(const TokenTrie::Node& child) {
  Level& level = levels_.back();
  const Base below = BaseBelow(child, level.base);
  if (IsDone(child, level.base, below, level.take)) return;
  if (!stepper_.Step(&items_, level.begin_items, level.end_items, child.byte)) return;
  const size_t begin = level.end_items;
  const bool in_name = level.in_name;
  if (items_.size() > begin + 1) MergeBegun(begin);
  // Keys that leave the declared names belong to another walk.
  if (in_name && items_[begin].frame.state == NameTrie::kDead) return;
  if (!below.holds && child.ends_token()) Allow(trie_->tokens(trie_->IndexOf(child)));
  if (child.child_count == 0) return;
  if (!below.holds && !in_name) {
    const StandardPart part = PartBegun(level, child.byte, begin);
    if (part != kNoStandardPart && TakePart(child, part, begin)) return;
  }
  if (WalkByAutomaton(child, begin, below, in_name)) return;
  if (!below.holds && !in_name) {
    if (const SpacedMarks* marks = MarksBelow(child, begin, items_.size())) {
      return WalkMarks(*marks, begin, items_.size(), BytesBehind(begin, items_.size()));
    }
  }
  Level* pushed = PushLevel(child, begin, items_.size());
  pushed->base = below;
  pushed->in_name = in_name;
}

void MaskWalker::RunLevels(size_t floor) {
  while (levels_.size() > floor) {
    Level& level = levels_.back();
    if (level.filtered) {
      level.next = TokenTrie::FindWanted(level.next, level.end, [&](uint32_t byte) -> uint32_t {
        return level.bytes[byte] ? byte : static_cast<uint32_t>(level.bytes._Find_next(byte));
      });
    }
    items_.resize(level.end_items);
    arena_.Release(level.mark);
    if (level.next == level.end) {
      levels_.pop_back();
      continue;
    }
    WalkChild(*level.next++);
  }
}

void MaskWalker::Walk(const TokenTrie& trie, const Item& item, const TextRegion& base,
                      std::vector<TokenId>* allowed, std::vector<TokenId>* name_ends) {
  UseTrie(trie, &trie == &vocabulary_->trie() ? &vocabulary_->categories().below() : nullptr);
  allowed_ = allowed;
  name_ends_ = name_ends;
  WalkRoot(item, base);
}

void MaskWalker::WalkBehindString(const Item& item, std::vector<TokenId>* allowed) {
  UseTrie(vocabulary_->strings(machine_->string_coding()).tails(), nullptr);
  base_categories_ = 0;
  allowed_ = allowed;
  name_ends_ = nullptr;
  Reset(item);
  const Item first = items_[0];
  if (const TokenTrie::Node* quote = trie_->Child(trie_->node(TokenTrie::kRoot), '"')) {
    Allow(trie_->tokens(trie_->IndexOf(*quote)));
    ends_.push_back(quote);
    WalkEnds(first, 0);
  }
  Finish();
}

Item MaskWalker::InsideAlone(const Item& item) {
  Item alone = item;
  alone.stack = NothingBehind();
  return alone;
}

bool MaskWalker::IsInsideAlone(const Item& item) { return item.stack == NothingBehind(); }

void MaskWalker::Reset(const Item& item) {
  ++walk_;
  arena_.Reset();
  items_.assign(1, item);
  items_.back().level = 1;
  levels_.clear();
  stepper_.ResetLevel();
}

void MaskWalker::Finish() {
  RunLevels(0);
  deepest_level_ = std::max(deepest_level_, stepper_.deepest_level());
}

void MaskWalker::Begin(const Item& item, std::vector<TokenId>* allowed) {
  UseTrie(vocabulary_->trie(), &vocabulary_->categories().below());
  base_categories_ = 0;
  allowed_ = allowed;
  name_ends_ = nullptr;
  Reset(item);
}

bool MaskWalker::WalkByAutomaton(const TokenTrie::Node& node, size_t begin, const Base& base,
                                 bool for_ends) {
  const Item item = items_[begin];
  if (IsText(begin)) {
    WalkText(node, item, base);
  } else if (IsNumber(begin)) {
    WalkNumber(node, item, base);
  } else if (IsKey(begin) || (for_ends && item.frame.partial == kBoundary)) {
    WalkKey(node, item, base, for_ends);
  } else {
    return false;
  }
  return true;
}

void MaskWalker::WalkBelow(const TokenTrie::Node& node, const Item& item, const Base& base) {
  const size_t kept = items_.size();
  const size_t floor = levels_.size();
  items_.push_back(item);
  if (!WalkByAutomaton(node, kept, base, name_ends_ != nullptr)) {
    PushLevel(node, kept, kept + 1)->base = base;
    RunLevels(floor);
  }
  items_.resize(kept);
}

void MaskWalker::WalkRoot(const Item& item, const TextRegion& base) {
  base_categories_ = base.categories | ContinuationCategory();
  Reset(item);
  const Item first = items_[0];
  WalkBelow(trie_->node(TokenTrie::kRoot), first, {base.categories != 0, base.length});
  Finish();
}

}  // namespace maskloom
