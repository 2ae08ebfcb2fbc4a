// Marks of JSON that stand behind nothing but white space, in tokens of a vocabulary.
//
// Between JSON tokens it does not matter which white space came before a mark. So a walk there
// reads a mark once, takes all tokens that end with it, and goes on at the nodes behind it. That
// holds where tokens begin and behind the marks inside of them: `",\n` and `", "` go on alike.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "compiler/token_trie.h"

namespace maskloom {

struct StylePolicy;

// Those below one node of a trie, behind which no white space was read. Immutable. Thread safety:
// any thread.
class SpacedMarks {
 public:
  struct List {
    uint8_t mark = 0;
    std::span<const TokenId> tokens;  // white space that may end, or none, and the mark
    std::span<const uint32_t> nodes;  // behind the same, where tokens go on
  };
  // A node behind nothing but white space that may end there, from which tokens go on with
  // something else.
  struct End {
    uint32_t node = 0;
    uint32_t padding = 0;  // written out, as it goes into files
    CategorySet next = 0;  // of the bytes below, but for white space
  };

  SpacedMarks() = default;
  // `ends`: all of them below `node` of `trie`; `spaces`: the tokens that are white space below it.
  SpacedMarks(const TokenTrie& trie, uint32_t node, std::span<const End> ends,
              std::span<const TokenId> spaces);
  SpacedMarks(SpacedMarks&&) = default;
  SpacedMarks& operator=(SpacedMarks&&) = default;

  uint32_t node() const { return node_; }
  // Tokens with nothing but white space, some or more, below the node.
  std::span<const TokenId> spaces() const { return spaces_; }
  // One a mark, other than those that no token has there.
  std::span<const List> lists() const { return lists_; }
  std::span<const End> ends() const { return ends_; }
  size_t MemoryBytes() const;

 private:
  uint32_t node_ = TokenTrie::kRoot;
  std::vector<List> lists_;
  std::vector<End> ends_;
  std::vector<uint32_t> pool_;  // what the lists and spaces_ hold
  std::span<const TokenId> spaces_;
};

// Those below the nodes of a trie behind a mark, where they save steps. Immutable. Thread safety:
// any thread.
class SpacedNodes {
 public:
  SpacedNodes() = default;
  // In a style in which white space does not depend on the place.
  SpacedNodes(const TokenTrie& trie, const StylePolicy& style);

  // Those below `node`, which has number `index`, or null.
  const SpacedMarks* Find(const TokenTrie::Node& node, uint32_t index) const;
  std::span<const SpacedMarks> all() const { return marks_; }
  size_t MemoryBytes() const;

 private:
  std::vector<uint32_t> nodes_;  // ascending
  std::vector<SpacedMarks> marks_;
};

// White space below a node of a trie, of which none was read there.
struct SpaceBelow {
  std::vector<SpacedMarks::End> ends;
  std::vector<std::string> texts;  // what leads to these
  std::vector<TokenId> tokens;     // with nothing else below the node

  // As SpacedNodes.
  static SpaceBelow Find(const TokenTrie& trie, uint32_t node, const StylePolicy& style);
};

}  // namespace maskloom
