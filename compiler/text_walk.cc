// Walks of tries inside strings; see mask_walk.h.
//
// The children of a node and the edges of a state are both sorted, so one sweep along both finds
// where to go: a node costs some nanoseconds, and a state with one edge no more than that. Bytes
// that do not stand for themselves in a JSON string (escapes, UTF-8) go through the machine, which
// hands back what is at a boundary again. Whichever way a string ends, what follows is the same:
// all its quotes are walked on from once, at the end.
#include "compiler/liveness.h"
#include "compiler/mask_walk.h"

namespace maskloom {
namespace {

// Is `byte` a whole code point of a JSON string, spelled as itself?
bool IsPlainText(uint8_t byte) {
  return byte >= 0x20 && byte < 0x80 && byte != '"' && byte != '\\';
}

}  // namespace

bool MaskWalker::IsText(size_t begin) const {
  const Item& item = items_[begin];
  return items_.size() == begin + 1 && item.frame.kind == FrameKind::kString &&
         item.frame.partial == kBoundary && item.trace == nullptr;
}

void MaskWalker::PushTextLevel(const TokenTrie::Node& node, const Item& item, const Base& base,
                               const TextRegion* take) {
  const std::span<const TokenTrie::Node> children = trie_->children(node);
  const TextAutomaton* automaton = machine_->string(item.frame.node).automaton.get();
  TextLevel level{};
  level.next = children.data();
  level.end = children.data() + children.size();
  level.beyond_ascii = true;
  if (automaton != nullptr) {
    const auto edges = automaton->EdgesOf(item.frame.state);
    level.edge = edges.data();
    level.end_edges = edges.data() + edges.size();
    level.beyond_ascii = !edges.empty() && edges.back().last >= 0x80;
  }
  level.state = item.frame.state;
  level.count = item.frame.count;
  level.base = base;
  if (automaton != nullptr && !base.holds && MayTakeBelow(node)) {
    level.take = take != nullptr ? *take : RegionToTake(item);
  }
  text_levels_.push_back(level);
}

void MaskWalker::WalkText(const TokenTrie::Node& node, const Item& item, const Base& base) {
  const StringTable& table = machine_->string(item.frame.node);
  const size_t floor = text_levels_.size();
  const size_t first_end = ends_.size();
  Item next = item;
  PushTextLevel(node, item, base, nullptr);
  while (text_levels_.size() > floor) {
    TextLevel& level = text_levels_.back();
    if (level.next == level.end) {
      text_levels_.pop_back();
      continue;
    }
    const TokenTrie::Node& child = *level.next++;
    const uint8_t byte = child.byte;
    if (byte == '"') {
      if (MayEndString(table, level.state, level.count)) {
        Allow(trie_->tokens(trie_->IndexOf(child)));
        if (child.child_count > 0) ends_.push_back(&child);
      }
      continue;
    }
    if (!IsPlainText(byte)) {
      const bool may_live = byte == '\\' || (byte >= 0x80 && level.beyond_ascii);
      if (!may_live) continue;
      next.frame.state = level.state;
      next.frame.count = level.count;
      WalkOtherChild(child, next, Base(level.base), false);  // the level may move
      continue;
    }
    if (table.automaton != nullptr) {
      while (level.edge != level.end_edges && level.edge->last < byte) ++level.edge;
      if (level.edge == level.end_edges || level.edge->first > byte) continue;
      next.frame.state = level.edge->target;
    }
    next.frame.count = level.count;
    if (table.bounded && !CountCodePoint(table, &next.frame)) continue;
    const Base below = BaseBelow(child, level.base);
    if (IsDone(child, level.base, below, level.take)) continue;
    if (!below.holds && child.ends_token()) Allow(trie_->tokens(trie_->IndexOf(child)));
    if (child.child_count == 0) continue;
    // A loop keeps its region.
    const bool loops = !table.bounded && !level.base.holds && next.frame.state == level.state;
    const TextRegion take = level.take;  // the level may move
    PushTextLevel(child, next, below, loops ? &take : nullptr);
  }
  WalkEnds(item, first_end);
}

}  // namespace maskloom
