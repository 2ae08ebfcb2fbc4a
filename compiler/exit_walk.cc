// Walks that leave a region; see mask_walk.h.
//
// A token leaves a region at its first character of another category. All tokens with that category
// stand in an ExitIndex: their beginnings lead to few different states, and from each of these the
// tails are walked, for the tokens with its beginnings. Behind a quote all states of a string are
// one, and those of a key are as many as classes. Beginnings are read by the automaton alone; where
// all texts of the region lead on in the same way (TextRegion::alike), it is enough to look at
// their categories and lengths.
//
// A space leaves many regions, and nearly all tokens that have one begin with it: what follows it
// has its own region, and the same is done once more behind a space (Lead::kSpace).
#include <algorithm>

#include "compiler/liveness.h"
#include "compiler/mask_walk.h"
#include "compiler/object_registers.h"

namespace maskloom {
namespace {

// So few exits of a group are better read one by one: most of all exits are not of the group.
constexpr uint32_t kFewExits = 32;

// What of `bytes` follows `count` code points.
std::string_view BehindCodePoints(std::string_view bytes, uint32_t count) {
  size_t i = 0;
  while (i < bytes.size()) {
    if (BeginsCodePoint(static_cast<uint8_t>(bytes[i])) && count-- == 0) break;
    ++i;
  }
  return bytes.substr(i);
}

// A code point of `categories`.
uint32_t SomeCodePoint(CategorySet categories) {
  const std::vector<CategoryRange>& ranges = CategoryRanges();
  return std::find_if(ranges.begin(), ranges.end(),
                      [&](const CategoryRange& range) { return (range.bit & categories) != 0; })
      ->range.first;
}

}  // namespace

// A string, or a key that is no declared name: what is read of it by its automaton.
class MaskWalker::OpenText {
 public:
  // `reach`: how many code points may be read behind what is asked about, at most.
  OpenText(const Machine& machine, const Frame& frame, uint32_t reach)
      : machine_(machine),
        reach_(reach),
        frame_(frame),
        is_key_(frame.kind == FrameKind::kObject),
        string_(is_key_ ? nullptr : &machine.string(frame.node)),
        object_(is_key_ ? &machine.object(frame.node) : nullptr),
        automaton_(is_key_ ? object_->other_keys.get() : string_->automaton.get()) {}

  TextPlace Start() const {
    return {is_key_ ? frame_.state2 : frame_.state, frame_.count, frame_.partial};
  }
  Frame At(const TextPlace& place) const {
    Frame frame = frame_;
    (is_key_ ? frame.state2 : frame.state) = place.state;
    frame.count = place.count;
    frame.partial = place.partial;
    return frame;
  }
  // Reads a character. Returns whether the automaton lives; bounds on the length are not asked.
  bool Move(uint32_t code_point, TextPlace* place) const {
    if (is_counted()) Count(1, place);
    if (automaton_ == nullptr) return true;
    place->state = automaton_->Step(place->state, code_point);
    return place->state != TextAutomaton::kDead;
  }
  bool IsLive(const TextPlace& place) const {
    if (!is_key_) return IsLiveString(*string_, place.state, place.count);
    // Of several classes of keys some may not come.
    return object_->class_counts.empty() || IsLiveKey(machine_, *object_, At(place));
  }
  bool IsLivePartial(const TextPlace& place) const {
    if (is_key_) return IsLiveKey(machine_, *object_, At(place));
    return IsLiveStringPartial(machine_, *string_, place.state, place.count, place.partial);
  }
  // Do code points count?
  bool is_counted() const { return !is_key_ && string_->bounded; }
  // Makes `place` as if so many more had been read. Requires: is_counted().
  void Count(uint32_t code_points, TextPlace* place) const {
    place->count += code_points;
    if (string_->max == kNoLimit) place->count = std::min(place->count, string_->min);
  }
  // Equal where the same tails lead on, with a quote first or without.
  uint64_t ExitState(const TextPlace& place, bool quote) const {
    if (!quote) return uint64_t{place.state} << 32 | (is_counted() ? ToldCount(place) : 0);
    if (!is_key_) return MayEndString(*string_, place.state, place.count);
    return automaton_ == nullptr ? 1 : automaton_->labels[place.state];
  }

 private:
  // The count, or what stands for all counts that no token tells from it.
  uint32_t ToldCount(const TextPlace& place) const {
    if (string_->longest_gap == ~uint64_t{0}) return place.count;
    const uint64_t reach = uint64_t{reach_} + 1 + string_->longest_gap;
    const uint64_t owed = string_->min > place.count ? string_->min - place.count : 0;
    const bool has_room = string_->max == kNoLimit || string_->max - place.count >= reach;
    if (!has_room || (owed > 0 && owed < reach)) return place.count;
    return owed == 0 ? kNoLimit : kNoLimit - 1;
  }

  const Machine& machine_;
  const uint32_t reach_;
  const Frame& frame_;
  const bool is_key_;
  const StringTable* const string_;
  const ObjectTable* const object_;
  const TextAutomaton* const automaton_;  // null: any text
};

bool MaskWalker::AdvanceText(uint32_t code_point, Item* item) const {
  const OpenText text(*machine_, item->frame, machine_->max_token_bytes());
  TextPlace place = text.Start();
  if (!text.Move(code_point, &place) || !text.IsLive(place)) return false;
  item->frame = text.At(place);
  return true;
}

bool MaskWalker::AcceptsText(const Item& item, std::string_view bytes) {
  const OpenText text(*machine_, item.frame, machine_->max_token_bytes());
  TextPlace place = text.Start();
  size_t i = 0;
  while (i < bytes.size()) {
    const auto byte = static_cast<uint8_t>(bytes[i]);
    if (place.partial != kBoundary || byte >= 0x80) {
      const CodingStep step = StepCoding(TextCoding::kUtf8, place.partial, byte);
      if (step.outcome == CodingStep::Outcome::kDead) return false;
      place.partial = step.partial;
      ++i;
      const bool is_whole = step.outcome == CodingStep::Outcome::kCodePoint;
      if (is_whole && !text.Move(step.code_point, &place)) return false;
      continue;
    }
    if (byte < 0x20 || byte == '"' || byte == '\\') break;
    const uint32_t before = place.state;
    if (!text.Move(byte, &place)) return false;
    ++i;
    if (place.state != before) continue;
    const size_t run = i;
    while (i < bytes.size() && static_cast<uint8_t>(bytes[i]) == byte) ++i;
    if (text.is_counted()) text.Count(static_cast<uint32_t>(i - run), &place);
  }
  // A text that can be finished could be all along.
  if (place.partial != kBoundary) return text.IsLivePartial(place);
  if (!text.IsLive(place)) return false;
  if (i == bytes.size()) return true;
  Item behind = item;
  behind.frame = text.At(place);
  return Accepts(behind, bytes.substr(i));
}

// Calls `visit(node, place, code points)` behind every text of `trie` behind `lead` that has only
// `categories` and that the automaton reads; where that returns false what is below is left out, as
// is where `is_worth(node, code points)` is false, before the automaton is asked.
template <typename IsWorth, typename Visit>
void MaskWalker::ReadBeginnings(const TokenTrie& trie, Lead lead, const OpenText& text,
                                CategorySet categories, IsWorth is_worth, Visit visit) {
  const auto push = [&](const TokenTrie::Node& node, const TextPlace& at, uint32_t code_points) {
    const auto children = trie.children(node);
    begin_levels_.push_back({children.data(), children.data() + children.size(), at, code_points});
  };
  const TokenTrie::Node* first = &trie.node(TokenTrie::kRoot);
  if (lead == Lead::kSpace) first = trie.Child(*first, ' ');
  categories |= ContinuationCategory();
  begin_levels_.clear();
  if (first == nullptr || !visit(*first, text.Start(), 0u)) return;
  push(*first, text.Start(), 0);
  while (!begin_levels_.empty()) {
    BeginLevel& level = begin_levels_.back();
    if (level.next == level.end) {
      begin_levels_.pop_back();
      continue;
    }
    const TokenTrie::Node& child = *level.next++;
    if ((categories >> child.category() & 1) == 0) continue;
    const uint32_t code_points = level.code_points + BeginsCodePoint(child.byte);
    if (!is_worth(child, code_points)) continue;
    TextPlace next = level.place;
    uint32_t code_point = child.byte;
    if (child.byte >= 0x80) {
      const CodingStep step = StepCoding(TextCoding::kUtf8, next.partial, child.byte);
      if (step.outcome == CodingStep::Outcome::kDead) continue;
      next.partial = step.partial;
      code_point = step.code_point;
    } else if (next.partial != kBoundary) {
      continue;
    }
    if (next.partial == kBoundary && !text.Move(code_point, &next)) continue;
    if (!visit(child, next, code_points)) continue;
    push(child, next, code_points);
  }
}

uint32_t MaskWalker::GroupOf(const OpenText& text, const TextPlace& place, bool quote) {
  const uint64_t state = text.ExitState(place, quote);
  if (quote && state == 0) return 0;  // it may not end here
  const auto known = std::find(exit_states_.begin(), exit_states_.end(), state);
  const auto group = static_cast<uint32_t>(known - exit_states_.begin()) + 1;
  if (known == exit_states_.end()) {
    exit_states_.push_back(state);
    exit_frames_.push_back(text.At(place));
  }
  return group;
}

void MaskWalker::GroupByState(Lead lead, const Item& item, const TextRegion& base, bool quote) {
  const OpenText text(*machine_, item.frame, LongestTail());
  const TokenTrie& beginnings = exits_->beginnings();
  const auto is_within = [&](const TokenTrie::Node&, uint32_t code_points) {
    return code_points <= base.length;
  };
  const auto note = [&](const TokenTrie::Node& node, const TextPlace& place, uint32_t) {
    const auto numbers = beginnings.tokens(beginnings.IndexOf(node));
    if (numbers.empty() || place.partial != kBoundary) return true;
    exit_groups_[numbers[0]] = GroupOf(text, place, quote);
    return true;
  };
  ReadBeginnings(beginnings, lead, text, base.categories, is_within, note);
}

bool MaskWalker::GroupAlike(Lead lead, const Item& item, const TextRegion& base, bool quote) {
  const OpenText text(*machine_, item.frame, LongestTail());
  TextPlace first = text.Start();  // behind one character
  if (!text.Move(SomeCodePoint(base.categories), &first) || !text.IsLive(first)) return false;
  const uint32_t empty = GroupOf(text, text.Start(), quote);
  const uint32_t others = text.is_counted() ? 0 : GroupOf(text, first, quote);
  const CategorySet left_out = ~(base.categories | ContinuationCategory());
  const bool spaced = lead == Lead::kSpace;
  for (uint32_t i = 0; i < exits_->beginning_count(); ++i) {
    const CategorySet categories = spaced ? exits_->behind_space(i) : exits_->categories(i);
    const uint32_t code_points = exits_->code_points(i) - spaced;
    if ((categories & left_out) != 0 || code_points > base.length) continue;
    uint32_t group = code_points == 0 ? empty : others;
    if (code_points > 0 && text.is_counted()) {
      TextPlace behind = first;
      text.Count(code_points - 1, &behind);
      group = GroupOf(text, behind, quote);
    }
    exit_groups_[i] = group;
  }
  return true;
}

void MaskWalker::TakeSmallGroups(Lead lead, const Item& item, std::vector<TokenId>* allowed) {
  group_sizes_.assign(exit_frames_.size() + 1, 0);
  for (uint32_t i = 0; i < exits_->beginning_count(); ++i) {
    const auto count = static_cast<uint32_t>(exits_->ExitsOf(i).size());
    // Most tokens have nothing before the mark.
    const bool is_empty = exits_->code_points(i) == (lead == Lead::kSpace);
    uint32_t& size = group_sizes_[exit_groups_[i]];
    size = is_empty ? kFewExits + 1 : std::min(size + count, kFewExits + 1);
  }
  group_sizes_[0] = 0;
  const auto is_small = [](uint32_t size) { return size > 0 && size <= kFewExits; };
  if (std::none_of(group_sizes_.begin(), group_sizes_.end(), is_small)) return;
  Item from = item;
  for (uint32_t i = 0; i < exits_->beginning_count(); ++i) {
    const uint32_t group = exit_groups_[i];
    if (!is_small(group_sizes_[group])) continue;
    from.frame = exit_frames_[group - 1];
    for (const ExitIndex::Exit& exit : exits_->ExitsOf(i)) {
      const std::string_view bytes = vocabulary_->vocabulary().bytes(exit.id);
      if (Accepts(from, BehindCodePoints(bytes, exits_->code_points(i)))) {
        allowed->push_back(exit.id);
      }
    }
  }
  std::replace_if(group_sizes_.begin(), group_sizes_.end(), is_small, 0);
}

void MaskWalker::WalkExits(uint8_t exit, Lead lead, const Item& item, const TextRegion& base,
                           std::vector<TokenId>* allowed) {
  exits_ = &vocabulary_->categories().exits(exit);
  const bool quote = exit == CategoryOf('"');
  exit_groups_.assign(exits_->beginning_count(), 0);
  exit_states_.clear();
  exit_frames_.clear();
  if ((base.alike >> exit & 1) == 0 || !GroupAlike(lead, item, base, quote)) {
    GroupByState(lead, item, base, quote);
  }
  TakeSmallGroups(lead, item, allowed);
  UseTrie(exits_->tails(), &exits_->below());
  allowed_ = allowed;
  name_ends_ = nullptr;
  Item from = item;
  for (exit_group_ = 1; exit_group_ <= exit_frames_.size(); ++exit_group_) {
    if (group_sizes_[exit_group_] == 0) continue;
    from.frame = exit_frames_[exit_group_ - 1];
    WalkRoot(from, {});
  }
  exits_ = nullptr;
}

void MaskWalker::WalkLonger(Lead lead, const Item& item, const TextRegion& base,
                            std::vector<TokenId>* allowed) {
  UseTrie(vocabulary_->trie(), &vocabulary_->categories().below());
  allowed_ = allowed;
  name_ends_ = nullptr;
  const OpenText text(*machine_, item.frame, machine_->max_token_bytes());
  Item from = item;
  from.level = 1;
  Reset(item);
  const auto leads_on = [&](const TokenTrie::Node& node, uint32_t code_points) {
    if (code_points > base.length) return true;
    const uint32_t below = (*below_)[trie_->IndexOf(node)].code_points;
    return code_points + below > base.length + BeginsCodePoint(node.byte);
  };
  const auto visit = [&](const TokenTrie::Node& node, const TextPlace& place,
                         uint32_t code_points) {
    if (code_points <= base.length) return true;
    const uint32_t index = trie_->IndexOf(node);
    const bool whole = place.partial == kBoundary;
    if (!(whole ? text.IsLive(place) : text.IsLivePartial(place))) return false;
    if (node.ends_token()) Allow(trie_->tokens(index));
    if (!whole) return true;
    from.frame = text.At(place);
    WalkBelow(node, from, {});
    return false;
  };
  ReadBeginnings(*trie_, lead, text, base.categories, leads_on, visit);
  Finish();
}

void MaskWalker::AppendEnds(const Item& item, std::vector<uint32_t>* numbers) {
  const StringIndex& strings = vocabulary_->strings(machine_->string_coding());
  const TokenTrie& beginnings = strings.beginnings();
  const StringTable& table = machine_->string(item.frame.node);
  const LengthRange room = RoomOf(table, item.frame.count);
  const OpenText text(*machine_, item.frame, strings.longest_exit());
  const auto fits = [&](const TokenTrie::Node&, uint32_t code_points) {
    return !table.bounded || code_points <= room.left;
  };
  const auto note = [&](const TokenTrie::Node& node, const TextPlace& place, uint32_t) {
    if (place.partial != kBoundary) return text.IsLivePartial(place);
    if (!node.ends_token()) return true;
    if (!MayEndString(table, place.state, place.count)) return true;
    const auto ids = beginnings.tokens(beginnings.IndexOf(node));
    numbers->insert(numbers->end(), ids.begin(), ids.end());
    return true;
  };
  ReadBeginnings(beginnings, Lead::kNothing, text, ~CategorySet{0}, fits, note);
  Walk(strings.coded_beginnings(), InsideAlone(item), {}, numbers);
}

void MaskWalker::WalkSpaced(const Item& item, std::vector<TokenId>* allowed) {
  Begin(item, allowed);
  const Item first = items_[0];
  const TokenTrie::Node* space = trie_->Child(trie_->node(TokenTrie::kRoot), ' ');
  if (space != nullptr) {
    Allow(trie_->tokens(trie_->IndexOf(*space)));
    WalkBelow(*space, first, {});
  }
  Finish();
}

void MaskWalker::AllowExits(std::span<const TokenId> numbers) {
  for (const TokenId number : numbers) {
    const ExitIndex::Exit& exit = exits_->exit(number);
    if (exit_groups_[exit.beginning] == exit_group_) allowed_->push_back(exit.id);
  }
}

}  // namespace maskloom
