// Entries of rows for the host, with their reports, and their tokens counted. A block a row; the
// sparse table is sorted, so a token that it lacks moves those behind it, from the end, a block's
// width at a time.
#include "kernels/cuda/log_rows.h"
#include "kernels/simt/cuda.h"

namespace maskloom::kernels::cuda {
namespace {

constexpr uint32_t kLogThreads = 128;
constexpr uint32_t kLogWarps = kLogThreads / 32;

struct LogArgs {
  simt::Global<const RowChoice> choices;
  simt::Global<const RowResult> results;
  simt::Global<RowRequest> requests;
  simt::Global<TokenAdjustment> adjustments;
  uint32_t adjustment_room;
  simt::Global<uint64_t> sequences;
  simt::Global<RowEntry> entries;
  uint32_t depth;
  simt::Global<const RowReport> reports;
  simt::Global<const TopToken> tops;
  simt::Global<RowReport> kept_reports;
  simt::Global<TopToken> kept_tops;
  uint32_t top_room;
};

__device__ bool HasPenalties(const RowRequest& request) {
  return request.repetition != 1.0f || request.frequency != 0.0f || request.presence != 0.0f;
}

// Returns the sum over the block, in every thread.
__device__ uint32_t SumOverBlock(simt::Shared<uint32_t> warps, uint32_t mine) {
  mine = __reduce_add_sync(0xffffffffu, mine);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = mine;
  __syncthreads();
  uint32_t sum = 0;
  for (uint32_t w = 0; w < kLogWarps; ++w) {
    const uint32_t other = warps[w];
    sum += other;
  }
  __syncthreads();
  return sum;
}

// Makes room at `at` among `count` entries.
__device__ void MoveUp(simt::Global<TokenAdjustment> table, uint32_t at, uint32_t count) {
  for (uint32_t end = count; end > at;) {
    const uint32_t begin = end - at > kLogThreads ? end - kLogThreads : at;
    TokenAdjustment moved = {};
    const uint32_t from = begin + threadIdx.x;
    if (from < end) moved = TokenAdjustment(table[from]);
    __syncthreads();
    if (from < end) table[from + 1] = moved;
    __syncthreads();
    end = begin;
  }
}

// Counts `token` among the row's adjustments. Returns whether there was room.
__device__ bool CountToken(const LogArgs& args, const RowRequest& request, uint32_t row,
                           uint32_t token, simt::Shared<uint32_t> warps) {
  const simt::Global<TokenAdjustment> table = args.adjustments + request.adjustment_begin;
  const uint32_t count = request.adjustment_count;
  uint32_t below = 0, same = 0;
  for (uint32_t i = threadIdx.x; i < count; i += kLogThreads) {
    const uint32_t id = *simt::Member(table + i, &TokenAdjustment::id);
    below += id < token;
    same += id == token;
  }
  const uint32_t at = SumOverBlock(warps, below);
  const bool is_there = SumOverBlock(warps, same) != 0;
  if (!is_there && count >= args.adjustment_room) return false;
  if (!is_there) MoveUp(table, at, count);
  if (threadIdx.x != 0) return true;
  TokenAdjustment entry = {token, 0, 0, 0.0f};
  if (is_there) entry = TokenAdjustment(table[at]);
  ++entry.output_count;
  table[at] = entry;
  if (!is_there) *simt::Member(args.requests + row, &RowRequest::adjustment_count) = count + 1;
  return true;
}

// Keeps what the row reported beside entry `place`, if it asked for something. Returns whether it
// did.
__device__ bool KeepReport(const LogArgs& args, const RowRequest& request, uint32_t row,
                           uint32_t place) {
  if (args.reports == nullptr) return false;
  if (request.wants_entropy == 0 && request.wants_raw == 0 && request.top_count == 0) return false;
  const RowReport report = args.reports[row];
  const uint32_t filled = min(report.top_filled, args.top_room);
  const simt::Global<const TopToken> tops = args.tops + row * kMostTops;
  const simt::Global<TopToken> kept = args.kept_tops + static_cast<uint64_t>(place) * args.top_room;
  for (uint32_t i = threadIdx.x; i < filled; i += kLogThreads) kept[i] = TopToken(tops[i]);
  if (threadIdx.x == 0) args.kept_reports[place] = report;
  return true;
}

__global__ void __launch_bounds__(kLogThreads) LogRows(const LogArgs args) {
  SIMT_LAUNCH_BOUNDS(kLogThreads);
  SIMT_SHARED(uint32_t, warps, kLogWarps);
  const uint32_t row = blockIdx.x;
  const RowResult result = args.results[row];
  const bool has_token = result.outcome != RowOutcome::kNoToken;
  if (!has_token && result.status == static_cast<uint16_t>(SampleStatus::kEmptyMask)) return;
  const uint64_t last = args.sequences[row];
  const uint32_t place = row * args.depth + static_cast<uint32_t>((last + 1) % args.depth);
  bool has_room = true, has_report = false;
  if (has_token) {
    const RowRequest request = args.requests[row];
    has_report = KeepReport(args, request, row, place);
    // Nobody changes the table before all have read how long it is.
    __syncthreads();
    if (HasPenalties(request)) has_room = CountToken(args, request, row, result.token, warps);
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  const RowChoice choice = args.choices[row];
  args.sequences[row] = last + 1;
  const simt::Global<RowEntry> entry = args.entries + place;
  *simt::Member(entry, &RowEntry::token) = has_token ? result.token : UINT32_MAX;
  *simt::Member(entry, &RowEntry::outcome) = static_cast<uint16_t>(result.outcome);
  *simt::Member(entry, &RowEntry::status) = result.status;
  *simt::Member(entry, &RowEntry::is_counted) = has_room ? uint16_t{1} : uint16_t{0};
  *simt::Member(entry, &RowEntry::has_report) = has_report ? uint16_t{1} : uint16_t{0};
  *simt::Member(entry, &RowEntry::logprob) = choice.logprob;
  *simt::Member(entry, &RowEntry::masked_logprob) = choice.masked_logprob;
  __threadfence_system();
  *simt::Member(entry, &RowEntry::sequence) = last + 1;
}

__global__ void __launch_bounds__(kLogThreads)
    TakeTokens(simt::Global<const RowMask> masks, simt::Global<const uint32_t> pool,
               simt::Global<const uint32_t> sent, uint32_t row_words,
               simt::Global<const uint32_t> tokens, uint32_t vocab,
               simt::Global<RowChoice> choices) {
  SIMT_LAUNCH_BOUNDS(kLogThreads);
  SIMT_SHARED(uint32_t, warps, kLogWarps);
  const uint32_t row = blockIdx.x;
  const uint32_t token = tokens[row];
  const RowMask mask = masks[row];
  const bool is_empty = mask.slot == kNoSlot && mask.list_count == 0 && mask.sent_count == 0;
  uint32_t found = 0;
  if (token < vocab && !is_empty) {
    if (threadIdx.x == 0 && mask.slot == kOpenSlot) found = 1;
    const bool has_bit = mask.slot != kOpenSlot && mask.slot != kNoSlot && token / 32 < row_words;
    if (threadIdx.x == 0 && has_bit) {
      const uint32_t word = pool[static_cast<uint64_t>(mask.slot) * row_words + token / 32];
      found = word >> (token % 32) & 1;
    }
    for (uint32_t i = threadIdx.x; i < mask.list_count; i += kLogThreads) {
      const uint32_t id = pool[mask.list_begin + i];
      found |= id == token ? 1u : 0u;
    }
    for (uint32_t i = threadIdx.x; i < mask.sent_count; i += kLogThreads) {
      const uint32_t id = sent[mask.sent_begin + i];
      found |= id == token ? 1u : 0u;
    }
  }
  const bool is_allowed = SumOverBlock(warps, found) != 0;
  if (threadIdx.x != 0) return;
  RowChoice choice = {};
  choice.token = is_allowed ? token : UINT32_MAX;
  choice.status = is_allowed                        ? SampleStatus::kOk
                  : is_empty || token == UINT32_MAX ? SampleStatus::kEmptyMask
                                                    : SampleStatus::kInvalidArgument;
  choices[row] = choice;
}

}  // namespace

inline namespace SIMT_WORLD {

int LaunchLogRows(const LogBatch& batch, void* stream) {
  const LogArgs args = {
      batch.choices,      batch.results,   batch.requests, batch.adjustments, batch.adjustment_room,
      batch.sequences,    batch.entries,   batch.depth,    batch.reports,     batch.tops,
      batch.kept_reports, batch.kept_tops, batch.top_room};
  SIMT_LAUNCH(LogRows, batch.batch, kLogThreads, 0, static_cast<cudaStream_t>(stream), args);
  return static_cast<int>(cudaGetLastError());
}

int LaunchTakeTokens(const BatchMasks& masks, const uint32_t* tokens, uint32_t batch,
                     uint32_t vocab, RowChoice* choices, void* stream) {
  SIMT_LAUNCH(TakeTokens, batch, kLogThreads, 0, static_cast<cudaStream_t>(stream), masks.rows,
              masks.pool, masks.sent, masks.row_words, tokens, vocab, choices);
  return static_cast<int>(cudaGetLastError());
}

}  // namespace SIMT_WORLD

}  // namespace maskloom::kernels::cuda
