// Rows that need no host, between the token of one step and the mask of the next.
//
// AdvanceRows has a warp for each row, of which one lane works: rows go different ways, and what
// takes time is a chain of about ten loads that depend on each other (the token, its length, the
// entry, the record, the next head, the entry of its mask, the mask). A row moves about 450 bytes.
// Only where the mask is a list by names all lanes go through it.
//
// UpdateRows has a warp for each update. Where updates lie in pinned memory, the head is read over
// the bus by every block and of the rest only what there is. Blocks of one launch cannot tell each
// other that a set of updates was taken, so the first notes what it saw, and AdvanceRows, which
// comes later in the stream, makes that what was taken.
#include "kernels/cuda/rows.h"
#include "kernels/simt/cuda.h"

namespace maskloom::kernels::cuda {
namespace {

constexpr uint32_t kRowThreads = 128;
constexpr uint32_t kRowsInBlock = kRowThreads / 32;

// RowsBatch as kernels take it.
struct RowsArgs {
  uint32_t batch;
  simt::Global<RowState> states;
  simt::Global<RowMask> masks;
  simt::Global<uint32_t> sent;
  simt::Global<RowRequest> requests;
  simt::Global<const RowChoice> choices;
  simt::Global<const StepTables> tables;
  simt::Global<RowResult> results;
  simt::Global<uint32_t> tokens;
  simt::Global<UpdateProgress> progress;
};

RowsArgs ArgsOf(const RowsBatch& rows) {
  return {rows.batch,   rows.states, rows.masks,   rows.sent,   rows.requests,
          rows.choices, rows.tables, rows.results, rows.tokens, rows.progress};
}

using DeviceTables = StepTablesBy<simt::Global>;

__device__ DeviceTables LoadTables(const RowsArgs& args, uint32_t grammar) {
  const StepTables given = args.tables[grammar];
  return {given.entries, given.entry_mask,   given.heads,      given.registers,      given.records,
          given.masks,   given.text_lengths, given.end_tokens, given.end_token_count};
}

// RowState where it lies: count, depth, number of cells, words, cells.
struct RowInMemory {
  uint32_t count;
  uint32_t depth;
  uint32_t cell_count;
  simt::Global<uint32_t> words;
  simt::Global<uint32_t> cells;
};
constexpr uint32_t kFirstWord = 3;
constexpr uint32_t kFirstCell = kFirstWord + kMostRowWords;
static_assert(sizeof(RowState) == (kFirstCell + kMostRowCells) * sizeof(uint32_t));

__device__ simt::Global<uint32_t> WordsOf(const RowsArgs& args, uint32_t row) {
  return simt::As<uint32_t>(args.states + row);
}

// Takes a token: state and mask go on as far as the tables know the way. A mask by names is left to
// TakeNamedMask, with the place of its list.
__device__ RowOutcome TakeToken(const RowsArgs& args, uint32_t row, uint32_t token,
                                simt::Shared<uint32_t> list_place) {
  const uint32_t grammar = *simt::Member(args.requests + row, &RowRequest::grammar);
  if (grammar == kNoGrammar) return RowOutcome::kGoesOn;
  args.masks[row] = RowMask{};
  const simt::Global<uint32_t> words = WordsOf(args, row);
  RowInMemory state = {words[0], words[1], words[2], words + kFirstWord, words + kFirstCell};
  if (state.depth == 0) return RowOutcome::kNeedsStep;
  const DeviceTables tables = LoadTables(args, grammar);
  const StepOutcome outcome = StepRow(tables, token, &state);
  if (outcome == StepOutcome::kUnknown) return RowOutcome::kNeedsStep;
  words[0] = state.count;
  words[1] = state.depth;
  words[2] = state.cell_count;
  if (outcome == StepOutcome::kEnded) return RowOutcome::kEnded;
  bool is_named = false;
  const uint32_t place = FindMaskPlace(tables, state, &is_named);
  if (place == kAbsent) return RowOutcome::kNeedsMask;
  if (is_named) {
    *list_place = place;
  } else {
    const RowMask mask = tables.masks[place];
    args.masks[row] = mask;
  }
  return RowOutcome::kGoesOn;
}

// Makes the mask of a row from a list by names, whose ids that may come go to its sent ids: by all
// lanes of its warp.
__device__ void TakeNamedMask(const RowsArgs& args, uint32_t row, uint32_t list_place) {
  const uint32_t lane = threadIdx.x % 32;
  const uint32_t grammar = *simt::Member(args.requests + row, &RowRequest::grammar);
  const DeviceTables tables = LoadTables(args, grammar);
  const simt::Global<const uint32_t> list = tables.records + list_place;
  const simt::Global<uint32_t> words = WordsOf(args, row);
  const RowInMemory state = {words[0], words[1], words[2], words + kFirstWord, words + kFirstCell};
  const SeenNames seen = SeenNamesOf(tables, state);
  const uint32_t begin = row * kMostListIds;
  const uint32_t count = list[1];
  uint32_t written = 0;
  for (uint32_t first = 0; first < count; first += 32) {
    const uint32_t index = first + lane;
    const bool may_come = index < count && MayComeBy(list, seen, index);
    const uint32_t lanes = __ballot_sync(0xffffffffu, may_come ? 1 : 0);
    if (may_come) {
      const uint32_t id = list[2 + index];
      args.sent[begin + written + __popc(lanes & ((1u << lane) - 1))] = id;
    }
    written += __popc(lanes);
  }
  if (lane != 0) return;
  const uint32_t always = list[0];
  RowMask mask = tables.masks[always];
  mask.sent_begin = begin;
  mask.sent_count = static_cast<uint16_t>(written);
  args.masks[row] = mask;
}

// What the first lane of a row's warp does.
__device__ void AdvanceRow(const RowsArgs& args, uint32_t row, simt::Shared<uint32_t> list_place) {
  *list_place = kAbsent;
  if (row == 0) {
    const uint32_t seen = *simt::Member(args.progress, &UpdateProgress::seen);
    *simt::Member(args.progress, &UpdateProgress::taken) = seen;
  }
  const RowChoice choice = args.choices[row];
  RowResult result = {choice.token, RowOutcome::kNoToken, static_cast<uint16_t>(choice.status)};
  if (choice.status == SampleStatus::kOk) {
    const simt::Global<uint64_t> position =
        simt::Member(args.requests + row, &RowRequest::position);
    *position += 1;
    if (args.tokens != nullptr) args.tokens[row] = choice.token;
    result.outcome = TakeToken(args, row, choice.token, list_place);
  }
  args.results[row] = result;
}

__global__ void __launch_bounds__(kRowThreads) AdvanceRows(const RowsArgs args) {
  SIMT_LAUNCH_BOUNDS(kRowThreads);
  SIMT_SHARED(uint32_t, lists, kRowsInBlock);
  const uint32_t row = (blockIdx.x * kRowThreads + threadIdx.x) / 32;
  if (row >= args.batch) return;
  if (threadIdx.x % 32 == 0) AdvanceRow(args, row, lists + threadIdx.x / 32);
  __syncwarp();
  const uint32_t list_place = lists[threadIdx.x / 32];
  if (list_place != kAbsent) TakeNamedMask(args, row, list_place);
}

__global__ void __launch_bounds__(kRowThreads)
    UpdateRows(const RowsArgs args, const simt::Global<const UpdateHead> head,
               const simt::Global<const RowUpdate> updates,
               const simt::Global<const uint32_t> words) {
  SIMT_LAUNCH_BOUNDS(kRowThreads);
  SIMT_SHARED(uint32_t, counts, 1);
  if (threadIdx.x == 0) {
    const UpdateHead given = head[0];
    const uint32_t taken = *simt::Member(args.progress, &UpdateProgress::taken);
    counts[0] = given.sequence == taken ? 0 : given.count;
    if (blockIdx.x == 0) *simt::Member(args.progress, &UpdateProgress::seen) = given.sequence;
  }
  __syncthreads();
  const uint32_t at = blockIdx.x * kRowsInBlock + threadIdx.x / 32;
  if (at >= counts[0]) return;
  const uint32_t lane = threadIdx.x % 32;
  const RowUpdate update = updates[at];
  const uint32_t row = update.row;
  const simt::Global<const uint32_t> given = words + update.mask.sent_begin;
  const uint32_t sent_begin = row * kMostListIds;
  if (lane < update.mask.sent_count) args.sent[sent_begin + lane] = given[lane];
  if (lane == 0) {
    RowMask mask = update.mask;
    mask.sent_begin = sent_begin;
    args.masks[row] = mask;
  }
  if (update.depth == kKeepState) return;
  const simt::Global<uint32_t> state = WordsOf(args, row);
  const simt::Global<const uint32_t> next = given + update.mask.sent_count;
  const uint32_t cell_count = next[1];
  if (lane == 0) {
    const uint32_t count = next[0];
    state[0] = count;
    state[1] = update.depth;
    state[2] = cell_count;
  }
  for (uint32_t i = lane; i < update.depth; i += 32) {
    const uint32_t word = next[2 + i];
    state[kFirstWord + i] = word;
  }
  for (uint32_t i = lane; i < cell_count; i += 32) {
    const uint32_t cell = next[2 + update.depth + i];
    state[kFirstCell + i] = cell;
  }
}

}  // namespace

inline namespace SIMT_WORLD {

int LaunchUpdateRows(const RowsBatch& rows, const RowUpdates& updates, void* stream) {
  const uint32_t blocks = (rows.batch + kRowsInBlock - 1) / kRowsInBlock;
  SIMT_LAUNCH(UpdateRows, blocks, kRowThreads, 0, static_cast<cudaStream_t>(stream), ArgsOf(rows),
              updates.head, updates.rows, updates.words);
  return static_cast<int>(cudaGetLastError());
}

int LaunchAdvanceRows(const RowsBatch& rows, void* stream) {
  const uint32_t blocks = (rows.batch + kRowsInBlock - 1) / kRowsInBlock;
  SIMT_LAUNCH(AdvanceRows, blocks, kRowThreads, 0, static_cast<cudaStream_t>(stream), ArgsOf(rows));
  return static_cast<int>(cudaGetLastError());
}

}  // namespace SIMT_WORLD
}  // namespace maskloom::kernels::cuda
