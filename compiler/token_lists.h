// Lists of token ids that many masks have in common, each kept once.
//
// Behind the strings of a grammar, and between its members, mostly the same tokens may come: nine
// of ten lists beside the bases of its masks are equal to another one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>

#include "compiler/vocabulary.h"

namespace maskloom {

// Not thread-safe; what it returns may be read by any thread while it is held.
class TokenLists {
 public:
  // A list to look for, hashed once. Cost: linear.
  struct Key {
    explicit Key(std::span<const TokenId> list);
    std::span<const TokenId> tokens;
    uint64_t hash;
  };

  // Bytes that holding the list of `key` would add.
  size_t BytesToHold(const Key& key) const;
  // Returns a list equal to that of `key`, held once more. Cost: linear.
  std::span<const TokenId> Hold(const Key& key);
  // Holds `list`, which Hold returned, once less. Returns its memory if nobody holds it any more.
  std::unique_ptr<const TokenId[]> Release(std::span<const TokenId> list);

  // Bytes of a list of `count` tokens.
  static size_t BytesOf(size_t count) { return count == 0 ? 0 : sizeof(Node) + count * 4; }

 private:
  struct List {
    std::unique_ptr<TokenId[]> tokens;
    size_t count = 0;
    uint32_t holders = 0;
    std::span<const TokenId> span() const { return {tokens.get(), count}; }
  };
  using Lists = std::unordered_multimap<uint64_t, List>;
  // As the map keeps it, with two pointers.
  struct Node {
    Lists::value_type value;
    void* pointers[2];
  };

  Lists::const_iterator Find(const Key& key) const;

  Lists lists_;  // by hash
};

}  // namespace maskloom
