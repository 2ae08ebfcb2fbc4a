// What the threads of a block join: reductions, masses, the best of scores.
#pragma once

#include "kernels/cuda/logits_workspace.h"
#include "kernels/sampling/order.h"
#include "kernels/sampling/row_ops.h"

namespace maskloom::kernels::cuda {

inline constexpr int32_t kLowestStep = -(1 << 24);  // below the step of any mass

// Returns the values of all threads joined; the same in every thread. Joining must not depend on
// order. `parts` has kThreads entries and is free again at the end.
template <class V, class Join>
__device__ inline V JoinBlock(simt::Shared<V> parts, const V& mine, Join join) {
  parts[threadIdx.x] = mine;
  __syncthreads();
  for (uint32_t step = kThreads / 2; step > 0; step /= 2) {
    if (threadIdx.x < step) {
      const V a = parts[threadIdx.x];
      const V b = parts[threadIdx.x + step];
      parts[threadIdx.x] = join(a, b);
    }
    __syncthreads();
  }
  const V joined = parts[0];
  __syncthreads();
  return joined;
}

// The largest value of the block, and that of the warp whose number is threadIdx.x mod kWarps.
struct BlockMax {
  float all;
  float of_warp;
};

// Finds the largest values of all threads. `warps` has kWarps entries.
__device__ inline BlockMax FindBlockMax(simt::Shared<float> warps, float mine) {
  for (int step = 16; step > 0; step /= 2) {
    mine = fmaxf(mine, __shfl_xor_sync(0xffffffffu, mine, step));
  }
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = mine;
  __syncthreads();
  for (uint32_t w = 0; w < kWarps; ++w) {
    const float other = warps[w];
    mine = fmaxf(mine, other);
  }
  const float of_warp = warps[threadIdx.x % kWarps];
  __syncthreads();
  return {mine, of_warp};
}

// Returns the sum of `mine` over the threads before this one, and that of all in `total`.
// `warps` has kWarps entries.
__device__ inline uint32_t SumBefore(simt::Shared<uint32_t> warps, uint32_t mine, uint32_t* total) {
  uint32_t sum = mine;
  for (uint32_t step = 1; step < 32; step *= 2) {
    const uint32_t other = __shfl_up_sync(0xffffffffu, sum, step);
    if (threadIdx.x % 32 >= step) sum += other;
  }
  if (threadIdx.x % 32 == 31) warps[threadIdx.x / 32] = sum;
  __syncthreads();
  uint32_t before = 0;
  *total = 0;
  for (uint32_t w = 0; w < kWarps; ++w) {
    const uint32_t other = warps[w];
    if (w < threadIdx.x / 32) before += other;
    *total += other;
  }
  __syncthreads();
  return before + sum - mine;
}

__device__ inline MassParts NoMass() { return {kLowestStep, {0, 0, 0, 0}}; }

// Moves the parts down to a higher step; what falls below the lowest counts as zero.
__device__ inline void RaiseStep(int32_t step, MassParts* mass) {
  while (mass->step < step) {
    // Nothing is left after four steps, however far there is to go.
    if (step - mass->step >= 4 * kMassBaseStep) {
      *mass = {step, {0, 0, 0, 0}};
      return;
    }
    mass->step += kMassBaseStep;
    mass->part[3] = mass->part[2];
    mass->part[2] = mass->part[1];
    mass->part[1] = mass->part[0];
    mass->part[0] = 0;
  }
}

__device__ inline void AddMass(const ExpParts& parts, MassParts* mass) {
  const int32_t step = MassStep(parts.exponent);
  if (step > mass->step) RaiseStep(step, mass);
  const uint64_t units = static_cast<uint64_t>(parts.mantissa) << (parts.exponent - step);
  const int32_t down = (mass->step - step) / kMassBaseStep;
  MASKLOOM_UNROLL
  for (int32_t j = 0; j < 4; ++j) mass->part[j] += j == down ? units : 0;
}

__device__ inline MassParts JoinMass(MassParts a, MassParts b) {
  if (a.step < b.step) RaiseStep(b.step, &a);
  if (b.step < a.step) RaiseStep(a.step, &b);
  MASKLOOM_UNROLL
  for (int32_t j = 0; j < 4; ++j) a.part[j] += b.part[j];
  return a;
}

// Returns the sum in units of `base`, which is that of the largest value added.
__device__ inline Mass TotalMass(const MassParts& mass, int32_t base) {
  Mass total = 0;
  for (int32_t j = 0; j < 4; ++j) {
    const int32_t shift = mass.step - j * kMassBaseStep - base;
    if (shift >= 0) total += static_cast<Mass>(mass.part[j]) << shift;
  }
  return total;
}

__device__ inline Best NoBest() { return {-__builtin_inff(), UINT32_MAX, 0.0f}; }

__device__ inline Best JoinBest(const Best& a, const Best& b) {
  return b.score > a.score || (b.score == a.score && b.id < a.id) ? b : a;
}

// Raises `best` with a token of known noise.
__device__ inline void Offer(uint32_t noise, uint32_t id, float y, Best* best) {
  BestScore score = {best->score, best->id};
  OfferNoise(noise, id, y, &score);
  if (score.id != best->id) *best = {score.score, score.id, y};
}

// Raises `best` with those of a thread's tokens that are in `bits`. The first of each four starts
// at `first[0]` and `first[1]`, multiples of four. All lanes of a warp call together: what cannot
// reach the best score of any of them needs no logarithms. A warp takes them when one of its lanes
// does; by its own scores alone some lane nearly always would.
__device__ inline void OfferEight(const NoiseKey& key, const uint32_t* first, uint32_t bits,
                                  const float* y, Best* best) {
  float least = best->score;
  for (int step = 16; step > 0; step /= 2) {
    least = fmaxf(least, __shfl_xor_sync(0xffffffffu, least, step));
  }
  MASKLOOM_UNROLL
  for (uint32_t group = 0; group < 2; ++group) {
    float largest = -__builtin_inff();
    MASKLOOM_UNROLL
    for (uint32_t k = 0; k < 4; ++k) {
      if (((bits >> (4 * group + k)) & 1u) != 0) largest = fmaxf(largest, y[4 * group + k]);
    }
    if (!(largest > -__builtin_inff()) || ClampLogit(largest) + kMaxGumbel < least) continue;
    const PhiloxBlock noise = GroupNoise(key, first[group] / 4);
    MASKLOOM_UNROLL
    for (uint32_t k = 0; k < 4; ++k) {
      const float value = y[4 * group + k];
      if (((bits >> (4 * group + k)) & 1u) == 0) continue;
      if (ClampLogit(value) + GumbelBound(noise.word[k]) < least) continue;
      Offer(noise.word[k], first[group] + k, value, best);
    }
  }
}

// Counts this block as through with its part of a row. Returns whether it is the last of `count`;
// it then sees what the others have written, and the counter is zero again.
__device__ inline bool IsLastBlock(simt::Global<uint32_t> counter, uint32_t count,
                                   simt::Shared<uint32_t> answer) {
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    const uint32_t before = atomicAdd(counter, 1u);
    answer[0] = before + 1 == count ? 1u : 0u;
    if (before + 1 == count) atomicExch(counter, 0u);
    __threadfence();
  }
  __syncthreads();
  const bool is_last = answer[0] != 0;
  __threadfence();
  __syncthreads();
  return is_last;
}

// Leaves what the block found in its split, and counts it as through. Returns as IsLastBlock.
template <class T, class Partial>
__device__ inline bool LeavePartial(const KernelArgs<T>& args, simt::Global<Partial> partials,
                                    const Partial& whole, uint32_t RowCounters::*through,
                                    simt::Shared<uint32_t> answer) {
  if (threadIdx.x == 0) {
    partials[static_cast<uint64_t>(blockIdx.y) * args.splits.count + blockIdx.x] = whole;
  }
  return IsLastBlock(simt::Member(args.work.counters + blockIdx.y, through), args.splits.count,
                     answer);
}

// Returns what the split of the thread's number has left; `none` beyond the last.
template <class T, class Partial>
__device__ inline Partial TakePartial(const KernelArgs<T>& args, simt::Global<Partial> partials,
                                      const Partial& none) {
  if (threadIdx.x >= args.splits.count) return none;
  return partials[static_cast<uint64_t>(blockIdx.y) * args.splits.count + threadIdx.x];
}

// The bins of a row are 1 / per_nat wide, a power of two: a quarter, or more at low temperatures,
// which pull values apart.
struct BinScale {
  float per_nat;
  float width;
};

__device__ inline BinScale BinScaleOf(const RowRequest& request) {
  if (request.scale <= 1.5f) return {4.0f, 0.25f};
  return request.scale <= 3.0f ? BinScale{2.0f, 0.5f} : BinScale{1.0f, 1.0f};
}

// Bin of a value, rounded down.
__device__ inline int32_t BinKey(const BinScale& scale, float y) {
  return static_cast<int32_t>(floorf(ClampLogit(y) * scale.per_nat));
}

// The lowest value of a bin.
__device__ inline float BinEdge(const BinScale& scale, int32_t key) {
  return static_cast<float>(key) * scale.width;
}

// The exponent in whose units the masses of a bin are counted: none of its values is below, and
// none is more than 3 above.
__device__ inline int32_t BinExponent(const BinScale& scale, int32_t key) {
  return SplitExp(BinEdge(scale, key)).exponent - 1;
}

// What a row reports when no token can be chosen.
__device__ inline RowChoice NoChoice(SampleStatus status, uint32_t allowed) {
  return {status, UINT32_MAX, allowed, 0, 0.0f, 0.0f, 0.0f};
}

// What a row reports; masses as far as it wants log-probabilities.
__device__ inline RowChoice ChoiceOf(const RowRequest& request, const Best& best, Mass total,
                                     Mass kept_mass, int32_t base) {
  RowChoice choice = {SampleStatus::kOk, best.id, 0, 0, 0.0f, 0.0f, 0.0f};
  if (request.wants_logprobs == 0) return choice;
  const double value = ClampLogit(best.value);
  const double log_total = LogOfMass(total, base);
  choice.masked_logsumexp = static_cast<float>(log_total);
  choice.masked_logprob = static_cast<float>(value - log_total);
  if (kept_mass != 0) choice.logprob = static_cast<float>(value - LogOfMass(kept_mass, base));
  return choice;
}

__device__ inline PickPartial JoinPick(const PickPartial& a, const PickPartial& b) {
  const Mass mass = MassOfWords(a.kept_high, a.kept_low) + MassOfWords(b.kept_high, b.kept_low);
  return {HighWord(mass), LowWord(mass), JoinBest(a.best, b.best), a.kept + b.kept};
}

// Adds a kept token to count and mass.
__device__ inline void Keep(const RowRequest& request, int32_t base, float y, PickPartial* part) {
  ++part->kept;
  if (request.wants_logprobs == 0) return;
  const Mass mass = MassOfWords(part->kept_high, part->kept_low) + MassOf(y, base);
  part->kept_high = HighWord(mass);
  part->kept_low = LowWord(mass);
}

// What a row reports of which filters have kept some.
__device__ inline RowChoice ChoiceOfKept(const RowRequest& request, const RowPlan& plan,
                                         const PickPartial& whole) {
  const Mass total = MassOfWords(plan.total_high, plan.total_low);
  const Mass kept = MassOfWords(whole.kept_high, whole.kept_low);
  RowChoice choice = ChoiceOf(request, whole.best, total, kept, plan.base);
  choice.allowed_count = plan.allowed;
  choice.kept_count = plan.keeps_all != 0 ? plan.allowed : whole.kept;
  return choice;
}

}  // namespace maskloom::kernels::cuda
