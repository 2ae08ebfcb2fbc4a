#include "compiler/spaced_marks.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "compiler/white_space.h"

namespace maskloom {
namespace {

constexpr std::string_view kMarks = "\"[]{},:";
// Below fewer nodes of white space the machine itself is as quick.
constexpr size_t kFewSpaces = 2;

bool IsMark(uint8_t byte) { return kMarks.find(static_cast<char>(byte)) != std::string_view::npos; }

// Any place will do: white space is sought in styles alone in which it does not matter.
constexpr SpacePlace kSpacePlace = SpacePlace::kBeforeItem;

}  // namespace

SpacedMarks::SpacedMarks(const TokenTrie& trie, uint32_t node, std::span<const End> ends,
                         std::span<const TokenId> spaces)
    : node_(node), ends_(ends.begin(), ends.end()), pool_(spaces.begin(), spaces.end()) {
  struct Range {
    uint8_t mark;
    size_t tokens, nodes, end;
  };
  std::vector<Range> ranges;
  for (const char mark : kMarks) {
    std::vector<uint32_t> nodes;
    const size_t begin = pool_.size();
    const auto add = [&](uint32_t end) {
      const TokenTrie::Node* child = trie.Child(trie.node(end), static_cast<uint8_t>(mark));
      if (child == nullptr) return;
      const uint32_t index = trie.IndexOf(*child);
      const std::span<const TokenId> tokens = trie.tokens(index);
      pool_.insert(pool_.end(), tokens.begin(), tokens.end());
      if (child->child_count > 0) nodes.push_back(index);
    };
    add(node);
    for (const End& end : ends) add(end.node);
    const size_t middle = pool_.size();
    pool_.insert(pool_.end(), nodes.begin(), nodes.end());
    if (pool_.size() == begin) continue;
    ranges.push_back({static_cast<uint8_t>(mark), begin, middle, pool_.size()});
  }
  const std::span<const uint32_t> pool = pool_;
  spaces_ = pool.first(spaces.size());
  for (const Range& range : ranges) {
    lists_.push_back({range.mark, pool.subspan(range.tokens, range.nodes - range.tokens),
                      pool.subspan(range.nodes, range.end - range.nodes)});
  }
}

size_t SpacedMarks::MemoryBytes() const {
  return sizeof(*this) + lists_.size() * sizeof(List) + ends_.size() * sizeof(End) +
         pool_.size() * 4;
}

SpacedNodes::SpacedNodes(const TokenTrie& trie, const StylePolicy& style) {
  for (uint32_t index = 0; index < trie.node_count(); ++index) {
    const TokenTrie::Node& node = trie.node(index);
    if (index == TokenTrie::kRoot || node.child_count == 0 || !IsMark(node.byte)) continue;
    const SpaceBelow below = SpaceBelow::Find(trie, index, style);
    if (below.ends.size() + below.tokens.size() < kFewSpaces) continue;
    nodes_.push_back(index);
    marks_.emplace_back(trie, index, below.ends, below.tokens);
  }
}

const SpacedMarks* SpacedNodes::Find(const TokenTrie::Node& node, uint32_t index) const {
  if (!IsMark(node.byte)) return nullptr;
  const auto found = std::lower_bound(nodes_.begin(), nodes_.end(), index);
  if (found == nodes_.end() || *found != index) return nullptr;
  return &marks_[static_cast<size_t>(found - nodes_.begin())];
}

size_t SpacedNodes::MemoryBytes() const {
  size_t total = nodes_.size() * 4;
  for (const SpacedMarks& marks : marks_) total += marks.MemoryBytes();
  return total;
}

SpaceBelow SpaceBelow::Find(const TokenTrie& trie, uint32_t node, const StylePolicy& style) {
  struct Place {
    uint32_t node;
    uint16_t space;
    std::string text;
  };
  SpaceBelow found;
  std::vector<Place> work{{node, 0, ""}};
  while (!work.empty()) {
    const auto [index, space, text] = std::move(work.back());
    work.pop_back();
    SpacedMarks::End end{.node = index};
    for (const TokenTrie::Node& child : trie.children(trie.node(index))) {
      const CategorySet category = CategorySet{1} << CategoryOf(child.byte);
      if ((category & WhiteSpaceCategories()) == 0) {
        end.next |= category;
        continue;
      }
      const uint16_t next = StepSpace(style, kSpacePlace, 1, space, child.byte);
      if (next == kNoSpace) continue;
      const std::span<const TokenId> tokens = trie.tokens(trie.IndexOf(child));
      found.tokens.insert(found.tokens.end(), tokens.begin(), tokens.end());
      work.push_back({trie.IndexOf(child), next, text + static_cast<char>(child.byte)});
    }
    if (index == node || end.next == 0) continue;
    if (!SpaceMayEnd(style, kSpacePlace, 1, space)) continue;
    found.ends.push_back(end);
    found.texts.push_back(text);
  }
  return found;
}

}  // namespace maskloom
