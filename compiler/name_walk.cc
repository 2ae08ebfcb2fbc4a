// Walks of tries along declared names; see mask_walk.h.
//
// The children of a node and the edges of a name trie are both sorted, so one sweep along both
// finds where to go. A name may go on as long as some name below may still come. What ends a name,
// or spells a character in another way, goes through the machine.
#include "compiler/mask_walk.h"
#include "compiler/object_registers.h"

namespace maskloom {

bool MaskWalker::IsName(size_t begin) const {
  const Item& item = items_[begin];
  return items_.size() == begin + 1 && item.frame.kind == FrameKind::kObject &&
         item.frame.phase == Phase::kKey && item.frame.partial == kBoundary &&
         item.trace == nullptr && item.frame.state != NameTrie::kDead &&
         item.frame.state2 == TextAutomaton::kDead;
}

void MaskWalker::PushNameLevel(const TokenTrie::Node& node, const NameTrie& names, uint32_t state) {
  const std::span<const TokenTrie::Node> children = trie_->children(node);
  const std::span<const NameTrie::Edge> edges = names.edges(state);
  name_levels_.push_back({children.data(), children.data() + children.size(), edges.data(),
                          edges.data() + edges.size(), state});
}

void MaskWalker::WalkNames(const TokenTrie::Node& node, const Item& item, bool for_ends) {
  const ObjectTable& table = machine_->object(item.frame.node);
  const NameTrie& names = table.names;
  const ObjectRegisters registers(table, machine_->declared_order(), item.frame);
  const size_t floor = name_levels_.size();
  PushNameLevel(node, names, item.frame.state);
  while (name_levels_.size() > floor) {
    NameLevel& level = name_levels_.back();
    if (level.next == level.end) {
      name_levels_.pop_back();
      continue;
    }
    const TokenTrie::Node& child = *level.next++;
    const uint8_t byte = child.byte;
    Item here = item;
    here.frame.state = level.state;
    if (byte == '"') {
      const uint32_t name = names.node(level.state).name;
      if (name == NameTrie::kNoName) continue;
      if (for_ends) AppendEnds(child);
      if (registers.MayAddName(name)) WalkOtherChild(child, here, {}, false);
      continue;
    }
    if (byte < 0x20) continue;  // no character of a string
    if (byte == '\\' || byte >= 0x80) {
      const std::span<const NameTrie::Edge> edges = names.edges(level.state);
      const bool may_live = !edges.empty() && (byte == '\\' || edges.back().code_point >= 0x80);
      if (may_live) WalkOtherChild(child, here, {}, for_ends);
      continue;
    }
    while (level.edge != level.end_edges && level.edge->code_point < byte) ++level.edge;
    if (level.edge == level.end_edges || level.edge->code_point != byte) continue;
    const uint32_t next = level.edge->target;
    // Looking for ends, those count too that may not come: tokens with them are not those of other
    // keys.
    if (!for_ends) {
      const NameTrie::Node& below = names.node(next);
      if (!registers.MayAddNameIn(below.begin, below.end)) continue;
      Allow(trie_->tokens(trie_->IndexOf(child)));
    }
    if (child.child_count > 0) PushNameLevel(child, names, next);
  }
}

void MaskWalker::AppendEnds(const TokenTrie::Node& node) {
  const std::span<const TokenId> here = trie_->tokens(trie_->IndexOf(node));
  const std::span<const TokenId> below = trie_->tokens_below(node);
  name_ends_->insert(name_ends_->end(), here.begin(), here.end());
  name_ends_->insert(name_ends_->end(), below.begin(), below.end());
}

}  // namespace maskloom
