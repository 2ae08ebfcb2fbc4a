// A line that a finding may name is marked "wrong", or is that of the launch. Of two accesses that
// race it is the one that comes later in the order that the seed decides. nvcc compiles all of
// these as well.
#include "kernels/simt/cuda.h"
#include "tests/kernels/simt/wrong_kernels.h"

namespace wrong_kernels {
namespace {

using simt::Global;
using simt::Shared;

constexpr unsigned kAll = 0xFFFFFFFFu;

// --- bounds and alignment

__global__ void ReadPastTheEnd(Global<const float> in, Global<float> out) {
  float value = in[threadIdx.x + kCount - 31];  // wrong
  out[threadIdx.x] = value;
}

__global__ void WriteBeforeTheBegin(Global<float> out) {
  out[static_cast<int>(threadIdx.x) - 1] = 1;  // wrong
}

__global__ void ReadWidePastTheEnd(Global<const float> in, Global<float> out) {
  Global<const float4> wide = simt::As<const float4>(in);
  float4 value = wide[threadIdx.x + kCount / 4 - 31];  // wrong
  out[threadIdx.x] = value.x;
}

__global__ void ReadSharedPastTheEnd(Global<float> out) {
  SIMT_SHARED(float, values, 32);
  values[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = values[threadIdx.x + 1];  // wrong
}

__global__ void WriteDynamicPastTheEnd(Global<float> out) {
  Shared<float> values = simt::DynamicShared<float>();
  values[threadIdx.x + 1] = 1;  // wrong
  out[threadIdx.x] = 1;
}

// Two arrays carved from one: the first runs into the second.
__global__ void WriteIntoTheNextArray(Global<float> out) {
  Shared<float> first = simt::Within(simt::DynamicShared<float>(), 32);
  first[2 * threadIdx.x] = 1;  // wrong
  out[threadIdx.x] = 1;
}

__global__ void FollowNull(Global<const float> in, Global<float> out) {
  out[threadIdx.x] = *in;  // wrong
}

__global__ void ReadGiven(Global<const float> in, Global<float> out) {
  out[threadIdx.x] = in[threadIdx.x];  // wrong
}

__global__ void ReadMisaligned(Global<const float> in, Global<float> out) {
  Global<const float2> pairs = simt::As<const float2>(in + 1);
  float2 value = pairs[threadIdx.x];  // wrong
  out[threadIdx.x] = value.x;
}

__global__ void WriteSharedMisaligned(Global<float> out) {
  SIMT_SHARED(unsigned char, bytes, 256);
  Shared<float> values = simt::As<float>(bytes + 2);
  values[threadIdx.x] = 1;  // wrong
  out[threadIdx.x] = 1;
}

// --- what nobody has written

__global__ void ReadSharedUnwritten(Global<float> out) {
  SIMT_SHARED(float, values, 32);
  if (threadIdx.x < 31) values[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = values[threadIdx.x];  // wrong
}

__global__ void ReadGlobalUnwritten(Global<const float> fresh, Global<float> out) {
  out[threadIdx.x] = fresh[threadIdx.x];  // wrong
}

// What a block leaves in shared memory is not there for the next.
__global__ void ReadSharedOfTheBlockBefore(Global<float> out) {
  SIMT_SHARED(float, values, 32);
  if (blockIdx.x == 0) values[threadIdx.x] = 1;
  __syncthreads();
  if (blockIdx.x != 0) out[threadIdx.x] = values[threadIdx.x];  // wrong
}

__global__ void ReadAsyncCopyTooEarly(Global<const float> in, Global<float> out) {
  SIMT_SHARED(float, values, 32);
  __pipeline_memcpy_async(&values[threadIdx.x], in + threadIdx.x, sizeof(float));
  __pipeline_commit();
  out[threadIdx.x] = values[threadIdx.x];  // wrong
  __pipeline_wait_prior(0);
}

// --- barriers and lanes

__global__ void BarrierInABranch(Global<float> out) {
  if (threadIdx.x < 32) {
    __syncthreads();  // wrong
    out[threadIdx.x] = 1;
  } else {
    __syncthreads();
    out[threadIdx.x] = 2;
  }
}

__global__ void BarrierAfterReturn(Global<float> out) {
  if (threadIdx.x == 40) return;
  __syncthreads();  // wrong
  out[threadIdx.x] = 1;
}

__global__ void BarriersOfTwoKinds(Global<int> out) {
  int count = 0;
  if (threadIdx.x < 32) {
    __syncthreads();  // wrong
  } else {
    count = __syncthreads_count(1);
  }
  out[threadIdx.x] = count;
}

// Half of the warp waits for the block while the other half waits for it.
__global__ void ShuffleAcrossABarrier(Global<float> out) {
  float value = 1;
  if (threadIdx.x < 16) {
    __syncthreads();
  } else {
    value = __shfl_xor_sync(kAll, value, 1);  // wrong
    __syncthreads();
  }
  out[threadIdx.x] = value;
}

__global__ void ShufflesOfTwoMasks(Global<float> out) {
  float value = 1;
  if (threadIdx.x < 16) {
    value = __shfl_xor_sync(kAll, value, 1);  // wrong
  } else {
    value = __shfl_xor_sync(0xFFFF0001u, value, 1);
  }
  out[threadIdx.x] = value;
}

__global__ void ShuffleWithReturnedLanes(Global<float> out) {
  if (threadIdx.x >= 30) return;
  float value = __shfl_down_sync(kAll, 1.0f, 1);  // wrong
  out[threadIdx.x] = value;
}

__global__ void ShuffleFromOutsideOfTheMask(Global<float> out) {
  float value = 0;
  if (threadIdx.x < 16) {
    value = __shfl_sync(0x0000FFFFu, 1.0f, 20);  // wrong
  }
  out[threadIdx.x] = value;
}

__global__ void VoteWithoutOneself(Global<unsigned> out) {
  unsigned votes = 0;
  if (threadIdx.x == 3) votes = __ballot_sync(0x1u << 3 | 0u, 1);
  if (threadIdx.x == 5) votes = __ballot_sync(0u, 1);  // wrong
  out[threadIdx.x] = votes;
}

// A block of 48 threads has half of a second warp.
__global__ void ReduceBeyondTheBlock(Global<int> out) {
  int sum = __reduce_add_sync(kAll, 1);  // wrong
  out[threadIdx.x] = sum;
}

// --- races in a block

__global__ void ReadBeforeABarrier(Global<float> out) {
  SIMT_SHARED(float, values, 64);
  values[threadIdx.x] = 1;                      // wrong
  out[threadIdx.x] = values[63 - threadIdx.x];  // wrong
}

__global__ void WriteAfterReadWithoutABarrier(Global<float> out) {
  SIMT_SHARED(float, values, 64);
  values[threadIdx.x] = 1;
  __syncthreads();
  float value = values[63 - threadIdx.x];  // wrong
  values[threadIdx.x] = value + 1;         // wrong
  __syncthreads();
  out[threadIdx.x] = values[threadIdx.x];
}

__global__ void ShuffleInsteadOfABarrier(Global<float> out) {
  SIMT_SHARED(float, values, 32);
  values[threadIdx.x] = 1;  // wrong
  float value = __shfl_xor_sync(kAll, 1.0f, 1);
  out[threadIdx.x] = value + values[31 - threadIdx.x];  // wrong
}

__global__ void WarpBarrierForAnotherWarp(Global<float> out) {
  SIMT_SHARED(float, values, 64);
  values[threadIdx.x] = 1;  // wrong
  __syncwarp();
  out[threadIdx.x] = values[63 - threadIdx.x];  // wrong
}

__global__ void AllWriteOnePlace(Global<float> out) {
  out[0] = static_cast<float>(threadIdx.x);  // wrong
}

__global__ void CountWithoutAtomics(Global<int> counts) {
  SIMT_SHARED(int, bins, 4);
  if (threadIdx.x < 4) bins[threadIdx.x] = 0;
  __syncthreads();
  bins[threadIdx.x % 4] += 1;  // wrong
  __syncthreads();
  if (threadIdx.x < 4) counts[threadIdx.x] = bins[threadIdx.x];
}

__global__ void ReadWhatAtomicsChange(Global<int> counts) {
  SIMT_SHARED(int, bins, 4);
  if (threadIdx.x < 4) bins[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&bins[threadIdx.x % 4], 1);         // wrong
  counts[threadIdx.x] = bins[threadIdx.x % 4];  // wrong
}

// Neighbours in one word are apart; the same byte is not.
__global__ void WriteOneByteTwice(Global<float> out) {
  SIMT_SHARED(unsigned char, bytes, 64);
  bytes[threadIdx.x / 2] = 1;  // wrong
  __syncthreads();
  out[threadIdx.x] = bytes[threadIdx.x / 2];
}

// --- between blocks

__global__ void BlocksWriteOnePlace(Global<float> out) {
  if (threadIdx.x == 0) out[0] = static_cast<float>(blockIdx.x);  // wrong
}

__global__ void BlocksReadTheirNeighbour(Global<float> values) {
  if (threadIdx.x != 0) return;
  values[blockIdx.x] = 1;                             // wrong
  values[128 + blockIdx.x] = values[blockIdx.x ^ 1];  // wrong
}

// The last block to arrive adds what the others wrote, but nobody has fenced.
__global__ void LastBlockWithoutFence(Global<float> parts, Global<unsigned> arrived) {
  if (threadIdx.x != 0) return;
  parts[blockIdx.x] = 1;
  unsigned before = atomicAdd(arrived, 1u);
  __threadfence();
  if (before != gridDim.x - 1) return;
  float sum = 0;
  for (unsigned i = 0; i < gridDim.x; ++i) {
    sum += parts[i];  // wrong
  }
  parts[128] = sum;
}

__global__ void LastBlockFencesTooEarly(Global<float> parts, Global<unsigned> arrived) {
  if (threadIdx.x != 0) return;
  __threadfence();
  parts[blockIdx.x] = 1;
  unsigned before = atomicAdd(arrived, 1u);
  __threadfence();
  if (before != gridDim.x - 1) return;
  float sum = 0;
  for (unsigned i = 0; i < gridDim.x; ++i) {
    sum += parts[i];  // wrong
  }
  parts[128] = sum;
}

__global__ void LastBlockReadsWithoutFence(Global<float> parts, Global<unsigned> arrived) {
  if (threadIdx.x != 0) return;
  parts[blockIdx.x] = 1;
  __threadfence();
  unsigned before = atomicAdd(arrived, 1u);
  if (before != gridDim.x - 1) return;
  float sum = 0;
  for (unsigned i = 0; i < gridDim.x; ++i) {
    sum += parts[i];  // wrong
  }
  parts[128] = sum;
}

__global__ void BlockAtomicsFromManyBlocks(Global<int> counts) {
  atomicAdd_block(&counts[threadIdx.x], 1);  // wrong
}

__global__ void SumFloatsInAnyOrder(Global<float> sum) {
  atomicAdd(sum, 0.1f * static_cast<float>(threadIdx.x));  // wrong
}

// Blocks run one after another: that one waits for the next never ends.
__global__ void WaitForAnotherBlock(Global<int> flags) {
  atomicAdd(flags + blockIdx.x, 1);
  while (atomicAdd(flags + (blockIdx.x + 1) % gridDim.x, 0) == 0) {  // wrong
  }
}

// --- launches

__global__ void __launch_bounds__(32) MoreThreadsThanBounds(Global<float> out) {
  SIMT_LAUNCH_BOUNDS(32);  // wrong
  out[threadIdx.x] = 1;
}

__global__ void Nothing(Global<float>) {}

__global__ void TooMuchSharedMemory(Global<float> out) {
  SIMT_SHARED(float, values, 8 << 10);  // wrong
  Shared<float> more = simt::DynamicShared<float>();
  values[threadIdx.x] = 1;
  more[threadIdx.x] = 1;
  out[threadIdx.x] = values[threadIdx.x] + more[threadIdx.x];
}

}  // namespace

// A row of the table: `kernel` with a block of `threads`, which uses the fields that are named.
#define WRONG(kernel, blocks, threads, shared_bytes, fault, text, ...)                        \
  {                                                                                           \
#kernel, fault, text, [](const Memory& m) {                                                 \
     static_cast<void>(m);                                                                     \
     SIMT_LAUNCH(kernel, blocks, threads, shared_bytes, nullptr, __VA_ARGS__);                 \
   } \
  }

const std::vector<WrongKernel>& AllWrongKernels() {
  static const std::vector<WrongKernel> all = {
      WRONG(ReadPastTheEnd, 1, 32, 0, "out of bounds", "offset 1024 of 1024", m.floats, m.fresh),
      WRONG(WriteBeforeTheBegin, 1, 32, 0, "out of bounds", "offset -4 of 1024", m.floats),
      WRONG(ReadWidePastTheEnd, 1, 32, 0, "out of bounds", "access of 16 bytes at offset 1024",
            m.floats, m.fresh),
      WRONG(ReadSharedPastTheEnd, 1, 32, 0, "out of bounds", "offset 128 of 128", m.floats),
      WRONG(WriteDynamicPastTheEnd, 1, 32, 128, "out of bounds", "offset 128 of 128", m.floats),
      WRONG(WriteIntoTheNextArray, 1, 32, 256, "out of bounds", "offset 128 of 128", m.floats),
      WRONG(FollowNull, 1, 32, 0, "out of bounds", "null pointer", nullptr, m.floats),
      WRONG(ReadGiven, 1, 32, 0, "out of bounds", "not the device's", m.of_host, m.floats),
      WRONG(ReadGiven, 1, 32, 0, "out of bounds", "was freed", m.freed, m.floats),
      WRONG(ReadMisaligned, 1, 32, 0, "misaligned", "offset 4 of 1024 bytes, which is no multiple",
            m.floats, m.fresh),
      WRONG(WriteSharedMisaligned, 1, 32, 0, "misaligned", "no multiple of 4", m.floats),
      WRONG(ReadSharedUnwritten, 1, 32, 0, "uninitialised", "nobody has written", m.floats),
      WRONG(ReadGlobalUnwritten, 1, 32, 0, "uninitialised", "nobody has written", m.fresh,
            m.floats),
      WRONG(ReadSharedOfTheBlockBefore, 2, 32, 0, "uninitialised", "nobody", m.floats),
      WRONG(ReadAsyncCopyTooEarly, 1, 32, 0, "uninitialised", "nobody", m.floats, m.fresh),
      WRONG(BarrierInABranch, 1, 64, 0, "divergent barrier", "is at another one", m.floats),
      WRONG(BarrierAfterReturn, 1, 64, 0, "divergent barrier", "thread 40 has returned", m.floats),
      WRONG(BarriersOfTwoKinds, 1, 64, 0, "divergent barrier", "is at another one", m.ints),
      WRONG(ShuffleAcrossABarrier, 1, 32, 0, "divergent barrier", "waits for lane 0", m.floats),
      WRONG(ShufflesOfTwoMasks, 1, 32, 0, "divergent barrier", "waits for lane 16", m.floats),
      WRONG(ShuffleWithReturnedLanes, 1, 32, 0, "inactive lane", "names lane 30", m.floats),
      WRONG(ShuffleFromOutsideOfTheMask, 1, 32, 0, "inactive lane", "reads lane 20", m.floats),
      WRONG(VoteWithoutOneself, 1, 32, 0, "inactive lane", "lacks the lane", m.words),
      WRONG(ReduceBeyondTheBlock, 1, 48, 0, "inactive lane", "names lane 16", m.ints),
      WRONG(ReadBeforeABarrier, 1, 64, 0, "race", "without anything that orders", m.floats),
      WRONG(WriteAfterReadWithoutABarrier, 1, 64, 0, "race", "at ", m.floats),
      WRONG(ShuffleInsteadOfABarrier, 1, 32, 0, "race", "by thread", m.floats),
      WRONG(WarpBarrierForAnotherWarp, 1, 64, 0, "race", "by thread", m.floats),
      WRONG(AllWriteOnePlace, 1, 32, 0, "race", "written here, and written by", m.floats),
      WRONG(CountWithoutAtomics, 1, 32, 0, "race", "by thread", m.ints),
      WRONG(ReadWhatAtomicsChange, 1, 32, 0, "race", "changed atomically", m.ints),
      WRONG(WriteOneByteTwice, 1, 64, 0, "race", "written here, and written by", m.floats),
      WRONG(BlocksWriteOnePlace, 4, 32, 0, "race between blocks", "of block", m.floats),
      WRONG(BlocksReadTheirNeighbour, 4, 32, 0, "race between blocks", "of block", m.floats),
      WRONG(LastBlockWithoutFence, 4, 32, 0, "race between blocks", "read here, and written by",
            m.floats, m.words),
      WRONG(LastBlockFencesTooEarly, 4, 32, 0, "race between blocks", "read here, and written by",
            m.floats, m.words),
      WRONG(LastBlockReadsWithoutFence, 4, 32, 0, "race between blocks",
            "read here, and written by", m.floats, m.words),
      WRONG(BlockAtomicsFromManyBlocks, 4, 32, 0, "race between blocks", "changed atomically",
            m.ints),
      WRONG(SumFloatsInAnyOrder, 1, 32, 0, "depends on order", "rounding", m.floats),
      WRONG(WaitForAnotherBlock, 2, 1, 0, "endless", "does it wait", m.ints),
      WRONG(MoreThreadsThanBounds, 1, 64, 0, "launch", "launch bounds, 32", m.floats),
      WRONG(Nothing, 1, 1025, 0, "launch", "1,024 threads", m.floats),
      WRONG(Nothing, 0, 32, 0, "launch", "without blocks", m.floats),
      WRONG(Nothing, 1, 32, 65536, "launch", "cudaFuncSetAttribute", m.floats),
      WRONG(TooMuchSharedMemory, 1, 32, 32768, "launch", "static and dynamic", m.floats),
  };
  return all;
}

}  // namespace wrong_kernels
