// Walks of tries inside numbers; see mask_walk.h.
//
// Where a number has ended, what follows is the same whichever it was, and never a byte of a
// number: so the automaton walks the digits alone, and the nodes behind which a number may end are
// walked on from once, at the end. Of a node's children, of which the root has one a byte, only
// those are looked at that numbers have. Where digits alone stand below a node, and any may follow,
// they are taken at once.
#include <algorithm>
#include <string_view>

#include "compiler/mask_walk.h"

namespace maskloom {
namespace {

bool IsContainerOrEnd(const Frame& frame) {
  return frame.kind == FrameKind::kEnd || frame.kind == FrameKind::kArray ||
         frame.kind == FrameKind::kObject;
}

constexpr std::string_view kNumberBytes = "+-.0123456789Ee";  // ascending

// The first byte from `byte` on that a number can have; 0x100 if there is none.
uint32_t NextNumberByte(uint32_t byte) {
  for (const char c : kNumberBytes) {
    if (static_cast<uint8_t>(c) >= byte) return static_cast<uint8_t>(c);
  }
  return 0x100;
}

// Does one of `children` begin tokens of a digit and more? Elsewhere, as behind `e`, there is
// nothing to take, however many words there are.
bool HasDigitsBelow(std::span<const TokenTrie::Node> children) {
  return std::any_of(children.begin(), children.end(), [](const TokenTrie::Node& child) {
    return child.byte >= '0' && child.byte <= '9' && child.child_count > 0;
  });
}

// Has one of `children` a byte that numbers do not have?
bool HasOtherByte(std::span<const TokenTrie::Node> children) {
  return children.size() > kNumberBytes.size() ||
         std::any_of(children.begin(), children.end(), [](const TokenTrie::Node& child) {
           return !NumberAutomaton::IsNumberByte(child.byte);
         });
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
  trie_->Prefetch(node);
  const std::span<const TokenTrie::Node> children = trie_->children(node);
  NumberLevel level{};
  level.next = children.data();
  level.end = children.data() + children.size();
  level.state = item.frame.state;
  level.base = base;
  const NumberAutomaton& automaton = *machine_->number(item.frame.node).automaton;
  // What a number that ends where the walk begins has returned to is an item by itself.
  const bool is_root = &node == &trie_->node(TokenTrie::kRoot);
  if (!is_root && automaton.accepting(level.state) && HasOtherByte(children)) {
    ends_.push_back(&node);
  }
  if (!base.holds && MayTakeBelow(node) && HasDigitsBelow(children)) {
    level.take = RegionToTake(item);
    if (TakeBelow(node, level.take)) return;
  }
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
  while (number_levels_.size() > floor) {
    NumberLevel& level = number_levels_.back();
    level.next = TokenTrie::FindWanted(level.next, level.end, NextNumberByte);
    if (level.next == level.end) {
      number_levels_.pop_back();
      continue;
    }
    const TokenTrie::Node& child = *level.next++;
    const Base below = BaseBelow(child, level.base);
    if (IsDone(child, level.base, below, level.take)) continue;
    next.frame.state = automaton.Step(level.state, child.byte);
    if (next.frame.state == NumberAutomaton::kDead) continue;
    if (!below.holds && child.ends_token()) Allow(trie_->tokens(trie_->IndexOf(child)));
    if (child.child_count > 0) PushNumberLevel(child, next, below);
  }
}

}  // namespace maskloom
