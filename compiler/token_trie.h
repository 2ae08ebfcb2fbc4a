// The vocabulary's normal tokens as a byte trie, laid out for masks that follow few paths.
//
// The children of a node stand next to each other in byte order, and children blocks follow in
// depth-first order, so that a walk which lives on few bytes touches few cache lines. Nodes take
// 8 bytes; token ids stand apart because most visited nodes end no token.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "compiler/categories.h"
#include "compiler/vocabulary.h"
#include "grammar/base/flat_array.h"

namespace maskloom {

class TokenTrie {
 public:
  static constexpr uint32_t kRoot = 0;

  struct Node {
    uint32_t first_child = 0;
    uint16_t child_count = 0;
    uint8_t byte = 0;
    uint8_t flags = 0;

    bool ends_token() const { return (flags & kEndsToken) != 0; }
    // Do at least kManyTokens end strictly below?
    bool has_many_below() const { return (flags & kManyBelow) != 0; }
    // Of the byte, or of the character that it completes, if that is a special space.
    uint8_t category() const { return flags >> kCategoryShift & 63; }
  };
  static constexpr uint8_t kEndsToken = 1;
  static constexpr uint8_t kManyBelow = 128;
  static constexpr int kCategoryShift = 1;
  static constexpr size_t kManyTokens = 32;

  TokenTrie() = default;
  // A trie of `ids`, each with the bytes that `text` gives; ids with equal bytes share a node.
  struct Entry {
    std::string_view bytes;
    TokenId id;
  };
  explicit TokenTrie(std::vector<Entry> entries);
  // The trie of all normal tokens.
  static TokenTrie OfVocabulary(const Vocabulary& vocabulary);

  uint32_t node_count() const { return static_cast<uint32_t>(nodes_.size()); }
  const Node& node(uint32_t index) const { return nodes_[index]; }
  std::span<const Node> children(const Node& node) const {
    return std::span(nodes_).subspan(node.first_child, node.child_count);
  }
  // Asks for the memory that a walk of the children of `node` reads first. What is asked for in a
  // row comes at the same time.
  void Prefetch(const Node& node) const {
    __builtin_prefetch(nodes_.data() + node.first_child);
    __builtin_prefetch(token_begins_.data() + node.first_child);
  }
  // The child of `node` by `byte`, or null.
  const Node* Child(const Node& node, uint8_t byte) const {
    for (const Node& child : children(node)) {
      if (child.byte == byte) return &child;
    }
    return nullptr;
  }
  // Returns the first of the children [next, end) of a node whose byte is `wanted`, or `end`;
  // `wanted` says which is the first wanted byte from a given one on, or a number beyond bytes.
  // Cost: that of a binary search for each byte that `wanted` returns.
  template <typename Wanted>
  static const Node* FindWanted(const Node* next, const Node* end, Wanted wanted) {
    while (next != end) {
      const uint32_t byte = wanted(next->byte);
      if (byte == next->byte || byte > 0xFF) return byte > 0xFF ? end : next;
      // Bytes ascend: the one that is sought is no further away than if no byte were missing.
      const Node* last = next + std::min<ptrdiff_t>(end - next, byte - next->byte);
      const bool is_dense = last != end && last->byte == byte;
      next = is_dense
                 ? last
                 : std::lower_bound(next + 1, last, byte, [](const Node& node, uint32_t sought) {
                     return node.byte < sought;
                   });
    }
    return end;
  }
  // Ids of the tokens that end at `node`, ascending.
  std::span<const TokenId> tokens(uint32_t node) const {
    return std::span(token_ids_)
        .subspan(token_begins_[node], token_begins_[node + 1] - token_begins_[node]);
  }
  // Ids of the tokens that end strictly below `node`, in no particular order.
  std::span<const TokenId> tokens_below(const Node& node) const {
    return TokensBelow(node, IndexOf(node));
  }
  // Appends the ids of the tokens that end at or below `node`.
  void AppendTokens(const Node& node, std::vector<TokenId>* ids) const {
    const std::span<const TokenId> here = tokens(IndexOf(node));
    const std::span<const TokenId> below = tokens_below(node);
    ids->insert(ids->end(), here.begin(), here.end());
    ids->insert(ids->end(), below.begin(), below.end());
  }
  uint32_t IndexOf(const Node& node) const { return static_cast<uint32_t>(&node - nodes_.data()); }
  size_t MemoryBytes() const;

  template <typename Archive, typename Self>
  static void Describe(Archive& archive, Self& self) {
    archive.Array(self.nodes_);
    archive.Array(self.subtree_ends_);
    archive.Array(self.token_begins_);
    archive.Array(self.token_ids_);
  }

 private:
  static void SetCategories(std::vector<Node>* nodes);
  // Below `node`, which has number `index`.
  std::span<const TokenId> TokensBelow(const Node& node, uint32_t index) const {
    if (node.child_count == 0) return {};
    const uint32_t begin = token_begins_[node.first_child];
    return std::span(token_ids_).subspan(begin, token_begins_[subtree_ends_[index]] - begin);
  }

  FlatArray<Node> nodes_;
  FlatArray<uint32_t> subtree_ends_;  // behind the last node below; nodes below are contiguous
  FlatArray<uint32_t> token_begins_;  // node_count() + 1
  FlatArray<TokenId> token_ids_;
};

}  // namespace maskloom
