#include "compiler/spaced_marks.h"

#include <string_view>

namespace maskloom {

SpacedMarks::SpacedMarks(const TokenTrie& trie, std::span<const uint32_t> ends) {
  constexpr std::string_view kMarks = "\"[]{},:";
  for (const char mark : kMarks) {
    List list{.mark = static_cast<uint8_t>(mark), .tokens = {}, .nodes = {}};
    const auto add = [&](uint32_t end) {
      const TokenTrie::Node* child = trie.Child(trie.node(end), list.mark);
      if (child == nullptr) return;
      const uint32_t index = trie.IndexOf(*child);
      const std::span<const TokenId> tokens = trie.tokens(index);
      list.tokens.insert(list.tokens.end(), tokens.begin(), tokens.end());
      if (child->child_count > 0) list.nodes.push_back(index);
    };
    add(TokenTrie::kRoot);
    for (const uint32_t end : ends) add(end);
    if (!list.tokens.empty() || !list.nodes.empty()) lists_.push_back(std::move(list));
  }
}

size_t SpacedMarks::MemoryBytes() const {
  size_t total = 0;
  for (const List& list : lists_) {
    total += sizeof(List) + (list.tokens.size() + list.nodes.size()) * 4;
  }
  return total;
}

}  // namespace maskloom
