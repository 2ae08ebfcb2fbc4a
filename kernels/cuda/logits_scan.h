// The first pass over a row: what is allowed, the largest value, masses, the draw where no filter
// is on, and with top-k or top-p a histogram of the values near the largest.
//
// The histogram is a window of kBins bins below the largest value that the block has seen; bin k
// lies at k mod kBins. Where a tile raises the largest value, the bins that fall out of the window
// are cleared: what they held is below all that the row's window, which is at least as high, holds.
#pragma once

#include "kernels/cuda/logits_select.h"
#include "kernels/cuda/logits_tile.h"

namespace maskloom::kernels::cuda {

inline constexpr int32_t kNoKey = -(1 << 30);

// What a row's settings mean for the passes.
struct RowKind {
  bool top_k, top_p, min_p;
  bool filters;  // some filter is on
  bool maxima;   // those of warps are asked for
  bool bins;     // top-k or top-p is
  bool draws;    // noise in the first pass
  bool masses;
  BinScale scale;
};

__device__ inline RowKind KindOf(const RowRequest& request, uint32_t vocab) {
  RowKind kind;
  const bool samples = request.is_greedy == 0;
  kind.top_k = samples && request.top_k != 0 && request.top_k < vocab;
  kind.top_p = samples && request.top_p < 1.0;
  kind.min_p = samples && request.min_p_log > -__builtin_inff();
  kind.bins = kind.top_k || kind.top_p;
  kind.filters = kind.bins || kind.min_p;
  kind.maxima = kind.filters || request.top_count != 0;
  kind.draws = samples && !kind.filters;
  kind.masses = request.wants_logprobs != 0 || kind.top_p;
  kind.scale = BinScaleOf(request);
  return kind;
}

struct ScanShared {
  TileShared tile;
  simt::Shared<RowRequest> request;    // [1]
  simt::Shared<ScanPartial> partials;  // [kThreads]
  simt::Shared<float> warps;           // [kWarps]
  simt::Shared<uint32_t> warp_sums;    // [kWarps]
  simt::Shared<uint32_t> bins;         // [3 * kBins]: count, low and high of each
  simt::Shared<uint32_t> answer;       // [1]
  simt::Shared<int32_t> top_keys;      // [kThreads], of the splits
  simt::Shared<uint32_t> bin_counts;   // [kThreads], of the splits
  simt::Shared<uint64_t> masses;       // [2 * kBins]: high and low word of a bin's mass
  SelectShared select;
};

__device__ inline ScanPartial NoScan() {
  return {NoMass(), NoBest(), -__builtin_inff(), UINT32_MAX, 0, kNoKey, 0};
}

__device__ inline ScanPartial JoinScan(const ScanPartial& a, const ScanPartial& b) {
  ScanPartial joined = a;
  joined.mass = JoinMass(a.mass, b.mass);
  joined.best = JoinBest(a.best, b.best);
  if (b.max > a.max || (b.max == a.max && b.max_id < a.max_id)) {
    joined.max = b.max;
    joined.max_id = b.max_id;
  }
  joined.allowed += b.allowed;
  joined.top_key = a.top_key > b.top_key ? a.top_key : b.top_key;
  return joined;
}

// Moves the window of the histogram up so that `key` is its highest bin.
__device__ inline void RaiseWindow(const ScanShared& shared, int32_t key, int32_t* top_key) {
  if (key <= *top_key) return;
  const int32_t slot = static_cast<int32_t>(threadIdx.x);
  if (slot < kBins && *top_key != kNoKey) {
    const int32_t held = *top_key - ((*top_key - slot) & (kBins - 1));
    if (held <= key - kBins) {
      for (int32_t w = 0; w < 3; ++w) shared.bins[3 * slot + w] = 0u;
    }
  }
  *top_key = key;
  __syncthreads();
}

__device__ inline void AddToWindow(const ScanShared& shared, int32_t top_key, const RowKind& kind,
                                   float y) {
  const int32_t key = BinKey(kind.scale, y);
  if (key <= top_key - kBins) return;
  const int32_t slot = key & (kBins - 1);
  atomicAdd(shared.bins + 3 * slot, 1u);
  if (!kind.top_p) return;
  const ExpParts parts = SplitExp(y);
  const uint32_t units = parts.mantissa << (parts.exponent - BinExponent(kind.scale, key));
  atomicAdd(shared.bins + (3 * slot + 1), units & 0xffffu);
  atomicAdd(shared.bins + (3 * slot + 2), units >> 16);
}

// Reads the tiles of one split. Returns what this thread found; `top_key` is the block's.
template <class T>
__device__ inline ScanPartial ScanTiles(const KernelArgs<T>& args, const RowRequest& request,
                                        const RowKind& kind, const ScanShared& shared) {
  const uint32_t row = blockIdx.y;
  const uint32_t begin = blockIdx.x * args.splits.tiles;
  const uint32_t end = min(begin + args.splits.tiles, args.splits.in_row);
  const NoiseKey key = {request.seed, request.position};
  ScanPartial found = NoScan();
  TileReader<T> reader(args, request, row, shared.tile);
  reader.Start(begin * kTileTokens, end * kTileTokens);
  for (uint32_t tile = begin; tile < end; ++tile) {
    float y[kThreadTokens];
    const uint32_t allowed = reader.Load(tile * kTileTokens, false, y);
    const uint32_t first[2] = {Place<T>::Token(tile * kTileTokens, 0),
                               Place<T>::Token(tile * kTileTokens, 4)};
    found.allowed += static_cast<uint32_t>(__popc(allowed));
    float largest = -__builtin_inff();
    MASKLOOM_UNROLL
    for (uint32_t k = 0; k < kThreadTokens; ++k) {
      largest = fmaxf(largest, y[k]);
      if (y[k] > found.max) {
        found.max = y[k];
        found.max_id = first[k / 4] + k % 4;
      }
      if (kind.masses && y[k] > -__builtin_inff()) AddMass(SplitExp(y[k]), &found.mass);
    }
    if (kind.draws) OfferEight(key, first, allowed, y, &found.best);
    if (!kind.maxima) continue;
    const BlockMax most = FindBlockMax(shared.warps, largest);
    if (threadIdx.x < kWarps) {
      const uint64_t at = static_cast<uint64_t>(row) * args.splits.in_row + tile;
      args.work.warp_maxima[at * kWarps + threadIdx.x] = most.of_warp;
    }
    if (!kind.bins || !(most.all > -__builtin_inff())) continue;
    RaiseWindow(shared, BinKey(kind.scale, most.all), &found.top_key);
    MASKLOOM_UNROLL
    for (uint32_t k = 0; k < kThreadTokens; ++k) {
      if (y[k] > -__builtin_inff()) AddToWindow(shared, found.top_key, kind, y[k]);
    }
    __syncthreads();
  }
  __syncthreads();  // what lists marked is of use no more
  return found;
}

// Stores the block's histogram from the highest bin down, as far as the row can need it: to its
// lowest value, and not below the bin that holds its k-th with top-k. Returns how many bins.
template <class T>
__device__ inline uint32_t StoreWindow(const KernelArgs<T>& args, const RowRequest& request,
                                       const RowKind& kind, int32_t top_key,
                                       const ScanShared& shared) {
  const uint32_t below = threadIdx.x;  // bins that lie above this thread's
  const uint32_t slot = static_cast<uint32_t>(top_key - static_cast<int32_t>(below)) & (kBins - 1);
  uint32_t count = 0;
  if (below < static_cast<uint32_t>(kBins)) count = shared.bins[3 * slot];
  uint32_t total;
  const uint32_t before = SumBefore(shared.warp_sums, count, &total);
  const uint32_t wanted = kind.top_k && request.top_k < total ? request.top_k : total;
  const bool stored = below < static_cast<uint32_t>(kBins) && before < wanted;
  if (stored) {
    const uint64_t split = static_cast<uint64_t>(blockIdx.y) * args.splits.count + blockIdx.x;
    if (kind.top_k) args.work.bin_counts[split * kBins + below] = count;
    if (kind.top_p) {
      const uint32_t low = shared.bins[3 * slot + 1];
      const uint32_t high = shared.bins[3 * slot + 2];
      args.work.bin_masses[split * kBins + below] = BinMass{low, high};
    }
  }
  return static_cast<uint32_t>(__syncthreads_count(stored ? 1 : 0));
}

// Adds up, for bin `threadIdx.x` below the row's largest value, the histograms of all splits.
template <class T>
__device__ inline void JoinWindows(const KernelArgs<T>& args, const RowKind& kind, int32_t top_key,
                                   int32_t base, const ScanShared& shared) {
  if (threadIdx.x < static_cast<uint32_t>(kBins)) {
    const int32_t key = top_key - static_cast<int32_t>(threadIdx.x);
    uint32_t count = 0;
    uint64_t units = 0;
    for (uint32_t s = 0; s < args.splits.count; ++s) {
      const int32_t top = shared.top_keys[s];
      const uint32_t stored = shared.bin_counts[s];
      if (key > top || static_cast<uint32_t>(top - key) >= stored) continue;
      const uint64_t split = static_cast<uint64_t>(blockIdx.y) * args.splits.count + s;
      const uint64_t at = split * kBins + static_cast<uint32_t>(top - key);
      if (kind.top_k) {
        const uint32_t in_bin = args.work.bin_counts[at];
        count += in_bin;
      }
      if (kind.top_p) {
        const BinMass in_bin = args.work.bin_masses[at];
        units += in_bin.low + (static_cast<uint64_t>(in_bin.high) << 16);
      }
    }
    const int32_t shift = BinExponent(kind.scale, key) - base;
    const Mass mass = shift >= 0 ? static_cast<Mass>(units) << shift : 0;
    shared.bins[threadIdx.x] = count;
    shared.masses[2 * threadIdx.x] = HighWord(mass);
    shared.masses[2 * threadIdx.x + 1] = LowWord(mass);
  }
  __syncthreads();
}

// Returns how many bins of the window hold exact masses. In those below the base some values count
// as zero and others do not, which the sum of a bin does not tell.
__device__ inline int32_t ExactBins(const RowKind& kind, int32_t top_key, int32_t base) {
  int32_t bins = kBins;
  while (bins > 0 && BinExponent(kind.scale, top_key - (bins - 1)) < base) --bins;
  return bins;
}

__device__ inline Mass MassOfWindow(const ScanShared& shared, int32_t bin) {
  const uint64_t high = shared.masses[2 * bin];
  const uint64_t low = shared.masses[2 * bin + 1];
  return MassOfWords(high, low);
}

// Settles which values are kept for sure and which must be listed, from the joined histogram.
// The cut of top-k lies in the bin in which the k-th value falls. That of top-p lies in the bin in
// which the mass is reached; inside top-k the mass to reach is known only to within that one bin,
// so that all bins between are listed.
__device__ inline void PlanCut(const RowRequest& request, const RowKind& kind,
                               const ScanShared& shared, RowPlan* plan) {
  const int32_t top_key = BinKey(kind.scale, plan->max);
  const int32_t exact = ExactBins(kind, top_key, plan->base);
  const bool top_k = kind.top_k && request.top_k < plan->allowed;
  int32_t last =
      kBins;  // the lowest bin that may hold the cut; kBins: all that is below the window
  Mass inside = MassOfWords(plan->total_high, plan->total_low);
  if (top_k) {
    inside = 0;
    uint32_t count = 0;
    for (last = 0; last < kBins; ++last) {
      const uint32_t in_bin = shared.bins[last];
      if (count + in_bin >= request.top_k) break;
      count += in_bin;
      inside += MassOfWindow(shared, last);
    }
  }
  int32_t sure = last;
  if (kind.top_p) {
    const Mass needed = NeededMass(inside, request.top_p);
    Mass above = 0;
    const int32_t most = last < exact ? last : exact;
    for (sure = 0; sure < most; ++sure) {
      const Mass in_bin = MassOfWindow(shared, sure);
      if (above + in_bin >= needed) break;
      above += in_bin;
    }
    if (!top_k && sure < exact) last = sure;
  }
  Mass above = 0;
  for (int32_t b = 0; b < sure; ++b) {
    const uint32_t in_bin = shared.bins[b];
    plan->above_count += in_bin;
    above += MassOfWindow(shared, b);
  }
  plan->above_high = HighWord(above);
  plan->above_low = LowWord(above);
  plan->sure_low = BinEdge(kind.scale, top_key - sure + 1);
  plan->list_low = last == kBins ? -kLargestFloat : BinEdge(kind.scale, top_key - last);
}

// Returns a value from which on there are at least `wanted` of the row's, and few more: the
// `wanted` largest of what warps found, each another token. All threads call together.
template <class T>
__device__ inline float FindTopLow(const KernelArgs<T>& args, uint32_t wanted,
                                   const SelectShared& select) {
  const uint32_t count = args.splits.in_row * kWarps;
  const simt::Global<const float> maxima =
      args.work.warp_maxima + static_cast<uint64_t>(blockIdx.y) * count;
  const auto by_value = [&](uint32_t i, uint32_t* key, Mass* mass) {
    const float largest = maxima[i];
    *key = ValueKey(largest);
    *mass = 0;
    return largest > -__builtin_inff();
  };
  const Selected found = SelectKey(select, SelectBy::kCount, count, wanted, by_value);
  if (found.above_count + found.equal_count < wanted) return -kLargestFloat;
  return ValueOfKey(found.key);
}

// What the last block of a row does: joins the splits; makes the choice, or the plan of the second
// pass.
template <class T>
__device__ inline void FinishScan(const KernelArgs<T>& args, const RowRequest& request,
                                  const RowKind& kind, const ScanShared& shared) {
  const uint32_t row = blockIdx.y;
  ScanPartial part = NoScan();
  if (threadIdx.x < args.splits.count) {
    part = args.work.scans[static_cast<uint64_t>(row) * args.splits.count + threadIdx.x];
  }
  shared.top_keys[threadIdx.x] = part.top_key;
  shared.bin_counts[threadIdx.x] = part.bin_count;
  const ScanPartial whole = JoinBlock(shared.partials, part, JoinScan);
  RowPlan plan = {};
  plan.is_done = 1;
  plan.allowed = whole.allowed;
  if (!(whole.max > -__builtin_inff())) {
    const SampleStatus status =
        whole.allowed == 0 ? SampleStatus::kEmptyMask : SampleStatus::kNoFiniteLogit;
    if (threadIdx.x == 0) {
      args.choices[row] = NoChoice(status, whole.allowed);
      args.work.plans[row] = plan;
    }
    return;
  }
  const int32_t base = MassBase(whole.max);
  const Mass total = TotalMass(whole.mass, base);
  plan.max = whole.max;
  plan.max_id = whole.max_id;
  plan.base = base;
  plan.total_high = HighWord(total);
  plan.total_low = LowWord(total);
  if (request.top_count != 0) plan.top_low = FindTopLow(args, request.top_count, shared.select);
  const bool noiseless = request.is_greedy != 0 || whole.max > kLogitLimit;
  if (noiseless || !kind.filters) {
    if (threadIdx.x != 0) return;
    const Best best = noiseless ? Best{0.0f, whole.max_id, whole.max} : whole.best;
    RowChoice choice = ChoiceOf(request, best, total, noiseless ? 0 : total, base);
    choice.allowed_count = whole.allowed;
    choice.kept_count = noiseless ? 1 : whole.allowed;
    args.choices[row] = choice;
    args.work.plans[row] = plan;
    return;
  }
  if (kind.bins) JoinWindows(args, kind, whole.top_key, base, shared);
  if (threadIdx.x != 0) return;
  plan.is_done = 0;
  plan.min_edge = kind.min_p ? LeastWithin(whole.max, request.min_p_log) : -kLargestFloat;
  const bool cuts = kind.top_p || (kind.top_k && request.top_k < whole.allowed);
  plan.keeps_all = cuts || kind.min_p ? 0 : 1;
  plan.sure_low = plan.list_low = -kLargestFloat;
  if (cuts) PlanCut(request, kind, shared, &plan);
  // Where min-p keeps less than what is kept for sure, the list decides nothing.
  if (plan.min_edge >= plan.sure_low) plan.sure_low = plan.list_low = plan.min_edge;
  args.work.plans[row] = plan;
}

}  // namespace maskloom::kernels::cuda
