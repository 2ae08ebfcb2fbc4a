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
        is_key_(frame.kind == FrameKind::kObject),
        string_(is_key_ ? nullptr : &machine.string(frame.node)),
        object_(is_key_ ? &machine.object(frame.node) : nullptr) {}

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
  // Equal where the same tails lead on, with a quote first or without.
  uint64_t ExitState(const Frame& frame, bool quote) const {
    if (!quote) return uint64_t{is_key_ ? frame.state2 : frame.state} << 32 | frame.count;
    if (!is_key_) return MayEndString(*string_, frame.state, frame.count);
    return object_->other_keys == nullptr ? 1 : object_->other_keys->labels[frame.state2];
  }

 private:
  const Machine& machine_;
  const bool is_key_;
  const StringTable* const string_;
  const ObjectTable* const object_;
};

}  // namespace

// Calls `visit(node, frame, code points)` behind every text of `trie` that has only `categories`
// and is live, for nodes at which it does not end within a character; where that returns false what
// is below is left out.
template <typename Text, typename Visit>
void MaskWalker::ReadBeginnings(const TokenTrie& trie, const Text& text, const Frame& frame,
                                CategorySet categories, Visit visit) {
  const auto push = [&](const TokenTrie::Node& node, const Frame& at, uint32_t code_points) {
    const auto children = trie.children(node);
    begin_levels_.push_back({children.data(), children.data() + children.size(), at, code_points});
  };
  categories |= ContinuationCategory();
  begin_levels_.clear();
  if (!visit(trie.node(TokenTrie::kRoot), frame, 0u)) return;
  push(trie.node(TokenTrie::kRoot), frame, 0);
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

void MaskWalker::WalkExits(uint8_t exit, const Item& item, const TextRegion& base,
                           std::vector<TokenId>* allowed) {
  const ExitIndex& exits = vocabulary_->categories().exits(exit);
  const OpenText text(*machine_, item.frame);
  const bool quote = exit == CategoryOf('"');
  exit_groups_.assign(exits.beginning_count(), 0);
  exit_states_.clear();
  exit_frames_.clear();
  const auto note = [&](const TokenTrie::Node& node, const Frame& frame, uint32_t code_points) {
    if (code_points > base.length) return false;
    const auto numbers = exits.beginnings().tokens(exits.beginnings().IndexOf(node));
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
  ReadBeginnings(exits.beginnings(), text, item.frame, base.categories, note);
  UseTrie(exits.tails(), &exits.below());
  allowed_ = allowed;
  name_ends_ = nullptr;
  exits_ = &exits;
  Item from = item;
  for (exit_group_ = 1; exit_group_ <= exit_frames_.size(); ++exit_group_) {
    from.frame = exit_frames_[exit_group_ - 1];
    WalkRoot(from, {});
  }
  exits_ = nullptr;
}

void MaskWalker::WalkLonger(const Item& item, const TextRegion& base,
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
      const uint32_t here = index == TokenTrie::kRoot ? 0 : BeginsCodePoint(node.byte);
      const uint32_t below = (*below_)[index].code_points;
      return code_points - here + below > base.length;
    }
    const bool whole = frame.partial == kBoundary;
    if (!whole && !text.IsLivePartial(frame, frame.partial)) return false;
    if (node.ends_token()) Allow(trie_->tokens(index));
    if (!whole) return true;
    from.frame = frame;
    WalkBelow(node, from, {});
    return false;
  };
  ReadBeginnings(*trie_, text, item.frame, base.categories, visit);
  Finish();
}

void MaskWalker::AllowExits(std::span<const TokenId> numbers) {
  for (const TokenId number : numbers) {
    const ExitIndex::Exit& exit = exits_->exit(number);
    if (exit_groups_[exit.beginning] == exit_group_) allowed_->push_back(exit.id);
  }
}

}  // namespace maskloom
