// A thread's eight tokens of a tile, from memory to adjusted values: mask, penalties, bias and
// temperature applied. Logits are read where one of the eight is allowed.
#pragma once

#include "kernels/cuda/logits_workspace.h"
#include "kernels/sampling/adjust_logit.h"

namespace maskloom::kernels::cuda {

// Entries of the sparse table that a block looks at together.
inline constexpr uint32_t kWindow = 8;

struct TileShared {
  MaskShared mask;
  simt::Shared<TokenAdjustment> adjustments;  // [kWindow]
  simt::Shared<RowRequest> request;           // [1]
};

// Loads what all passes need of the block's row. One thread calls.
template <class T>
__device__ inline void LoadRow(const KernelArgs<T>& args, const TileShared& shared) {
  const RowRequest given = args.requests[blockIdx.y];
  shared.request[0] = given;
  shared.mask.mask[0] = LoadRowMask(args.masks, blockIdx.y);
}

__device__ inline Penalties PenaltiesOf(const RowRequest& request) {
  return {request.repetition, request.frequency, request.presence};
}

// Returns logit `x` of token `id` after bias and penalties; searches the row's sparse table.
template <class T>
__device__ inline float AdjustedLogit(const KernelArgs<T>& args, const RowRequest& request,
                                      uint32_t id, float x) {
  const uint32_t begin = request.adjustment_begin;
  const uint32_t at = EntriesBelow(id, request.adjustment_count, [&args, begin](uint32_t i) {
    const TokenAdjustment entry = args.adjustments[begin + i];
    return entry.id;
  });
  if (at == request.adjustment_count) return x;
  const TokenAdjustment entry = args.adjustments[begin + at];
  return entry.id == id ? AdjustLogit(x, entry, PenaltiesOf(request)) : x;
}

// Reads the tiles of one row in ascending order. All threads of the block call together.
template <class T>
class TileReader {
 public:
  __device__ TileReader(const KernelArgs<T>& args, const RowRequest& request, uint32_t row,
                        const TileShared& shared)
      : args_(args),
        request_(request),
        row_(row),
        shared_(shared),
        mask_(args.masks, args.vocab, shared.mask) {}

  // Goes to the tokens from `begin` to `end`, whole tiles: to their part of the sparse lists.
  __device__ void Start(uint32_t begin, uint32_t end) {
    mask_.Start(begin, end, shared_.mask);
    if (request_.adjustment_count == 0) return;
    if (threadIdx.x == 0) {
      shared_.mask.position[0] =
          EntriesBelow(begin, request_.adjustment_count, [this](uint32_t at) {
            const TokenAdjustment entry = args_.adjustments[request_.adjustment_begin + at];
            return entry.id;
          });
    }
    __syncthreads();
    next_adjustment_ = shared_.mask.position[0];
    LoadWindow();
  }

  // Writes the values of this thread's tokens of the tile that starts at `tile`, -infinity where a
  // token is not allowed. Returns the bits of those allowed. Where the thread's warp `skips` the
  // tile, it reads neither mask nor logits and finds nothing allowed.
  __device__ uint32_t Load(uint32_t tile, bool skips, float* y) {
    const uint32_t allowed = skips ? 0 : mask_.Bits(tile);
    float x[kThreadTokens];
    LoadLogits(tile, allowed, x);
    Finish(tile, allowed, x, y);
    return allowed;
  }

  // The same, and in `x` the logits as given, also of tokens that are not allowed; -infinity for
  // NaN and beyond the vocabulary.
  __device__ uint32_t LoadAll(uint32_t tile, float* x, float* y) {
    const uint32_t allowed = mask_.Bits(tile);
    const uint32_t inside = mask_.InsideBits(tile);
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
    if (request_.adjustment_count != 0) Adjust(tile, x);
    MASKLOOM_UNROLL
    for (uint32_t k = 0; k < kThreadTokens; ++k) {
      y[k] = ((allowed >> k) & 1u) != 0 ? ScaleLogit(x[k], request_.scale) : -__builtin_inff();
    }
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

  // Shows the block the next entries of the sparse table.
  __device__ void LoadWindow() {
    if (threadIdx.x < kWindow) {
      const uint32_t at = next_adjustment_ + threadIdx.x;
      TokenAdjustment entry = {UINT32_MAX, 0, 0, 0.0f};
      if (at < request_.adjustment_count) {
        entry = args_.adjustments[request_.adjustment_begin + at];
      }
      shared_.adjustments[threadIdx.x] = entry;
    }
    __syncthreads();
  }

  // Applies the entries of the sparse table. The block passes it once, eight entries at a time; the
  // next ones come when all of these lie before the end of the tile.
  __device__ void Adjust(uint32_t tile, float* x) {
    const Penalties penalties = PenaltiesOf(request_);
    for (;;) {
      for (uint32_t i = 0; i < kWindow; ++i) {
        const TokenAdjustment entry = shared_.adjustments[i];
        const uint32_t k = Place<T>::IndexOf(tile, entry.id);
        if (k < kThreadTokens) AdjustOne(entry, penalties, k, x);
      }
      const TokenAdjustment last = shared_.adjustments[kWindow - 1];
      if (last.id >= tile + kTileTokens) return;
      next_adjustment_ += kWindow;
      __syncthreads();
      LoadWindow();
    }
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
  TileMask<T> mask_;
  uint32_t next_adjustment_ = 0;
};

}  // namespace maskloom::kernels::cuda
