// nvcc compiles these, and the stand-in runs them.
#include "tests/kernels/simt/right_kernels.h"

namespace right_kernels {
inline namespace SIMT_WORLD {
namespace {

using simt::Global;
using simt::Shared;

constexpr unsigned kAll = 0xFFFFFFFFu;

template <int kThreads>
__global__ void __launch_bounds__(kThreads)
    SumRows(Global<const float> SIMT_RESTRICT in, Global<float> SIMT_RESTRICT out, int columns) {
  SIMT_LAUNCH_BOUNDS(kThreads);
  SIMT_SHARED(float, part, kThreads / 32);
  Global<const float4> row = simt::As<const float4>(in + static_cast<size_t>(blockIdx.x) * columns);
  float sum = 0;
  for (int i = threadIdx.x; i < columns / 4; i += kThreads) {
    float4 v = row[i];
    sum += v.x + v.y + v.z + v.w;
  }
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(kAll, sum, step);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    float total = 0;
    for (int w = 0; w < kThreads / 32; ++w) total += part[w];
    out[blockIdx.x] = total;
  }
}

__global__ void Read(Access access, Global<const float> in, Global<float> out) {
  int i = threadIdx.x;
  float value = 0;
  switch (access) {
    case Access::kEachItsFloat:
      value = in[i];
      break;
    case Access::kEveryOther:
      value = in[2 * i];
      break;
    case Access::kEveryEighth:
      value = in[8 * i];
      break;
    case Access::kShiftedByOne:
      value = in[i + 1];
      break;
    case Access::kAllTheSame:
      value = *in;
      break;
    case Access::kEachItsByte:
      value = simt::As<const unsigned char>(in)[i];
      break;
    case Access::kFourEach: {
      float4 four = simt::As<const float4>(in)[i];
      value = four.w;
      break;
    }
    case Access::kBackwards:
      value = __ldg(in + (31 - i));
      break;
  }
  out[i] = value;
}

template <int kStride>
__global__ void Transpose(Global<const float> in, Global<float> out) {
  SIMT_SHARED(float, tile, 32 * kStride);
  for (int y = threadIdx.y; y < 32; y += blockDim.y) {
    tile[y * kStride + threadIdx.x] = in[y * 32 + threadIdx.x];
  }
  __syncthreads();
  for (int y = threadIdx.y; y < 32; y += blockDim.y) {
    out[y * 32 + threadIdx.x] = tile[threadIdx.x * kStride + y];
  }
}

template <class Vector>
__global__ void SharedVectors(Global<float> out) {
  SIMT_SHARED(Vector, values, 32);
  Vector value;
  value.x = static_cast<float>(threadIdx.x);
  values[threadIdx.x] = value;
  __syncthreads();
  Vector other = values[31 - threadIdx.x];
  out[threadIdx.x] = other.x;
}

__global__ void UnevenLoops(Global<const float> in, Global<float> out) {
  float sum = 0;
  for (int j = 0; j <= static_cast<int>(threadIdx.x); ++j) sum += in[32 * j + threadIdx.x];
  out[threadIdx.x] = sum;
}

__global__ void Branches(Global<const float> a, Global<const float> b, Global<float> out) {
  float value = 0;
  if (threadIdx.x % 2 == 0) {
    value = a[threadIdx.x];
  } else {
    value = b[threadIdx.x];
  }
  out[threadIdx.x] = value;
}

__global__ void Histogram(Global<const int> bins, Global<int> counts) {
  SIMT_SHARED(int, local, 8);
  if (threadIdx.x < 8) local[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&local[bins[threadIdx.x]], 1);
  __syncthreads();
  if (threadIdx.x < 8) atomicAdd(counts + threadIdx.x, local[threadIdx.x]);
}

__global__ void LastBlockSums(Global<const float> in, Global<float> parts, Global<unsigned> arrived,
                              Global<float> sum) {
  SIMT_SHARED(bool, is_last, 1);
  float part = in[blockIdx.x * 32 + threadIdx.x];
  for (int step = 16; step > 0; step /= 2) part += __shfl_down_sync(kAll, part, step);
  if (threadIdx.x == 0) {
    parts[blockIdx.x] = part;
    __threadfence();
    is_last[0] = atomicAdd(arrived, 1u) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (!is_last[0]) return;
  float total = 0;
  for (unsigned i = threadIdx.x; i < gridDim.x; i += 32) total += parts[i];
  for (int step = 16; step > 0; step /= 2) total += __shfl_down_sync(kAll, total, step);
  if (threadIdx.x != 0) return;
  *sum = total;
  *arrived = 0;
}

__global__ void WarpExchange(Global<const int> in, Global<int> out) {
  SIMT_SHARED(int, values, 64);
  Shared<int> mine = simt::Within(values + threadIdx.x / 32 * 32, 32);
  int lane = threadIdx.x % 32;
  mine[lane] = in[threadIdx.x];
  __syncwarp();
  int value = mine[31 - lane];
  __syncwarp();
  mine[lane] = value + 1;
  // Halves of a warp may order themselves apart.
  __syncwarp(lane < 16 ? 0x0000FFFFu : 0xFFFF0000u);
  out[threadIdx.x] = mine[lane ^ 1];
}

__global__ void BarrierVotes(int limit, Global<int> out) {
  int is_below = static_cast<int>(threadIdx.x) < limit ? 1 : 0;
  int count = __syncthreads_count(is_below);
  int all = __syncthreads_and(is_below);
  int any = __syncthreads_or(is_below);
  if (threadIdx.x != 0) return;
  out[0] = count;
  out[1] = all;
  out[2] = any;
}

__global__ void LaneFunctions(Global<int> out) {
  int lane = threadIdx.x;
  int results[kLaneResults];
  results[0] = __shfl_sync(kAll, lane, 5);
  results[1] = __shfl_sync(kAll, lane, 1, 8);
  results[2] = __shfl_up_sync(kAll, lane, 3);
  results[3] = __shfl_down_sync(kAll, lane, 3, 16);
  results[4] = __shfl_xor_sync(kAll, lane, 9);
  results[5] = static_cast<int>(__shfl_xor_sync(kAll, 1000000007LL * lane, 1) % 1009);
  results[6] = static_cast<int>(__ballot_sync(kAll, lane % 3 == 0));
  results[7] = __any_sync(kAll, lane == 17) * 2 + __all_sync(kAll, lane < 32);
  results[8] = static_cast<int>(__match_any_sync(kAll, lane % 4));
  results[9] = __reduce_add_sync(kAll, lane);
  results[10] = __reduce_min_sync(kAll, lane - 40) * 100 + __reduce_max_sync(kAll, lane);
  results[11] = static_cast<int>(__reduce_or_sync(kAll, 1u << (lane % 5)) +
                                 __reduce_xor_sync(kAll, 1u << (lane % 30)) * 64);
  // Groups apart, with masks of their own.
  unsigned group = lane < 10 ? 0x000003FFu : 0xFFFFFC00u;
  results[12] = __reduce_add_sync(group, 1);
  results[13] = 0;
  if (lane >= 4 && lane < 9) results[13] = static_cast<int>(__activemask());
  for (int i = 0; i < kLaneResults; ++i) out[lane * kLaneResults + i] = results[i];
}

__global__ void Atomics(Global<int> words, Global<unsigned> unsigned_words, Global<int> returned) {
  returned[0] = atomicAdd(&words[0], 5);
  returned[1] = atomicSub(&words[1], 5);
  returned[2] = atomicMin(&words[2], -3);
  returned[3] = atomicMax(&words[3], 300);
  returned[4] = atomicExch(&words[4], 77);
  returned[5] = atomicCAS(&words[5], 105, 1);
  returned[6] = atomicCAS(&words[6], 0, 1);
  returned[7] = atomicAnd(&words[7], 12);
  returned[8] = atomicOr(&words[8], 16);
  returned[9] = atomicXor(&words[9], 255);
  returned[10] = static_cast<int>(atomicInc(&unsigned_words[0], 9));
  returned[11] = static_cast<int>(atomicInc(&unsigned_words[1], 200));
  returned[12] = static_cast<int>(atomicDec(&unsigned_words[2], 9));
  returned[13] = static_cast<int>(atomicDec(&unsigned_words[3], 200));
}

__global__ void AsyncCopies(Global<const float> in, Global<float> out, int tiles) {
  SIMT_SHARED(float4, buffers, 2 * 32);
  Global<const float4> from = simt::As<const float4>(in);
  Global<float4> to = simt::As<float4>(out);
  int lane = threadIdx.x;
  __pipeline_memcpy_async(buffers + lane, from + lane, sizeof(float4));
  __pipeline_commit();
  for (int tile = 0; tile < tiles; ++tile) {
    if (tile + 1 < tiles) {
      __pipeline_memcpy_async(buffers + (tile + 1) % 2 * 32 + lane, from + (tile + 1) * 32 + lane,
                              sizeof(float4));
    }
    __pipeline_commit();
    __pipeline_wait_prior(1);
    float4 value = buffers[tile % 2 * 32 + lane];
    to[tile * 32 + lane] = value;
  }
}

__global__ void Widen(Global<const __half> halves, Global<const __nv_bfloat16> bfloats,
                      Global<const __nv_fp8_e4m3> e4m3s, Global<const __nv_fp8_e5m2> e5m2s,
                      Global<float> out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  __nv_fp8_e4m3 e4m3 = e4m3s[i];
  __nv_fp8_e5m2 e5m2 = e5m2s[i];
  out[i] = __half2float(halves[i]);
  out[n + i] = __bfloat162float(bfloats[i]);
  out[2 * n + i] = static_cast<float>(e4m3);
  out[3 * n + i] = static_cast<float>(e5m2);
}

__global__ void FollowTable(Global<Pair* const> table, int n, Global<float> sum) {
  float total = 0;
  for (int i = 0; i < n; ++i) {
    Global<const Pair> pair = table[i];
    total += *simt::Member(pair, &Pair::second);
  }
  *sum = total;
}

__global__ void RaiseFirst(Global<Pair> pairs) {
  *simt::Member(pairs + threadIdx.x, &Pair::first) += 1;
}

__global__ void Number(Global<int> out) {
  int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  int threads = blockDim.x * blockDim.y * blockDim.z;
  out[block * threads + thread] = block * 1000 + thread;
}

__global__ void Neighbours(Global<unsigned char> bytes, Global<unsigned short> halves) {
  bytes[threadIdx.x] = static_cast<unsigned char>(threadIdx.x);
  halves[threadIdx.x] = static_cast<unsigned short>(threadIdx.x);
}

__global__ void LongLoop(Global<const float> in, Global<float> out, int rounds) {
  float sum = 0;
  for (int i = 0; i < rounds; ++i) sum += in[i * 32 + threadIdx.x];
  out[threadIdx.x] = sum;
}

__global__ void Double(Global<const float> in, Global<float> out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2 * in[i];
}

}  // namespace

void LaunchSumRows(const float* in, float* out, int rows, int columns) {
  SIMT_LAUNCH((SumRows<128>), rows, 128, 0, nullptr, in, out, columns);
}
void LaunchRead(Access access, const float* in, float* out) {
  SIMT_LAUNCH(Read, 1, 32, 0, nullptr, access, in, out);
}
void LaunchTranspose(const float* in, float* out, bool is_padded) {
  if (is_padded) {
    SIMT_LAUNCH((Transpose<33>), 1, dim3(32, 8), 0, nullptr, in, out);
  } else {
    SIMT_LAUNCH((Transpose<32>), 1, dim3(32, 8), 0, nullptr, in, out);
  }
}
void LaunchSharedVectors(int width, float* out) {
  if (width == 1) SIMT_LAUNCH((SharedVectors<float1>), 1, 32, 0, nullptr, out);
  if (width == 2) SIMT_LAUNCH((SharedVectors<float2>), 1, 32, 0, nullptr, out);
  if (width == 4) SIMT_LAUNCH((SharedVectors<float4>), 1, 32, 0, nullptr, out);
}
void LaunchUnevenLoops(const float* in, float* out) {
  SIMT_LAUNCH(UnevenLoops, 1, 32, 0, nullptr, in, out);
}
void LaunchBranches(const float* a, const float* b, float* out) {
  SIMT_LAUNCH(Branches, 1, 32, 0, nullptr, a, b, out);
}
void LaunchHistogram(const int* bins, int* counts) {
  SIMT_LAUNCH(Histogram, 1, 64, 0, nullptr, bins, counts);
}
void LaunchLastBlockSums(const float* in, float* parts, unsigned* arrived, float* sum, int blocks) {
  SIMT_LAUNCH(LastBlockSums, blocks, 32, 0, nullptr, in, parts, arrived, sum);
}
void LaunchWarpExchange(const int* in, int* out) {
  SIMT_LAUNCH(WarpExchange, 1, 64, 0, nullptr, in, out);
}
void LaunchBarrierVotes(int limit, int* out) {
  SIMT_LAUNCH(BarrierVotes, 1, 96, 0, nullptr, limit, out);
}
void LaunchLaneFunctions(int* out) { SIMT_LAUNCH(LaneFunctions, 1, 32, 0, nullptr, out); }
void LaunchAtomics(int* words, unsigned* unsigned_words, int* returned) {
  SIMT_LAUNCH(Atomics, 1, 1, 0, nullptr, words, unsigned_words, returned);
}
void LaunchAsyncCopies(const float* in, float* out, int tiles) {
  SIMT_LAUNCH(AsyncCopies, 1, 32, 0, nullptr, in, out, tiles);
}
void LaunchWiden(const uint16_t* halves, const uint16_t* bfloats, const uint8_t* fp8s, float* out,
                 int n) {
  SIMT_LAUNCH(Widen, (n + 127) / 128, 128, 0, nullptr, reinterpret_cast<const __half*>(halves),
              reinterpret_cast<const __nv_bfloat16*>(bfloats),
              reinterpret_cast<const __nv_fp8_e4m3*>(fp8s),
              reinterpret_cast<const __nv_fp8_e5m2*>(fp8s), out, n);
}
void LaunchFollowTable(Pair* const* table, int n, float* sum) {
  SIMT_LAUNCH(FollowTable, 1, 1, 0, nullptr, table, n, sum);
}
void LaunchRaiseFirst(Pair* pairs) { SIMT_LAUNCH(RaiseFirst, 1, 4, 0, nullptr, pairs); }
void LaunchNumber(int* out) { SIMT_LAUNCH(Number, dim3(3, 2, 2), dim3(5, 3, 2), 0, nullptr, out); }
void LaunchNeighbours(unsigned char* bytes, unsigned short* halves) {
  SIMT_LAUNCH(Neighbours, 1, 64, 0, nullptr, bytes, halves);
}
void LaunchLongLoop(const float* in, float* out, int rounds) {
  SIMT_LAUNCH(LongLoop, 1, 32, 0, nullptr, in, out, rounds);
}
void LaunchDouble(const float* in, float* out, int n, size_t bytes, cudaStream_t stream) {
  SIMT_LAUNCH(Double, (n + 63) / 64, 64, bytes, stream, in, out, n);
}

}  // namespace SIMT_WORLD
}  // namespace right_kernels
