// Where a filter cuts a list of tokens in global memory: by digits of the key, the highest first.
//
// A round counts, for each value of one byte of the key, the entries and their exact mass among
// those that agree with the bytes chosen so far; the bins are then summed from the largest key
// down, and the byte in whose bin the needed measure is reached is the next one chosen. Four rounds
// give one key. Sums are integers: the order in which threads add does not matter.
#pragma once

#include "kernels/cuda/logits_block.h"

namespace maskloom::kernels::cuda {

// Count and mass of the entries of a bin and all above; the mass as three words of 32 bits that
// have not been carried.
struct BinSum {
  unsigned long long word[3];
  unsigned long long count;
};

__device__ inline Mass MassOfBin(const BinSum& sum) {
  return static_cast<Mass>(sum.word[0]) + (static_cast<Mass>(sum.word[1]) << 32) +
         (static_cast<Mass>(sum.word[2]) << 64);
}

inline constexpr size_t kSelectBytes = 4 * 256 * sizeof(unsigned long long);

struct SelectShared {
  simt::Shared<unsigned long long> sums;  // [4 * 256]: three words of mass and the count of a bin
  simt::Shared<uint32_t> digit;           // [1]
};

// What was selected: a key, and count and mass of the entries with larger keys and with this one.
struct Selected {
  uint32_t key;
  uint32_t above_count, equal_count;
  Mass above_mass, equal_mass;
};

enum class SelectBy : uint32_t { kCount, kMass };

// The key of a value; both zeros have one.
__device__ inline uint32_t ValueKey(float value) { return OrderKey(value == 0.0f ? 0.0f : value); }

// Adds an entry to its bin.
__device__ inline void AddToBin(const SelectShared& shared, uint32_t digit, Mass mass) {
  atomicAdd(shared.sums + 4 * digit, static_cast<unsigned long long>(LowWord(mass) & 0xffffffffu));
  atomicAdd(shared.sums + (4 * digit + 1), static_cast<unsigned long long>(LowWord(mass) >> 32));
  atomicAdd(shared.sums + (4 * digit + 2), static_cast<unsigned long long>(HighWord(mass)));
  atomicAdd(shared.sums + (4 * digit + 3), 1ull);
}

__device__ inline BinSum LoadBin(const SelectShared& shared, uint32_t digit) {
  BinSum sum;
  for (uint32_t w = 0; w < 3; ++w) sum.word[w] = shared.sums[4 * digit + w];
  sum.count = shared.sums[4 * digit + 3];
  return sum;
}

// Sums every bin with those above it.
__device__ inline void SumFromAbove(const SelectShared& shared) {
  const uint32_t bin = threadIdx.x;
  for (uint32_t step = 1; step < 256; step *= 2) {
    BinSum sum = LoadBin(shared, bin);
    if (bin + step < 256) {
      const BinSum other = LoadBin(shared, bin + step);
      for (uint32_t w = 0; w < 3; ++w) sum.word[w] += other.word[w];
      sum.count += other.count;
    }
    __syncthreads();
    for (uint32_t w = 0; w < 3; ++w) shared.sums[4 * bin + w] = sum.word[w];
    shared.sums[4 * bin + 3] = sum.count;
    __syncthreads();
  }
}

// Selects the largest key whose entries, with all of larger keys, have the measure `needed`; the
// least key where the whole list has less. `entry_at(i, &key, &mass)` returns whether entry i takes
// part. All threads call together. Requires: needed > 0, an entry that takes part.
template <class EntryAt>
__device__ inline Selected SelectKey(const SelectShared& shared, SelectBy by, uint32_t count,
                                     Mass needed, EntryAt entry_at) {
  static_assert(kThreads == 256, "one thread for each bin");
  Selected found = {0, 0, 0, 0, 0};
  for (int32_t shift = 24; shift >= 0; shift -= 8) {
    for (uint32_t w = 0; w < 4; ++w) shared.sums[4 * threadIdx.x + w] = 0ull;
    if (threadIdx.x == 0) shared.digit[0] = 0;
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < count; i += kThreads) {
      uint32_t key;
      Mass mass;
      if (!entry_at(i, &key, &mass)) continue;
      if (shift < 24 && (key >> (shift + 8)) != (found.key >> (shift + 8))) continue;
      AddToBin(shared, (key >> shift) & 255u, mass);
    }
    __syncthreads();
    SumFromAbove(shared);
    // The highest bin that reaches the measure; the lowest with an entry where none does.
    const BinSum sum = LoadBin(shared, threadIdx.x);
    const Mass reached = by == SelectBy::kCount ? found.above_count + static_cast<Mass>(sum.count)
                                                : found.above_mass + MassOfBin(sum);
    const BinSum all = LoadBin(shared, 0);
    const Mass most = by == SelectBy::kCount ? found.above_count + static_cast<Mass>(all.count)
                                             : found.above_mass + MassOfBin(all);
    const bool enough = most >= needed ? reached >= needed : sum.count == all.count;
    if (enough) atomicMax(shared.digit, threadIdx.x);
    __syncthreads();
    const uint32_t digit = shared.digit[0];
    BinSum above = {{0, 0, 0}, 0};
    if (digit < 255) above = LoadBin(shared, digit + 1);
    const BinSum upto = LoadBin(shared, digit);
    found.key |= digit << shift;
    found.equal_count = static_cast<uint32_t>(upto.count - above.count);
    found.equal_mass = MassOfBin(upto) - MassOfBin(above);
    found.above_count += static_cast<uint32_t>(above.count);
    found.above_mass += MassOfBin(above);
    __syncthreads();
  }
  return found;
}

}  // namespace maskloom::kernels::cuda
