// The arithmetic of a language model: one signature per operation, several backends behind it.
//
// Kernels take raw pointers, counts and strides, allocate nothing and cannot fail; whoever calls
// them has checked the shapes. A Backend is a table of functions. `reference` is written to be
// read and is the judge of the others; `avx2` and `avx512` are chosen at run time by what the
// processor offers, or by name through the environment variable MASKLOOM_KERNELS.
//
// Matrices are as in GGUF: `rows` rows of `columns` values, each row a sequence of blocks. Blocks
// of 32 (half-precision scales, little-endian):
//   Q4_1  20 bytes  d, m, 16 bytes of nibbles    value e: d * nibble + m, low nibbles are e 0..15
//   Q8_0  34 bytes  d, 32 signed bytes           value e: d * byte
// Every result is a sum in an order that depends on the column count alone: not on the batch, the
// row list, the split over threads, nor on which of avx2 and avx512 runs.
#pragma once

#include <cstddef>
#include <cstdint>

namespace maskloom::kernels {

// How the values of a matrix are stored.
enum class WeightType { kF32, kF16, kQ4_1, kQ8_0 };

// How keys and values are stored in a cache.
enum class KvType { kF32, kF16 };

inline constexpr size_t kBlockElements = 32;

// 32 activations as signed bytes: value e = scale * values[e], |values[e]| <= 127.
struct Q8Block {
  float scale;
  float sum;  // scale * (sum of values), what the offset of a Q4_1 block is multiplied with
  int8_t values[kBlockElements];
};

// Returns the bytes of `columns` values; they must be whole blocks.
size_t RowBytes(WeightType type, size_t columns);

// A product of some rows of a matrix with `batch` vectors:
//   out[b * out_stride + i] = dot(row(i), vector b)   for first <= i < first + count,
// where row(i) is row i of the matrix, or row row_ids[i] when a list is given.
struct MatmulArgs {
  const void* weights = nullptr;  // the matrix's row 0
  WeightType type = WeightType::kF32;
  size_t columns = 0;
  const int32_t* row_ids = nullptr;
  size_t first = 0;
  size_t count = 0;
  const float* x = nullptr;       // batch x columns; read by matmul
  const Q8Block* x_q8 = nullptr;  // batch x columns / 32; read by matmul_q8
  size_t batch = 0;
  float* out = nullptr;
  size_t out_stride = 0;
};

// A run of cached positions of one key/value head; position p lies p * stride elements on.
struct KvRun {
  const void* data = nullptr;
  KvType type = KvType::kF32;
  size_t count = 0;
  size_t stride = 0;
};

// The query heads that share one key/value head, and a run of its positions. Head g reads
// vectors + g * head_dim and its scores lie at scores + g * score_stride.
struct AttentionArgs {
  KvRun run;
  size_t group = 0;     // query heads
  size_t head_dim = 0;  // a multiple of 8
  float* scores = nullptr;
  size_t score_stride = 0;
};

// One implementation of every operation.
struct Backend {
  const char* name;

  // Writes the values of one row. Requires: whole blocks.
  void (*dequantize_row)(WeightType type, const void* row, size_t columns, float* out);

  // Writes columns / 32 blocks: scale = largest magnitude / 127, values rounded to nearest.
  void (*quantize_q8)(const float* x, size_t columns, Q8Block* out);

  // Multiplies with float32 activations; weights are dequantised, products summed in float32.
  void (*matmul)(const MatmulArgs& args);

  // Multiplies with 8-bit activations: integer products within a block, float32 across blocks.
  // Requires: type kQ4_1 or kQ8_0.
  void (*matmul_q8)(const MatmulArgs& args);

  // out[i] = x[i] / sqrt(mean(x^2) + epsilon) * weight[i]. `out` may be `x`.
  void (*rms_norm)(const float* x, const float* weight, size_t count, float epsilon, float* out);

  // Rotates adjacent pairs (2i, 2i+1) of each of `heads` vectors of `stride` values by the angle
  // whose cosine and sine are cos_sin[2i], cos_sin[2i+1]; `pairs` pairs a vector.
  void (*rope)(float* x, size_t heads, size_t stride, size_t pairs, const float* cos_sin);

  // out[i] = silu(gate[i]) * up[i], silu(v) = v / (1 + exp(-v)). `out` may be either input.
  void (*silu_gate)(const float* gate, const float* up, size_t count, float* out);

  // x[i] += y[i].
  void (*add)(float* x, const float* y, size_t count);

  // x becomes exp(x - max) / sum. Requires: count > 0.
  void (*softmax)(float* x, size_t count);

  // Score p of head g = scale * dot(query g, key p) for the run's positions.
  void (*attention_scores)(const AttentionArgs& args, const float* queries, float scale);

  // out g [d] += sum over p, in rising order, of score p of head g * value p [d].
  void (*attention_mix)(const AttentionArgs& args, float* out);

  // Rounds to half precision, nearest even.
  void (*to_half)(const float* x, size_t count, uint16_t* out);
};

// Returns the backend called "reference", "avx2" or "avx512", or nullptr when there is none of that
// name or this processor lacks its instructions.
const Backend* FindBackend(const char* name);

// Returns the backend of choice: the one that MASKLOOM_KERNELS names, else the widest that this
// processor runs; nullptr when the variable names one that cannot be had. The variable is read at
// the first call. Thread safety: any thread.
const Backend* ActiveBackend();

// Returns the names that FindBackend() accepts on this processor, separated by ", ".
const char* AvailableBackends();

}  // namespace maskloom::kernels
