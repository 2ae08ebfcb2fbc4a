// The pass for rows that report more than their token: entropy, the model's own distribution, and
// the most probable tokens. It reads the row once more; with raw probabilities all of it.
#pragma once

#include "kernels/cuda/logits_list.h"
#include "kernels/cuda/logits_scan.h"
#include "kernels/sampling/report_math.h"

namespace maskloom::kernels::cuda {

struct ReportShared {
  TileShared tile;
  simt::Shared<ReportPartial> partials;  // [kThreads]
  ListShared list;
  simt::Shared<uint32_t> answer;    // [1]
  simt::Shared<ListEntry> tops;     // [kMostTops]
  simt::Shared<uint32_t> top_fill;  // [1]
  SelectShared select;
};

__device__ inline bool WantsReport(const RowRequest& request) {
  return request.wants_entropy != 0 || request.wants_raw != 0 || request.top_count != 0;
}

__device__ inline ReportPartial NoReport() {
  return {NoMass(), NoMass(), {0, 0}, -__builtin_inff()};
}

__device__ inline ReportPartial JoinReport(const ReportPartial& a, const ReportPartial& b) {
  return {JoinMass(a.all, b.all),
          JoinMass(a.inside, b.inside),
          {a.entropy[0] + b.entropy[0], a.entropy[1] + b.entropy[1]},
          fmaxf(a.max, b.max)};
}

// Adds a logit as given to the model's own distribution.
__device__ inline void AddRaw(float x, bool inside, ReportPartial* found) {
  if (!(x > -__builtin_inff())) return;
  const ExpParts parts = SplitExp(x);
  AddMass(parts, &found->all);
  if (inside) AddMass(parts, &found->inside);
  found->max = fmaxf(found->max, x);
}

template <class T>
__device__ inline ReportPartial ReportTiles(const KernelArgs<T>& args, const RowRequest& request,
                                            const RowPlan& plan, const ReportShared& shared) {
  const uint32_t row = blockIdx.y;
  const uint32_t begin = blockIdx.x * args.splits.tiles;
  const uint32_t end = min(begin + args.splits.tiles, args.splits.in_row);
  const float top = ClampLogit(plan.max);
  if (threadIdx.x == 0) shared.list.count[0] = 0;
  __syncthreads();
  ReportPartial found = NoReport();
  TileReader<T> reader(args, request, row, shared.tile);
  reader.Start(begin * kTileTokens, end * kTileTokens);
  for (uint32_t tile = begin; tile < end; ++tile) {
    float x[kThreadTokens], y[kThreadTokens];
    uint32_t allowed;
    if (request.wants_raw != 0) {
      allowed = reader.LoadAll(tile * kTileTokens, x, y);
    } else {
      allowed = reader.Load(tile * kTileTokens, false, y);
    }
    MASKLOOM_UNROLL
    for (uint32_t k = 0; k < kThreadTokens; ++k) {
      if (request.wants_raw != 0) AddRaw(x[k], ((allowed >> k) & 1u) != 0, &found);
      if (request.wants_entropy != 0) AddEntropyTerm(y[k], top, found.entropy);
      if (request.top_count != 0 && y[k] > -__builtin_inff() && y[k] >= plan.top_low) {
        AddToList(shared.list, y[k], Place<T>::Token(tile * kTileTokens, k));
      }
    }
    if (request.top_count != 0) FlushList(args, row, shared.list, kFullList);
  }
  FlushList(args, row, shared.list, 1);
  // What lists marked is of use no more.
  return found;
}

// Writes the most probable tokens in order. Returns how many. All threads call together.
template <class T>
__device__ inline uint32_t WriteTops(const KernelArgs<T>& args, const RowRequest& request,
                                     const RowPlan& plan, const ReportShared& shared) {
  const uint32_t row = blockIdx.y;
  const ListRange range = {plan.top_low, 0.0f, false};
  const RowList<T> list = TakeList(args, request, row, range, shared.tile.mask.mask, shared.list);
  const auto by_value = [&](uint32_t i, uint32_t* key, Mass* mass) {
    ListEntry entry;
    if (!list.At(i, &entry)) return false;
    *key = ValueKey(entry.value);
    *mass = 0;
    return true;
  };
  const uint32_t wanted = min(static_cast<uint32_t>(request.top_count), list.count);
  const Selected found = SelectKey(shared.select, SelectBy::kCount, list.places, wanted, by_value);
  const Cut cut = {ValueOfKey(found.key), wanted - found.above_count};
  const ListCut end = EndTies(list, cut, found.equal_count, shared.select);
  if (threadIdx.x == 0) shared.top_fill[0] = 0;
  __syncthreads();
  for (uint32_t i = threadIdx.x; i < list.places; i += kThreads) {
    ListEntry entry;
    if (!list.At(i, &entry) || !IsKept(end, entry)) continue;
    const uint32_t at = atomicAdd(shared.top_fill, 1u);
    shared.tops[at] = entry;
  }
  __syncthreads();
  if (threadIdx.x < wanted) {
    const Mass total = MassOfWords(plan.total_high, plan.total_low);
    const double log_total = LogOfMass(total, plan.base);
    const ListEntry mine = shared.tops[threadIdx.x];
    uint32_t rank = 0;
    for (uint32_t i = 0; i < wanted; ++i) {
      const ListEntry other = shared.tops[i];
      if (other.value > mine.value || (other.value == mine.value && other.id < mine.id)) ++rank;
    }
    args.tops[static_cast<uint64_t>(row) * kMostTops + rank] =
        TopToken{mine.id, LogprobOf(mine.value, log_total)};
  }
  return wanted;
}

// What the last block of a row does: joins the splits and writes the report.
template <class T>
__device__ inline void FinishReport(const KernelArgs<T>& args, const RowRequest& request,
                                    const RowPlan& plan, const ReportShared& shared) {
  const uint32_t row = blockIdx.y;
  const ReportPartial part = TakePartial(args, args.work.reports, NoReport());
  const ReportPartial whole = JoinBlock(shared.partials, part, JoinReport);
  const Mass total = MassOfWords(plan.total_high, plan.total_low);
  RowReport report = {0.0f, 0.0f, 0.0f, 0.0f, 0};
  if (request.top_count != 0) {
    report.top_filled = WriteTops(args, request, plan, shared);
  }
  if (threadIdx.x != 0) return;
  if (request.wants_entropy != 0) {
    report.entropy_bits = EntropyBits(total, MassOf(plan.max, plan.base), whole.entropy);
  }
  if (request.wants_raw != 0 && !(whole.max > -__builtin_inff())) {
    report.raw_logprob = report.raw_logsumexp = -__builtin_inff();
  } else if (request.wants_raw != 0) {
    const int32_t base = MassBase(whole.max);
    const Mass all = TotalMass(whole.all, base);
    const double log_all = LogOfMass(all, base);
    const RowChoice choice = args.choices[row];
    const float given = T::ToFloat(args.logits[row * args.stride + choice.token]);
    report.raw_logsumexp = static_cast<float>(log_all);
    report.raw_logprob = LogprobOf(ScaleLogit(given, 1.0f), log_all);
    report.removed_mass = RemovedShare(all, TotalMass(whole.inside, base));
  }
  args.reports[row] = report;
}

}  // namespace maskloom::kernels::cuda
