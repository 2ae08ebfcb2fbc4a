// A row's list of tokens of which only all together decide: gathered tile by tile, cut at last.
#pragma once

#include "kernels/cuda/logits_select.h"
#include "kernels/cuda/logits_tile.h"

namespace maskloom::kernels::cuda {

inline constexpr uint32_t kBlockList = 4096;
// From so many entries on, those of a tile may not find room.
inline constexpr uint32_t kFullList = kBlockList - kTileTokens + 1;

struct ListShared {
  simt::Shared<ListEntry> entries;  // [kBlockList], of some tiles; at last of the row if it fits
  simt::Shared<uint32_t> count;     // [2]: of the block; where it goes in the row's list
};

// Adds a token to the block's list.
__device__ inline void AddToList(const ListShared& shared, float value, uint32_t id) {
  const uint32_t at = atomicAdd(shared.count, 1u);
  shared.entries[at] = ListEntry{value, id};
}

// Moves the block's list behind the row's where it has at least `least` entries. The order in which
// blocks come does not matter. All threads call together.
template <class T>
__device__ inline void FlushList(const KernelArgs<T>& args, uint32_t row, const ListShared& shared,
                                 uint32_t least) {
  __syncthreads();
  const uint32_t count = shared.count[0];
  if (count >= least) {
    if (threadIdx.x == 0) {
      shared.count[1] =
          atomicAdd(simt::Member(args.work.counters + row, &RowCounters::listed), count);
    }
    __syncthreads();
    const uint32_t at = shared.count[1];
    for (uint32_t i = threadIdx.x; i < count && at + i < kMostListed; i += kThreads) {
      const ListEntry entry = shared.entries[i];
      args.work.lists[static_cast<uint64_t>(row) * kMostListed + at + i] = entry;
    }
    if (threadIdx.x == 0) shared.count[0] = 0;
  }
  __syncthreads();
}

// What of the list is kept: values above low, and those equal to it up to the id.
struct ListCut {
  float low;
  uint32_t last_id;
};

// The values that a row lists, as they are or clamped.
struct ListRange {
  float low;   // from here
  float high;  // and, of clamped ones, below
  bool is_clamped;

  __device__ bool Has(float y) const {
    if (!(y > -__builtin_inff())) return false;
    const float value = is_clamped ? ClampLogit(y) : y;
    return value >= low && (!is_clamped || value < high);
  }
};

// The list of a row: in shared memory where it fits, so that it is read once; else in memory; and
// where it would be longer than its room there, it is found again in the row itself every time.
template <class T>
struct RowList {
  const KernelArgs<T>& args;
  const RowRequest& request;
  uint32_t row;
  ListRange range;
  simt::Shared<RowMask> mask;  // [1]
  simt::Shared<ListEntry> in_block;
  uint32_t count;  // of entries
  uint32_t places;

  // Returns whether there is an entry at place `i`, below `places`.
  __device__ bool At(uint32_t i, ListEntry* entry) const {
    if (count > kMostListed) return Find(i, entry);
    if (count <= kBlockList) {
      *entry = in_block[i];
    } else {
      *entry = args.work.lists[static_cast<uint64_t>(row) * kMostListed + i];
    }
    return true;
  }

 private:
  // Returns whether token `id` belongs to the list.
  __device__ bool Find(uint32_t id, ListEntry* entry) const {
    if (!IsAllowed(id)) return false;
    const float logit = T::ToFloat(args.logits[row * args.stride + id]);
    *entry = {ScaleLogit(AdjustedLogit(args, request, id, logit), request.scale), id};
    return range.Has(entry->value);
  }

  __device__ bool IsAllowed(uint32_t id) const {
    const RowMask named = mask[0];
    if (named.slot == kOpenSlot) return true;
    if (named.slot != kNoSlot && id / 32 < args.masks.row_words) {
      const uint32_t word =
          args.masks.pool[static_cast<uint64_t>(named.slot) * args.masks.row_words + id / 32];
      if (((word >> (id % 32)) & 1u) != 0) return true;
    }
    return IsIn(args.masks.pool + named.list_begin, named.list_count, id) ||
           IsIn(args.masks.sent + named.sent_begin, named.sent_count, id);
  }

  __device__ static bool IsIn(simt::Global<const uint32_t> ids, uint32_t count, uint32_t id) {
    const auto id_at = [&ids](uint32_t at) {
      const uint32_t other = ids[at];
      return other;
    };
    const uint32_t at = EntriesBelow(id, count, id_at);
    return at < count && id_at(at) == id;
  }
};

// Takes the row's list over, so that its counter is zero again. All threads call together, in the
// last block of the row.
template <class T>
__device__ inline RowList<T> TakeList(const KernelArgs<T>& args, const RowRequest& request,
                                      uint32_t row, const ListRange& range,
                                      const simt::Shared<RowMask>& mask, const ListShared& shared) {
  if (threadIdx.x == 0) {
    shared.count[0] = atomicExch(simt::Member(args.work.counters + row, &RowCounters::listed), 0u);
  }
  __syncthreads();
  const uint32_t count = shared.count[0];
  const uint32_t places = count > kMostListed ? args.vocab : count;
  const RowList<T> list = {args, request, row, range, mask, shared.entries, count, places};
  for (uint32_t i = threadIdx.x; i < count && count <= kBlockList; i += kThreads) {
    const ListEntry entry = args.work.lists[static_cast<uint64_t>(row) * kMostListed + i];
    shared.entries[i] = entry;
  }
  __syncthreads();
  return list;
}

__device__ inline bool IsKept(const ListCut& cut, const ListEntry& entry) {
  return entry.value > cut.low || (entry.value == cut.low && entry.id <= cut.last_id);
}

// Finds which of the `equal` tokens at a cut are the first of its ties. All threads call together.
template <class T>
__device__ inline ListCut EndTies(const RowList<T>& list, const Cut& cut, uint32_t equal,
                                  const SelectShared& shared) {
  if (cut.ties >= equal) return {cut.low, UINT32_MAX};
  const auto by_id = [&](uint32_t i, uint32_t* key, Mass* mass) {
    ListEntry entry;
    if (!list.At(i, &entry)) return false;
    *key = ~entry.id;
    *mass = 0;
    return entry.value == cut.low;
  };
  const Selected last = SelectKey(shared, SelectBy::kCount, list.places, cut.ties, by_id);
  return {cut.low, ~last.key};
}

}  // namespace maskloom::kernels::cuda
