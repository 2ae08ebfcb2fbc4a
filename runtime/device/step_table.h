// The tables of one grammar by which rows go on without the host (kernels/steps/step_row.h), made
// from what rows meet and from what is explored ahead.
//
// A step is learned by making it once with the machine, from the very configuration that met it:
// how deep into the stack it returned tells which words it depends on. All that the machine reads
// is the items, the return frames that it returns to, and which nodes are the same; so the step is
// the same wherever these words are on top. The count of a bounded string decides only whether a
// token may come, which the mask says; what it leads to is the same for every count. So it is with
// the registers of objects and arrays (frame_registers.h): their frames are marked before the step,
// and what became of them tells what it does to the cells of any row. Where a count stands at its
// most already, the step is made once more with the least.
//
// Masks are learned likewise: the cache of masks tells how deep one depends on the stack. They are
// kept in the pool of masks.
#pragma once

#include <tsl/robin_map.h>
#include <tsl/robin_set.h>

#include <array>
#include <chrono>
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
#include "kernels/steps/named_list.h"
#include "kernels/steps/step_row.h"
#include "runtime/device/configuration_words.h"
#include "runtime/device/mask_pool.h"
#include "runtime/device/name_masks.h"
#include "runtime/device/text_tokens.h"

namespace maskloom {

class StepExplorer;

struct StepTableLimits {
  size_t bytes = 16u << 20;  // then nothing is added any more
  // A state that was in want of something twice learns the masks of all its counts and the steps of
  // all its tokens that hold no quote, but for bases of more tokens than this, where it is not
  // before a key. So digits, and letters of patterns, need not be met one by one. 0: never.
  size_t widened_tokens = 4096;
};

// How far a table is filled before rows ask. The defaults are meant for servers: some milliseconds
// a grammar, behind which most steps of first texts are known (docs/performance.md).
struct AheadLimits {
  size_t states = 256;  // that are begun
  size_t tokens =
      64;  // of a state inside a number or pattern that learns all of its steps, at most
  std::chrono::nanoseconds time = std::chrono::milliseconds(100);  // then no further state is begun
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
  // Explores states from the start, the likeliest first, each by the tokens that are
  // likely there (step_explorer.h). Goes on where the last call ended. Returns whether some state
  // is left.
  bool Explore(const AheadLimits& limits);
  bool Explore(size_t states, size_t tokens) {
    return Explore({states, tokens, std::chrono::nanoseconds::max()});
  }

  // Is the mask of `row` there, also as a list by names?
  bool KnowsMask(const kernels::RowState& row) const;
  // The tables as they are now; valid until the next call that adds to them.
  kernels::StepTables tables() const;
  StepTableCounts counts() const;
  // The sizes of what tables() points to.
  struct Sizes {
    size_t entries = 0, heads = 0, registers = 0, records = 0, masks = 0;
  };
  Sizes sizes() const {
    return {entries_.size(), words_.heads().size(), words_.registers().tables().size(),
            records_.size(), masks_.size()};
  }

 private:
  friend class StepExplorer;

  static constexpr size_t kNoPiece = ~size_t{0};
  // What a step does to the cells of the words that it looks at.
  struct CellChange {
    uint32_t cell = 0, added = 0, bits = 0, unset = 0, most = 0;  // as in a record
  };
  struct CellChanges {
    uint32_t looked_at = 0;           // cells
    uint32_t kept = 0;                // the lowest of them
    std::vector<CellChange> changes;  // of these
    std::vector<uint32_t> further;    // that are put on
    size_t first_kept_piece = 0;      // of before_
    bool is_ambiguous = false;        // has a count come to its most?
  };

  // The state of after_, as StateOf.
  bool StateOfAfter(kernels::RowState* row) const;
  // Adds `value` from the word `left` by one key after the other. Returns false where something
  // else stands there.
  bool Add(uint32_t left, std::span<const uint32_t> keys, uint32_t value);
  // Returns the value of (left, right) after making it `value`, unless there is one.
  uint32_t Insert(uint32_t left, uint32_t right, uint32_t value);
  void Grow();
  // Copies `items`, which before_ describes, to items_, with the levels that the stepper counts.
  // `change` is called with the copy of each frame that has registers, and its piece.
  template <typename Change>
  void CopyItems(Items items, const Change& change);
  // Makes a copy of `items`, which before_ then describes, for Run. Frames that have registers are
  // marked by the piece that they are in; from piece `lowered` on their counts are the least.
  bool Prepare(Items items, size_t lowered);
  // Steps from what was prepared by `token`, to after_. Returns false where the token is not
  // allowed, or words cannot say it.
  bool Run(TokenId token);
  // Adds what Run has done.
  bool AddStep(Items items, TokenId token);
  // Finds what Run did to the cells of `looked_at` words, for which it put `pushed` on. Returns
  // false where that depends on their registers.
  bool FindChanges(size_t looked_at, size_t pushed, bool is_lowered, CellChanges* changes) const;
  bool FindCellChanges(const Frame& before, std::span<const uint32_t> cells_before,
                       const Frame& after, std::span<const uint32_t> cells_after,
                       const kernels::WordRegisters& registers, CellChanges* changes) const;
  // The same from the least counts of what stays, which tells all that the step adds to them.
  bool FindChangesFromLeast(Items items, TokenId token, size_t looked_at, size_t pushed,
                            CellChanges* changes);
  void AppendChanges(const CellChanges& changes);
  // How many words below the head the mask of `items` depends on, at most.
  uint32_t MaskDepth(Items items, const ConfigurationWords::Cut& cut);
  // Writes to keys_ what the mask of before_ is found by, looking at so many words: `right`, the
  // cells of pieces from `first` on, and words. Returns false where registers make it unknown.
  bool FindMaskKeys(uint32_t right, size_t first, size_t looked_at);
  // Is more than this part of the memory used, 1 / share?
  bool IsFull(size_t share = 1) const {
    const StepTableCounts now = counts();
    return now.table_bytes + now.host_bytes > limits_.bytes / share;
  }
  bool AddMask(Items items);
  // Adds the list by names of the mask of before_, which are `items`, where all sets of names can
  // have one.
  bool AddNamedList(Items items);
  // Tells states apart by the words on top.
  uint64_t HashOf(const kernels::RowState& row) const;
  // Notes that the state of `items` was in want of something.
  void NoteMiss(Items items);
  // For the explorer. Learns the mask of `items`; returns false where such a state was begun
  // before, or words cannot say it.
  bool BeginAhead(Items items, size_t most_tokens);
  // The same state with other registers that are likely and that masks tell apart.
  std::vector<const Configuration*> KeepVariants(Items items, ConfigurationStore* store);
  void LearnAhead(Items items, TokenId token);
  // May any text follow?
  bool IsInText(Items items);
  // Is the step of `row` by `token` there?
  bool IsKnown(const kernels::RowState& row, TokenId token) const;
  // Learns the mask of `items`, whose state is `row`, and those with other counts.
  void LearnMasksOfCounts(Items items, const kernels::RowState& row);
  // Learns the steps of all tokens that hold no quote, if they are no more than `most_tokens`,
  // where the state is neither in a text nor before a key.
  void LearnTokens(Items items, const kernels::RowState& row, size_t most_tokens);
  // Collects the allowed tokens in tokens_, without a base that makes them more than `most_tokens`,
  // and without those that leave a text as it is.
  void CollectTokens(Items items, bool is_text, size_t most_tokens);

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
  std::unique_ptr<StepExplorer> explorer_;
  tsl::robin_set<uint64_t> met_;  // by HashOf
  // Scratch.
  Arena arena_;
  Stepper stepper_;
  std::vector<Item> items_;
  size_t prepared_count_ = 0;                            // of items_; 0: none are
  std::array<SeenValue, kernels::kMostRowWords> marks_;  // of pieces
  ConfigurationWords::Cut before_, after_;
  std::vector<uint32_t> keys_;
  std::vector<TokenId> tokens_;
  NameMasks name_masks_;
};

}  // namespace maskloom
