// A thread's eight tokens of a tile, from memory to adjusted values: mask, exceptions, penalties,
// bias and temperature applied. Logits are read where one of the eight is allowed.
#pragma once

#include "kernels/cuda/logits_workspace.h"
#include "kernels/half.h"
#include "kernels/sampling/adjust_logit.h"

namespace maskloom::kernels::cuda {

inline constexpr uint32_t kWarpTokens = 32 * kThreadTokens;

// How logits are stored. A thread's tokens lie in groups of kGroup neighbours, 16 bytes each, so
// that the lanes of a warp load 512 bytes without a gap.
struct Single {
  using Stored = float;
  static constexpr uint32_t kGroup = 4;
  __device__ static float ToFloat(float value) { return value; }
  __device__ static void LoadGroup(simt::Global<const float> at, float* x) {
    const float4 four = simt::As<const float4>(at)[0];
    x[0] = four.x, x[1] = four.y, x[2] = four.z, x[3] = four.w;
  }
};

// Eight logits of 16 bits.
template <class T>
__device__ inline void LoadEight(simt::Global<const uint16_t> at, float* x) {
  const uint4 words = simt::As<const uint4>(at)[0];
  const uint32_t pairs[4] = {words.x, words.y, words.z, words.w};
  MASKLOOM_UNROLL
  for (int i = 0; i < 4; ++i) {
    x[2 * i] = T::ToFloat(static_cast<uint16_t>(pairs[i] & 0xffffu));
    x[2 * i + 1] = T::ToFloat(static_cast<uint16_t>(pairs[i] >> 16));
  }
}

struct Half {
  using Stored = uint16_t;
  static constexpr uint32_t kGroup = 8;
  __device__ static float ToFloat(uint16_t bits) {
#if defined(__CUDA_ARCH__)
    return __half2float(__ushort_as_half(bits));
#else
    return HalfToFloat(bits);
#endif
  }
  __device__ static void LoadGroup(simt::Global<const uint16_t> at, float* x) {
    LoadEight<Half>(at, x);
  }
};

struct Bfloat {
  using Stored = uint16_t;
  static constexpr uint32_t kGroup = 8;
  __device__ static float ToFloat(uint16_t bits) {
    return FloatFromBits(static_cast<uint32_t>(bits) << 16);
  }
  __device__ static void LoadGroup(simt::Global<const uint16_t> at, float* x) {
    LoadEight<Bfloat>(at, x);
  }
};

// Where the tokens of a thread lie in a tile.
template <class T>
struct Place {
  static constexpr uint32_t kStep = 32 * T::kGroup;  // from a thread's group to its next

  // Returns the id of the thread's token `k`; ascending with k.
  __device__ static uint32_t Token(uint32_t tile, uint32_t k) {
    return tile + threadIdx.x / 32 * kWarpTokens + k / T::kGroup * kStep +
           threadIdx.x % 32 * T::kGroup + k % T::kGroup;
  }

  // Returns which of the thread's tokens `id` is; kThreadTokens where it is none of them.
  __device__ static uint32_t IndexOf(uint32_t tile, uint32_t id) {
    const uint32_t at = id - tile - threadIdx.x / 32 * kWarpTokens;
    const bool mine = at < kWarpTokens && at % kStep / T::kGroup == threadIdx.x % 32;
    return mine ? at / kStep * T::kGroup + at % T::kGroup : kThreadTokens;
  }
};

// Entries of a sparse list that a block looks at together.
inline constexpr uint32_t kWindow = 8;

struct TileShared {
  simt::Shared<uint32_t> ids;                 // [kWindow]
  simt::Shared<TokenAdjustment> adjustments;  // [kWindow]
};

// Reads the tiles of one row in ascending order. All threads of the block call together.
template <class T>
class TileReader {
 public:
  __device__ TileReader(const KernelArgs<T>& args, const RowRequest& request, uint32_t row,
                        const TileShared& shared)
      : args_(args), request_(request), row_(row), shared_(shared) {}

  // Goes to the entries of the sparse lists that may concern tiles from `tile` on.
  __device__ void Start(uint32_t tile) {
    if (request_.lists.exception_count == 0 && request_.lists.adjustment_count == 0) return;
    if (threadIdx.x == 0) {
      const RowLists& lists = request_.lists;
      shared_.ids[0] = EntriesBelow(tile, lists.exception_count, [this, &lists](uint32_t at) {
        const uint32_t id = args_.exceptions[lists.exception_begin + at];
        return id;
      });
      shared_.ids[1] = EntriesBelow(tile, lists.adjustment_count, [this, &lists](uint32_t at) {
        const TokenAdjustment entry = args_.adjustments[lists.adjustment_begin + at];
        return entry.id;
      });
    }
    __syncthreads();
    next_exception_ = shared_.ids[0];
    next_adjustment_ = shared_.ids[1];
    __syncthreads();
  }

  // Writes the values of this thread's tokens of the tile that starts at `tile`, -infinity where a
  // token is not allowed. Returns the bits of those allowed. Where the thread's warp `skips` the
  // tile, it reads neither mask nor logits and finds nothing allowed.
  __device__ uint32_t Load(uint32_t tile, bool skips, float* y) {
    uint32_t allowed = skips ? 0 : MaskBits(tile);
    if (request_.lists.exception_count != 0) {
      const uint32_t flips = Flips(tile);
      if (!skips) allowed ^= flips;
    }
    float x[kThreadTokens];
    LoadLogits(tile, allowed, x);
    Finish(tile, allowed, x, y);
    return allowed;
  }

  // The same, and in `x` the logits as given, also of tokens that are not allowed; -infinity for
  // NaN and beyond the vocabulary.
  __device__ uint32_t LoadAll(uint32_t tile, float* x, float* y) {
    uint32_t allowed = MaskBits(tile);
    if (request_.lists.exception_count != 0) allowed ^= Flips(tile);
    const uint32_t inside = InsideBits(tile);
    float adjusted[kThreadTokens];
    LoadLogits(tile, inside, adjusted);
    MASKLOOM_UNROLL
    for (uint32_t k = 0; k < kThreadTokens; ++k) {
      x[k] = ((inside >> k) & 1u) != 0 ? ScaleLogit(adjusted[k], 1.0f) : -__builtin_inff();
    }
    Finish(tile, allowed, adjusted, y);
    return allowed;
  }

 private:
  // Adjusts and scales the logits `x`.
  __device__ void Finish(uint32_t tile, uint32_t allowed, float* x, float* y) {
    if (request_.lists.adjustment_count != 0) Adjust(tile, x);
    MASKLOOM_UNROLL
    for (uint32_t k = 0; k < kThreadTokens; ++k) {
      y[k] = ((allowed >> k) & 1u) != 0 ? ScaleLogit(x[k], request_.scale) : -__builtin_inff();
    }
  }

  // Returns how many of `count` ascending ids are below `id`.
  template <class IdAt>
  __device__ static uint32_t EntriesBelow(uint32_t id, uint32_t count, IdAt id_at) {
    uint32_t low = 0;
    while (low < count) {
      const uint32_t middle = low + (count - low) / 2;
      if (id_at(middle) < id) {
        low = middle + 1;
      } else {
        count = middle;
      }
    }
    return low;
  }

  // Returns the bits of this thread's tokens that are in the vocabulary.
  __device__ uint32_t InsideBits(uint32_t tile) const {
    if (args_.vocab - tile >= kTileTokens) return 0xffu;
    uint32_t bits = 0;
    for (uint32_t k = 0; k < kThreadTokens; ++k) {
      if (Place<T>::Token(tile, k) < args_.vocab) bits |= 1u << k;
    }
    return bits;
  }

  // Returns the bits of the base for this thread's tokens. A warp reads its 32 bytes once.
  __device__ uint32_t MaskBits(uint32_t tile) const {
    if (request_.lists.base == kClosedBase) return 0;
    const uint32_t bits = InsideBits(tile);
    if (request_.lists.base == kOpenBase) return bits;
    const uint32_t lane = threadIdx.x % 32;
    const uint64_t words = (args_.vocab + 31) / 32;
    const uint32_t at = (tile + threadIdx.x / 32 * kWarpTokens) / 32 + lane;
    uint32_t word = 0;
    if (lane < kWarpTokens / 32 && at < words) {
      word = args_.bases[request_.lists.base * words + at];
    }
    uint32_t mine = 0;
    MASKLOOM_UNROLL
    for (uint32_t k = 0; k < kThreadTokens; k += T::kGroup) {
      const uint32_t offset = k / T::kGroup * Place<T>::kStep + lane * T::kGroup;
      const uint32_t of_group = __shfl_sync(0xffffffffu, word, static_cast<int>(offset / 32));
      mine |= ((of_group >> (offset % 32)) & ((1u << T::kGroup) - 1)) << k;
    }
    return mine & bits;
  }

  // Returns the bits of this thread's tokens that exceptions flip. The block passes the list once,
  // eight entries at a time; those of later tiles are looked at again.
  __device__ uint32_t Flips(uint32_t tile) {
    uint32_t flips = 0;
    uint32_t passed;
    do {
      if (threadIdx.x < kWindow) {
        const uint32_t at = next_exception_ + threadIdx.x;
        uint32_t id = UINT32_MAX;
        if (at < request_.lists.exception_count) {
          id = args_.exceptions[request_.lists.exception_begin + at];
        }
        shared_.ids[threadIdx.x] = id;
      }
      __syncthreads();
      passed = 0;
      for (uint32_t i = 0; i < kWindow; ++i) {
        const uint32_t id = shared_.ids[i];
        const uint32_t k = Place<T>::IndexOf(tile, id);
        if (k < kThreadTokens) flips ^= 1u << k;
        if (id < tile + kTileTokens) ++passed;
      }
      next_exception_ += passed;
      __syncthreads();
    } while (passed == kWindow);
    return flips;
  }

  __device__ void LoadLogits(uint32_t tile, uint32_t allowed, float* x) const {
    MASKLOOM_UNROLL
    for (uint32_t k = 0; k < kThreadTokens; ++k) x[k] = 0.0f;
    MASKLOOM_UNROLL
    for (uint32_t group = 0; group < kThreadTokens; group += T::kGroup) {
      const uint32_t wanted = (allowed >> group) & ((1u << T::kGroup) - 1);
      if (wanted == 0) continue;
      const uint32_t first = Place<T>::Token(tile, group);
      const simt::Global<const typename T::Stored> at =
          args_.logits + (row_ * args_.stride + first);
      if (args_.is_aligned != 0 && args_.vocab - first >= T::kGroup) {
        T::LoadGroup(at, x + group);
        continue;
      }
      MASKLOOM_UNROLL
      for (uint32_t k = 0; k < T::kGroup; ++k) {
        if (((wanted >> k) & 1u) != 0) x[group + k] = T::ToFloat(at[k]);
      }
    }
  }

  // Applies the entries of the sparse table, eight at a time as with exceptions.
  __device__ void Adjust(uint32_t tile, float* x) {
    const Penalties penalties = {request_.repetition, request_.frequency, request_.presence};
    uint32_t passed;
    do {
      if (threadIdx.x < kWindow) {
        const uint32_t at = next_adjustment_ + threadIdx.x;
        TokenAdjustment entry = {UINT32_MAX, 0, 0, 0.0f};
        if (at < request_.lists.adjustment_count) {
          entry = args_.adjustments[request_.lists.adjustment_begin + at];
        }
        shared_.adjustments[threadIdx.x] = entry;
      }
      __syncthreads();
      passed = 0;
      for (uint32_t i = 0; i < kWindow; ++i) {
        const TokenAdjustment entry = shared_.adjustments[i];
        if (entry.id < tile + kTileTokens) ++passed;
        const uint32_t k = Place<T>::IndexOf(tile, entry.id);
        if (k < kThreadTokens) AdjustOne(entry, penalties, k, x);
      }
      next_adjustment_ += passed;
      __syncthreads();
    } while (passed == kWindow);
  }

  // Changes x[at] without an index that only the run knows, which would move x out of registers.
  __device__ static void AdjustOne(const TokenAdjustment& entry, const Penalties& penalties,
                                   uint32_t at, float* x) {
    float logit = 0.0f;
    MASKLOOM_UNROLL
    for (uint32_t k = 0; k < kThreadTokens; ++k) logit = k == at ? x[k] : logit;
    logit = AdjustLogit(logit, entry, penalties);
    MASKLOOM_UNROLL
    for (uint32_t k = 0; k < kThreadTokens; ++k) x[k] = k == at ? logit : x[k];
  }

  const KernelArgs<T>& args_;
  const RowRequest& request_;
  uint32_t row_;
  TileShared shared_;
  uint32_t next_exception_ = 0;
  uint32_t next_adjustment_ = 0;
};

}  // namespace maskloom::kernels::cuda
