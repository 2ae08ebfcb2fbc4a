// Marks of JSON that stand behind nothing but white space, in tokens of a vocabulary.
//
// Between JSON tokens it does not matter which white space came before a mark. So a walk there
// reads a mark once, takes all tokens that end with it, and goes on at the nodes behind it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compiler/token_trie.h"

namespace maskloom {

// Immutable. Thread safety: any thread.
class SpacedMarks {
 public:
  struct List {
    uint8_t mark = 0;
    std::vector<TokenId> tokens;  // white space that may end, or none, and the mark
    std::vector<uint32_t> nodes;  // behind the same, where tokens go on
  };

  SpacedMarks() = default;
  // `ends`: the nodes of `trie` behind white space that may end, other than the root.
  SpacedMarks(const TokenTrie& trie, std::span<const uint32_t> ends);

  // One a mark, other than those that no token has there.
  std::span<const List> lists() const { return lists_; }
  size_t MemoryBytes() const;

 private:
  std::vector<List> lists_;
};

}  // namespace maskloom
