// The operations on 256-bit registers, written once; an instruction set supplies DotU8S8.
//
// Included by avx2.cc and avx512.cc only. Everything is a member of VectorKernels<Isa> with Isa of
// internal linkage, so that no code compiled for one processor can be linked in for another.
//
// Products are computed in tiles of kRows x kBatch, each weight block unpacked once for the tile's
// vectors, each activation block loaded once for its rows. What is summed in which order does not
// depend on the tile: lane j of a product's accumulator takes elements 4j .. 4j+3 of every block,
// block after block, and the eight lanes are added pairwise at the end. For Q4_1 the offset m is
// multiplied with the block sum of the activations instead of being added to every weight.
//
// Bytes: a decode step reads every weight once (20 bytes per 32 for Q4_1, 34 for Q8_0); the
// activations of a row stay in the first-level cache.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/kernels.h"

namespace maskloom::kernels {

template <typename Isa>
struct VectorKernels {
  static constexpr size_t kFloatChunk = 4096;  // columns dequantised at a time, 16 KiB of stack

  static inline float SumLanes(__m256 v) {
    __m128 sum = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    sum = _mm_add_ps(sum, _mm_movehl_ps(sum, sum));
    return _mm_cvtss_f32(_mm_add_ss(sum, _mm_movehdup_ps(sum)));
  }

  static inline float MaxLanes(__m256 v) {
    __m128 top = _mm_max_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    top = _mm_max_ps(top, _mm_movehl_ps(top, top));
    return _mm_cvtss_f32(_mm_max_ss(top, _mm_movehdup_ps(top)));
  }

  // Returns the two halves at `bytes` as floats in lanes 0 and 1.
  static inline __m128 LoadHalfPair(const uint8_t* bytes) {
    return _mm_cvtph_ps(_mm_loadu_si32(bytes));
  }

  static inline float LoadHalf(const uint8_t* bytes) {
    uint16_t bits;
    std::memcpy(&bits, bytes, 2);
    return _cvtsh_ss(bits);
  }

  // Returns the 32 nibbles of a Q4_1 block as bytes in element order.
  static inline __m256i LoadNibbles(const uint8_t* bytes) {
    __m128i packed = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes));
    __m256i both = _mm256_set_m128i(_mm_srli_epi16(packed, 4), packed);
    return _mm256_and_si256(both, _mm256_set1_epi8(15));
  }

  static inline __m256i LoadBytes(const void* bytes) {
    return _mm256_loadu_si256(static_cast<const __m256i*>(bytes));
  }

  // e^x to 2 units in the last place; below -87.3 it is 2^-126.
  // Source: Cephes expf (range reduction by ln 2 in two parts, polynomial of degree 5).
  static inline __m256 Exp(__m256 x) {
    x = _mm256_max_ps(x, _mm256_set1_ps(-87.336f));
    x = _mm256_min_ps(x, _mm256_set1_ps(88.376f));
    __m256 n = _mm256_round_ps(_mm256_mul_ps(x, _mm256_set1_ps(1.44269504088896341f)),
                               _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    __m256 r = _mm256_fnmadd_ps(n, _mm256_set1_ps(0.693359375f), x);
    r = _mm256_fnmadd_ps(n, _mm256_set1_ps(-2.12194440e-4f), r);
    __m256 p = _mm256_set1_ps(1.9875691500e-4f);
    p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(1.3981999507e-3f));
    p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(8.3334519073e-3f));
    p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(4.1665795894e-2f));
    p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(1.6666665459e-1f));
    p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(5.0000001201e-1f));
    p = _mm256_fmadd_ps(p, _mm256_mul_ps(r, r), _mm256_add_ps(r, _mm256_set1_ps(1.0f)));
    __m256i exponent = _mm256_add_epi32(_mm256_cvtps_epi32(n), _mm256_set1_epi32(127));
    return _mm256_mul_ps(p, _mm256_castsi256_ps(_mm256_slli_epi32(exponent, 23)));
  }

  // --- Rows -----------------------------------------------------------------------------------

  static inline void StoreBytesAsFloats(__m128i bytes, __m256 scale, __m256 offset, float* out) {
    __m256 low = _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(bytes));
    __m256 high = _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_srli_si128(bytes, 8)));
    _mm256_storeu_ps(out, _mm256_add_ps(_mm256_mul_ps(low, scale), offset));
    _mm256_storeu_ps(out + 8, _mm256_add_ps(_mm256_mul_ps(high, scale), offset));
  }

  static void DequantizeRow(WeightType type, const void* row, size_t columns, float* out) {
    const auto* bytes = static_cast<const uint8_t*>(row);
    switch (type) {
      case WeightType::kF32:
        std::memcpy(out, bytes, columns * sizeof(float));
        return;
      case WeightType::kF16: {
        size_t e = 0;
        for (; e + 8 <= columns; e += 8) {
          __m128i half = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes + 2 * e));
          _mm256_storeu_ps(out + e, _mm256_cvtph_ps(half));
        }
        for (; e < columns; ++e) out[e] = LoadHalf(bytes + 2 * e);
        return;
      }
      case WeightType::kQ4_1:
        for (size_t k = 0; k < columns / 32; ++k, bytes += 20, out += 32) {
          __m256 scale = _mm256_set1_ps(LoadHalf(bytes));
          __m256 offset = _mm256_set1_ps(LoadHalf(bytes + 2));
          __m256i values = LoadNibbles(bytes + 4);
          StoreBytesAsFloats(_mm256_castsi256_si128(values), scale, offset, out);
          StoreBytesAsFloats(_mm256_extracti128_si256(values, 1), scale, offset, out + 16);
        }
        return;
      case WeightType::kQ8_0:
        for (size_t k = 0; k < columns / 32; ++k, bytes += 34, out += 32) {
          __m256 scale = _mm256_set1_ps(LoadHalf(bytes));
          __m256i values = LoadBytes(bytes + 2);
          __m256 zero = _mm256_setzero_ps();
          StoreBytesAsFloats(_mm256_castsi256_si128(values), scale, zero, out);
          StoreBytesAsFloats(_mm256_extracti128_si256(values, 1), scale, zero, out + 16);
        }
        return;
    }
  }

  static void QuantizeQ8(const float* x, size_t columns, Q8Block* out) {
    const __m256 magnitude_bits = _mm256_castsi256_ps(_mm256_set1_epi32(0x7FFFFFFF));
    for (size_t b = 0; b < columns / 32; ++b, x += 32) {
      __m256 v[4];
      __m256 top = _mm256_setzero_ps();
      for (int i = 0; i < 4; ++i) {
        v[i] = _mm256_loadu_ps(x + 8 * i);
        top = _mm256_max_ps(top, _mm256_and_ps(v[i], magnitude_bits));
      }
      float largest = MaxLanes(top);
      float scale = largest / 127;
      __m256 inverse = _mm256_set1_ps(largest > 0 ? 127 / largest : 0);
      __m256i q[4];
      for (int i = 0; i < 4; ++i) q[i] = _mm256_cvtps_epi32(_mm256_mul_ps(v[i], inverse));
      __m256i sums = _mm256_add_epi32(_mm256_add_epi32(q[0], q[1]), _mm256_add_epi32(q[2], q[3]));
      // The packs work on 128-bit halves; the permutation restores element order.
      __m256i bytes =
          _mm256_packs_epi16(_mm256_packs_epi32(q[0], q[1]), _mm256_packs_epi32(q[2], q[3]));
      bytes = _mm256_permutevar8x32_epi32(bytes, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(out[b].values), bytes);
      out[b].scale = scale;
      // Sums of at most 32 * 127 are exact in float32, whatever the order.
      out[b].sum = scale * SumLanes(_mm256_cvtepi32_ps(sums));
    }
  }

  // --- Products -------------------------------------------------------------------------------

  static inline const uint8_t* Row(const MatmulArgs& args, size_t row_bytes, size_t i) {
    size_t row = args.row_ids != nullptr ? static_cast<size_t>(args.row_ids[i]) : i;
    return static_cast<const uint8_t*>(args.weights) + row * row_bytes;
  }

  // Asks for the bytes of step k of a later tile. Several rows read side by side defeat the
  // hardware's prefetcher: a Q8_0 matrix read from memory went from 8 to 37 GB/s with this (Zen 5).
  template <size_t kStepBytes>
  static inline void PrefetchStep(const uint8_t* ahead, size_t k) {
    const char* at = reinterpret_cast<const char*>(ahead) + k * kStepBytes;
    for (size_t offset = 0; offset < kStepBytes; offset += 64) {
      _mm_prefetch(at + offset, _MM_HINT_T0);
    }
  }

  template <int kRows, int kBatch>
  static inline void TileQ4_1(const uint8_t* const* rows, const uint8_t* ahead, const Q8Block* x,
                              size_t blocks, float* const* out, size_t out_stride) {
    __m256 sums[kRows][kBatch];
    __m128 offsets[kRows][kBatch];  // lane 1 sums m * (activation sum); lane 0 is not used
    for (int r = 0; r < kRows; ++r) {
      for (int b = 0; b < kBatch; ++b) {
        sums[r][b] = _mm256_setzero_ps();
        offsets[r][b] = _mm_setzero_ps();
      }
    }
    for (size_t k = 0; k < blocks; ++k) {
      PrefetchStep<20 * kRows>(ahead, k);
      for (int r = 0; r < kRows; ++r) {
        const uint8_t* block = rows[r] + 20 * k;
        __m256i weights = LoadNibbles(block + 4);
        __m128 scale_and_min = LoadHalfPair(block);
        for (int b = 0; b < kBatch; ++b) {
          const Q8Block& xb = x[static_cast<size_t>(b) * blocks + k];
          __m128 factors =
              _mm_castsi128_ps(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(&xb.scale)));
          factors = _mm_mul_ps(scale_and_min, factors);
          __m256i dot = Isa::DotU8S8(weights, LoadBytes(xb.values));
          sums[r][b] =
              _mm256_fmadd_ps(_mm256_broadcastss_ps(factors), _mm256_cvtepi32_ps(dot), sums[r][b]);
          offsets[r][b] = _mm_add_ps(offsets[r][b], factors);
        }
      }
    }
    for (int r = 0; r < kRows; ++r) {
      for (int b = 0; b < kBatch; ++b) {
        out[r][static_cast<size_t>(b) * out_stride] =
            SumLanes(sums[r][b]) + _mm_cvtss_f32(_mm_movehdup_ps(offsets[r][b]));
      }
    }
  }

  template <int kRows, int kBatch>
  static inline void TileQ8_0(const uint8_t* const* rows, const uint8_t* ahead, const Q8Block* x,
                              size_t blocks, float* const* out, size_t out_stride) {
    __m256 sums[kRows][kBatch];
    for (int r = 0; r < kRows; ++r) {
      for (int b = 0; b < kBatch; ++b) sums[r][b] = _mm256_setzero_ps();
    }
    for (size_t k = 0; k < blocks; ++k) {
      PrefetchStep<34 * kRows>(ahead, k);
      for (int r = 0; r < kRows; ++r) {
        const uint8_t* block = rows[r] + 34 * k;
        __m256i weights = LoadBytes(block + 2);
        __m256i magnitudes = _mm256_abs_epi8(weights);
        float scale = LoadHalf(block);
        for (int b = 0; b < kBatch; ++b) {
          const Q8Block& xb = x[static_cast<size_t>(b) * blocks + k];
          __m256i signed_x = _mm256_sign_epi8(LoadBytes(xb.values), weights);
          __m256i dot = Isa::DotU8S8(magnitudes, signed_x);
          sums[r][b] = _mm256_fmadd_ps(_mm256_set1_ps(scale * xb.scale), _mm256_cvtepi32_ps(dot),
                                       sums[r][b]);
        }
      }
    }
    for (int r = 0; r < kRows; ++r) {
      for (int b = 0; b < kBatch; ++b) {
        out[r][static_cast<size_t>(b) * out_stride] = SumLanes(sums[r][b]);
      }
    }
  }

  template <int kRows, int kBatch>
  static inline void TileQ8(const MatmulArgs& args, size_t row_bytes, size_t i, size_t b) {
    const uint8_t* rows[kRows];
    float* out[kRows];
    for (int r = 0; r < kRows; ++r) {
      rows[r] = Row(args, row_bytes, i + static_cast<size_t>(r));
      out[r] = args.out + b * args.out_stride + i + static_cast<size_t>(r);
    }
    // Reading ahead past the end of the matrix is harmless: a prefetch never faults.
    const uint8_t* ahead = rows[0] + 2 * kRows * row_bytes;
    size_t blocks = args.columns / kBlockElements;
    const Q8Block* x = args.x_q8 + b * blocks;
    if (args.type == WeightType::kQ4_1) {
      TileQ4_1<kRows, kBatch>(rows, ahead, x, blocks, out, args.out_stride);
    } else {
      TileQ8_0<kRows, kBatch>(rows, ahead, x, blocks, out, args.out_stride);
    }
  }

  // Asks for `count` rows from row i on of a row list.
  static inline void PrefetchListed(const MatmulArgs& args, size_t row_bytes, size_t i,
                                    size_t count) {
    for (size_t end = i + count; i < end; ++i) {
      const char* row = reinterpret_cast<const char*>(Row(args, row_bytes, i));
      for (size_t offset = 0; offset < row_bytes; offset += 64) {
        _mm_prefetch(row + offset, _MM_HINT_T0);
      }
    }
  }

  // Multiplies kRows rows from row i on with all vectors.
  template <int kRows>
  static inline void RowsQ8(const MatmulArgs& args, size_t row_bytes, size_t i) {
    size_t left = args.first + args.count - i - kRows;
    if (args.row_ids != nullptr && left > 0) {
      PrefetchListed(args, row_bytes, i + kRows, left < kRows ? left : kRows);
    }
    size_t b = 0;
    if constexpr (kRows <= 2) {
      for (; b + 4 <= args.batch; b += 4) TileQ8<kRows, 4>(args, row_bytes, i, b);
    }
    for (; b < args.batch; ++b) TileQ8<kRows, 1>(args, row_bytes, i, b);
  }

  static void MatmulQ8(const MatmulArgs& args) {
    size_t row_bytes = RowBytes(args.type, args.columns);
    size_t end = args.first + args.count;
    size_t i = args.first;
    if (args.batch < 4) {
      for (; i + 4 <= end; i += 4) RowsQ8<4>(args, row_bytes, i);
    }
    for (; i + 2 <= end; i += 2) RowsQ8<2>(args, row_bytes, i);
    for (; i < end; ++i) RowsQ8<1>(args, row_bytes, i);
  }

  // Dots of `count` weights with kBatch vectors that lie `stride` apart.
  template <int kBatch>
  static inline void DotFloats(const float* w, const float* x, size_t stride, size_t count,
                               float* sums) {
    __m256 even[kBatch], odd[kBatch];
    for (int b = 0; b < kBatch; ++b) even[b] = odd[b] = _mm256_setzero_ps();
    size_t e = 0;
    for (; e + 16 <= count; e += 16) {
      __m256 w0 = _mm256_loadu_ps(w + e);
      __m256 w1 = _mm256_loadu_ps(w + e + 8);
      for (int b = 0; b < kBatch; ++b) {
        const float* xb = x + static_cast<size_t>(b) * stride + e;
        even[b] = _mm256_fmadd_ps(w0, _mm256_loadu_ps(xb), even[b]);
        odd[b] = _mm256_fmadd_ps(w1, _mm256_loadu_ps(xb + 8), odd[b]);
      }
    }
    for (int b = 0; b < kBatch; ++b) {
      const float* xb = x + static_cast<size_t>(b) * stride;
      float sum = SumLanes(_mm256_add_ps(even[b], odd[b]));
      for (size_t t = e; t < count; ++t) sum += w[t] * xb[t];
      sums[b] = sum;
    }
  }

  static void Matmul(const MatmulArgs& args) {
    alignas(32) float buffer[kFloatChunk];
    size_t row_bytes = RowBytes(args.type, args.columns);
    for (size_t i = args.first; i < args.first + args.count; ++i) {
      const uint8_t* row = Row(args, row_bytes, i);
      for (size_t begin = 0; begin < args.columns; begin += kFloatChunk) {
        size_t count = args.columns - begin < kFloatChunk ? args.columns - begin : kFloatChunk;
        const uint8_t* weights = row + RowBytes(args.type, begin);
        DequantizeRow(args.type, weights, count, buffer);
        float sums[4];
        auto store = [&](size_t b, int vectors) {
          for (int v = 0; v < vectors; ++v) {
            float* out = args.out + (b + static_cast<size_t>(v)) * args.out_stride + i;
            *out = begin == 0 ? sums[v] : *out + sums[v];
          }
        };
        size_t b = 0;
        for (; b + 4 <= args.batch; b += 4) {
          DotFloats<4>(buffer, args.x + b * args.columns + begin, args.columns, count, sums);
          store(b, 4);
        }
        for (; b < args.batch; ++b) {
          DotFloats<1>(buffer, args.x + b * args.columns + begin, args.columns, count, sums);
          store(b, 1);
        }
      }
    }
  }

  // --- Between the products -------------------------------------------------------------------

  static void RmsNorm(const float* x, const float* weight, size_t count, float epsilon,
                      float* out) {
    __m256 squares = _mm256_setzero_ps();
    size_t i = 0;
    for (; i + 8 <= count; i += 8) {
      __m256 v = _mm256_loadu_ps(x + i);
      squares = _mm256_fmadd_ps(v, v, squares);
    }
    float sum = SumLanes(squares);
    for (; i < count; ++i) sum += x[i] * x[i];
    float mean = sum / static_cast<float>(count) + epsilon;
    float factor = 1.0f / _mm_cvtss_f32(_mm_sqrt_ss(_mm_set_ss(mean)));
    for (i = 0; i < count; ++i) out[i] = x[i] * factor * weight[i];
  }

  static void Rope(float* x, size_t heads, size_t stride, size_t pairs, const float* cos_sin) {
    for (size_t h = 0; h < heads; ++h) {
      float* head = x + h * stride;
      size_t i = 0;
      for (; i + 4 <= pairs; i += 4) {
        __m256 v = _mm256_loadu_ps(head + 2 * i);
        __m256 angles = _mm256_loadu_ps(cos_sin + 2 * i);
        __m256 cosines = _mm256_moveldup_ps(angles);
        __m256 sines = _mm256_movehdup_ps(angles);
        __m256 swapped = _mm256_permute_ps(v, 0xB1);
        _mm256_storeu_ps(head + 2 * i, _mm256_addsub_ps(_mm256_mul_ps(v, cosines),
                                                        _mm256_mul_ps(swapped, sines)));
      }
      for (; i < pairs; ++i) {
        float a = head[2 * i], b = head[2 * i + 1];
        head[2 * i] = a * cos_sin[2 * i] - b * cos_sin[2 * i + 1];
        head[2 * i + 1] = b * cos_sin[2 * i] + a * cos_sin[2 * i + 1];
      }
    }
  }

  static inline __m256 SiluGate8(__m256 gate, __m256 up) {
    __m256 one = _mm256_set1_ps(1.0f);
    __m256 denominator = _mm256_add_ps(one, Exp(_mm256_sub_ps(_mm256_setzero_ps(), gate)));
    return _mm256_mul_ps(_mm256_div_ps(gate, denominator), up);
  }

  static void SiluGate(const float* gate, const float* up, size_t count, float* out) {
    size_t i = 0;
    for (; i + 8 <= count; i += 8) {
      _mm256_storeu_ps(out + i, SiluGate8(_mm256_loadu_ps(gate + i), _mm256_loadu_ps(up + i)));
    }
    if (i == count) return;
    float g[8] = {}, u[8] = {}, result[8];
    std::memcpy(g, gate + i, (count - i) * sizeof(float));
    std::memcpy(u, up + i, (count - i) * sizeof(float));
    _mm256_storeu_ps(result, SiluGate8(_mm256_loadu_ps(g), _mm256_loadu_ps(u)));
    std::memcpy(out + i, result, (count - i) * sizeof(float));
  }

  static void Add(float* x, const float* y, size_t count) {
    for (size_t i = 0; i < count; ++i) x[i] += y[i];
  }

  static void Softmax(float* x, size_t count) {
    __m256 top = _mm256_set1_ps(x[0]);
    size_t i = 0;
    for (; i + 8 <= count; i += 8) top = _mm256_max_ps(top, _mm256_loadu_ps(x + i));
    float largest = MaxLanes(top);
    for (; i < count; ++i) largest = x[i] > largest ? x[i] : largest;
    __m256 shift = _mm256_set1_ps(largest);
    __m256 sums = _mm256_setzero_ps();
    for (i = 0; i + 8 <= count; i += 8) {
      __m256 e = Exp(_mm256_sub_ps(_mm256_loadu_ps(x + i), shift));
      _mm256_storeu_ps(x + i, e);
      sums = _mm256_add_ps(sums, e);
    }
    float sum = SumLanes(sums);
    if (i < count) {
      float rest[8] = {};
      std::memcpy(rest, x + i, (count - i) * sizeof(float));
      _mm256_storeu_ps(rest, Exp(_mm256_sub_ps(_mm256_loadu_ps(rest), shift)));
      for (size_t t = i; t < count; ++t) sum += x[t] = rest[t - i];
    }
    float inverse = 1.0f / sum;
    for (i = 0; i < count; ++i) x[i] *= inverse;
  }

  // --- Attention ------------------------------------------------------------------------------

  // Heads that share keys and values are taken three or two at a time (12 or 8 accumulators, which
  // leaves room in 16 registers). A score is summed the same way in every tile.

  static inline __m256 LoadKv(const KvRun& run, size_t index) {
    if (run.type == KvType::kF32) {
      return _mm256_loadu_ps(static_cast<const float*>(run.data) + index);
    }
    return _mm256_cvtph_ps(_mm_loadu_si128(
        reinterpret_cast<const __m128i*>(static_cast<const uint16_t*>(run.data) + index)));
  }

  // Returns the lane sums of four vectors.
  static inline __m128 SumLanesOfFour(__m256 a, __m256 b, __m256 c, __m256 d) {
    __m256 pairs = _mm256_hadd_ps(_mm256_hadd_ps(a, b), _mm256_hadd_ps(c, d));
    return _mm_add_ps(_mm256_castps256_ps128(pairs), _mm256_extractf128_ps(pairs, 1));
  }

  // Scores of four positions for kHeads heads: each key is read and widened once for all of them.
  template <int kHeads>
  static inline void ScoreTile(const AttentionArgs& args, const float* queries, size_t p,
                               __m128* sums) {
    __m256 dots[kHeads][4];
    size_t keys[4];
    for (size_t k = 0; k < 4; ++k) {
      size_t position = p + k < args.run.count ? p + k : p;  // a tail repeats its first position
      keys[k] = position * args.run.stride;
      for (int g = 0; g < kHeads; ++g) dots[g][k] = _mm256_setzero_ps();
    }
    for (size_t d = 0; d < args.head_dim; d += 8) {
      for (int k = 0; k < 4; ++k) {
        __m256 key = LoadKv(args.run, keys[k] + d);
        for (int g = 0; g < kHeads; ++g) {
          __m256 query = _mm256_loadu_ps(queries + static_cast<size_t>(g) * args.head_dim + d);
          dots[g][k] = _mm256_fmadd_ps(query, key, dots[g][k]);
        }
      }
    }
    for (int g = 0; g < kHeads; ++g) {
      sums[g] = SumLanesOfFour(dots[g][0], dots[g][1], dots[g][2], dots[g][3]);
    }
  }

  template <int kHeads>
  static void ScoreHeads(const AttentionArgs& args, const float* queries, float scale,
                         float* scores) {
    __m128 sums[kHeads];
    for (size_t p = 0; p < args.run.count; p += 4) {
      ScoreTile<kHeads>(args, queries, p, sums);
      size_t left = args.run.count - p;
      for (size_t g = 0; g < kHeads; ++g) {
        float four[4];
        _mm_storeu_ps(four, _mm_mul_ps(sums[g], _mm_set1_ps(scale)));
        std::memcpy(scores + g * args.score_stride + p, four,
                    (left < 4 ? left : 4) * sizeof(float));
      }
    }
  }

  static void AttentionScores(const AttentionArgs& args, const float* queries, float scale) {
    for (size_t g = 0; g < args.group;) {
      const float* from = queries + g * args.head_dim;
      float* to = args.scores + g * args.score_stride;
      size_t left = args.group - g;
      if (left == 3) {
        ScoreHeads<3>(args, from, scale, to);
        return;
      }
      if (left >= 2) {
        ScoreHeads<2>(args, from, scale, to);
        g += 2;
      } else {
        ScoreHeads<1>(args, from, scale, to);
        ++g;
      }
    }
  }

  // Adds to kVectors * 8 outputs of kHeads heads, held in registers over all positions.
  template <int kHeads, int kVectors>
  static inline void MixColumns(const AttentionArgs& args, const float* scores, float* out,
                                size_t begin) {
    __m256 sums[kHeads][kVectors];
    for (int g = 0; g < kHeads; ++g) {
      for (int v = 0; v < kVectors; ++v) {
        sums[g][v] = _mm256_loadu_ps(out + static_cast<size_t>(g) * args.head_dim + begin + 8 * v);
      }
    }
    for (size_t p = 0; p < args.run.count; ++p) {
      __m256 values[kVectors];
      for (int v = 0; v < kVectors; ++v) {
        values[v] = LoadKv(args.run, p * args.run.stride + begin + 8 * static_cast<size_t>(v));
      }
      for (int g = 0; g < kHeads; ++g) {
        __m256 weight = _mm256_set1_ps(scores[static_cast<size_t>(g) * args.score_stride + p]);
        for (int v = 0; v < kVectors; ++v) {
          sums[g][v] = _mm256_fmadd_ps(weight, values[v], sums[g][v]);
        }
      }
    }
    for (int g = 0; g < kHeads; ++g) {
      for (int v = 0; v < kVectors; ++v) {
        _mm256_storeu_ps(out + static_cast<size_t>(g) * args.head_dim + begin + 8 * v, sums[g][v]);
      }
    }
  }

  template <int kHeads>
  static void MixHeads(const AttentionArgs& args, const float* scores, float* out) {
    size_t d = 0;
    for (; d + 32 <= args.head_dim; d += 32) MixColumns<kHeads, 4>(args, scores, out, d);
    for (; d + 8 <= args.head_dim; d += 8) MixColumns<kHeads, 1>(args, scores, out, d);
  }

  static void AttentionMix(const AttentionArgs& args, float* out) {
    for (size_t g = 0; g < args.group;) {
      const float* scores = args.scores + g * args.score_stride;
      float* to = out + g * args.head_dim;
      size_t left = args.group - g;
      if (left == 3) {
        MixHeads<3>(args, scores, to);
        return;
      }
      if (left >= 2) {
        MixHeads<2>(args, scores, to);
        g += 2;
      } else {
        MixHeads<1>(args, scores, to);
        ++g;
      }
    }
  }

  static void ToHalf(const float* x, size_t count, uint16_t* out) {
    size_t i = 0;
    for (; i + 8 <= count; i += 8) {
      _mm_storeu_si128(reinterpret_cast<__m128i*>(out + i),
                       _mm256_cvtps_ph(_mm256_loadu_ps(x + i), _MM_FROUND_TO_NEAREST_INT));
    }
    for (; i < count; ++i) out[i] = _cvtss_sh(x[i], _MM_FROUND_TO_NEAREST_INT);
  }

  static constexpr Backend MakeBackend(const char* name) {
    return {
        .name = name,
        .dequantize_row = DequantizeRow,
        .quantize_q8 = QuantizeQ8,
        .matmul = Matmul,
        .matmul_q8 = MatmulQ8,
        .rms_norm = RmsNorm,
        .rope = Rope,
        .silu_gate = SiluGate,
        .add = Add,
        .softmax = Softmax,
        .attention_scores = AttentionScores,
        .attention_mix = AttentionMix,
        .to_half = ToHalf,
    };
  }
};

}  // namespace maskloom::kernels
