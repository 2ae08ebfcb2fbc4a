#include "compiler/token_trie.h"

#include <algorithm>

#include "compiler/text_coding.h"

namespace maskloom {

TokenTrie::TokenTrie(std::vector<Entry> entries) {
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return a.bytes != b.bytes ? a.bytes < b.bytes : a.id < b.id;
  });
  // A node is a range of sorted entries that share `depth` bytes. Children blocks are appended when
  // their parent is taken from the stack; pushing children in reverse makes that depth-first.
  struct Pending {
    uint32_t node;
    uint32_t begin, end;
    uint32_t depth;
  };
  std::vector<std::pair<uint32_t, uint32_t>> own_tokens;  // by node: range of entries
  std::vector<Node> nodes{{}};
  own_tokens.push_back({0, 0});
  std::vector<Pending> stack{{kRoot, 0, static_cast<uint32_t>(entries.size()), 0}};
  while (!stack.empty()) {
    Pending pending = stack.back();
    stack.pop_back();
    uint32_t begin = pending.begin;
    while (begin < pending.end && entries[begin].bytes.size() == pending.depth) ++begin;
    own_tokens[pending.node] = {pending.begin, begin};
    if (begin > pending.begin) nodes[pending.node].flags |= kEndsToken;
    nodes[pending.node].first_child = static_cast<uint32_t>(nodes.size());
    const size_t first_pushed = stack.size();
    while (begin < pending.end) {
      const char byte = entries[begin].bytes[pending.depth];
      uint32_t end = begin + 1;
      while (end < pending.end && entries[end].bytes[pending.depth] == byte) ++end;
      stack.push_back({static_cast<uint32_t>(nodes.size()), begin, end, pending.depth + 1});
      nodes.push_back({0, 0, static_cast<uint8_t>(byte), 0});
      own_tokens.push_back({0, 0});
      begin = end;
    }
    nodes[pending.node].child_count = static_cast<uint16_t>(stack.size() - first_pushed);
    std::reverse(stack.begin() + first_pushed, stack.end());
  }
  SetCategories(&nodes);
  // Children come after their parents, and the last child's subtree ends its parent's.
  std::vector<uint32_t> subtree_ends(nodes.size());
  for (size_t i = nodes.size(); i-- > 0;) {
    const Node& node = nodes[i];
    uint32_t end =
        node.child_count == 0 ? static_cast<uint32_t>(i) + 1 : node.first_child + node.child_count;
    for (uint32_t c = 0; c < node.child_count; ++c) {
      if (nodes[node.first_child + c].child_count > 0) {
        end = std::max(end, subtree_ends[node.first_child + c]);
      }
    }
    subtree_ends[i] = end;
  }
  std::vector<uint32_t> token_begins;
  std::vector<TokenId> token_ids;
  token_begins.reserve(nodes.size() + 1);
  token_ids.reserve(entries.size());
  token_begins.push_back(0);
  for (const auto& [begin, end] : own_tokens) {
    for (uint32_t i = begin; i < end; ++i) token_ids.push_back(entries[i].id);
    token_begins.push_back(static_cast<uint32_t>(token_ids.size()));
  }
  subtree_ends_ = std::move(subtree_ends);
  token_begins_ = std::move(token_begins);
  token_ids_ = std::move(token_ids);
  for (Node& node : nodes) {
    const uint32_t index = static_cast<uint32_t>(&node - nodes.data());
    if (TokensBelow(node, index).size() >= kManyTokens) node.flags |= kManyBelow;
  }
  nodes_ = std::move(nodes);
}

void TokenTrie::SetCategories(std::vector<Node>* nodes) {
  // By node: what was read of a character. Where it cannot go on that does not matter.
  std::vector<Partial> partials(nodes->size(), kBoundary);
  for (uint32_t i = 0; i < nodes->size(); ++i) {
    const uint32_t first = (*nodes)[i].first_child;
    for (uint32_t child = first; child < first + (*nodes)[i].child_count; ++child) {
      Node& node = (*nodes)[child];
      uint8_t category = CategoryOf(node.byte);
      if (node.byte >= 0x80) {
        const CodingStep step = StepCoding(TextCoding::kUtf8, partials[i], node.byte);
        partials[child] = step.partial;
        const bool is_whole = step.outcome == CodingStep::Outcome::kCodePoint;
        if (is_whole && IsSpecialSpace(step.code_point)) category = kSpecialSpace;
      }
      node.flags |= static_cast<uint8_t>(category << kCategoryShift);
    }
  }
}

TokenTrie TokenTrie::OfVocabulary(const Vocabulary& vocabulary) {
  std::vector<Entry> entries;
  entries.reserve(vocabulary.size());
  for (TokenId id = 0; id < vocabulary.size(); ++id) {
    if (vocabulary.kind(id) == TokenKind::kNormal) entries.push_back({vocabulary.bytes(id), id});
  }
  return TokenTrie(std::move(entries));
}

size_t TokenTrie::MemoryBytes() const {
  return nodes_.size() * (sizeof(Node) + 4) + (token_begins_.size() + token_ids_.size()) * 4;
}

}  // namespace maskloom
