// Right kernels whose traffic is known by hand; nvcc compiles them, the stand-in runs them.
#include "kernels/simt/cuda.h"

namespace right_kernels {

using simt::Global;
using simt::Shared;

// Sums each row of `columns` floats, a multiple of four, by a block a row.
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
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xFFFFFFFFu, sum, step);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    float total = 0;
    for (int w = 0; w < kThreads / 32; ++w) total += part[w];
    out[blockIdx.x] = total;
  }
}

cudaError_t LaunchSumRows(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
  SIMT_LAUNCH((SumRows<128>), rows, 128, 0, stream, in, out, columns);
  return cudaGetLastError();
}

}  // namespace right_kernels
