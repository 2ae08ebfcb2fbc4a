// Rows of a batch whose masks and states live beside the logits, seen from the host.
//
// A row has a matcher, and goes by the step table of its grammar as long as that knows the way. The
// device then says which token it took, and nothing is sent. Where the table does not know, the
// device says so and the row waits; the host takes the token with the matcher and tells the row its
// mask and state (kernels/steps/row_update.h). That is Take, the only part that a row waits for.
// The rest is done by CatchUp, while the device runs: matchers of rows that went alone take their
// tokens, tables learn what was not known, and are published.
//
//   device   step ─────────► tokens, news ┐          step ──────► ...
//   host                                  └─ Take ─► updates     CatchUp
//
// Masks that an update names and no table keeps stay in the pool until the row has gone on.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "grammar/base/status.h"
#include "kernels/steps/row_update.h"
#include "kernels/steps/step_row.h"
#include "runtime/device/device_memory.h"
#include "runtime/device/mask_pool.h"
#include "runtime/device/published_steps.h"
#include "runtime/device/shadowed_memory.h"
#include "runtime/device/step_table.h"
#include "runtime/device/text_tokens.h"
#include "runtime/matcher.h"

namespace maskloom {

struct DeviceRowsLimits {
  uint32_t rows = 256;             // at most kernels::kMostBatchRows
  uint32_t grammars = 64;          // with tables at once; rows of others need the host
  size_t pool_bytes = 128u << 20;  // of masks; at least 2 slots a row and 4
  size_t table_bytes = 4u << 20;   // of a grammar's table
  StepTableLimits learning = {};   // `bytes` counts what the host needs, too
  // A call of CatchUp explores so many states of the table of each grammar that rows follow, by no
  // more than so many tokens, and no longer; 0: tables learn from rows alone.
  size_t explored_states = 16;
  size_t explored_tokens = 256;
  std::chrono::nanoseconds explored_time = std::chrono::milliseconds(2);
};

struct DeviceRowsCounts {
  uint64_t tokens = 0;        // that rows took
  uint64_t alone = 0;         // of these, those that needed no host
  uint64_t updates = 0;       // that rows were told
  uint64_t update_bytes = 0;  // of them
  uint64_t mask_bytes = 0;    // uploaded to the pool
  uint64_t table_bytes = 0;   // uploaded of tables
  uint64_t learned_steps = 0, learned_masks = 0;
  uint64_t tables = 0;    // that were begun
  uint32_t grammars = 0;  // that have tables now
};

// Not thread-safe. Matchers belong to the caller, and are this object's while they are placed.
class DeviceRows {
 public:
  // On error: kInvalidArgument for limits that are out of range; kResourceLimit where `memory` has
  // no such room. `memory` must outlive this.
  static Result<std::unique_ptr<DeviceRows>> Create(
      std::shared_ptr<const VocabularyIndex> vocabulary, DeviceMemory* memory,
      const DeviceRowsLimits& limits);
  ~DeviceRows();

  // Lets `row` follow `matcher` from where that stands, in place of what it followed before, whose
  // tokens are forgotten that CatchUp was not told of. The row's mask and state are among the
  // updates. Call it again after the matcher was changed, as by Rollback. On error:
  // kInvalidArgument for a row that is not there, another vocabulary, or a matcher of another row.
  Status Place(uint32_t row, Matcher* matcher);
  // Takes the matcher off `row`, after it has taken what the row took. An update closes the row: no
  // token is allowed. On error: as Take; the matcher is taken off all the same.
  Status Remove(uint32_t row);
  // Returns the number of the tables that `row` goes by, as kernels know them.
  uint32_t TableOf(uint32_t row) const;

  // Notes that `row` took `token`, and what became of it. Where the row waits, its update is made.
  // Rows without a matcher are left alone. Returns whether the row's text has ended.
  // On error: kInternal where the matcher does not allow the token, as after it was changed without
  // a call of Place.
  Result<bool> Take(uint32_t row, TokenId token, kernels::RowOutcome outcome);

  // Brings all matchers to where their rows are, learns, and publishes tables: what need not be
  // done before the next step. On error: as Take.
  Status CatchUp();
  // Only the first of these, for one row.
  Status CatchUpRow(uint32_t row);

  // Updates since the last call of TakeUpdates, at most one a row. Valid until the next call to
  // this.
  struct Updates {
    std::span<const kernels::RowUpdate> rows;
    std::span<const uint32_t> words;  // ids and states
  };
  Updates TakeUpdates();

  uint32_t row_count() const { return limits_.rows; }
  // The tables by number, in device memory.
  const kernels::StepTables* tables() const { return device_tables_; }
  const MaskPool& pool() const { return *pool_; }
  DeviceRowsCounts counts() const;

 private:
  // What tables need to know of the vocabulary, for strings of one coding.
  struct Text {
    std::shared_ptr<const TextTokens> tokens;
    const uint8_t* lengths = nullptr;  // in device memory; null: it has no room
  };
  // The table of a grammar, and the place where it is published.
  struct Table {
    std::unique_ptr<ShadowedMemory> memory;
    std::optional<PublishedSteps> published;
    std::shared_ptr<const CompiledGrammar> grammar;  // null: the place is free
    std::unique_ptr<StepTable> steps;
    size_t known_words = 0;   // that the device knows
    uint64_t used_at = 0;     // when a row was placed
    uint32_t row_count = 0;   // that use it
    bool is_changed = false;  // since it was published
    bool is_explored = false;
    uint32_t wait = 0;  // calls of CatchUp before it is published again
  };
  struct Row {
    Matcher* matcher = nullptr;
    uint32_t table = kNoTable;
    std::vector<TokenId> taken;        // by the device; the matcher has not taken them yet
    std::optional<TokenId> unlearned;  // the matcher's last token, if tables may not know it
    bool learns_mask = false;          // is the mask where the matcher stands to be learned?
    bool learns_at_once = false;       // tokens cannot be taken back
    uint64_t placed_step = 0;          // of the pool, in which its mask was named; 0: a table's
  };
  struct News {
    std::vector<kernels::RowUpdate> rows;
    std::vector<uint32_t> words;
  };
  static constexpr uint32_t kNoTable = 0xFFFFFFFF;

  DeviceRows(std::shared_ptr<const VocabularyIndex> vocabulary, DeviceMemory* memory,
             const DeviceRowsLimits& limits, std::unique_ptr<MaskPool> pool);

  // Finds the grammar's table, which is made if there is room; else kNoTable.
  uint32_t FindTable(const std::shared_ptr<const CompiledGrammar>& grammar);
  // Begins a table at a place that no row uses.
  void MakeTable(uint32_t number, const std::shared_ptr<const CompiledGrammar>& grammar);
  // Has the host more of it than it may? Then rows go by what is published until none is left.
  bool IsOverfull(const Table& table) const;
  // Opens a place for a table. Returns kNoTable where there is none.
  uint32_t FindPlace();
  void LeaveTable(Row* row);
  const Text& TextOf(const CompiledGrammar& grammar);
  void Publish(uint32_t number);
  StepTable* StepsOf(const Row& row);
  // Tells the row where its matcher stands. `keeps_state`: the row has its state already.
  Status Tell(uint32_t row, bool keeps_state);
  std::optional<kernels::RowMask> PlaceMask(Row* row);
  // Makes slots free that are held for rows which have gone on.
  void RenewMasks();
  void AddUpdate(uint32_t row, const kernels::RowMask& mask, const kernels::RowState* state);
  // Lets the matcher take what the row took.
  Status Drain(uint32_t row);
  void Learn(Row* row);
  void LearnStep(Row* row, TokenId token);
  void Explore(Table* table);
  Status Refused(uint32_t row, TokenId token) const;

  const std::shared_ptr<const VocabularyIndex> vocabulary_;
  DeviceMemory& memory_;
  const DeviceRowsLimits limits_;
  std::map<TextCoding, Text> texts_;
  std::unique_ptr<MaskPool> pool_;
  std::vector<Table> tables_;
  kernels::StepTables* device_tables_ = nullptr;
  std::vector<Row> rows_;
  uint64_t clock_ = 0;
  bool has_room_ = true;  // for more places
  News news_, told_;
  DeviceRowsCounts counts_;
};

}  // namespace maskloom
