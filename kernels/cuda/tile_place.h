// How a row of logits is cut into tiles, where the tokens of a thread lie in one, and how logits
// are stored.
#pragma once

#include <cstdint>

#include "kernels/cuda/logits.h"
#include "kernels/half.h"
#include "kernels/sampling/exact_math.h"
#include "kernels/simt/cuda.h"

namespace maskloom::kernels::cuda {

inline constexpr uint32_t kThreads = 256;
inline constexpr uint32_t kWarps = kThreads / 32;
inline constexpr uint32_t kThreadTokens = 8;
inline constexpr uint32_t kTileTokens = kThreads * kThreadTokens;
inline constexpr uint32_t kWarpTokens = 32 * kThreadTokens;
// A block reads at most so many tokens of a row: half masses of them fit a bin's words, and a bit
// for each of them fits what lists are marked in.
inline constexpr uint32_t kMostSplitTokens = 65536;

// Blocks that keep a large device busy.
inline constexpr uint32_t kWantedBlocks = 528;

// How a batch is cut.
struct Splits {
  uint32_t count;   // of a row
  uint32_t tiles;   // of a split
  uint32_t in_row;  // tiles of a row
};

inline uint32_t DivideUp(uint64_t count, uint64_t by) {
  return static_cast<uint32_t>((count + by - 1) / by);
}

// Cuts the rows of a batch so that about `wanted_blocks` blocks have something to do, each at least
// `least_tokens`.
inline Splits CutRows(uint32_t batch, uint32_t vocab, uint32_t wanted_blocks,
                      uint32_t least_tokens) {
  uint32_t count = DivideUp(wanted_blocks, batch);
  const uint32_t most = DivideUp(vocab, least_tokens);
  const uint32_t least = DivideUp(vocab, kMostSplitTokens);
  if (count > most) count = most;
  if (count < least) count = least;
  if (count > kThreads) count = kThreads;
  Splits splits;
  splits.in_row = DivideUp(vocab, kTileTokens);
  splits.tiles = DivideUp(splits.in_row, count);
  splits.count = DivideUp(splits.in_row, splits.tiles);
  return splits;
}

// How logits are stored. A thread's tokens lie in groups of kGroup neighbours, 16 bytes each, so
// that the lanes of a warp load 512 bytes without a gap.
struct Single {
  using Stored = float;
  static constexpr uint32_t kGroup = 4;
  static constexpr uint32_t kClosedWord = 0xff800000u;  // 4 bytes of -infinity
  __device__ static float Closed() { return FloatFromBits(kClosedWord); }
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
  static constexpr uint32_t kClosedWord = 0xfc00fc00u;
  __device__ static uint16_t Closed() { return 0xfc00u; }
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
  static constexpr uint32_t kClosedWord = 0xff80ff80u;
  __device__ static uint16_t Closed() { return 0xff80u; }
  __device__ static float ToFloat(uint16_t bits) {
    return FloatFromBits(static_cast<uint32_t>(bits) << 16);
  }
  __device__ static void LoadGroup(simt::Global<const uint16_t> at, float* x) {
    LoadEight<Bfloat>(at, x);
  }
};

// Returns launch(T()) with the type that logits are stored as, or the error of one that is none.
template <class Launch>
int WithStored(LogitType type, Launch launch) {
  switch (type) {
    case LogitType::kF32:
      return launch(Single());
    case LogitType::kF16:
      return launch(Half());
    case LogitType::kBf16:
      return launch(Bfloat());
  }
  return static_cast<int>(cudaErrorInvalidValue);
}

// Does every row start at 16 bytes?
template <class T>
bool AreRowsAligned(const void* logits, size_t stride) {
  return reinterpret_cast<uintptr_t>(logits) % 16 == 0 &&
         stride * sizeof(typename T::Stored) % 16 == 0;
}

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

}  // namespace maskloom::kernels::cuda
