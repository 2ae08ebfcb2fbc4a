// Rows that need no host: what happens on the device between the token of one step and the mask of
// the next, and how the host helps rows that cannot go on alone.
//
//   LaunchUpdateRows    takes what the host sent: masks and states of rows that waited for it
//   LaunchChooseTokens  (logits.h) reads masks[row], leaves choices[row]
//   LaunchAdvanceRows   takes the token: state, position, masks[row] of the next step, results[row]
//
// All three go into one CUDA graph: every pointer stays where it is, sizes depend on `batch` alone,
// and nothing allocates, waits, or copies on the host's side. The host reads results (8 bytes a
// row), and writes updates only for rows whose result asks for it. A row that waits has the empty
// mask: it chooses nothing and stays as it is, however often the graph runs without the host.
//
// Rows that go on alone are sent nothing. One that the host follows is sent a RowUpdate and at most
// kMostSentIds ids a step, 64 bytes; when it comes back to its tables, its state besides.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/cuda/logits.h"
#include "kernels/steps/named_list.h"
#include "kernels/steps/row_mask.h"
#include "kernels/steps/row_update.h"
#include "kernels/steps/step_row.h"

namespace maskloom::kernels::cuda {

// What the host reads of a row after a step.
struct RowResult {
  uint32_t token;  // UINT32_MAX with kNoToken
  RowOutcome outcome;
  uint16_t status;  // SampleStatus of the choice; a row that waits or has ended: kEmptyMask
};
static_assert(sizeof(RowResult) == 8);

// Which updates were taken; zeroed once, before the first launch.
struct UpdateProgress {
  uint32_t seen;   // by the last LaunchUpdateRows
  uint32_t taken;  // before the last LaunchAdvanceRows
};

// The rows of a batch, at the same places in every step. All pointers are of the device, but those
// that say otherwise.
struct RowsBatch {
  uint32_t batch;            // at most 65,535
  RowState* states;          // [batch], zeroed once; depth 0: the host follows the row
  RowMask* masks;            // [batch]: BatchMasks::rows of the next LaunchChooseTokens; at first
                             // RowMask{}, the empty mask, which is not zeros
  uint32_t* sent;            // [batch * kMostListIds]: its BatchMasks::sent
  RowRequest* requests;      // [batch]: its LogitsBatch::requests. `grammar` names the tables
  const RowChoice* choices;  // [batch], of LaunchChooseTokens
  const StepTables* tables;  // [grammars]; what they point to is of the device. A host that copies
                             // a later version here, in stream order, needs to tell no row
  RowResult* results;        // [batch]; of the device or pinned
  uint32_t* tokens;          // [batch], what the model takes next: the token chosen; stays where
                             // none was. Null: not wanted
  UpdateProgress* progress;  // [1]
};

struct UpdateHead {
  uint32_t sequence;  // another one for each set of updates; one that was taken is not taken again
  uint32_t count;     // of RowUpdates
};

// A set of updates: of the device, where a captured copy puts it, or pinned memory that the kernel
// reads itself, and then no more of it than there is. The host writes none of it while a launch
// that may read it is under way.
struct RowUpdates {
  const UpdateHead* head;  // [1]
  const RowUpdate* rows;   // [head->count], at most `batch`, each of another row
  const uint32_t* words;   // ids and states
};

inline namespace SIMT_WORLD {

// Takes the updates, unless `head->sequence` is that of the last ones taken: writes masks, sent ids
// and, where they have one, states of the rows that they name. Other rows are not touched.
// Returns 0, or the error of the launch (a cudaError_t).
int LaunchUpdateRows(const RowsBatch& rows, const RowUpdates& updates, void* stream);

// Takes the tokens of the choices. For each row that has one: requests[row].position goes up by
// one; the state goes on by the tables of requests[row].grammar (StepRow); masks[row] becomes the
// mask after it (FindRowMask, or FindNamedList, whose ids go to the row's sent ids), or the empty
// one where it is unknown. With grammar kNoGrammar the mask stays as it is. results[row] is written
// for every row; choices and tables are only read. No row waits for another.
// Requires: a row with a state has a grammar whose tables are there.
// Returns 0, or the error of the launch (a cudaError_t).
int LaunchAdvanceRows(const RowsBatch& rows, void* stream);

}  // namespace SIMT_WORLD

}  // namespace maskloom::kernels::cuda
