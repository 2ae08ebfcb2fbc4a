// The passes over values for AVX2. Each repeats the operations of row_ops_plain.cc lane by lane, so
// the bits are equal. Compiled with -ffp-contract=off: products are fused only where the plain form
// says Fma.
#include "kernels/sampling/count_slices.h"
#include "kernels/sampling/mass.h"
#include "kernels/sampling/row_ops.h"

#if defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>

#include "kernels/cpu_features.h"

namespace maskloom::kernels {
namespace {

constexpr float kMinusInfinity = -__builtin_inff();

struct VectorExp {
  __m256i mantissa;
  __m256i exponent;
};

inline __m256 Clamp(__m256 y) {
  y = _mm256_min_ps(y, _mm256_set1_ps(kLogitLimit));
  return _mm256_max_ps(y, _mm256_set1_ps(-kLogitLimit));
}

// SplitExp of eight values that are already clamped.
inline VectorExp SplitExpClamped(__m256 y) {
  const __m256 magic = _mm256_set1_ps(kRoundingMagic);
  const __m256 n = _mm256_sub_ps(_mm256_fmadd_ps(y, _mm256_set1_ps(kLog2E), magic), magic);
  const __m256 r = _mm256_fnmadd_ps(n, _mm256_set1_ps(kLn2Low),
                                    _mm256_fnmadd_ps(n, _mm256_set1_ps(kLn2High), y));
  __m256 p = _mm256_fmadd_ps(_mm256_set1_ps(kExp7), r, _mm256_set1_ps(kExp6));
  p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(kExp5));
  p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(kExp4));
  p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(kExp3));
  p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(kExp2));
  p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(1.0f));
  p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(1.0f));
  const __m256i bits = _mm256_castps_si256(p);
  const __m256i mantissa = _mm256_or_si256(_mm256_and_si256(bits, _mm256_set1_epi32(0x7fffff)),
                                           _mm256_set1_epi32(0x800000));
  const __m256i exponent =
      _mm256_add_epi32(_mm256_sub_epi32(_mm256_srli_epi32(bits, 23), _mm256_set1_epi32(127)),
                       _mm256_cvttps_epi32(n));
  return {mantissa, exponent};
}

inline __m256i LowHalf64(__m256i v) { return _mm256_cvtepu32_epi64(_mm256_castsi256_si128(v)); }
inline __m256i HighHalf64(__m256i v) {
  return _mm256_cvtepu32_epi64(_mm256_extracti128_si256(v, 1));
}

inline uint64_t SumLanes(__m256i v) {
  alignas(32) uint64_t lanes[4];
  _mm256_store_si256(reinterpret_cast<__m256i*>(lanes), v);
  return lanes[0] + lanes[1] + lanes[2] + lanes[3];
}

inline Mass SumLanesWide(__m256i v) {
  alignas(32) uint64_t lanes[4];
  _mm256_store_si256(reinterpret_cast<__m256i*>(lanes), v);
  return static_cast<Mass>(lanes[0]) + lanes[1] + lanes[2] + lanes[3];
}

inline float MaxLane(__m256 v) {
  __m128 m = _mm_max_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
  m = _mm_max_ps(m, _mm_movehl_ps(m, m));
  return _mm_cvtss_f32(_mm_max_ss(m, _mm_shuffle_ps(m, m, 1)));
}

uint32_t CountSlices(const uint32_t* mask, uint32_t vocab, uint16_t* counts) {
  return CountSlicesWith(mask, vocab, counts, [](const uint32_t* words) {
    const __m256i* halves = reinterpret_cast<const __m256i*>(words);
    const __m256i any = _mm256_or_si256(_mm256_loadu_si256(halves), _mm256_loadu_si256(halves + 1));
    return _mm256_testz_si256(any, any) != 0;
  });
}

float ScaleMasked(const float* logits, const uint32_t* mask, uint32_t count, float scale,
                  float* values) {
  const __m256 factor = _mm256_set1_ps(scale);
  const __m256 closed = _mm256_set1_ps(kMinusInfinity);
  const __m256i bit = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
  __m256 largest = closed;
  uint32_t i = 0;
  for (; i + 32 <= count; i += 32) {
    const uint32_t word = mask == nullptr ? 0xffffffffu : mask[i >> 5];
    if (word == 0) {
      for (uint32_t k = 0; k < 32; k += 8) _mm256_storeu_ps(values + i + k, closed);
      continue;
    }
    for (uint32_t k = 0; k < 32; k += 8) {
      const __m256i byte = _mm256_set1_epi32(static_cast<int>((word >> k) & 0xffu));
      const __m256i open = _mm256_cmpeq_epi32(_mm256_and_si256(byte, bit), bit);
      const __m256 y = _mm256_mul_ps(_mm256_loadu_ps(logits + i + k), factor);
      const __m256 keep = _mm256_and_ps(_mm256_castsi256_ps(open), _mm256_cmp_ps(y, y, _CMP_ORD_Q));
      const __m256 value = _mm256_blendv_ps(closed, y, keep);
      _mm256_storeu_ps(values + i + k, value);
      largest = _mm256_max_ps(largest, value);
    }
  }
  const float most = MaxLane(largest);
  if (i == count) return most;
  const float last = PlainRowOps().scale_masked(
      logits + i, mask == nullptr ? nullptr : mask + (i >> 5), count - i, scale, values + i);
  return last > most ? last : most;
}

MaxAt FindMax(const float* values, uint32_t count) {
  __m256 m0 = _mm256_set1_ps(kMinusInfinity), m1 = m0, m2 = m0, m3 = m0;
  uint32_t i = 0;
  for (; i + 32 <= count; i += 32) {
    m0 = _mm256_max_ps(m0, _mm256_loadu_ps(values + i));
    m1 = _mm256_max_ps(m1, _mm256_loadu_ps(values + i + 8));
    m2 = _mm256_max_ps(m2, _mm256_loadu_ps(values + i + 16));
    m3 = _mm256_max_ps(m3, _mm256_loadu_ps(values + i + 24));
  }
  float largest = MaxLane(_mm256_max_ps(_mm256_max_ps(m0, m1), _mm256_max_ps(m2, m3)));
  for (; i < count; ++i) largest = values[i] > largest ? values[i] : largest;
  if (largest == kMinusInfinity) return {largest, count};
  const __m256 wanted = _mm256_set1_ps(largest);
  uint32_t at = 0;
  for (; at + 8 <= count; at += 8) {
    const __m256 equal = _mm256_cmp_ps(_mm256_loadu_ps(values + at), wanted, _CMP_EQ_OQ);
    const int hits = _mm256_movemask_ps(equal);
    if (hits != 0) {
      at += static_cast<uint32_t>(__builtin_ctz(static_cast<unsigned>(hits)));
      return {values[at], at};
    }
  }
  while (values[at] != largest) ++at;
  return {values[at], at};
}

// Masses below 2^32 units of the mantissa's place are summed apart from those above. A lane takes
// at most 2^56 twice in each step of 8, so 32 steps stay below 2^62 and are then added to the
// whole.
Mass SumMasses(const float* values, uint32_t count, int32_t base) {
  constexpr uint32_t kStretch = 32 * 8;
  const __m256 closed = _mm256_set1_ps(kMinusInfinity);
  const __m256i half = _mm256_set1_epi32(32);
  const __m256i whole = _mm256_set1_epi32(31);
  Mass below = 0;
  Mass above = 0;
  uint32_t i = 0;
  while (i + 8 <= count) {
    const uint32_t end = count - i > kStretch ? i + kStretch : i + (count - i) / 8 * 8;
    __m256i sum_below = _mm256_setzero_si256();
    __m256i sum_above = _mm256_setzero_si256();
    for (; i < end; i += 8) {
      const __m256 y = _mm256_loadu_ps(values + i);
      const __m256i open = _mm256_castps_si256(_mm256_cmp_ps(y, closed, _CMP_GT_OQ));
      if (_mm256_testz_si256(open, open)) continue;
      const VectorExp parts = SplitExpClamped(Clamp(y));
      const __m256i shift = _mm256_sub_epi32(parts.exponent, _mm256_set1_epi32(base));
      // A negative shift is beyond 63 as an unsigned number, and such shifts give 0.
      const __m256i is_above = _mm256_cmpgt_epi32(shift, whole);
      const __m256i within = _mm256_sub_epi32(shift, _mm256_and_si256(is_above, half));
      const __m256i mantissa = _mm256_and_si256(parts.mantissa, open);
      const __m256i low = _mm256_sllv_epi64(LowHalf64(mantissa), LowHalf64(within));
      const __m256i high = _mm256_sllv_epi64(HighHalf64(mantissa), HighHalf64(within));
      const __m256i low_above = _mm256_cvtepi32_epi64(_mm256_castsi256_si128(is_above));
      const __m256i high_above = _mm256_cvtepi32_epi64(_mm256_extracti128_si256(is_above, 1));
      sum_above = _mm256_add_epi64(sum_above, _mm256_add_epi64(_mm256_and_si256(low, low_above),
                                                               _mm256_and_si256(high, high_above)));
      sum_below =
          _mm256_add_epi64(sum_below, _mm256_add_epi64(_mm256_andnot_si256(low_above, low),
                                                       _mm256_andnot_si256(high_above, high)));
    }
    below += SumLanesWide(sum_below);
    above += SumLanesWide(sum_above);
  }
  Mass mass = below + (above << 32);
  if (i < count) mass += PlainRowOps().sum_masses(values + i, count - i, base);
  return mass;
}

void AddEntropy(const float* values, uint32_t count, float max, uint64_t* sums) {
  const __m256 closed = _mm256_set1_ps(kMinusInfinity);
  const __m256 top = _mm256_set1_ps(ClampLogit(max));
  const __m256 half = _mm256_set1_ps(0.5f);
  __m256i large = _mm256_setzero_si256();
  __m256i small = _mm256_setzero_si256();
  uint32_t i = 0;
  for (; i + 8 <= count; i += 8) {
    const __m256 y = _mm256_loadu_ps(values + i);
    const __m256i open = _mm256_castps_si256(_mm256_cmp_ps(y, closed, _CMP_GT_OQ));
    const __m256 distance = _mm256_sub_ps(top, Clamp(y));
    const __m256 minus = _mm256_xor_ps(distance, _mm256_set1_ps(-0.0f));
    const VectorExp parts = SplitExpClamped(Clamp(minus));
    const __m256i counted = _mm256_and_si256(
        open, _mm256_cmpgt_epi32(parts.exponent, _mm256_set1_epi32(kEntropyLeastExponent - 1)));
    const __m256i weight = _mm256_or_si256(
        _mm256_and_si256(parts.mantissa, _mm256_set1_epi32(0x7fffff)),
        _mm256_slli_epi32(_mm256_add_epi32(parts.exponent, _mm256_set1_epi32(127)), 23));
    const __m256 term = _mm256_mul_ps(_mm256_castsi256_ps(_mm256_and_si256(weight, counted)),
                                      _mm256_and_ps(distance, _mm256_castsi256_ps(counted)));
    const __m256i is_large =
        _mm256_castps_si256(_mm256_cmp_ps(term, _mm256_set1_ps(kEntropySmall), _CMP_GE_OQ));
    const __m256 scale =
        _mm256_blendv_ps(_mm256_set1_ps(kEntropyScaleSmall), _mm256_set1_ps(kEntropyScaleLarge),
                         _mm256_castsi256_ps(is_large));
    const __m256i units = _mm256_cvttps_epi32(_mm256_add_ps(_mm256_mul_ps(term, scale), half));
    const __m256i to_large = _mm256_and_si256(units, is_large);
    const __m256i to_small = _mm256_andnot_si256(is_large, units);
    large = _mm256_add_epi64(large, _mm256_add_epi64(LowHalf64(to_large), HighHalf64(to_large)));
    small = _mm256_add_epi64(small, _mm256_add_epi64(LowHalf64(to_small), HighHalf64(to_small)));
  }
  sums[0] += SumLanes(large);
  sums[1] += SumLanes(small);
  if (i < count) PlainRowOps().add_entropy(values + i, count - i, max, sums);
}

uint32_t Collect(const float* values, uint32_t count, Band band, float* out) {
  const __m256 low = _mm256_set1_ps(band.low);
  const __m256 high = _mm256_set1_ps(band.high);
  uint32_t found = 0;
  uint32_t i = 0;
  for (; i + 8 <= count; i += 8) {
    const __m256 y = _mm256_loadu_ps(values + i);
    unsigned hits = static_cast<unsigned>(_mm256_movemask_ps(
        _mm256_and_ps(_mm256_cmp_ps(y, low, _CMP_GE_OQ), _mm256_cmp_ps(y, high, _CMP_LE_OQ))));
    for (; hits != 0; hits &= hits - 1) out[found++] = values[i + __builtin_ctz(hits)];
  }
  return found + PlainRowOps().collect(values + i, count - i, band, out + found);
}

uint32_t KeepFrom(float* values, uint32_t count, float low, uint32_t* ties) {
  const __m256 edge = _mm256_set1_ps(low);
  const __m256 closed = _mm256_set1_ps(kMinusInfinity);
  uint32_t kept = 0;
  uint32_t i = 0;
  for (; i + 8 <= count; i += 8) {
    const __m256 y = _mm256_loadu_ps(values + i);
    const __m256 above = _mm256_cmp_ps(y, edge, _CMP_GT_OQ);
    if (_mm256_movemask_ps(_mm256_cmp_ps(y, edge, _CMP_EQ_OQ)) != 0) {
      kept += PlainRowOps().keep_from(values + i, 8, low, ties);
      continue;
    }
    kept +=
        static_cast<uint32_t>(__builtin_popcount(static_cast<unsigned>(_mm256_movemask_ps(above))));
    _mm256_storeu_ps(values + i, _mm256_blendv_ps(closed, y, above));
  }
  return kept + PlainRowOps().keep_from(values + i, count - i, low, ties);
}

// The high and low halves of eight 32-bit products with a constant.
inline void MultiplyWide(__m256i a, uint32_t factor, __m256i* high, __m256i* low) {
  const __m256i f = _mm256_set1_epi32(static_cast<int>(factor));
  const __m256i even = _mm256_mul_epu32(a, f);
  const __m256i odd = _mm256_mul_epu32(_mm256_srli_epi64(a, 32), f);
  *low = _mm256_blend_epi32(even, _mm256_slli_epi64(odd, 32), 0xAA);
  *high = _mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0xAA);
}

// Eight Philox blocks: words[w] holds word w of the counters `block`.
inline void PhiloxBlocks(const NoiseKey& key, __m256i block, __m256i* words) {
  __m256i c0 = block;
  __m256i c1 = _mm256_set1_epi32(static_cast<int>(key.position));
  __m256i c2 = _mm256_set1_epi32(static_cast<int>(key.position >> 32));
  __m256i c3 = _mm256_set1_epi32(static_cast<int>(NoisePurpose::kSample));
  uint32_t key0 = static_cast<uint32_t>(key.seed);
  uint32_t key1 = static_cast<uint32_t>(key.seed >> 32);
  for (int round = 0; round < 10; ++round) {
    __m256i high0, low0, high1, low1;
    MultiplyWide(c0, kPhiloxMul0, &high0, &low0);
    MultiplyWide(c2, kPhiloxMul1, &high1, &low1);
    c0 = _mm256_xor_si256(_mm256_xor_si256(high1, c1), _mm256_set1_epi32(static_cast<int>(key0)));
    c2 = _mm256_xor_si256(_mm256_xor_si256(high0, c3), _mm256_set1_epi32(static_cast<int>(key1)));
    c1 = low1;
    c3 = low0;
    key0 += kPhiloxWeyl0;
    key1 += kPhiloxWeyl1;
  }
  words[0] = c0;
  words[1] = c1;
  words[2] = c2;
  words[3] = c3;
}

// Turns words[w] lane j into rows: out[r] holds the noise of tokens 8 r .. 8 r + 7 of the 32.
inline void InTokenOrder(const __m256i* words, __m256i* out) {
  const __m256i a = _mm256_unpacklo_epi32(words[0], words[1]);
  const __m256i b = _mm256_unpackhi_epi32(words[0], words[1]);
  const __m256i c = _mm256_unpacklo_epi32(words[2], words[3]);
  const __m256i d = _mm256_unpackhi_epi32(words[2], words[3]);
  const __m256i r0 = _mm256_unpacklo_epi64(a, c);
  const __m256i r1 = _mm256_unpackhi_epi64(a, c);
  const __m256i r2 = _mm256_unpacklo_epi64(b, d);
  const __m256i r3 = _mm256_unpackhi_epi64(b, d);
  out[0] = _mm256_permute2x128_si256(r0, r1, 0x20);
  out[1] = _mm256_permute2x128_si256(r2, r3, 0x20);
  out[2] = _mm256_permute2x128_si256(r0, r1, 0x31);
  out[3] = _mm256_permute2x128_si256(r2, r3, 0x31);
}

// Bits of the lanes that may still reach `best`: y plus the bound of their noise is at least
// `best`.
inline unsigned MayWin(__m256 y, __m256i noise, float best) {
  const __m256i top = _mm256_srli_epi32(noise, 8);
  const __m256i zero = _mm256_cmpeq_epi32(top, _mm256_setzero_si256());
  const __m256i log2_top = _mm256_sub_epi32(
      _mm256_srli_epi32(_mm256_castps_si256(_mm256_cvtepi32_ps(top)), 23), _mm256_set1_epi32(127));
  const __m256 steps = _mm256_cvtepi32_ps(_mm256_sub_epi32(_mm256_set1_epi32(24), log2_top));
  __m256 bound =
      _mm256_add_ps(_mm256_mul_ps(steps, _mm256_set1_ps(0.6931472f)), _mm256_set1_ps(0.01f));
  bound = _mm256_blendv_ps(bound, _mm256_set1_ps(kMaxGumbel), _mm256_castsi256_ps(zero));
  const __m256 reach = _mm256_add_ps(Clamp(y), bound);
  const __m256 open = _mm256_cmp_ps(y, _mm256_set1_ps(kMinusInfinity), _CMP_GT_OQ);
  const __m256 may = _mm256_cmp_ps(reach, _mm256_set1_ps(best), _CMP_GE_OQ);
  return static_cast<unsigned>(_mm256_movemask_ps(_mm256_and_ps(open, may)));
}

void BestOfNeighbours(const float* values, uint32_t first, uint32_t count, const NoiseKey& key,
                      BestScore* best) {
  const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  const __m256 closed = _mm256_set1_ps(kMinusInfinity);
  uint32_t i = 0;
  for (; i + 32 <= count; i += 32) {
    __m256 largest = closed;
    for (uint32_t k = 0; k < 32; k += 8) {
      largest = _mm256_max_ps(largest, _mm256_loadu_ps(values + i + k));
    }
    const __m256 reach = _mm256_add_ps(Clamp(largest), _mm256_set1_ps(kMaxGumbel));
    const __m256 may = _mm256_and_ps(_mm256_cmp_ps(largest, closed, _CMP_GT_OQ),
                                     _mm256_cmp_ps(reach, _mm256_set1_ps(best->score), _CMP_GE_OQ));
    if (_mm256_movemask_ps(may) == 0) continue;
    __m256i words[4], rows[4];
    const int block = static_cast<int>((first + i) >> 2);
    PhiloxBlocks(key, _mm256_add_epi32(_mm256_set1_epi32(block), lane), words);
    InTokenOrder(words, rows);
    for (uint32_t r = 0; r < 4; ++r) {
      const __m256 y = _mm256_loadu_ps(values + i + 8 * r);
      unsigned hits = MayWin(y, rows[r], best->score);
      if (hits == 0) continue;
      alignas(32) uint32_t noise[8];
      _mm256_store_si256(reinterpret_cast<__m256i*>(noise), rows[r]);
      for (; hits != 0; hits &= hits - 1) {
        const uint32_t k = static_cast<uint32_t>(__builtin_ctz(hits));
        const uint32_t at = i + 8 * r + k;
        OfferNoise(noise[k], first + at, values[at], best);
      }
    }
  }
  for (; i < count; ++i) OfferToken(key, first + i, values[i], best);
}

void BestOfList(const float* values, const uint32_t* ids, uint32_t count, const NoiseKey& key,
                BestScore* best) {
  uint32_t i = 0;
  for (; i + 8 <= count; i += 8) {
    const __m256i id = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(ids + i));
    __m256i words[4];
    PhiloxBlocks(key, _mm256_srli_epi32(id, 2), words);
    __m256i noise = words[0];
    const __m256i word = _mm256_and_si256(id, _mm256_set1_epi32(3));
    for (int w = 1; w < 4; ++w) {
      noise = _mm256_blendv_epi8(noise, words[w], _mm256_cmpeq_epi32(word, _mm256_set1_epi32(w)));
    }
    unsigned hits = MayWin(_mm256_loadu_ps(values + i), noise, best->score);
    if (hits == 0) continue;
    alignas(32) uint32_t bits[8];
    _mm256_store_si256(reinterpret_cast<__m256i*>(bits), noise);
    for (; hits != 0; hits &= hits - 1) {
      const uint32_t k = static_cast<uint32_t>(__builtin_ctz(hits));
      OfferNoise(bits[k], ids[i + k], values[i + k], best);
    }
  }
  for (; i < count; ++i) OfferToken(key, ids[i], values[i], best);
}

void BestScoreOf(const float* values, const SliceIds& ids, uint32_t count, const NoiseKey& key,
                 BestScore* best) {
  if (ids.list == nullptr) {
    BestOfNeighbours(values, ids.first, count, key, best);
  } else {
    BestOfList(values, ids.list, count, key, best);
  }
}

// A selection's work list is short against its row: the plain form compacts it without branches.
uint32_t Partition(float* values, uint32_t count, float pivot, float* high) {
  return PlainRowOps().partition(values, count, pivot, high);
}

}  // namespace

const RowOps* Avx2RowOps() {
  static constexpr RowOps kOps = {"avx2",     CountSlices, ScaleMasked, FindMax,  SumMasses,
                                  AddEntropy, Collect,     Partition,   KeepFrom, BestScoreOf};
  return DetectCpuFeatures().avx2 ? &kOps : nullptr;
}

}  // namespace maskloom::kernels

#else

namespace maskloom::kernels {

const RowOps* Avx2RowOps() { return nullptr; }

}  // namespace maskloom::kernels

#endif
