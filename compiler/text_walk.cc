// Walks of tries inside strings; see mask_walk.h.
//
// The children of a node and the edges of a state are both sorted, so one sweep along both finds
// where to go: a node costs some nanoseconds, and a state with one edge no more than that. Inside
// characters of several bytes (escapes, UTF-8) the automaton waits until the last one is read.
// Whichever way a string ends, what follows is the same: all its quotes are walked on from once, at
// the end.
#include <algorithm>
#include <span>

#include "compiler/liveness.h"
#include "compiler/mask_walk.h"

namespace maskloom {
namespace {

// Is `byte` a whole code point of a JSON string, spelled as itself?
bool IsPlainText(uint8_t byte) {
  return byte >= 0x20 && byte < 0x80 && byte != '"' && byte != '\\';
}

// Below this many ASCII characters there is no region to take subtrees by.
constexpr uint32_t kMinTakenCharacters = 10;

}  // namespace

bool MaskWalker::IsWide(std::span<const TextAutomaton::Edge> edges) {
  uint32_t count = 0;
  for (const TextAutomaton::Edge& edge : edges) {
    if (edge.first >= 0x80 || count >= kMinTakenCharacters) break;
    count += std::min(edge.last, 0x7Fu) - edge.first + 1;
  }
  return count >= kMinTakenCharacters;
}

bool MaskWalker::IsText(size_t begin) const {
  const Item& item = items_[begin];
  return items_.size() == begin + 1 && item.frame.kind == FrameKind::kString &&
         item.frame.partial == kBoundary && item.trace == nullptr;
}

void MaskWalker::PushTextLevel(const TokenTrie::Node& node, const Item& item, const Base& base,
                               const Take* take) {
  trie_->Prefetch(node);
  const std::span<const TokenTrie::Node> children = trie_->children(node);
  const TextAutomaton* automaton = machine_->string(item.frame.node).automaton.get();
  TextLevel& level = text_levels_.emplace_back();
  level.next = children.data();
  level.end = children.data() + children.size();
  level.partial = item.frame.partial;
  level.state = item.frame.state;
  level.count = item.frame.count;
  level.base = base;
  if (automaton != nullptr && level.partial == kBoundary) {
    const auto edges = automaton->EdgesOf(item.frame.state);
    level.edge = edges.data();
    level.end_edges = edges.data() + edges.size();
    level.has_edges = !edges.empty();
    if (!base.holds && MayTakeBelow(node)) {
      if (take != nullptr) {
        level.take = *take;
      } else if (IsWide(edges)) {
        level.take = RegionToTake(item);
      }
    }
  }
}

bool MaskWalker::ReadCoded(uint8_t byte, Frame* frame) const {
  const StringTable& table = machine_->string(frame->node);
  const CodingStep step = StepCoding(machine_->string_coding(), frame->partial, byte);
  frame->partial = step.partial;
  if (step.outcome == CodingStep::Outcome::kCodePoint) {
    return AdvanceString(table, step.code_point, frame);
  }
  return step.outcome == CodingStep::Outcome::kPartial &&
         IsLiveStringPartial(*machine_, table, frame->state, frame->count, frame->partial);
}

uint32_t MaskWalker::NextTextByte(TextLevel* level, uint32_t byte) {
  const uint32_t next =
      NextMark(byte, [level] { return level->has_edges && level->end_edges[-1].last >= 0x80; });
  while (level->edge != level->end_edges && level->edge->last < byte) ++level->edge;
  if (level->edge == level->end_edges) return next;
  return std::min(next, std::max(byte, level->edge->first));
}

void MaskWalker::WalkText(const TokenTrie::Node& node, const Item& item, const Base& base) {
  const StringTable& table = machine_->string(item.frame.node);
  const size_t floor = text_levels_.size();
  const size_t first_end = ends_.size();
  Item next = item;
  PushTextLevel(node, item, base, nullptr);
  while (text_levels_.size() > floor) {
    TextLevel& level = text_levels_.back();
    if (table.automaton != nullptr && level.partial == kBoundary) {
      level.next = TokenTrie::FindWanted(level.next, level.end,
                                         [&](uint32_t byte) { return NextTextByte(&level, byte); });
    }
    if (level.next == level.end) {
      text_levels_.pop_back();
      continue;
    }
    const TokenTrie::Node& child = *level.next++;
    const uint8_t byte = child.byte;
    const bool at_boundary = level.partial == kBoundary;
    if (at_boundary && byte == '"') {
      if (MayEndString(table, level.state, level.count)) {
        Allow(trie_->tokens(trie_->IndexOf(child)));
        if (child.child_count > 0) ends_.push_back(&child);
      }
      continue;
    }
    const bool is_plain = at_boundary && IsPlainText(byte);
    next.frame.partial = level.partial;
    next.frame.state = is_plain && table.automaton != nullptr ? level.edge->target : level.state;
    next.frame.count = level.count;
    if (is_plain) {
      if (table.bounded && !CountCodePoint(table, &next.frame)) continue;
    } else if (!ReadCoded(byte, &next.frame)) {
      continue;
    }
    const Base below = BaseBelow(child, level.base);
    if (IsDone(child, level.base, below, is_plain ? level.take : Take())) continue;
    if (!below.holds && child.ends_token()) Allow(trie_->tokens(trie_->IndexOf(child)));
    if (child.child_count == 0) continue;
    // A loop keeps its region.
    const bool loops =
        is_plain && !table.bounded && !level.base.holds && next.frame.state == level.state;
    const Take take = level.take;  // the level may move
    PushTextLevel(child, next, below, loops ? &take : nullptr);
  }
  WalkEnds(item, first_end);
}

}  // namespace maskloom
