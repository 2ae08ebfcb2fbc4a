// The usual way from logits to a token, as serving engines do it: a kernel for each step, each over
// the whole batch in float. Bench only: its bytes are set beside those of the fused kernel.
//
//   cast to float, penalties, temperature, mask, softmax (largest and sum, then probabilities), and
//   two passes of rejection sampling over the probabilities
//
// The steps do what their names say with one block a row; the last gives a token that the mask
// allows, drawn from the probabilities. Include it in one file: it has kernels.
#pragma once

#include "kernels/simt/cuda.h"

namespace maskloom::bench {

inline constexpr int kUsualThreads = 256;

// What every step works on; row r begins at r * vocab.
struct UsualBatch {
  simt::Global<const uint16_t> logits;  // bf16
  simt::Global<float> values;
  simt::Global<const uint32_t> mask;    // of all rows; null: none
  simt::Global<const uint8_t> counted;  // [vocab], 1 for tokens with a penalty
  simt::Global<uint32_t> tokens;
  uint32_t vocab;
  float scale;
  float draw;  // of [0, 1)
};

__device__ inline uint64_t UsualRow(const UsualBatch& batch) {
  return static_cast<uint64_t>(blockIdx.x) * batch.vocab;
}

// Returns the values of all threads joined. `parts` has kUsualThreads entries.
template <class Join>
__device__ inline float JoinUsual(simt::Shared<float> parts, float mine, Join join) {
  parts[threadIdx.x] = mine;
  __syncthreads();
  for (int step = kUsualThreads / 2; step > 0; step /= 2) {
    if (static_cast<int>(threadIdx.x) < step) {
      const float a = parts[threadIdx.x];
      const float b = parts[threadIdx.x + step];
      parts[threadIdx.x] = join(a, b);
    }
    __syncthreads();
  }
  const float joined = parts[0];
  __syncthreads();
  return joined;
}

__global__ void CastStep(const UsualBatch batch) {
  for (uint32_t i = threadIdx.x; i < batch.vocab; i += kUsualThreads) {
    const uint32_t bits = batch.logits[UsualRow(batch) + i];
    batch.values[UsualRow(batch) + i] = __uint_as_float(bits << 16);
  }
}

__global__ void PenaltyStep(const UsualBatch batch) {
  for (uint32_t i = threadIdx.x; i < batch.vocab; i += kUsualThreads) {
    const uint8_t counted = batch.counted[i];
    const float value = batch.values[UsualRow(batch) + i];
    batch.values[UsualRow(batch) + i] = counted != 0 ? value - 0.1f : value;
  }
}

__global__ void TemperatureStep(const UsualBatch batch) {
  for (uint32_t i = threadIdx.x; i < batch.vocab; i += kUsualThreads) {
    const float value = batch.values[UsualRow(batch) + i];
    batch.values[UsualRow(batch) + i] = value * batch.scale;
  }
}

__global__ void MaskStep(const UsualBatch batch) {
  for (uint32_t i = threadIdx.x; i < batch.vocab; i += kUsualThreads) {
    const uint32_t word = batch.mask[i / 32];
    if (((word >> (i % 32)) & 1u) == 0) batch.values[UsualRow(batch) + i] = -__builtin_inff();
  }
}

__global__ void SoftmaxStep(const UsualBatch batch) {
  SIMT_SHARED(float, parts, kUsualThreads);
  float largest = -__builtin_inff();
  float sum = 0.0f;
  for (uint32_t i = threadIdx.x; i < batch.vocab; i += kUsualThreads) {
    const float value = batch.values[UsualRow(batch) + i];
    if (value > largest) {
      sum = sum * expf(largest - value) + 1.0f;
      largest = value;
    } else if (value > -__builtin_inff()) {
      sum += expf(value - largest);
    }
  }
  const float top = JoinUsual(parts, largest, [](float a, float b) { return fmaxf(a, b); });
  const float mine = largest > -__builtin_inff() ? sum * expf(largest - top) : 0.0f;
  const float total = JoinUsual(parts, mine, [](float a, float b) { return a + b; });
  for (uint32_t i = threadIdx.x; i < batch.vocab; i += kUsualThreads) {
    const float value = batch.values[UsualRow(batch) + i];
    batch.values[UsualRow(batch) + i] = expf(value - top) / total;
  }
}

// Draws by inversion among each thread's sums, then looks once more whether enough lies above.
__global__ void SampleStep(const UsualBatch batch) {
  SIMT_SHARED(float, sums, kUsualThreads);
  SIMT_SHARED(uint32_t, chosen, 1);
  SIMT_SHARED(float, parts, kUsualThreads);
  float sum = 0.0f;
  for (uint32_t i = threadIdx.x; i < batch.vocab; i += kUsualThreads) {
    const float p = batch.values[UsualRow(batch) + i];
    sum += p;
  }
  sums[threadIdx.x] = sum;
  const float total = JoinUsual(parts, sum, [](float a, float b) { return a + b; });
  if (threadIdx.x == 0) {
    float left = batch.draw * total;
    uint32_t lane = 0;
    for (uint32_t t = 0; t < kUsualThreads; ++t) {
      const float part = sums[t];
      if (part > 0.0f) lane = t;
      if (left < part) break;
      left -= part;
    }
    uint32_t token = UINT32_MAX;
    for (uint32_t i = lane; i < batch.vocab; i += kUsualThreads) {
      const float p = batch.values[UsualRow(batch) + i];
      if (p > 0.0f) token = i;
      if (left < p) break;
      left -= p;
    }
    chosen[0] = token;
  }
  __syncthreads();
  const uint32_t token = chosen[0];
  const float pivot = batch.values[UsualRow(batch) + token];
  float above = 0.0f;
  for (uint32_t i = threadIdx.x; i < batch.vocab; i += kUsualThreads) {
    const float p = batch.values[UsualRow(batch) + i];
    if (p > pivot) above += p;
  }
  above = JoinUsual(parts, above, [](float a, float b) { return a + b; });
  if (threadIdx.x == 0) batch.tokens[blockIdx.x] = above < 1.0f ? token : UINT32_MAX;
}

// Queues the whole pipeline on the default stream.
inline void LaunchUsualPipeline(const UsualBatch& batch, uint32_t rows) {
  SIMT_LAUNCH(CastStep, rows, kUsualThreads, 0, nullptr, batch);
  SIMT_LAUNCH(PenaltyStep, rows, kUsualThreads, 0, nullptr, batch);
  SIMT_LAUNCH(TemperatureStep, rows, kUsualThreads, 0, nullptr, batch);
  if (batch.mask != nullptr) SIMT_LAUNCH(MaskStep, rows, kUsualThreads, 0, nullptr, batch);
  SIMT_LAUNCH(SoftmaxStep, rows, kUsualThreads, 0, nullptr, batch);
  SIMT_LAUNCH(SampleStep, rows, kUsualThreads, 0, nullptr, batch);
}

}  // namespace maskloom::bench
