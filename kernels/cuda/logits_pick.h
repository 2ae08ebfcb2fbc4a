// The second pass over a row that filters: draws among the values that are kept for sure, lists
// those of which only all together decide, cuts the list exactly, and draws among the rest of it.
// Of a tile, the parts of warps whose largest value is below the list are not read.
#pragma once

#include "kernels/cuda/logits_list.h"
#include "kernels/cuda/logits_scan.h"

namespace maskloom::kernels::cuda {

inline constexpr uint32_t kMostMaxima = kMostSplitTokens / kTileTokens * kWarps;

struct PickShared {
  TileShared tile;
  simt::Shared<PickPartial> partials;  // [kThreads]
  simt::Shared<float> maxima;          // [kMostMaxima], of warps
  ListShared list;
  simt::Shared<uint32_t> answer;  // [1]
  SelectShared select;
};

// Returns whether any warp's part of a tile reaches the list; `skips` whether this one's does not.
__device__ inline bool ReachesList(const RowPlan& plan, const PickShared& shared, uint32_t tile,
                                   bool* skips) {
  bool any = false;
  for (uint32_t w = 0; w < kWarps; ++w) {
    const float largest = shared.maxima[tile * kWarps + w];
    const bool reaches = largest > -__builtin_inff() && ClampLogit(largest) >= plan.list_low;
    any = any || reaches;
    if (w == threadIdx.x / 32) *skips = !reaches;
  }
  return any;
}

template <class T>
__device__ inline PickPartial PickTiles(const KernelArgs<T>& args, const RowRequest& request,
                                        const RowPlan& plan, const PickShared& shared) {
  const uint32_t row = blockIdx.y;
  const uint32_t begin = blockIdx.x * args.splits.tiles;
  const uint32_t end = min(begin + args.splits.tiles, args.splits.in_row);
  const NoiseKey key = {request.seed, request.position};
  if (threadIdx.x == 0) shared.list.count[0] = 0;
  const uint64_t maxima = (static_cast<uint64_t>(row) * args.splits.in_row + begin) * kWarps;
  for (uint32_t i = threadIdx.x; i < (end - begin) * kWarps; i += kThreads) {
    const float largest = args.work.warp_maxima[maxima + i];
    shared.maxima[i] = largest;
  }
  __syncthreads();
  // The first token of the order is always kept; its score spares most of the noise.
  PickPartial part = {0, 0, NoBest(), 0};
  Offer(TokenNoise(key, plan.max_id), plan.max_id, plan.max, &part.best);
  TileReader<T> reader(args, request, row, shared.tile);
  reader.Start(begin * kTileTokens, end * kTileTokens);
  for (uint32_t tile = begin; tile < end; ++tile) {
    bool skips = false;
    if (!ReachesList(plan, shared, tile - begin, &skips)) continue;
    float y[kThreadTokens];
    const uint32_t allowed = reader.Load(tile * kTileTokens, skips, y);
    const uint32_t first[2] = {Place<T>::Token(tile * kTileTokens, 0),
                               Place<T>::Token(tile * kTileTokens, 4)};
    uint32_t sure = 0;
    MASKLOOM_UNROLL
    for (uint32_t k = 0; k < kThreadTokens; ++k) {
      if (((allowed >> k) & 1u) == 0 || !(y[k] > -__builtin_inff())) continue;
      const float clamped = ClampLogit(y[k]);
      if (clamped >= plan.sure_low) {
        if (y[k] < plan.min_edge) continue;
        sure |= 1u << k;
        Keep(request, plan.base, y[k], &part);
      } else if (clamped >= plan.list_low) {
        AddToList(shared.list, y[k], first[k / 4] + k % 4);
      }
    }
    OfferEight(key, first, sure, y, &part.best);
    if (plan.list_low < plan.sure_low) FlushList(args, row, shared.list, kFullList);
  }
  FlushList(args, row, shared.list, 1);
  // What lists marked is of use no more.
  return part;
}

// Finds the cut of a list. All threads call together.
template <class T>
__device__ inline ListCut CutList(const RowRequest& request, const RowKind& kind,
                                  const RowPlan& plan, const RowList<T>& list,
                                  const SelectShared& shared) {
  const auto by_value = [&](uint32_t i, uint32_t* key, Mass* mass) {
    ListEntry entry;
    if (!list.At(i, &entry)) return false;
    *key = ValueKey(entry.value);
    *mass = kind.top_p ? MassOf(entry.value, plan.base) : 0;
    return true;
  };
  const Mass above = MassOfWords(plan.above_high, plan.above_low);
  Mass inside = MassOfWords(plan.total_high, plan.total_low);
  Cut cut = {-kLargestFloat, kAllTies};
  uint32_t equal = 0;
  if (kind.top_k && request.top_k < plan.allowed &&
      plan.above_count + list.count >= request.top_k) {
    const uint32_t needed = request.top_k - plan.above_count;
    const Selected found = SelectKey(shared, SelectBy::kCount, list.places, needed, by_value);
    cut = {ValueOfKey(found.key), needed - found.above_count};
    equal = found.equal_count;
    inside = above + found.above_mass + found.equal_mass / found.equal_count * cut.ties;
  }
  if (kind.top_p) {
    const Mass needed = NeededMass(inside, request.top_p) - above;
    const Selected found = SelectKey(shared, SelectBy::kMass, list.places, needed, by_value);
    const Mass one = found.equal_mass / found.equal_count;
    const Mass missing = needed - found.above_mass;
    const uint32_t ties =
        one == 0 ? found.equal_count : static_cast<uint32_t>((missing + one - 1) / one);
    const Cut narrower = Tighter(cut, {ValueOfKey(found.key), ties});
    if (narrower.low != cut.low) equal = found.equal_count;
    cut = narrower;
  }
  return EndTies(list, cut, equal, shared);
}

// What the last block of a row does: joins the splits, cuts the list, and makes the choice.
template <class T>
__device__ inline void FinishPick(const KernelArgs<T>& args, const RowRequest& request,
                                  const RowKind& kind, const RowPlan& plan,
                                  const PickShared& shared) {
  const uint32_t row = blockIdx.y;
  const NoiseKey key = {request.seed, request.position};
  PickPartial part = TakePartial(args, args.work.picks, PickPartial{0, 0, NoBest(), 0});
  const ListRange range = {plan.list_low, plan.sure_low, true};
  const RowList<T> list = TakeList(args, request, row, range, shared.tile.mask.mask, shared.list);
  if (list.count != 0) {
    const ListCut cut = CutList(request, kind, plan, list, shared.select);
    for (uint32_t i = threadIdx.x; i < list.places; i += kThreads) {
      ListEntry entry;
      if (!list.At(i, &entry)) continue;
      if (!IsKept(cut, entry) || entry.value < plan.min_edge) continue;
      Keep(request, plan.base, entry.value, &part);
      if (ClampLogit(entry.value) + kMaxGumbel < part.best.score) continue;
      Offer(TokenNoise(key, entry.id), entry.id, entry.value, &part.best);
    }
  }
  const PickPartial whole = JoinBlock(shared.partials, part, JoinPick);
  if (threadIdx.x == 0) args.choices[row] = ChoiceOfKept(request, plan, whole);
}

}  // namespace maskloom::kernels::cuda
