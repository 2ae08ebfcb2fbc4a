// Which of a thread's eight tokens of a tile the mask of a row allows.
//
// The row of the pool is read by words, 32 bytes a warp. The ids of lists are marked once, when a
// block begins, as bits of shared memory: lists may be of any length, and tiles do not wait for
// each other.
#pragma once

#include "kernels/cuda/tile_place.h"
#include "kernels/steps/row_mask.h"

namespace maskloom::kernels::cuda {

inline constexpr uint32_t kSplitWords = kMostSplitTokens / 32;

// BatchMasks (row_mask.h) as kernels take them.
struct MaskArgs {
  simt::Global<const RowMask> rows;
  simt::Global<const uint32_t> pool;
  simt::Global<const uint32_t> sent;
  uint32_t row_words;
};

inline MaskArgs MaskArgsOf(const BatchMasks& masks) {
  return {masks.rows, masks.pool, masks.sent, masks.row_words};
}

__device__ inline RowMask LoadRowMask(const MaskArgs& masks, uint32_t row) {
  RowMask mask = {kOpenSlot, 0, 0, 0, 0};
  if (masks.rows != nullptr) mask = masks.rows[row];
  return mask;
}

// Returns how many of `count` ascending ids are below `id`.
template <class IdAt>
__device__ inline uint32_t EntriesBelow(uint32_t id, uint32_t count, IdAt id_at) {
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

struct MaskShared {
  simt::Shared<RowMask> mask;       // [1], of the row
  simt::Shared<uint32_t> listed;    // [kSplitWords]; a bit for each token of the split
  simt::Shared<uint32_t> position;  // [1]
};

// Reads the mask of a block's split of one row. All threads of the block call together, and wait
// for each other before `listed` is used for something else.
template <class T>
class TileMask {
 public:
  // Requires: shared.mask is written.
  __device__ TileMask(const MaskArgs& args, uint32_t vocab, const MaskShared& shared)
      : args_(args), listed_(shared.listed), vocab_(vocab) {
    const RowMask mask = shared.mask[0];
    slot_ = mask.slot;
    has_lists_ = slot_ != kOpenSlot && (mask.list_count != 0 || mask.sent_count != 0);
  }

  __device__ bool is_open() const { return slot_ == kOpenSlot; }

  // Goes to the tokens of a split: marks those that lists name.
  __device__ void Start(uint32_t begin, uint32_t end, const MaskShared& shared) {
    begin_ = begin;
    if (!has_lists_) return;
    const uint32_t tokens = end - begin;
    for (uint32_t i = threadIdx.x; i < tokens / 32; i += kThreads) listed_[i] = 0u;
    const RowMask mask = shared.mask[0];
    if (mask.list_count != 0) Mark(args_.pool + mask.list_begin, mask.list_count, tokens, shared);
    if (mask.sent_count != 0) Mark(args_.sent + mask.sent_begin, mask.sent_count, tokens, shared);
    __syncthreads();
  }

  // Returns the bits of this thread's tokens that are in the vocabulary.
  __device__ uint32_t InsideBits(uint32_t tile) const {
    if (vocab_ - tile >= kTileTokens) return 0xffu;
    uint32_t bits = 0;
    for (uint32_t k = 0; k < kThreadTokens; ++k) {
      if (Place<T>::Token(tile, k) < vocab_) bits |= 1u << k;
    }
    return bits;
  }

  // Returns the bits of this thread's tokens that are allowed.
  __device__ uint32_t Bits(uint32_t tile) const {
    if (slot_ == kNoSlot && !has_lists_) return 0;
    const uint32_t inside = InsideBits(tile);
    if (slot_ == kOpenSlot) return inside;
    const uint32_t lane = threadIdx.x % 32;
    const uint32_t word =
        lane < kWarpTokens / 32 ? WordAt((tile + threadIdx.x / 32 * kWarpTokens) / 32 + lane) : 0;
    uint32_t mine = 0;
    MASKLOOM_UNROLL
    for (uint32_t k = 0; k < kThreadTokens; k += T::kGroup) {
      const uint32_t offset = k / T::kGroup * Place<T>::kStep + lane * T::kGroup;
      const uint32_t of_group = __shfl_sync(0xffffffffu, word, static_cast<int>(offset / 32));
      mine |= ((of_group >> (offset % 32)) & ((1u << T::kGroup) - 1)) << k;
    }
    return mine & inside;
  }

 private:
  // Returns word `at` of the row's mask.
  __device__ uint32_t WordAt(uint32_t at) const {
    uint32_t word = 0;
    if (slot_ != kNoSlot && at < args_.row_words) {
      word = args_.pool[static_cast<uint64_t>(slot_) * args_.row_words + at];
    }
    if (has_lists_) {
      const uint32_t named = listed_[at - begin_ / 32];
      word |= named;
    }
    return word;
  }

  // Marks the ids of one list.
  __device__ void Mark(simt::Global<const uint32_t> ids, uint32_t count, uint32_t tokens,
                       const MaskShared& shared) {
    if (threadIdx.x == 0) {
      // A list that the block can look at at once is not searched.
      shared.position[0] = count <= kThreads ? 0 : EntriesBelow(begin_, count, [&ids](uint32_t at) {
        const uint32_t id = ids[at];
        return id;
      });
    }
    __syncthreads();
    const uint32_t first = shared.position[0];
    for (uint32_t i = first + threadIdx.x; i < count; i += kThreads) {
      const uint32_t id = ids[i];
      if (id >= begin_ + tokens) break;
      if (id >= begin_) atomicOr(listed_ + (id - begin_) / 32, 1u << (id % 32));
    }
    __syncthreads();
  }

  const MaskArgs& args_;
  simt::Shared<uint32_t> listed_;
  uint32_t vocab_;
  uint32_t begin_ = 0;
  uint32_t slot_;
  bool has_lists_;
};

}  // namespace maskloom::kernels::cuda
