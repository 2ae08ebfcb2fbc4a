// Walks beside seen values inside strings that can become finitely many texts; see near_walk.cc.
//
// Such a string, of an array that minds nothing but whether a text was seen, is dead where all the
// texts that it can still become were: where as many begin as it does as the automaton accepts from
// its state on. Both are counts, so neither the machine nor the texts to come are looked at. What
// was seen and begins alike is a range of the seen texts in order.
#include <algorithm>

#include "compiler/liveness.h"
#include "compiler/mask_walk.h"
#include "compiler/value_space.h"

namespace maskloom {
namespace {

// May `byte` be a whole character of a text, spelled as itself?
bool IsPlain(uint8_t byte) { return byte >= 0x20 && byte < 0x80 && byte != '"' && byte != '\\'; }

// May one of `texts` go on behind `read` bytes by an escape or a character that begins with `byte`?
bool GoesOnBy(std::span<const std::string_view> texts, size_t read, uint8_t byte) {
  return std::any_of(texts.begin(), texts.end(), [&](std::string_view text) {
    return text.size() > read && (byte == '\\' || static_cast<uint8_t>(text[read]) == byte);
  });
}

}  // namespace

bool MaskWalker::IsRefusedOnlyIfSeen(const Item& item) const {
  const ReturnEdge& edge = *item.stack->edges;
  if (item.frame.kind != FrameKind::kString || item.frame.partial != kBoundary ||
      edge.next != nullptr || edge.traced || edge.frame.kind != FrameKind::kArray) {
    return false;
  }
  const ArrayTable& table = machine_->array(edge.frame.node);
  if (!TakesAnyNewItem(table) || !table.plain || !table.prefix.empty() ||
      (!table.never_runs_out && edge.frame.count < table.min)) {
    return false;
  }
  return (table.item_kinds & (kArrayItems | kObjectItems)) == 0 &&
         machine_->value(table.rest).strings.size() == 1 &&
         machine_->string(item.frame.node).automaton != nullptr &&
         machine_->value_space()->FewestTexts(item.frame) > 0;  // else they are not counted
}

bool MaskWalker::WalkNearTexts(const TokenTrie::Node& node, const NearLevel& level) {
  if (level.end_items != level.begin_items + 1) return false;
  const Item item = items_[level.begin_items];
  if (!IsRefusedOnlyIfSeen(item)) return false;
  if (near_rests_.size() == level.begin_rests) return true;
  near_texts_.assign(near_rests_.rbegin(),
                     near_rests_.rend() - static_cast<ptrdiff_t>(level.begin_rests));
  // Mostly they came in order, so they are.
  if (!std::is_sorted(near_texts_.begin(), near_texts_.end())) {
    std::sort(near_texts_.begin(), near_texts_.end());
  }
  near_text_levels_.clear();
  PushNearTexts(node, {.frame = item.frame, .end_texts = near_texts_.size()});
  while (!near_text_levels_.empty()) {
    NearTextLevel& top = near_text_levels_.back();
    if (top.next == top.end) {
      near_text_levels_.pop_back();
      continue;
    }
    const TokenTrie::Node& child = *top.next++;
    if (IsPlain(child.byte)) {
      WalkNearCharacter(child);
      continue;
    }
    const auto texts =
        std::span(near_texts_).subspan(top.first_text, top.end_texts - top.first_text);
    // Of those that end here there is but one, the first.
    const std::string_view read = texts.front().substr(0, top.read);
    if (child.byte == '"') {
      if (texts.front().size() == top.read) trie_->AppendTokens(child, near_refused_);
    } else if (GoesOnBy(texts, top.read, child.byte)) {
      if (top.dead) {
        trie_->AppendTokens(child, near_refused_);
      } else {
        PushNearBehind(child, item, read);
      }
    }
  }
  return true;
}

void MaskWalker::WalkNearCharacter(const TokenTrie::Node& child) {
  NearTextLevel& top = near_text_levels_.back();
  const auto skip = [&](uint32_t limit) {
    for (; top.next_text < top.end_texts; ++top.next_text) {
      const std::string_view text = near_texts_[top.next_text];
      if (text.size() > top.read && static_cast<uint8_t>(text[top.read]) >= limit) break;
    }
    return top.next_text;
  };
  const size_t begin = skip(child.byte);
  const size_t end = skip(child.byte + 1u);
  if (begin == end) return;
  NearTextLevel below = {.frame = top.frame,
                         .first_text = begin,
                         .next_text = begin,
                         .end_texts = end,
                         .read = top.read + 1,
                         .dead = top.dead};
  below.dead = top.dead ||
               !AdvanceString(machine_->string(below.frame.node), child.byte, &below.frame) ||
               machine_->value_space()->FewestTexts(below.frame) <= end - begin;
  // All that may follow was seen, so nothing else of what stands below is asked for.
  if (below.dead) {
    const std::span<const TokenId> ends = trie_->tokens(trie_->IndexOf(child));
    near_refused_->insert(near_refused_->end(), ends.begin(), ends.end());
  }
  if (child.child_count > 0) PushNearTexts(child, below);
}

void MaskWalker::PushNearTexts(const TokenTrie::Node& node, NearTextLevel level) {
  const std::span<const TokenTrie::Node> children = trie_->children(node);
  level.next = children.data();
  level.end = children.data() + children.size();
  near_text_levels_.push_back(level);
}

void MaskWalker::PushNearBehind(const TokenTrie::Node& child, const Item& item,
                                std::string_view text) {
  items_.push_back(item);
  size_t begin = items_.size() - 1;
  for (size_t i = 0; i <= text.size(); ++i) {
    const size_t end = items_.size();
    const uint8_t byte = i < text.size() ? static_cast<uint8_t>(text[i]) : child.byte;
    if (!stepper_.Step(&items_, begin, end, byte)) {
      trie_->AppendTokens(child, near_refused_);
      return;
    }
    begin = end;
  }
  if (child.child_count > 0) PushNear(child, begin, nullptr, child.byte);
}

}  // namespace maskloom
