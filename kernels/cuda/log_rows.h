// What the host reads of rows, however many steps it is behind: a ring of entries a row, with what
// the row reported, and the counts that penalties need, kept on the device so that rows with
// penalties go on alone, too.
//
//   LaunchTakeTokens   takes tokens that the engine's own sampler chose, in place of
//                      LaunchChooseTokens: those that the mask forbids become no choice
//   LaunchLogRows      behind LaunchAdvanceRows: an entry for each row that took a token, or could
//                      not choose one, and the token counted in the row's sparse table
//
// A launch neither allocates nor waits, and can be captured in a graph.
#pragma once

#include <cstdint>

#include "kernels/cuda/logits.h"
#include "kernels/cuda/rows.h"
#include "kernels/simt/world.h"
#include "kernels/steps/row_mask.h"

namespace maskloom::kernels::cuda {

// What a row did in a step.
struct RowEntry {
  uint64_t sequence;     // one more than that of the row's entry before; written last
  uint32_t token;        // UINT32_MAX: none was chosen
  uint16_t outcome;      // RowOutcome
  uint16_t status;       // SampleStatus; kInvalidArgument: the mask forbids the engine's token
  uint16_t is_counted;   // 0: the row's sparse table had no room for the token
  uint16_t has_report;   // is there one beside the entry?
  float logprob;         // as in RowChoice
  float masked_logprob;  // the same
};

// The logs of a batch. Pointers are of the device, or pinned where it says so.
struct LogBatch {
  uint32_t batch;
  const RowChoice* choices;      // [batch]
  const RowResult* results;      // [batch], of LaunchAdvanceRows
  RowRequest* requests;          // [batch]: adjustment_count goes up
  TokenAdjustment* adjustments;  // of row r: adjustment_room from its adjustment_begin
  uint32_t adjustment_room;
  uint64_t* sequences;  // [batch], of the last entries
  RowEntry* entries;    // [batch * depth], pinned: entry s of row r is at r * depth + s % depth
  uint32_t depth;       // a power of two
  // What LaunchChooseTokens reported; null: entries have no reports.
  const RowReport* reports;  // [batch]
  const TopToken* tops;      // as in LogitsBatch
  RowReport* kept_reports;   // [batch * depth], pinned, as entries; of rows that ask for something
  TopToken* kept_tops;       // [batch * depth * top_room], pinned, as entries
  uint32_t top_room;         // at least the top_count of each request
};

inline namespace SIMT_WORLD {

// Queues an entry for each row that chose a token or could not, but not for those that wait or have
// ended (kEmptyMask); and counts the token of each row that has penalties.
// Returns 0, or the error of the launch (a cudaError_t).
int LaunchLogRows(const LogBatch& batch, void* stream);

// Queues choices[row] for the engine's tokens[row]: kOk where the mask allows it, kInvalidArgument
// where it does not, kEmptyMask for UINT32_MAX (the row is not in this step) and for rows whose
// mask is empty. Returns 0, or the error of the launch (a cudaError_t).
int LaunchTakeTokens(const BatchMasks& masks, const uint32_t* tokens, uint32_t batch,
                     uint32_t vocab, RowChoice* choices, void* stream);

}  // namespace SIMT_WORLD

}  // namespace maskloom::kernels::cuda
