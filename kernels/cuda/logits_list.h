// A row's list of tokens of which only all together decide: gathered tile by tile, cut at last.
#pragma once

#include "kernels/cuda/logits_select.h"

namespace maskloom::kernels::cuda {

inline constexpr uint32_t kBlockList = 4096;
static_assert(kBlockList >= kTileTokens);

struct ListShared {
  simt::Shared<ListEntry> entries;  // [kBlockList], of one tile; at last of the row if it fits
  simt::Shared<uint32_t> count;     // [2]: of the tile; where it goes in the row's list
};

// Adds a token to the tile's list.
__device__ inline void AddToList(const ListShared& shared, float value, uint32_t id) {
  const uint32_t at = atomicAdd(shared.count, 1u);
  shared.entries[at] = ListEntry{value, id};
}

// Moves the tile's list behind the row's. The order in which blocks come does not matter.
template <class T>
__device__ inline void FlushList(const KernelArgs<T>& args, uint32_t row,
                                 const ListShared& shared) {
  __syncthreads();
  const uint32_t count = shared.count[0];
  if (count != 0) {
    if (threadIdx.x == 0) {
      shared.count[1] =
          atomicAdd(simt::Member(args.work.counters + row, &RowCounters::listed), count);
    }
    __syncthreads();
    const uint64_t at = static_cast<uint64_t>(row) * args.vocab + shared.count[1];
    for (uint32_t i = threadIdx.x; i < count; i += kThreads) {
      const ListEntry entry = shared.entries[i];
      args.work.lists[at + i] = entry;
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) shared.count[0] = 0;
  __syncthreads();
}

// What of the list is kept: values above low, and those equal to it up to the id.
struct ListCut {
  float low;
  uint32_t last_id;
};

// The list of a row: in shared memory where it fits, so that it is read once.
struct RowList {
  simt::Global<const ListEntry> in_memory;
  simt::Shared<ListEntry> in_block;
  uint32_t count;

  __device__ ListEntry At(uint32_t i) const {
    ListEntry entry;
    if (count <= kBlockList) {
      entry = in_block[i];
    } else {
      entry = in_memory[i];
    }
    return entry;
  }
};

// Takes the row's list over, so that its counter is zero again. All threads call together, in the
// last block of the row.
template <class T>
__device__ inline RowList TakeList(const KernelArgs<T>& args, uint32_t row,
                                   const ListShared& shared) {
  if (threadIdx.x == 0) {
    shared.count[0] = atomicExch(simt::Member(args.work.counters + row, &RowCounters::listed), 0u);
  }
  __syncthreads();
  const uint32_t count = shared.count[0];
  const RowList list = {args.work.lists + static_cast<uint64_t>(row) * args.vocab, shared.entries,
                        count};
  for (uint32_t i = threadIdx.x; i < count && count <= kBlockList; i += kThreads) {
    const ListEntry entry = list.in_memory[i];
    shared.entries[i] = entry;
  }
  __syncthreads();
  return list;
}

__device__ inline bool IsKept(const ListCut& cut, const ListEntry& entry) {
  return entry.value > cut.low || (entry.value == cut.low && entry.id <= cut.last_id);
}

// Finds which of the `equal` tokens at a cut are the first of its ties. All threads call together.
__device__ inline ListCut EndTies(const RowList& list, const Cut& cut, uint32_t equal,
                                  const SelectShared& shared) {
  if (cut.ties >= equal) return {cut.low, UINT32_MAX};
  const auto by_id = [&](uint32_t i, uint32_t* key, Mass* mass) {
    const ListEntry entry = list.At(i);
    *key = ~entry.id;
    *mass = 0;
    return entry.value == cut.low;
  };
  const Selected last = SelectKey(shared, SelectBy::kCount, list.count, cut.ties, by_id);
  return {cut.low, ~last.key};
}

}  // namespace maskloom::kernels::cuda
