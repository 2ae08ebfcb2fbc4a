// Barriers, shuffles, votes and reductions.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <cstring>

#include "kernels/simt/block.h"
#include "kernels/simt/findings.h"
#include "kernels/simt/site.h"

namespace simt {

// Barriers of the block.
inline void __syncthreads(std::source_location where = std::source_location::current()) {
  current_lane->MeetBlock(Meeting::kBlockBarrier, false, where);
}
inline int __syncthreads_count(int predicate,
                               std::source_location where = std::source_location::current()) {
  return current_lane->MeetBlock(Meeting::kBlockCount, predicate != 0, where);
}
inline int __syncthreads_and(int predicate,
                             std::source_location where = std::source_location::current()) {
  return current_lane->MeetBlock(Meeting::kBlockAnd, predicate != 0, where);
}
inline int __syncthreads_or(int predicate,
                            std::source_location where = std::source_location::current()) {
  return current_lane->MeetBlock(Meeting::kBlockOr, predicate != 0, where);
}

inline constexpr uint32_t kFullMask = 0xFFFFFFFF;

inline void __syncwarp(uint32_t mask = kFullMask,
                       std::source_location where = std::source_location::current()) {
  current_lane->Meet(Meeting::kWarpBarrier, mask, 0, where);
}

// Fences. Within a block they order nothing that a barrier does not.
inline void __threadfence() { current_lane->Fence(); }
inline void __threadfence_system() { current_lane->Fence(); }
inline void __threadfence_block() {}

// Returns the value of lane `from`, which is within `first` and `first + width - 1`, or outside of
// that the lane's own. Reports a lane that does not take part.
template <class T>
T Shuffle(uint32_t mask, T value, int from, bool is_within, Site site) {
  static_assert(sizeof(T) <= 8, "shuffles move four or eight bytes");
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  const Gathered& gathered = current_lane->Meet(Meeting::kShuffle, mask, bits, site);
  if (!is_within) return value;
  if ((gathered.lanes >> from & 1) == 0) {
    Report(Fault::kInactiveLane, site,
           "reads lane " + std::to_string(from) + ", which does not take part");
    return value;
  }
  std::memcpy(&value, &gathered.values[static_cast<size_t>(from)], sizeof(T));
  return value;
}

template <class T>
T __shfl_sync(uint32_t mask, T value, int source, int width = 32,
              std::source_location where = std::source_location::current()) {
  int lane = static_cast<int>(current_lane->lane());
  return Shuffle(mask, value, (lane & ~(width - 1)) + (source & (width - 1)), true, where);
}
template <class T>
T __shfl_up_sync(uint32_t mask, T value, unsigned delta, int width = 32,
                 std::source_location where = std::source_location::current()) {
  int lane = static_cast<int>(current_lane->lane());
  int from = lane - static_cast<int>(delta);
  return Shuffle(mask, value, from, from >= (lane & ~(width - 1)), where);
}
template <class T>
T __shfl_down_sync(uint32_t mask, T value, unsigned delta, int width = 32,
                   std::source_location where = std::source_location::current()) {
  int lane = static_cast<int>(current_lane->lane());
  int from = lane + static_cast<int>(delta);
  return Shuffle(mask, value, from, from <= (lane | (width - 1)), where);
}
template <class T>
T __shfl_xor_sync(uint32_t mask, T value, int lane_mask, int width = 32,
                  std::source_location where = std::source_location::current()) {
  int lane = static_cast<int>(current_lane->lane());
  int from = lane ^ lane_mask;
  return Shuffle(mask, value, from, from <= (lane | (width - 1)), where);
}

inline uint32_t __ballot_sync(uint32_t mask, int predicate,
                              std::source_location where = std::source_location::current()) {
  const Gathered& gathered =
      current_lane->Meet(Meeting::kVote, mask, predicate != 0 ? 1 : 0, where);
  uint32_t votes = 0;
  for (unsigned lane = 0; lane < kWarpLanes; ++lane) {
    bool is_for = (gathered.lanes >> lane & 1) != 0 && gathered.values[lane] != 0;
    votes |= static_cast<uint32_t>(is_for) << lane;
  }
  return votes;
}
inline int __any_sync(uint32_t mask, int predicate,
                      std::source_location where = std::source_location::current()) {
  return __ballot_sync(mask, predicate, where) != 0 ? 1 : 0;
}
inline int __all_sync(uint32_t mask, int predicate,
                      std::source_location where = std::source_location::current()) {
  return __ballot_sync(mask, predicate != 0 ? 0 : 1, where) == 0 ? 1 : 0;
}

// The lanes that have the same value.
template <class T>
uint32_t __match_any_sync(uint32_t mask, T value,
                          std::source_location where = std::source_location::current()) {
  static_assert(sizeof(T) <= 8);
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  const Gathered& gathered = current_lane->Meet(Meeting::kMatch, mask, bits, where);
  uint32_t alike = 0;
  for (unsigned lane = 0; lane < kWarpLanes; ++lane) {
    bool is_alike = (gathered.lanes >> lane & 1) != 0 && gathered.values[lane] == bits;
    alike |= static_cast<uint32_t>(is_alike) << lane;
  }
  return alike;
}

// The lanes that stand at this place. On a device it can be fewer.
inline uint32_t __activemask(std::source_location where = std::source_location::current()) {
  return current_lane->Meet(Meeting::kActiveMask, 0, 0, where).lanes;
}

// Joins the values of the lanes by `join`, in the order of lanes.
template <class T, class Join>
T Reduce(uint32_t mask, T value, Join join, Site site) {
  const Gathered& gathered =
      current_lane->Meet(Meeting::kReduce, mask, static_cast<uint64_t>(value), site);
  uint32_t rest = gathered.lanes;
  T joined = static_cast<T>(gathered.values[static_cast<size_t>(std::countr_zero(rest))]);
  for (rest &= rest - 1; rest != 0; rest &= rest - 1) {
    joined =
        join(joined, static_cast<T>(gathered.values[static_cast<size_t>(std::countr_zero(rest))]));
  }
  return joined;
}

template <class T>
concept WarpInteger = std::same_as<T, int> || std::same_as<T, unsigned>;

template <WarpInteger T>
T __reduce_add_sync(uint32_t mask, T value,
                    std::source_location where = std::source_location::current()) {
  auto add = [](T a, T b) {
    return static_cast<T>(static_cast<unsigned>(a) + static_cast<unsigned>(b));
  };
  return Reduce(mask, value, add, where);
}
template <WarpInteger T>
T __reduce_min_sync(uint32_t mask, T value,
                    std::source_location where = std::source_location::current()) {
  return Reduce(
      mask, value, [](T a, T b) { return b < a ? b : a; }, where);
}
template <WarpInteger T>
T __reduce_max_sync(uint32_t mask, T value,
                    std::source_location where = std::source_location::current()) {
  return Reduce(
      mask, value, [](T a, T b) { return a < b ? b : a; }, where);
}
inline unsigned __reduce_and_sync(uint32_t mask, unsigned value,
                                  std::source_location where = std::source_location::current()) {
  return Reduce(
      mask, value, [](unsigned a, unsigned b) { return a & b; }, where);
}
inline unsigned __reduce_or_sync(uint32_t mask, unsigned value,
                                 std::source_location where = std::source_location::current()) {
  return Reduce(
      mask, value, [](unsigned a, unsigned b) { return a | b; }, where);
}
inline unsigned __reduce_xor_sync(uint32_t mask, unsigned value,
                                  std::source_location where = std::source_location::current()) {
  return Reduce(
      mask, value, [](unsigned a, unsigned b) { return a ^ b; }, where);
}

}  // namespace simt
