// Walks that leave a region; see mask_walk.h.
//
// A token leaves a region at its first character of another category. All tokens with that category
// stand in an ExitIndex: their beginnings are read by the automaton alone, which brings them to few
// different states, and from each of these the tails are walked, for the tokens with its
// beginnings. Behind a quote all states of a string are one, and those of a key are as many as
// classes.
#include <algorithm>

#include "compiler/liveness.h"
#include "compiler/mask_walk.h"
#include "compiler/object_registers.h"

namespace maskloom {
namespace {

// A string, or a key that is no declared name: what is read of it by its automaton.
class OpenText {
 public:
  OpenText(const Machine& machine, const Frame& frame)
      : machine_(machine),
        frame_(frame),
        is_key_(frame.kind == FrameKind::kObject),
        string_(is_key_ ? nullptr : &machine.string(frame.node)),
        object_(is_key_ ? &machine.object(frame.node) : nullptr) {}

  const Frame& frame() const { return frame_; }
  bool Advance(uint32_t code_point, Frame* frame) const {
    if (!is_key_) return AdvanceString(*string_, code_point, frame);
    if (object_->other_keys == nullptr) return true;
    frame->state2 = object_->other_keys->Step(frame->state2, code_point);
    return frame->state2 != TextAutomaton::kDead;
  }
  bool IsLivePartial(const Frame& frame, Partial partial) const {
    if (!is_key_) {
      return IsLiveStringPartial(machine_, *string_, frame.state, frame.count, partial);
    }
    Frame inside = frame;
    inside.partial = partial;
    return IsLiveKey(machine_, *object_, inside);
  }
  // Does it matter how many code points were read, up to as many more as a token has?
  bool IsCounted(const Frame& frame) const {
    if (is_key_ || !string_->bounded) return false;
    Frame behind = frame;
    behind.count += machine_.max_token_bytes();
    return behind.count > string_->max || Count(frame) != Count(behind);
  }
  // Equal where the same tails lead on, with a quote first or without.
  uint64_t ExitState(const Frame& frame, bool quote) const {
    if (!quote && is_key_) return frame.state2;
    if (!quote) return uint64_t{frame.state} << 32 | (string_->bounded ? Count(frame) : 0);
    if (!is_key_) return MayEndString(*string_, frame.state, frame.count);
    return object_->other_keys == nullptr ? 1 : object_->other_keys->labels[frame.state2];
  }

 private:
  // The count of `frame`, or what stands for all counts that no token tells from it.
  uint32_t Count(const Frame& frame) const {
    if (string_->longest_gap == ~uint64_t{0}) return frame.count;
    const uint64_t reach = uint64_t{machine_.max_token_bytes()} + 1 + string_->longest_gap;
    const uint64_t owed = string_->min > frame.count ? string_->min - frame.count : 0;
    const bool has_room = string_->max == kNoLimit || string_->max - frame.count >= reach;
    if (!has_room || (owed > 0 && owed < reach)) return frame.count;
    return owed == 0 ? kNoLimit : kNoLimit - 1;
  }

  const Machine& machine_;
  const Frame frame_;
  const bool is_key_;
  const StringTable* const string_;
  const ObjectTable* const object_;
};

// A code point of `categories`.
uint32_t SomeCodePoint(CategorySet categories) {
  const std::vector<CategoryRange>& ranges = CategoryRanges();
  return std::find_if(ranges.begin(), ranges.end(), [&](const CategoryRange& range) {
           return (range.bit & categories) != 0;
         })->range.first;
}

}  // namespace

bool MaskWalker::AdvanceText(uint32_t code_point, Item* item) const {
  return OpenText(*machine_, item->frame).Advance(code_point, &item->frame);
}

// Calls `visit(node, frame, code points)` behind every text of `trie` behind `lead` that has only
// `categories` and is live, for nodes at which it does not end within a character; where that
// returns false what is below is left out.
template <typename Text, typename Visit>
void MaskWalker::ReadBeginnings(const TokenTrie& trie, Lead lead, const Text& text,
                                CategorySet categories, Visit visit) {
  const auto push = [&](const TokenTrie::Node& node, const Frame& at, uint32_t code_points) {
    const auto children = trie.children(node);
    begin_levels_.push_back({children.data(), children.data() + children.size(), at, code_points});
  };
  const TokenTrie::Node* first = &trie.node(TokenTrie::kRoot);
  if (lead == Lead::kSpace) first = trie.Child(*first, ' ');
  categories |= ContinuationCategory();
  begin_levels_.clear();
  if (first == nullptr || !visit(*first, text.frame(), 0u)) return;
  push(*first, text.frame(), 0);
  while (!begin_levels_.empty()) {
    BeginLevel& level = begin_levels_.back();
    if (level.next == level.end) {
      begin_levels_.pop_back();
      continue;
    }
    const TokenTrie::Node& child = *level.next++;
    if ((categories >> child.category() & 1) == 0) continue;
    Frame next = level.frame;
    uint32_t code_points = level.code_points;
    const CodingStep step = StepCoding(TextCoding::kUtf8, next.partial, child.byte);
    if (step.outcome == CodingStep::Outcome::kDead) continue;
    next.partial = step.partial;
    code_points += BeginsCodePoint(child.byte);
    const bool is_whole = step.outcome == CodingStep::Outcome::kCodePoint;
    if (is_whole && !text.Advance(step.code_point, &next)) continue;
    if (!visit(child, next, code_points)) continue;
    push(child, next, code_points);
  }
}

void MaskWalker::GroupByState(Lead lead, const Item& item, const TextRegion& base, bool quote) {
  const OpenText text(*machine_, item.frame);
  const TokenTrie& beginnings = exits_->beginnings();
  const auto note = [&](const TokenTrie::Node& node, const Frame& frame, uint32_t code_points) {
    if (code_points > base.length) return false;
    const auto numbers = beginnings.tokens(beginnings.IndexOf(node));
    if (numbers.empty() || frame.partial != kBoundary) return true;
    const uint64_t state = text.ExitState(frame, quote);
    if (quote && state == 0) return true;
    const auto known = std::find(exit_states_.begin(), exit_states_.end(), state);
    exit_groups_[numbers[0]] = static_cast<uint32_t>(known - exit_states_.begin()) + 1;
    if (known != exit_states_.end()) return true;
    exit_states_.push_back(state);
    exit_frames_.push_back(frame);
    return true;
  };
  ReadBeginnings(beginnings, lead, text, base.categories, note);
}

bool MaskWalker::GroupAlike(Lead lead, const Item& item, const TextRegion& base, bool quote) {
  const OpenText text(*machine_, item.frame);
  if (text.IsCounted(item.frame)) return false;
  Frame behind = item.frame;
  if (!text.Advance(SomeCodePoint(base.categories), &behind)) return false;
  exit_frames_.push_back(item.frame);
  const bool same = text.ExitState(item.frame, quote) == text.ExitState(behind, quote);
  if (!same) exit_frames_.push_back(behind);
  const CategorySet others = ~(base.categories | ContinuationCategory());
  const uint32_t before = lead == Lead::kSpace;  // code points
  for (uint32_t i = 0; i < exits_->beginning_count(); ++i) {
    const CategorySet categories =
        lead == Lead::kSpace ? exits_->behind_space(i) : exits_->categories(i);
    const uint32_t code_points = exits_->code_points(i) - before;
    if ((categories & others) != 0 || code_points > base.length) continue;
    exit_groups_[i] = code_points == 0 || same ? 1 : 2;
  }
  return true;
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
  UseTrie(exits_->tails(), &exits_->below());
  allowed_ = allowed;
  name_ends_ = nullptr;
  Item from = item;
  for (exit_group_ = 1; exit_group_ <= exit_frames_.size(); ++exit_group_) {
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
  const OpenText text(*machine_, item.frame);
  Item from = item;
  from.level = 1;
  Reset(item);
  const auto visit = [&](const TokenTrie::Node& node, const Frame& frame, uint32_t code_points) {
    const uint32_t index = trie_->IndexOf(node);
    if (code_points <= base.length) {
      const uint32_t below = (*below_)[index].code_points;
      return code_points + below > base.length + BeginsCodePoint(node.byte);
    }
    const bool whole = frame.partial == kBoundary;
    if (!whole && !text.IsLivePartial(frame, frame.partial)) return false;
    if (node.ends_token()) Allow(trie_->tokens(index));
    if (!whole) return true;
    from.frame = frame;
    WalkBelow(node, from, {});
    return false;
  };
  ReadBeginnings(*trie_, lead, text, base.categories, visit);
  Finish();
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
