// Walks of tries inside numbers; see mask_walk.h.
//
// Where a number has ended, what follows is the same whichever it was, and never a byte of a
// number: so the automaton walks the digits alone, and the nodes behind which a number may end are
// walked on from once, at the end.
#include <algorithm>

#include "compiler/mask_walk.h"

namespace maskloom {
namespace {

bool IsContainerOrEnd(const Frame& frame) {
  return frame.kind == FrameKind::kEnd || frame.kind == FrameKind::kArray ||
         frame.kind == FrameKind::kObject;
}

}  // namespace

bool MaskWalker::IsNumber(size_t begin) const {
  const Item& item = items_[begin];
  if (item.frame.kind != FrameKind::kNumber || item.trace != nullptr) return false;
  for (const ReturnEdge* edge = item.stack->edges; edge != nullptr; edge = edge->next) {
    if (!IsContainerOrEnd(edge->frame)) return false;
  }
  // The others are what it has returned to.
  return std::all_of(
      items_.begin() + static_cast<ptrdiff_t>(begin) + 1, items_.end(), [](const Item& other) {
        return other.frame.kind == FrameKind::kEnd ||
               (IsContainerOrEnd(other.frame) && other.frame.phase == Phase::kAfterValue);
      });
}

void MaskWalker::PushNumberLevel(const TokenTrie::Node& node, const Item& item, const Base& base) {
  const std::span<const TokenTrie::Node> children = trie_->children(node);
  NumberLevel level{};
  level.next = children.data();
  level.end = children.data() + children.size();
  level.state = item.frame.state;
  level.base = base;
  const NumberAutomaton& automaton = *machine_->number(item.frame.node).automaton;
  if (automaton.accepting(level.state)) level.may_end_at = &node;
  if (MayTakeBelow(node)) level.take = RegionToTake(item);
  number_levels_.push_back(level);
}

void MaskWalker::WalkNumber(const TokenTrie::Node& node, const Item& item, const Base& base) {
  const size_t first_end = ends_.size();
  TakeNumber(node, item, base);
  WalkEnds(item, first_end);
}

void MaskWalker::TakeSpacedNumber(const Item& item, NodeId id) {
  Item number = item;
  number.frame = Frame();
  number.frame.kind = FrameKind::kNumber;
  number.frame.node = id;
  number.frame.state = machine_->number(id).automaton->start();
  const size_t first_end = ends_.size();
  TakeNumber(trie_->node(TokenTrie::kRoot), number, {});
  for (const StandardWalks::SpaceEnd& end : standard_walks_->space_ends()) {
    TakeNumber(trie_->node(end.node), number, {});
  }
  const size_t kept = items_.size();
  AppendBehind(StandardPart::kSpacedNumber, item);
  WalkEndsFrom(kept, first_end);
}

void MaskWalker::TakeNumber(const TokenTrie::Node& node, const Item& item, const Base& base) {
  const NumberAutomaton& automaton = *machine_->number(item.frame.node).automaton;
  const size_t floor = number_levels_.size();
  Item next = item;
  PushNumberLevel(node, item, base);
  // What a number that ends where the walk begins has returned to is an item by itself.
  if (&node == &trie_->node(TokenTrie::kRoot)) number_levels_.back().may_end_at = nullptr;
  while (number_levels_.size() > floor) {
    NumberLevel& level = number_levels_.back();
    if (level.next == level.end) {
      number_levels_.pop_back();
      continue;
    }
    const TokenTrie::Node& child = *level.next++;
    if (!NumberAutomaton::IsNumberByte(child.byte)) {
      if (level.may_end_at != nullptr) ends_.push_back(level.may_end_at);
      level.may_end_at = nullptr;  // once is enough
      continue;
    }
    const Base below = BaseBelow(child, level.base);
    if (IsDone(child, level.base, below, level.take)) continue;
    next.frame.state = automaton.Step(level.state, child.byte);
    if (next.frame.state == NumberAutomaton::kDead) continue;
    if (!below.holds && child.ends_token()) Allow(trie_->tokens(trie_->IndexOf(child)));
    if (child.child_count > 0) PushNumberLevel(child, next, below);
  }
}

}  // namespace maskloom
