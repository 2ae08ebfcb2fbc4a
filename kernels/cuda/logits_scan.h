// The first pass over a row: what is allowed, the largest value, masses, the draw where no filter
// is on, and with top-k or top-p a histogram of the values near the largest.
//
// The histogram is a window of kBins bins below the largest value that the block has seen; bin k
// lies at k mod kBins. Where a tile raises the largest value, the bins that fall out of the window
// are cleared: what they held is below all that the row's window, which is at least as high, holds.
//
// A split that allows few tokens leaves them as they are in place of its histogram. Where all
// splits of a row do and they are few together, the last block chooses among them; else it puts
// them into the row's histogram.
#pragma once

#include "kernels/cuda/logits_select.h"
#include "kernels/cuda/logits_short.h"

namespace maskloom::kernels::cuda {

inline constexpr int32_t kNoKey = -(1 << 30);
inline constexpr uint32_t kNotListed = UINT32_MAX;

struct ScanShared {
  TileShared tile;
  simt::Shared<ScanPartial> partials;  // [kThreads]
  simt::Shared<float> warps;           // [kWarps]
  simt::Shared<uint32_t> warp_sums;    // [kWarps]
  simt::Shared<uint32_t> bins;         // [3 * kBins]: count, low and high of each
  simt::Shared<uint32_t> answer;       // [1]
  simt::Shared<int32_t> top_keys;      // [kThreads], of the splits
  simt::Shared<uint32_t> stored;       // [kThreads], of the splits
  simt::Shared<uint64_t> masses;       // [2 * kBins]: high and low word of a bin's mass
  SelectShared select;
  ShortShared few;  // its masses are the same memory
};

__device__ inline ScanPartial NoScan() {
  return {NoMass(), NoBest(), -__builtin_inff(), UINT32_MAX, 0, kNoKey, kIsListed};
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

// Loads what the block needs of its row, and empties the histogram. Returns whether the row is
// short: the first block does all of it then, and the others have nothing but its mask. All threads
// call together.
template <class T>
__device__ inline bool BeginScan(const KernelArgs<T>& args, const ScanShared& shared) {
  if (threadIdx.x == 0) {
    const RowMask mask = LoadRowMask(args.masks, blockIdx.y);
    shared.tile.mask.mask[0] = mask;
    shared.answer[0] = IsShort(mask) ? 1u : 0u;
    if (blockIdx.x == 0 || !IsShort(mask)) {
      const RowRequest request = args.requests[blockIdx.y];
      shared.tile.request[0] = request;
    }
  }
  for (uint32_t i = threadIdx.x; i < 3 * kBins; i += kThreads) shared.bins[i] = 0u;
  __syncthreads();
  return shared.answer[0] != 0;
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

// Adds the thread's tokens of a tile that have a value to the `listed` entries of the block, which
// are kNotListed from where they would be too many on. All threads call together.
__device__ inline void ListTile(const ScanShared& shared, const uint32_t* first, const float* y,
                                uint32_t* listed) {
  uint32_t count = 0;
  MASKLOOM_UNROLL
  for (uint32_t k = 0; k < kThreadTokens; ++k) count += y[k] > -__builtin_inff() ? 1 : 0;
  uint32_t total;
  uint32_t at = *listed + SumBefore(shared.warp_sums, count, &total);
  *listed = *listed + total <= kMostSplitListed ? *listed + total : kNotListed;
  if (*listed == kNotListed) return;
  MASKLOOM_UNROLL
  for (uint32_t k = 0; k < kThreadTokens; ++k) {
    if (y[k] > -__builtin_inff()) {
      shared.few.entries[at] = ListEntry{y[k], first[k / 4] + k % 4};
      ++at;
    }
  }
}

// Reads the tiles of one split. Returns what this thread found; `top_key` is the block's. `listed`
// tells how many entries the block has, or kNotListed.
template <class T>
__device__ inline ScanPartial ScanTiles(const KernelArgs<T>& args, const RowRequest& request,
                                        const RowKind& kind, const ScanShared& shared,
                                        uint32_t* listed) {
  const uint32_t row = blockIdx.y;
  const uint32_t begin = blockIdx.x * args.splits.tiles;
  const uint32_t end = min(begin + args.splits.tiles, args.splits.in_row);
  const NoiseKey key = {request.seed, request.position};
  ScanPartial found = NoScan();
  *listed = kind.filters ? 0 : kNotListed;
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
    if (!(most.all > -__builtin_inff())) continue;
    if (*listed != kNotListed) ListTile(shared, first, y, listed);
    if (!kind.bins) continue;
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

// Gathers a row whose mask is short. Returns what this thread found.
template <class T>
__device__ inline ScanPartial ScanShort(const KernelArgs<T>& args, const RowRequest& request,
                                        const RowKind& kind, const ScanShared& shared) {
  const RowMask mask = shared.tile.mask.mask[0];
  ScanPartial found = NoScan();
  found.allowed = GatherEntries(args, request, mask, shared.few.entries) ? 1 : 0;
  const ListEntry mine = shared.few.entries[threadIdx.x];
  if (!(mine.value > -__builtin_inff())) return found;
  found.max = mine.value;
  found.max_id = mine.id;
  if (kind.masses) AddMass(SplitExp(mine.value), &found.mass);
  if (kind.draws) {
    const NoiseKey key = {request.seed, request.position};
    Offer(TokenNoise(key, mine.id), mine.id, mine.value, &found.best);
  }
  return found;
}

// Stores the block's `listed` entries. Returns what says so.
template <class T>
__device__ inline uint32_t StoreEntries(const KernelArgs<T>& args, uint32_t listed,
                                        const ScanShared& shared) {
  if (threadIdx.x < listed) {
    const uint64_t split = static_cast<uint64_t>(blockIdx.y) * args.splits.count + blockIdx.x;
    const ListEntry entry = shared.few.entries[threadIdx.x];
    args.work.entries[split * kMostSplitListed + threadIdx.x] = entry;
  }
  return kIsListed | listed;
}

// Returns a value that the cut of top-p does not go below: as many values as the vocabulary has,
// all of them below it, would weigh less than half of what the cut leaves out. `largest` is one of
// the row's.
__device__ inline float LeastCut(double top_p, uint32_t vocab, float largest) {
  const float share = static_cast<float>((1.0 - top_p) / (2.0 * vocab));
  return share < kSmallestNormal ? -kLargestFloat : largest + ExactLog(share);
}

// Stores the block's histogram from the highest bin down, as far as the row can need it: to its
// lowest value, and not below the bin that holds its k-th with top-k, or where top-p alone cannot
// cut. Returns how many bins.
template <class T>
__device__ inline uint32_t StoreWindow(const KernelArgs<T>& args, const RowRequest& request,
                                       const RowKind& kind, const ScanPartial& whole,
                                       const ScanShared& shared) {
  const uint32_t below = threadIdx.x;  // bins that lie above this thread's
  const int32_t key = whole.top_key - static_cast<int32_t>(below);
  const uint32_t slot = static_cast<uint32_t>(key) & (kBins - 1);
  uint32_t count = 0;
  if (below < static_cast<uint32_t>(kBins)) count = shared.bins[3 * slot];
  uint32_t total;
  const uint32_t before = SumBefore(shared.warp_sums, count, &total);
  const uint32_t wanted = kind.top_k && request.top_k < total ? request.top_k : total;
  const float least = kind.top_k ? -kLargestFloat : LeastCut(request.top_p, args.vocab, whole.max);
  const bool stored = below < static_cast<uint32_t>(kBins) && before < wanted &&
                      BinEdge(kind.scale, key + 1) > least;
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

// Stores the block's entries or its histogram. Returns what says which: ScanPartial::stored.
template <class T>
__device__ inline uint32_t StoreValues(const KernelArgs<T>& args, const RowRequest& request,
                                       const RowKind& kind, const ScanPartial& whole,
                                       uint32_t listed, const ScanShared& shared) {
  if (listed != kNotListed) return StoreEntries(args, listed, shared);
  return kind.bins ? StoreWindow(args, request, kind, whole, shared) : 0;
}

// Calls `take(s, i, entry)` for entry i of each split s that left entries. Warps share the splits.
template <class T, class Take>
__device__ inline void ForEntries(const KernelArgs<T>& args, const ScanShared& shared, Take take) {
  for (uint32_t s = threadIdx.x / 32; s < args.splits.count; s += kWarps) {
    const uint32_t stored = shared.stored[s];
    if ((stored & kIsListed) == 0) continue;
    const uint64_t split = static_cast<uint64_t>(blockIdx.y) * args.splits.count + s;
    for (uint32_t i = threadIdx.x % 32; i < (stored & ~kIsListed); i += 32) {
      const ListEntry entry = args.work.entries[split * kMostSplitListed + i];
      take(s, i, entry);
    }
  }
}

// Adds up, for bin `threadIdx.x` below the row's largest value, the histograms of all splits.
template <class T>
__device__ inline void JoinWindows(const KernelArgs<T>& args, const RowKind& kind, int32_t top_key,
                                   int32_t base, const ScanShared& shared) {
  for (uint32_t i = threadIdx.x; i < 3 * kBins; i += kThreads) shared.bins[i] = 0u;
  __syncthreads();
  ForEntries(args, shared, [&](uint32_t, uint32_t, const ListEntry& entry) {
    AddToWindow(shared, top_key, kind, entry.value);
  });
  __syncthreads();
  const bool has_bin = threadIdx.x < static_cast<uint32_t>(kBins);
  const int32_t key = top_key - static_cast<int32_t>(threadIdx.x);
  uint32_t count = 0;
  uint64_t units = 0;
  if (has_bin) {
    const uint32_t slot = static_cast<uint32_t>(key) & (kBins - 1);
    const uint32_t low = shared.bins[3 * slot + 1];
    const uint32_t high = shared.bins[3 * slot + 2];
    count = shared.bins[3 * slot];
    units = low + (static_cast<uint64_t>(high) << 16);
  }
  for (uint32_t s = 0; has_bin && s < args.splits.count; ++s) {
    const int32_t top = shared.top_keys[s];
    const uint32_t stored = shared.stored[s];
    if ((stored & kIsListed) != 0) continue;
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
  __syncthreads();  // bins are read before they are sorted
  if (has_bin) {
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

// Settles a row of which everything is found: makes the choice, or the plan of the second pass.
// `listed` tells how many entries are all of the row, or kNotListed.
template <class T>
__device__ inline void FinishRow(const KernelArgs<T>& args, const RowRequest& request,
                                 const RowKind& kind, const ScanPartial& whole, uint32_t listed,
                                 const ScanShared& shared) {
  const uint32_t row = blockIdx.y;
  const bool plans = threadIdx.x == 0 && args.has_passes != 0;
  RowPlan plan = {};
  plan.is_done = 1;
  plan.allowed = whole.allowed;
  if (!(whole.max > -__builtin_inff())) {
    const SampleStatus status =
        whole.allowed == 0 ? SampleStatus::kEmptyMask : SampleStatus::kNoFiniteLogit;
    if (threadIdx.x == 0) args.choices[row] = NoChoice(status, whole.allowed);
    if (plans) args.work.plans[row] = plan;
    return;
  }
  const int32_t base = MassBase(whole.max);
  const Mass total = TotalMass(whole.mass, base);
  plan.max = whole.max;
  plan.max_id = whole.max_id;
  plan.base = base;
  plan.total_high = HighWord(total);
  plan.total_low = LowWord(total);
  plan.top_low = -kLargestFloat;
  if (request.top_count != 0 && listed == kNotListed) {
    plan.top_low = FindTopLow(args, request.top_count, shared.select);
  }
  const bool noiseless = request.is_greedy != 0 || whole.max > kLogitLimit;
  if (noiseless || !kind.filters) {
    if (threadIdx.x != 0) return;
    const Best best = noiseless ? Best{0.0f, whole.max_id, whole.max} : whole.best;
    RowChoice choice = ChoiceOf(request, best, total, noiseless ? 0 : total, base);
    choice.allowed_count = whole.allowed;
    choice.kept_count = noiseless ? 1 : whole.allowed;
    args.choices[row] = choice;
    if (plans) args.work.plans[row] = plan;
    return;
  }
  plan.min_edge = kind.min_p ? LeastWithin(whole.max, request.min_p_log) : -kLargestFloat;
  const bool cuts = kind.top_p || (kind.top_k && request.top_k < whole.allowed);
  plan.keeps_all = cuts || kind.min_p ? 0 : 1;
  if (listed != kNotListed) {
    if (plans) args.work.plans[row] = plan;
    ChooseShort(args, kind, plan, listed, shared.few);
    return;
  }
  if (kind.bins) JoinWindows(args, kind, whole.top_key, base, shared);
  if (threadIdx.x != 0) return;
  plan.is_done = 0;
  plan.sure_low = plan.list_low = -kLargestFloat;
  if (cuts) PlanCut(request, kind, shared, &plan);
  // Where min-p keeps less than what is kept for sure, the list decides nothing.
  if (plan.min_edge >= plan.sure_low) plan.sure_low = plan.list_low = plan.min_edge;
  args.work.plans[row] = plan;
}

// Takes all entries of the row where each split, of which this thread has `stored` of one, left
// some, and they are few together. Returns how many; kNotListed where it is otherwise.
template <class T>
__device__ inline uint32_t TakeEntries(const KernelArgs<T>& args, uint32_t stored,
                                       const ScanShared& shared) {
  const bool is_listed = (stored & kIsListed) != 0;
  uint32_t count;
  const uint32_t before = SumBefore(shared.warp_sums, is_listed ? stored & ~kIsListed : 0, &count);
  if (__syncthreads_and(is_listed ? 1 : 0) == 0 || count > kMostShort) return kNotListed;
  shared.top_keys[threadIdx.x] = static_cast<int32_t>(before);
  __syncthreads();
  ForEntries(args, shared, [&](uint32_t s, uint32_t i, const ListEntry& entry) {
    const int32_t first = shared.top_keys[s];
    shared.few.entries[static_cast<uint32_t>(first) + i] = entry;
  });
  __syncthreads();
  return count;
}

// Joins what the splits of the row left. `listed` tells how many entries the block then holds, all
// of the row; kNotListed where they are too many. All threads of the last block call together.
template <class T>
__device__ inline ScanPartial JoinSplits(const KernelArgs<T>& args, const RowKind& kind,
                                         const ScanShared& shared, uint32_t* listed) {
  const ScanPartial part = TakePartial(args, args.work.scans, NoScan());
  shared.top_keys[threadIdx.x] = part.top_key;
  shared.stored[threadIdx.x] = part.stored;
  const ScanPartial whole = JoinBlock(shared.partials, part, JoinScan);
  *listed = kind.filters ? TakeEntries(args, part.stored, shared) : kNotListed;
  return whole;
}

}  // namespace maskloom::kernels::cuda
