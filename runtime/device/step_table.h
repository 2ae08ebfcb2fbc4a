// The tables of one grammar by which rows go on without the host (kernels/steps/step_row.h), made
// from what rows meet and from what is explored ahead.
//
// A step is learned by making it once with the machine, from the very configuration that met it:
// how deep into the stack it returned tells which words it depends on. All that the machine reads
// is the items, the return frames that it returns to, and which nodes are the same; so the step is
// the same wherever these words are on top. The count of a bounded string decides only whether a
// token may come, which the mask says; what it leads to is the same for every count.
//
// Masks are learned likewise: the cache of masks tells how deep one depends on the stack. They are
// kept in the pool of masks.
#pragma once

#include <tsl/robin_map.h>
#include <tsl/robin_set.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "compiler/arena.h"
#include "compiler/compiled_grammar.h"
#include "compiler/configuration_store.h"
#include "compiler/frame.h"
#include "compiler/stepper.h"
#include "kernels/steps/step_row.h"
#include "runtime/device/configuration_words.h"
#include "runtime/device/mask_pool.h"
#include "runtime/device/text_tokens.h"

namespace maskloom {

struct StepTableLimits {
  size_t bytes = 16u << 20;  // then nothing is added any more
  // A state that was in want of something twice learns the masks of all its counts and the steps of
  // all its tokens that hold no quote, but for bases of more tokens than this, where it is not
  // before a key. So digits, and letters of patterns, need not be met one by one. 0: never.
  size_t widened_tokens = 4096;
};

struct StepTableCounts {
  size_t steps = 0, masks = 0;  // that are known
  size_t words = 0;
  size_t table_bytes = 0;  // of what kernels read, without the pool
  size_t host_bytes = 0;   // of what the host needs to add to it
};

// Not thread-safe.
class StepTable {
 public:
  // `pool` is of the grammar's vocabulary and must outlive this.
  StepTable(std::shared_ptr<const CompiledGrammar> grammar,
            std::shared_ptr<const TextTokens> text_tokens, MaskPool* pool,
            const StepTableLimits& limits = {});
  ~StepTable();
  StepTable(const StepTable&) = delete;
  StepTable& operator=(const StepTable&) = delete;

  // Writes the state of a row whose configuration is `items`. Returns false, with a row that is
  // unknown, where tables cannot say it.
  bool StateOf(Items items, kernels::RowState* row);
  // Adds the step by `token` from `items`. Returns false where tables cannot say it, or are full.
  bool LearnStep(Items items, TokenId token);
  // Adds the mask of `items`.
  bool LearnMask(Items items);
  // Explores up to `states` states from the start, nearest first, each by all of its tokens, but
  // for bases of more than `most_tokens`. Goes on where the last call ended. Returns whether some
  // state is left.
  bool Explore(size_t states, size_t most_tokens);

  // The tables as they are now; valid until the next call that adds to them.
  kernels::StepTables tables() const;
  StepTableCounts counts() const;
  // The sizes of what tables() points to.
  struct Sizes {
    size_t entries = 0, heads = 0, records = 0, masks = 0;
  };
  Sizes sizes() const {
    return {entries_.size(), words_.heads().size(), records_.size(), masks_.size()};
  }

 private:
  // Adds `value` for `right` from the head of `words`, looking at `looked_at` words. Returns false
  // where something else stands there.
  bool Add(std::span<const uint32_t> words, uint32_t looked_at, uint32_t right, uint32_t value);
  // Returns the value of (left, right) after making it `value`, unless there is one.
  uint32_t Insert(uint32_t left, uint32_t right, uint32_t value);
  void Grow();
  // Copies the head of `items`, which `cut` describes, with the levels that the stepper counts.
  void CopyHead(Items items, const ConfigurationWords::Cut& cut);
  // Steps from `items` by `token`: from before_ to after_, and to items_ from `begin` on. Returns
  // false where the token is not allowed, or words cannot say it.
  bool Run(Items items, TokenId token, size_t* begin);
  // Adds what Run has done.
  bool AddStep(Items items, TokenId token);
  // How many words below the head the mask of `items` depends on, at most.
  uint32_t MaskDepth(Items items, const ConfigurationWords::Cut& cut);
  // Is more than this part of the memory used, 1 / share?
  bool IsFull(size_t share = 1) const {
    const StepTableCounts now = counts();
    return now.table_bytes + now.host_bytes > limits_.bytes / share;
  }
  bool AddMask(Items items);
  // Tells states apart by the words on top.
  uint64_t HashOf(const kernels::RowState& row) const;
  // Notes that the state of `items` was in want of something.
  void NoteMiss(Items items);
  void ExploreFrom(Items items, size_t most_tokens);
  // Learns the mask of `items`, whose state is `row`, and those with other counts.
  void LearnMasksOfCounts(Items items, const kernels::RowState& row);
  // Collects the allowed tokens in tokens_, without a base that makes them more than `most_tokens`,
  // and without those that leave a text as it is.
  void CollectTokens(Items items, bool is_text, size_t most_tokens);
  // Explores `items` later, unless it was met.
  void Wait(Items items);

  std::shared_ptr<const CompiledGrammar> grammar_;
  std::shared_ptr<const TextTokens> text_tokens_;
  MaskPool& pool_;
  const StepTableLimits limits_;
  ConfigurationWords words_;
  std::vector<kernels::StepEntry> entries_;
  size_t entry_count_ = 0;
  uint32_t context_count_ = 0;
  std::vector<uint32_t> records_;
  std::vector<kernels::RowMask> masks_;
  size_t step_count_ = 0;
  tsl::robin_map<uint64_t, uint32_t> misses_;  // by HashOf
  // Of exploration.
  ConfigurationStore store_;
  std::vector<const Configuration*> waiting_;
  size_t next_waiting_ = 0;
  tsl::robin_set<uint64_t> met_;
  // Scratch.
  Arena arena_;
  Stepper stepper_;
  std::vector<Item> items_;
  ConfigurationWords::Cut before_, after_;
  std::vector<TokenId> tokens_;
};

}  // namespace maskloom
