// Teaches a step table what rows are likely to meet, before they do: the likeliest texts first.
//
// From the start, configurations are followed byte by byte, best first, as masks are made ahead
// (compiler/mask_completion.h): the cost of a configuration is the negative logarithm of its share
// among its siblings (compiler/likely_bytes.h). Beside it the trie of tokens is followed. A token
// ends where the likely bytes leave the trie, at the longest token on the way: there most
// tokenizers cut, too. Then the step by this token is learned, and the mask behind it, and the next
// token begins.
//
//   state  `{"`   the trie goes on with `{"`, `{"name` is no token     learn `{"`
//   state  `name` forced; the trie leaves off at `name"`               learn `name`
//   state  `":`   the next byte is a blank or a quote: `":` or `":"`   learn both
//
// A state is begun once, as far as the words on top and what their registers mean for masks tell.
#pragma once

#include <tsl/robin_set.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "compiler/arena.h"
#include "compiler/compiled_grammar.h"
#include "compiler/configuration_store.h"
#include "compiler/mask_key.h"
#include "compiler/stepper.h"

namespace maskloom {

class StepTable;
struct AheadLimits;

// Not thread-safe.
class StepExplorer {
 public:
  // Both must outlive this.
  StepExplorer(const CompiledGrammar& grammar, StepTable* table);

  // Goes on where the last call ended. Returns whether some state is left that the table has room
  // for.
  bool Run(const AheadLimits& limits);
  size_t MemoryBytes() const;

 private:
  // A place in a token that began at `begin`.
  struct Waiting {
    double cost;
    const Configuration* begin;
    const Configuration* here;
    uint32_t node;  // of the trie
    // Where the longest token ends on the way here; null: nowhere yet.
    const Configuration* end = nullptr;
    uint32_t end_node = 0;
    // The least costly is at the top of a heap.
    bool operator<(const Waiting& other) const { return cost > other.cost; }
  };
  // What some bytes lead to.
  struct Successor {
    uint64_t hash;
    double weight;
    const Configuration* configuration;
    uint32_t node;
  };

  void Start();
  void Push(const Waiting& one);
  // Goes on from `from` by bytes, and ends its token where they leave the trie.
  void Follow(const Waiting& from, bool is_text);
  void FindSuccessors(const Waiting& from, bool is_text);
  uint64_t HashOf(Items items);
  // Brings what waits back within its bounds.
  void Tidy();

  const CompiledGrammar& grammar_;
  StepTable& table_;
  ConfigurationStore store_;
  std::vector<Waiting> waiting_;  // a heap
  bool has_begun_ = false;
  // Scratch.
  MaskKey key_;
  Arena arena_;
  Stepper stepper_;
  std::vector<Item> items_;
  std::vector<Successor> successors_;
};

}  // namespace maskloom
