// Rows that allow few tokens: all of them lie in the shared memory of one block, a thread each, and
// are ordered by comparing each with all others. There is no histogram and no second pass.
//
// They come there in two ways. Lists name their tokens: where a mask has nothing but short lists,
// the first block of the row gathers the logits, and the others have nothing to do. A row of bits
// has to be read: each split that allows few tokens leaves them in place of its histogram, and the
// last block takes all of them (logits_scan.h).
#pragma once

#include "kernels/cuda/logits_block.h"
#include "kernels/cuda/logits_tile.h"

namespace maskloom::kernels::cuda {

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

inline constexpr uint32_t kMostShort = kThreads;
static_assert(kMostSplitListed <= kMostShort);

struct ShortShared {
  simt::Shared<RowRequest> request;    // [1]
  simt::Shared<ListEntry> entries;     // [kMostShort]
  simt::Shared<uint64_t> masses;       // [2 * kMostShort]: high and low word of each
  simt::Shared<uint64_t> inside;       // [2]: the mass that top-k keeps
  simt::Shared<PickPartial> partials;  // [kThreads]
};

// Returns how many ids the mask names.
__device__ inline uint32_t CountIds(const RowMask& mask) {
  return static_cast<uint32_t>(mask.list_count) + mask.sent_count;
}

// Does the mask name all of its tokens, and are they few?
__device__ inline bool IsShort(const RowMask& mask) {
  return mask.slot == kNoSlot && CountIds(mask) <= kMostShort;
}

// Returns the entry of `id` among `count` that ascend from `begin` on; kMostShort where it has
// none.
__device__ inline uint32_t FindAmong(const simt::Shared<ListEntry>& entries, uint32_t begin,
                                     uint32_t count, uint32_t id) {
  const auto id_at = [&entries, begin](uint32_t i) {
    const uint32_t other = *simt::Member(entries + (begin + i), &ListEntry::id);
    return other;
  };
  const uint32_t at = EntriesBelow(id, count, id_at);
  return at < count && id_at(at) == id ? begin + at : kMostShort;
}

// Returns the first entry of `id`: ids of the pool come before those that were sent.
__device__ inline uint32_t FindEntry(const simt::Shared<ListEntry>& entries, const RowMask& mask,
                                     uint32_t id) {
  const uint32_t at = FindAmong(entries, 0, mask.list_count, id);
  return at != kMostShort ? at : FindAmong(entries, mask.list_count, mask.sent_count, id);
}

// Applies the sparse table to the logits that the entries hold. It is read once, or where it is
// long searched for each of them. All threads call together.
template <class T>
__device__ inline void AdjustEntries(const KernelArgs<T>& args, const RowRequest& request,
                                     const RowMask& mask, const simt::Shared<ListEntry>& entries) {
  const uint32_t tokens = CountIds(mask);
  const uint32_t steps =
      32 - static_cast<uint32_t>(__clz(static_cast<int>(request.adjustment_count)));
  if (request.adjustment_count > 2 * tokens * steps) {  // a step reads a sector: two adjustments
    if (threadIdx.x < tokens) {
      const ListEntry mine = entries[threadIdx.x];
      entries[threadIdx.x] = ListEntry{AdjustedLogit(args, request, mine.id, mine.value), mine.id};
    }
  } else {
    for (uint32_t i = threadIdx.x; i < request.adjustment_count; i += kThreads) {
      const TokenAdjustment adjustment = args.adjustments[request.adjustment_begin + i];
      const uint32_t at = FindEntry(entries, mask, adjustment.id);
      if (at == kMostShort) continue;
      const simt::Shared<float> value = simt::Member(entries + at, &ListEntry::value);
      const float logit = *value;
      *value = AdjustLogit(logit, adjustment, PenaltiesOf(request));
    }
  }
  __syncthreads();
}

// Gathers the tokens that the lists of the row name, a thread each: `entries` then hold their
// values, -infinity where an id is named again or is not of the vocabulary. Returns whether this
// thread's token is allowed. All threads call together.
template <class T>
__device__ inline bool GatherEntries(const KernelArgs<T>& args, const RowRequest& request,
                                     const RowMask& mask, const simt::Shared<ListEntry>& entries) {
  const uint32_t i = threadIdx.x;
  uint32_t id = UINT32_MAX;
  if (i < mask.list_count) {
    id = args.masks.pool[mask.list_begin + i];
  } else if (i - mask.list_count < mask.sent_count) {
    id = args.masks.sent[mask.sent_begin + (i - mask.list_count)];
  }
  entries[i] = ListEntry{0.0f, id};
  __syncthreads();
  const bool is_allowed = id < args.vocab && FindEntry(entries, mask, id) == i;
  float logit = -__builtin_inff();
  if (is_allowed) logit = T::ToFloat(args.logits[blockIdx.y * args.stride + id]);
  __syncthreads();
  entries[i] = ListEntry{logit, id};
  __syncthreads();
  if (request.adjustment_count != 0) AdjustEntries(args, request, mask, entries);
  const ListEntry adjusted = entries[i];
  const float value = is_allowed ? ScaleLogit(adjusted.value, request.scale) : -__builtin_inff();
  entries[i] = ListEntry{value, id};
  __syncthreads();
  return is_allowed;
}

// Where an entry stands in the order of its row: how many are before it, and what they weigh.
struct Standing {
  uint32_t rank;
  Mass above;
};

// Finds the standing of `mine` among `count` entries. Masses are read with `weighs`.
__device__ inline Standing FindStanding(const ShortShared& shared, uint32_t count,
                                        const ListEntry& mine, bool weighs) {
  Standing standing = {0, 0};
  for (uint32_t i = 0; i < count; ++i) {
    const ListEntry other = shared.entries[i];
    const bool is_before =
        other.value > mine.value || (other.value == mine.value && other.id < mine.id);
    if (!is_before) continue;
    ++standing.rank;
    if (!weighs) continue;
    const uint64_t high = shared.masses[2 * i];
    const uint64_t low = shared.masses[2 * i + 1];
    standing.above += MassOfWords(high, low);
  }
  return standing;
}

// Filters the `count` entries, which are all of the row that have a value, and makes the choice.
// All threads call together.
template <class T>
__device__ inline void ChooseShort(const KernelArgs<T>& args, const RowKind& kind,
                                   const RowPlan& plan, uint32_t count, const ShortShared& shared) {
  const RowRequest request = shared.request[0];  // again: kept till here, it costs registers
  ListEntry mine = {-__builtin_inff(), UINT32_MAX};
  if (threadIdx.x < count) mine = shared.entries[threadIdx.x];
  const Mass mass = kind.top_p ? MassOf(mine.value, plan.base) : 0;
  shared.masses[2 * threadIdx.x] = HighWord(mass);
  shared.masses[2 * threadIdx.x + 1] = LowWord(mass);
  if (threadIdx.x == 0) {
    shared.inside[0] = plan.total_high;
    shared.inside[1] = plan.total_low;
  }
  __syncthreads();
  const Standing standing = FindStanding(shared, count, mine, kind.top_p);
  const bool has_value = mine.value > -__builtin_inff();
  const uint32_t most = kind.top_k && request.top_k < plan.allowed ? request.top_k : count;
  bool is_kept = has_value && standing.rank < most && mine.value >= plan.min_edge;
  if (kind.top_p) {
    if (has_value && standing.rank + 1 == most) {
      shared.inside[0] = HighWord(standing.above + mass);
      shared.inside[1] = LowWord(standing.above + mass);
    }
    __syncthreads();
    const uint64_t high = shared.inside[0];
    const uint64_t low = shared.inside[1];
    is_kept = is_kept && standing.above < NeededMass(MassOfWords(high, low), request.top_p);
  }
  PickPartial part = {0, 0, NoBest(), 0};
  if (is_kept) {
    Keep(request, plan.base, mine.value, &part);
    const NoiseKey key = {request.seed, request.position};
    Offer(TokenNoise(key, mine.id), mine.id, mine.value, &part.best);
  }
  const PickPartial whole = JoinBlock(shared.partials, part, JoinPick);
  if (threadIdx.x == 0) args.choices[blockIdx.y] = ChoiceOfKept(request, plan, whole);
}

}  // namespace maskloom::kernels::cuda
