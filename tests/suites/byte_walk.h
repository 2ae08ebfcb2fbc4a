// The slow recogniser of whole vocabularies: every token as bytes, every byte a step of the
// machine.
//
// It knows nothing of base rows, regions, standard parts, walks of single automata or caches, so
// what those get wrong shows as a difference. Its tokens stand in a trie of its own:
//
//   tokens in byte order   a   ab  abc  b        nodes in depth-first order, each with the place
//   nodes                  a - b - c -- b        behind its subtree: a dead node skips all below
//
// A walk goes through the nodes once and keeps the configuration of each depth. Configurations
// that were met before in the same walk are recognised (all their fields equal, stacks by address)
// and their steps remembered, so the inside of a string costs a table lookup a node, not a step:
// a step depends on nothing but configuration and byte. Keys that are being read and items that are
// compared differ in their address each time and are stepped every time.
#pragma once

#include <cstdint>
#include <random>
#include <unordered_map>
#include <vector>

#include "compiler/arena.h"
#include "compiler/machine.h"
#include "compiler/stepper.h"
#include "compiler/vocabulary.h"

namespace maskloom::suites {

// The normal tokens of a vocabulary in byte order, as a trie in depth-first order. Immutable.
class ByteTrie {
 public:
  struct Node {
    uint32_t subtree_end = 0;  // index behind the last node below
    uint32_t first_token = 0;  // place in token_ids() of the first token at or below the node
    uint32_t token_count = 0;  // tokens that end at the node; they stand at first_token
    uint16_t depth = 0;        // bytes up to and including this one
    uint8_t byte = 0;
  };

  explicit ByteTrie(const Vocabulary& vocabulary);
  const std::vector<Node>& nodes() const { return nodes_; }
  const std::vector<TokenId>& token_ids() const { return token_ids_; }
  uint32_t max_depth() const { return max_depth_; }

 private:
  std::vector<Node> nodes_;
  std::vector<TokenId> token_ids_;
  uint32_t max_depth_ = 0;
};

struct ByteWalkResult {
  std::vector<uint32_t> row;         // the mask, as FillMask writes it
  std::vector<TokenId> allowed;      // its normal tokens, by their bytes
  std::vector<TokenId> near_misses;  // some tokens that are refused behind their first byte
  uint64_t nodes = 0;                // of the trie that were looked at
};

// Not thread-safe. Everything given must outlive it.
class ByteWalk {
 public:
  ByteWalk(const Machine& machine, const Vocabulary& vocabulary, const ByteTrie& trie);

  // Returns the mask of the configuration `items`. Cost: milliseconds inside strings.
  const ByteWalkResult& Run(Items items, std::mt19937_64* random);

 private:
  static constexpr int32_t kUnknown = -2;
  static constexpr int32_t kDead = -1;
  static constexpr int32_t kApart = -3;  // a configuration that cannot be met again

  // A configuration that can be met again.
  struct Known {
    std::vector<Item> items;
    std::vector<int32_t> steps;  // by byte; empty until it is met again
  };
  // The configuration at one depth of the walk.
  struct Place {
    int32_t known = kApart;
    std::vector<Item> apart;
  };

  // Steps from the place at `depth` to the one below. Returns whether anything lives there.
  bool Step(size_t depth, uint8_t byte);
  int32_t Recognise(Items items);

  const Machine& machine_;
  const Vocabulary& vocabulary_;
  const ByteTrie& trie_;
  Arena arena_;
  Stepper stepper_;
  std::vector<Item> scratch_;
  std::vector<Known> known_;
  size_t known_count_ = 0;
  std::unordered_multimap<uint64_t, int32_t> by_hash_;
  std::vector<Place> places_;  // by depth
  ByteWalkResult result_;
};

}  // namespace maskloom::suites
