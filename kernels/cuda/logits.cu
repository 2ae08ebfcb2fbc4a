// The fused logits kernel: mask, penalties, temperature, filters and choice of a whole batch.
//
// A row is cut into splits of whole tiles (2,048 tokens), a block each, so that small batches fill
// the device too. Blocks leave what they found in the workspace; the last one of a row to finish
// joins it. Everything that is joined is an integer sum, a maximum or a minimum, so the result does
// not depend on the splits or on which block is last:
//
//   ScanRows   every tile once: allowed tokens, largest value, exact masses (mass.h), and
//              - no filter: the largest value + noise. The row is done.
//              - top-k, top-p: a histogram of the values near the largest
//              The last block makes the plan: values that are kept for sure, and those in the bins
//              that the cut may lie in.
//   PickRows   the parts of tiles that reach these values once more: draws among the sure ones,
//   lists the others.
//              The last block selects the cut in the list digit by digit, and draws among the rest.
//              A list that would be too long is found again in the row every time.
//   ReportRows what a row wants beside its token, where some row does
//
// Rows that allow few tokens need neither histogram nor second pass: one block holds all of them
// (logits_short.h). Lists of at most 256 ids are gathered by the first block of the row; of rows of
// bits the splits leave what they allow, and the last block chooses.
//
// Noise comes from (seed, position, token id) and is drawn only for groups of four tokens that can
// still win. Where a row has top-k, top-p or min-p, the second read leaves out what is below the
// cut.
#include <algorithm>

#include "kernels/cuda/logits.h"
#include "kernels/cuda/logits_pick.h"
#include "kernels/cuda/logits_report.h"
#include "kernels/cuda/logits_scan.h"
#include "kernels/simt/cuda.h"

namespace maskloom::kernels::cuda {
namespace {

template <class T>
__global__ void __launch_bounds__(kThreads, 3) ScanRows(const KernelArgs<T> args) {
  SIMT_LAUNCH_BOUNDS(kThreads);
  SIMT_SHARED(RowMask, masks, 1);
  SIMT_SHARED(uint32_t, position, 1);
  SIMT_SHARED(TokenAdjustment, adjustments, kWindow);
  SIMT_SHARED(RowRequest, requests, 1);
  SIMT_SHARED(ScanPartial, partials, kThreads);
  SIMT_SHARED(float, warps, kWarps);
  SIMT_SHARED(uint32_t, warp_sums, kWarps);
  SIMT_SHARED(uint32_t, bins, 3 * kBins);
  SIMT_SHARED(uint32_t, answer, 1);
  SIMT_SHARED(int32_t, top_keys, kThreads);
  SIMT_SHARED(uint32_t, stored, kThreads);
  static_assert(kMostShort >= kBins);
  SIMT_SHARED(uint64_t, masses, 2 * kMostShort);
  SIMT_SHARED(ListEntry, entries, kMostShort);
  SIMT_SHARED(uint64_t, inside, 2);
  SIMT_SHARED(uint32_t, digit, 1);
  // Selection is over before what the threads found is joined, or has not begun.
  static_assert(kThreads * sizeof(ScanPartial) >= kSelectBytes);
  const SelectShared select = {simt::As<unsigned long long>(partials), digit};
  // So is the use of what lists mark.
  static_assert(kThreads * sizeof(ScanPartial) >= kSplitWords * sizeof(uint32_t));
  const MaskShared mask = {masks, simt::As<uint32_t>(partials), position};
  static_assert(sizeof(PickPartial) <= sizeof(ScanPartial));
  const ShortShared few = {requests, entries, masses, inside, simt::As<PickPartial>(partials)};
  const ScanShared shared = {{mask, adjustments, requests},
                             partials,
                             warps,
                             warp_sums,
                             bins,
                             answer,
                             top_keys,
                             stored,
                             masses,
                             select,
                             few};
  const bool is_short = BeginScan(args, shared);
  if (is_short && blockIdx.x != 0) return;
  const RowRequest request = requests[0];
  const RowKind kind = KindOf(request, args.vocab);
  uint32_t listed;
  ScanPartial whole;
  if (is_short) {
    whole = JoinBlock(partials, ScanShort(args, request, kind, shared), JoinScan);
    listed = CountIds(masks[0]);
  } else {
    whole = JoinBlock(partials, ScanTiles(args, request, kind, shared, &listed), JoinScan);
    whole.stored = StoreValues(args, request, kind, whole, listed, shared);
    if (!LeavePartial(args, args.work.scans, whole, &RowCounters::scanned, answer)) return;
    whole = JoinSplits(args, kind, shared, &listed);
  }
  FinishRow(args, request, kind, whole, listed, shared);
}

template <class T>
__global__ void __launch_bounds__(kThreads, 3) PickRows(const KernelArgs<T> args) {
  SIMT_LAUNCH_BOUNDS(kThreads);
  SIMT_SHARED(RowMask, masks, 1);
  SIMT_SHARED(uint32_t, position, 1);
  SIMT_SHARED(TokenAdjustment, adjustments, kWindow);
  SIMT_SHARED(RowRequest, requests, 1);
  SIMT_SHARED(RowPlan, plans, 1);
  SIMT_SHARED(PickPartial, partials, kThreads);
  SIMT_SHARED(float, maxima, kMostMaxima);
  SIMT_SHARED(ListEntry, list, kBlockList);
  SIMT_SHARED(uint32_t, list_count, 2);
  SIMT_SHARED(uint32_t, answer, 1);
  SIMT_SHARED(uint32_t, digit, 1);
  static_assert(kThreads * sizeof(PickPartial) >= kSelectBytes);  // as above
  const SelectShared select = {simt::As<unsigned long long>(partials), digit};
  static_assert(kThreads * sizeof(PickPartial) >= kSplitWords * sizeof(uint32_t));
  const MaskShared mask = {masks, simt::As<uint32_t>(partials), position};
  const PickShared shared = {
      {mask, adjustments, requests}, partials, maxima, {list, list_count}, answer, select};
  const uint32_t row = blockIdx.y;
  if (threadIdx.x == 0) {
    const uint32_t is_done = *simt::Member(args.work.plans + row, &RowPlan::is_done);
    answer[0] = is_done;
    if (is_done == 0) {
      const RowPlan planned = args.work.plans[row];
      plans[0] = planned;
      LoadRow(args, shared.tile);
    }
  }
  __syncthreads();
  if (answer[0] != 0) return;
  const RowPlan plan = plans[0];
  const RowRequest request = requests[0];
  const RowKind kind = KindOf(request, args.vocab);
  const PickPartial found = PickTiles(args, request, plan, shared);
  const PickPartial whole = JoinBlock(partials, found, JoinPick);
  if (LeavePartial(args, args.work.picks, whole, &RowCounters::picked, answer)) {
    FinishPick(args, request, kind, plan, shared);
  }
}

template <class T>
__global__ void __launch_bounds__(kThreads, 2) ReportRows(const KernelArgs<T> args) {
  SIMT_LAUNCH_BOUNDS(kThreads);
  SIMT_SHARED(RowMask, masks, 1);
  SIMT_SHARED(uint32_t, position, 1);
  SIMT_SHARED(TokenAdjustment, adjustments, kWindow);
  SIMT_SHARED(RowRequest, requests, 1);
  SIMT_SHARED(RowPlan, plans, 1);
  // The list is of use while tiles are read and, at last, when what was found is joined.
  static_assert(kThreads * sizeof(ReportPartial) <= kBlockList * sizeof(ListEntry));
  SIMT_SHARED(ListEntry, list, kBlockList);
  const simt::Shared<ReportPartial> partials = simt::As<ReportPartial>(list);
  SIMT_SHARED(uint32_t, list_count, 2);
  SIMT_SHARED(uint32_t, answer, 1);
  SIMT_SHARED(ListEntry, tops, kMostTops);
  SIMT_SHARED(uint32_t, top_fill, 1);
  SIMT_SHARED(unsigned long long, sums, kSelectBytes / sizeof(unsigned long long));
  SIMT_SHARED(uint32_t, digit, 1);
  static_assert(kSelectBytes >= kSplitWords * sizeof(uint32_t));  // selection begins later
  const MaskShared mask = {masks, simt::As<uint32_t>(sums), position};
  const ReportShared shared = {{mask, adjustments, requests},
                               partials,
                               {list, list_count},
                               answer,
                               tops,
                               top_fill,
                               {sums, digit}};
  const uint32_t row = blockIdx.y;
  if (threadIdx.x == 0) {
    LoadRow(args, shared.tile);
    const RowPlan planned = args.work.plans[row];
    plans[0] = planned;
    const RowChoice choice = args.choices[row];
    answer[0] = choice.status == SampleStatus::kOk ? 1u : 0u;
  }
  __syncthreads();
  const RowRequest request = requests[0];
  const RowPlan plan = plans[0];
  const bool has_token = answer[0] != 0;
  if (!has_token || !WantsReport(request)) {
    if (blockIdx.x == 0 && threadIdx.x == 0) args.reports[row] = RowReport{0, 0, 0, 0, 0};
    return;
  }
  const ReportPartial found = ReportTiles(args, request, plan, shared);
  const ReportPartial whole = JoinBlock(partials, found, JoinReport);
  if (LeavePartial(args, args.work.reports, whole, &RowCounters::reported, answer)) {
    FinishReport(args, request, plan, shared);
  }
}

// Takes arrays off a piece of memory, in the order of its calls.
class Carver {
 public:
  explicit Carver(void* memory) : begin_(static_cast<char*>(memory)) {}

  template <class V>
  V* Take(uint64_t count) {
    const uint64_t at = used_;
    used_ = (used_ + count * sizeof(V) + 255) / 256 * 256;
    return begin_ == nullptr ? nullptr : reinterpret_cast<V*>(begin_ + at);
  }

  uint64_t used() const { return used_; }

 private:
  char* begin_;
  uint64_t used_ = 0;
};

Workspace CarveWorkspace(Carver* carver, uint32_t batch, const Splits& splits) {
  const uint64_t rows = batch;
  Workspace work;
  work.counters = carver->Take<RowCounters>(rows);
  work.plans = carver->Take<RowPlan>(rows);
  work.scans = carver->Take<ScanPartial>(rows * splits.count);
  work.picks = carver->Take<PickPartial>(rows * splits.count);
  work.reports = carver->Take<ReportPartial>(rows * splits.count);
  work.bin_counts = carver->Take<uint32_t>(rows * splits.count * kBins);
  work.bin_masses = carver->Take<BinMass>(rows * splits.count * kBins);
  work.entries = carver->Take<ListEntry>(rows * splits.count * kMostSplitListed);
  work.warp_maxima = carver->Take<float>(rows * splits.in_row * kWarps);
  work.lists = carver->Take<ListEntry>(rows * kMostListed);
  return work;
}

template <class T>
int Launch(const LogitsBatch& batch, cudaStream_t stream) {
  using Stored = typename T::Stored;
  KernelArgs<T> args;
  args.logits = static_cast<const Stored*>(batch.logits);
  args.vocab = batch.vocab;
  args.is_aligned = AreRowsAligned<T>(batch.logits, batch.stride) ? 1 : 0;
  args.stride = batch.stride;
  args.masks = MaskArgsOf(batch.masks);
  args.requests = batch.requests;
  args.adjustments = batch.adjustments;
  args.choices = batch.choices;
  args.reports = batch.reports;
  args.tops = batch.tops;
  args.splits = CutRows(batch.batch, batch.vocab, kWantedBlocks, kLeastSplitTokens);
  args.has_passes = batch.filters || batch.reports != nullptr ? 1 : 0;
  Carver carver(batch.workspace);
  args.work = CarveWorkspace(&carver, batch.batch, args.splits);
  const dim3 grid(args.splits.count, batch.batch);
  SIMT_LAUNCH((ScanRows<T>), grid, kThreads, 0, stream, args);
  if (const cudaError_t error = cudaGetLastError(); error != cudaSuccess) {
    return static_cast<int>(error);
  }
  if (batch.filters) SIMT_LAUNCH((PickRows<T>), grid, kThreads, 0, stream, args);
  if (batch.reports != nullptr) SIMT_LAUNCH((ReportRows<T>), grid, kThreads, 0, stream, args);
  return static_cast<int>(cudaGetLastError());
}

}  // namespace

inline namespace SIMT_WORLD {

RowRequest MakeRowRequest(const SampleSettings& settings) {
  RowRequest request = {};
  request.seed = settings.seed;
  request.position = settings.position;
  request.top_p = settings.top_p;
  request.scale = TemperatureScale(settings);
  const float min_p = static_cast<float>(settings.min_p);
  request.min_p_log = min_p >= kSmallestNormal ? ExactLog(min_p) : -__builtin_inff();
  request.repetition = settings.repetition_penalty;
  request.frequency = settings.frequency_penalty;
  request.presence = settings.presence_penalty;
  request.top_k = settings.top_k;
  request.is_greedy = settings.temperature == 0.0f ? 1 : 0;
  const uint32_t with_logprobs = kOutputLogprobs | kOutputEntropy;
  const bool logprobs = (settings.outputs & with_logprobs) != 0 || settings.top_count != 0;
  request.wants_logprobs = logprobs ? 1 : 0;
  request.wants_entropy = (settings.outputs & kOutputEntropy) != 0 ? 1 : 0;
  request.wants_raw = (settings.outputs & kOutputRaw) != 0 ? 1 : 0;
  request.top_count =
      static_cast<uint16_t>(settings.top_count < kMostTops ? settings.top_count : kMostTops);
  request.grammar = kNoGrammar;
  return request;
}

size_t LogitsWorkspaceBytes(uint32_t batch, uint32_t vocab) {
  // Fewer rows may be cut into so many more splits that they need more.
  size_t most = 0;
  for (uint32_t rows = 1; rows <= batch; ++rows) {
    Carver carver(nullptr);
    CarveWorkspace(&carver, rows, CutRows(rows, vocab, kWantedBlocks, kLeastSplitTokens));
    most = std::max(most, carver.used());
  }
  return most;
}

size_t LogitsCounterBytes(uint32_t batch) { return batch * sizeof(RowCounters); }

int LaunchChooseTokens(const LogitsBatch& batch, void* stream) {
  return WithStored(batch.type, [&](auto stored) {
    return Launch<decltype(stored)>(batch, static_cast<cudaStream_t>(stream));
  });
}

}  // namespace SIMT_WORLD
}  // namespace maskloom::kernels::cuda
