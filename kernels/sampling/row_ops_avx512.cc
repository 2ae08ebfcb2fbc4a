// The passes over values for AVX-512. Each repeats the operations of row_ops_plain.cc lane by lane,
// so the bits are equal. Compiled with -ffp-contract=off: products are fused only where the plain
// form says Fma. The end of a slice is a masked step, not a loop of its own.
#include "kernels/sampling/count_slices.h"
#include "kernels/sampling/mass.h"
#include "kernels/sampling/row_ops.h"

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
#include <immintrin.h>

#include "kernels/cpu_features.h"

namespace maskloom::kernels {
namespace {

constexpr float kMinusInfinity = -__builtin_inff();
constexpr uint32_t kLanes = 16;

// The lanes of a step that has `left` values to go.
inline __mmask16 LanesOf(uint32_t left) {
  return left >= kLanes ? __mmask16{0xffff} : static_cast<__mmask16>((1u << left) - 1);
}

// The values of a step; lanes that are not in `lanes` hold -infinity.
inline __m512 LoadLanes(const float* values, __mmask16 lanes) {
  return _mm512_mask_loadu_ps(_mm512_set1_ps(kMinusInfinity), lanes, values);
}

inline __mmask16 OpenLanes(__m512 y) {
  return _mm512_cmp_ps_mask(y, _mm512_set1_ps(kMinusInfinity), _CMP_GT_OQ);
}

inline __m512 Clamp(__m512 y) {
  return _mm512_max_ps(_mm512_min_ps(y, _mm512_set1_ps(kLogitLimit)), _mm512_set1_ps(-kLogitLimit));
}

struct VectorExp {
  __m512i mantissa_bits;  // of the float e^r: the leading one is not set
  __m512i exponent;
};

// SplitExp of values that are already clamped. The integer n is read off the sum with the magic
// number, whose last place is 1.
inline VectorExp SplitExpClamped(__m512 y) {
  const __m512 magic = _mm512_set1_ps(kRoundingMagic);
  const __m512 shifted = _mm512_fmadd_ps(y, _mm512_set1_ps(kLog2E), magic);
  const __m512 n = _mm512_sub_ps(shifted, magic);
  const __m512 r = _mm512_fnmadd_ps(n, _mm512_set1_ps(kLn2Low),
                                    _mm512_fnmadd_ps(n, _mm512_set1_ps(kLn2High), y));
  __m512 p = _mm512_fmadd_ps(_mm512_set1_ps(kExp7), r, _mm512_set1_ps(kExp6));
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(kExp5));
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(kExp4));
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(kExp3));
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(kExp2));
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(1.0f));
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(1.0f));
  const __m512i bits = _mm512_castps_si512(p);
  const __m512i steps = _mm512_sub_epi32(
      _mm512_castps_si512(shifted),
      _mm512_set1_epi32(static_cast<int>(0x4b400000 + 127)));  // bits of the magic number
  return {_mm512_and_si512(bits, _mm512_set1_epi32(0x7fffff)),
          _mm512_add_epi32(_mm512_srli_epi32(bits, 23), steps)};
}

inline __m512i EvenLanes(__m512i v) { return _mm512_and_si512(v, _mm512_set1_epi64(0xffffffffll)); }
inline __m512i OddLanes(__m512i v) { return _mm512_srli_epi64(v, 32); }

inline Mass SumLanes(__m512i v) {
  alignas(64) uint64_t lanes[8];
  _mm512_store_si512(lanes, v);
  Mass sum = 0;
  for (uint64_t lane : lanes) sum += lane;
  return sum;
}

uint32_t CountSlices(const uint32_t* mask, uint32_t vocab, uint16_t* counts) {
  return CountSlicesWith(mask, vocab, counts, [](const uint32_t* words) {
    const __m512i all = _mm512_loadu_si512(words);
    return _mm512_test_epi32_mask(all, all) == 0;
  });
}

float ScaleMasked(const float* logits, const uint32_t* mask, uint32_t count, float scale,
                  float* values) {
  const __m512 factor = _mm512_set1_ps(scale);
  const __m512 closed = _mm512_set1_ps(kMinusInfinity);
  __m512 largest[2] = {closed, closed};
  for (uint32_t i = 0; i < count; i += 2 * kLanes) {
    const uint32_t word = mask == nullptr ? 0xffffffffu : mask[i >> 5];
    for (uint32_t half = 0; half < 2 && i + half * kLanes < count; ++half) {
      const uint32_t at = i + half * kLanes;
      const __mmask16 lanes = LanesOf(count - at);
      const __mmask16 open = static_cast<__mmask16>((word >> (half * kLanes)) & lanes);
      __m512 y = closed;
      if (open != 0) {
        y = _mm512_mul_ps(LoadLanes(logits + at, open), factor);
        y = _mm512_mask_blend_ps(_mm512_mask_cmp_ps_mask(open, y, y, _CMP_ORD_Q), closed, y);
        largest[half] = _mm512_max_ps(largest[half], y);
      }
      _mm512_mask_storeu_ps(values + at, lanes, y);
    }
  }
  return _mm512_reduce_max_ps(_mm512_max_ps(largest[0], largest[1]));
}

MaxAt FindMax(const float* values, uint32_t count) {
  __m512 most = _mm512_set1_ps(kMinusInfinity);
  for (uint32_t i = 0; i < count; i += kLanes) {
    most = _mm512_max_ps(most, LoadLanes(values + i, LanesOf(count - i)));
  }
  const float largest = _mm512_reduce_max_ps(most);
  if (largest == kMinusInfinity) return {largest, count};
  for (uint32_t i = 0;; i += kLanes) {
    const __m512 v = LoadLanes(values + i, LanesOf(count - i));
    const uint32_t hits = _mm512_cmp_ps_mask(v, _mm512_set1_ps(largest), _CMP_EQ_OQ);
    if (hits == 0) continue;
    const uint32_t at = i + static_cast<uint32_t>(__builtin_ctz(hits));
    return {values[at], at};
  }
}

// Sums of masses in 64-bit lanes. Masses below 2^32 units of the mantissa's place are summed apart
// from those above; a shift beyond 63, which a negative one is as an unsigned number, gives 0. A
// lane takes at most 2^55 in each step.
class MassLanes {
 public:
  explicit MassLanes(int32_t base) : lowest_(_mm512_set1_epi32(base)) {}

  void Add(__m512 y) {
    const __mmask16 open = OpenLanes(y);
    if (open == 0) return;
    const VectorExp parts = SplitExpClamped(Clamp(y));
    const __m512i shift = _mm512_sub_epi32(parts.exponent, lowest_);
    const __m512i mantissa =
        _mm512_maskz_or_epi32(open, parts.mantissa_bits, _mm512_set1_epi32(0x800000));
    AddShifted(0, EvenLanes(mantissa), EvenLanes(shift));
    AddShifted(1, OddLanes(mantissa), OddLanes(shift));
  }

  Mass Sum() const {
    return SumLanes(below_[0]) + SumLanes(below_[1]) +
           ((SumLanes(above_[0]) + SumLanes(above_[1])) << 32);
  }

 private:
  void AddShifted(int k, __m512i mantissa, __m512i shift) {
    const __m512i half = _mm512_set1_epi64(32);
    const __mmask8 is_below = _mm512_cmplt_epu64_mask(shift, half);
    below_[k] =
        _mm512_mask_add_epi64(below_[k], is_below, below_[k], _mm512_sllv_epi64(mantissa, shift));
    above_[k] =
        _mm512_add_epi64(above_[k], _mm512_sllv_epi64(mantissa, _mm512_sub_epi64(shift, half)));
  }

  __m512i lowest_;
  __m512i below_[2] = {_mm512_setzero_si512(), _mm512_setzero_si512()};
  __m512i above_[2] = {_mm512_setzero_si512(), _mm512_setzero_si512()};
};

Mass SumMasses(const float* values, uint32_t count, int32_t base) {
  constexpr uint32_t kStretch = 128 * kLanes;  // lanes stay below 2^62
  Mass mass = 0;
  for (uint32_t begin = 0; begin < count; begin += kStretch) {
    const uint32_t end = count - begin > kStretch ? begin + kStretch : count;
    MassLanes lanes(base);
    uint32_t i = begin;
    for (; i + kLanes <= end; i += kLanes) lanes.Add(_mm512_loadu_ps(values + i));
    if (i < end) lanes.Add(LoadLanes(values + i, LanesOf(end - i)));
    mass += lanes.Sum();
  }
  return mass;
}

void AddEntropy(const float* values, uint32_t count, float max, uint64_t* sums) {
  const __m512 top = _mm512_set1_ps(ClampLogit(max));
  __m512i large = _mm512_setzero_si512();
  __m512i small = _mm512_setzero_si512();
  for (uint32_t i = 0; i < count; i += kLanes) {
    const __m512 y = LoadLanes(values + i, LanesOf(count - i));
    const __m512 distance = _mm512_sub_ps(top, Clamp(y));
    const __m512 minus = _mm512_xor_ps(distance, _mm512_set1_ps(-0.0f));
    const VectorExp parts = SplitExpClamped(Clamp(minus));
    const __mmask16 counted = _mm512_mask_cmpgt_epi32_mask(
        OpenLanes(y), parts.exponent, _mm512_set1_epi32(kEntropyLeastExponent - 1));
    const __m512i weight = _mm512_or_si512(
        parts.mantissa_bits,
        _mm512_slli_epi32(_mm512_add_epi32(parts.exponent, _mm512_set1_epi32(127)), 23));
    const __m512 term = _mm512_maskz_mul_ps(counted, _mm512_castsi512_ps(weight), distance);
    const __mmask16 is_large = _mm512_cmp_ps_mask(term, _mm512_set1_ps(kEntropySmall), _CMP_GE_OQ);
    const __m512 scale = _mm512_mask_blend_ps(is_large, _mm512_set1_ps(kEntropyScaleSmall),
                                              _mm512_set1_ps(kEntropyScaleLarge));
    const __m512i units =
        _mm512_cvttps_epi32(_mm512_add_ps(_mm512_mul_ps(term, scale), _mm512_set1_ps(0.5f)));
    const __m512i to_large = _mm512_maskz_mov_epi32(is_large, units);
    const __m512i to_small = _mm512_maskz_mov_epi32(_knot_mask16(is_large), units);
    large = _mm512_add_epi64(large, _mm512_add_epi64(EvenLanes(to_large), OddLanes(to_large)));
    small = _mm512_add_epi64(small, _mm512_add_epi64(EvenLanes(to_small), OddLanes(to_small)));
  }
  sums[0] += static_cast<uint64_t>(SumLanes(large));
  sums[1] += static_cast<uint64_t>(SumLanes(small));
}

// Writes the lanes of `v` that are in `lanes` side by side, and what follows them in the register.
inline uint32_t Compact(__m512 v, __mmask16 lanes, float* out) {
  _mm512_storeu_ps(out, _mm512_maskz_compress_ps(lanes, v));
  return static_cast<uint32_t>(__builtin_popcount(lanes));
}

uint32_t Collect(const float* values, uint32_t count, Band band, float* out) {
  const __m512 low = _mm512_set1_ps(band.low);
  const __m512 high = _mm512_set1_ps(band.high);
  uint32_t found = 0;
  for (uint32_t i = 0; i < count; i += kLanes) {
    const __mmask16 lanes = LanesOf(count - i);
    const __m512 y = LoadLanes(values + i, lanes);
    const __mmask16 hits = _mm512_mask_cmp_ps_mask(
        _mm512_mask_cmp_ps_mask(lanes, y, low, _CMP_GE_OQ), y, high, _CMP_LE_OQ);
    if (hits != 0) found += Compact(y, hits, out + found);
  }
  return found;
}

uint32_t Partition(float* values, uint32_t count, float pivot, float* high) {
  const __m512 edge = _mm512_set1_ps(pivot);
  uint32_t moved = 0;
  uint32_t stayed = 0;
  for (uint32_t i = 0; i < count; i += kLanes) {
    const __mmask16 lanes = LanesOf(count - i);
    const __m512 y = LoadLanes(values + i, lanes);
    const __mmask16 hits = _mm512_mask_cmp_ps_mask(lanes, y, edge, _CMP_GE_OQ);
    const __mmask16 rest = static_cast<__mmask16>(lanes & ~hits);
    moved += Compact(y, hits, high + moved);
    // Never beyond the step just read: what stays is at most what was read.
    const uint32_t staying = static_cast<uint32_t>(__builtin_popcount(rest));
    _mm512_mask_storeu_ps(values + stayed, LanesOf(staying), _mm512_maskz_compress_ps(rest, y));
    stayed += staying;
  }
  return moved;
}

uint32_t KeepFrom(float* values, uint32_t count, float low, uint32_t* ties) {
  const __m512 edge = _mm512_set1_ps(low);
  uint32_t kept = 0;
  for (uint32_t i = 0; i < count; i += kLanes) {
    const __mmask16 lanes = LanesOf(count - i);
    const __m512 y = LoadLanes(values + i, lanes);
    uint32_t keep = _mm512_cmp_ps_mask(y, edge, _CMP_GT_OQ);
    for (uint32_t equal = _mm512_cmp_ps_mask(y, edge, _CMP_EQ_OQ); equal != 0 && *ties > 0;
         equal &= equal - 1) {
      keep |= equal & (0u - equal);
      --*ties;
    }
    kept += static_cast<uint32_t>(__builtin_popcount(keep));
    _mm512_mask_storeu_ps(
        values + i, lanes,
        _mm512_mask_blend_ps(static_cast<__mmask16>(keep), _mm512_set1_ps(kMinusInfinity), y));
  }
  return kept;
}

// Eight Philox blocks, one in each 64-bit lane, whose counters are `block`. The upper halves of
// the words are not cleared: products read the lower ones alone.
inline void PhiloxBlocks(const NoiseKey& key, __m512i block, __m512i* words) {
  const __m512i factor0 = _mm512_set1_epi64(kPhiloxMul0);
  const __m512i factor1 = _mm512_set1_epi64(kPhiloxMul1);
  __m512i c0 = block;
  __m512i c1 = _mm512_set1_epi64(static_cast<uint32_t>(key.position));
  __m512i c2 = _mm512_set1_epi64(static_cast<int64_t>(key.position >> 32));
  __m512i c3 = _mm512_set1_epi64(static_cast<uint32_t>(NoisePurpose::kSample));
  uint32_t key0 = static_cast<uint32_t>(key.seed);
  uint32_t key1 = static_cast<uint32_t>(key.seed >> 32);
  constexpr int kXorOfThree = 0x96;
  for (int round = 0; round < 10; ++round) {
    const __m512i product0 = _mm512_mul_epu32(c0, factor0);
    const __m512i product1 = _mm512_mul_epu32(c2, factor1);
    c0 = _mm512_ternarylogic_epi64(_mm512_srli_epi64(product1, 32), c1, _mm512_set1_epi64(key0),
                                   kXorOfThree);
    c2 = _mm512_ternarylogic_epi64(_mm512_srli_epi64(product0, 32), c3, _mm512_set1_epi64(key1),
                                   kXorOfThree);
    c1 = product1;
    c3 = product0;
    key0 += kPhiloxWeyl0;
    key1 += kPhiloxWeyl1;
  }
  words[0] = c0;
  words[1] = c1;
  words[2] = c2;
  words[3] = c3;
}

// Joins the lower halves of `even` and `odd` as neighbours.
inline __m512i Pairs(__m512i even, __m512i odd) {
  return _mm512_mask_mov_epi32(even, 0xaaaa, _mm512_slli_epi64(odd, 32));
}

// The noise of 32 tokens in their order, of the eight blocks that `words` holds.
inline void InTokenOrder(const __m512i* words, __m512i* out) {
  const __m512i first = Pairs(words[0], words[1]);
  const __m512i second = Pairs(words[2], words[3]);
  out[0] = _mm512_permutex2var_epi64(first, _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11), second);
  out[1] = _mm512_permutex2var_epi64(first, _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15), second);
}

// Lanes that may still reach `best`: y plus a bound of their noise is at least `best`. The bound is
// -ln W with W rounded down to a power of two (infinite for 0), and a little more.
inline __mmask16 MayWin(__m512 y, __m512i noise, float best) {
  const __m512 steps = _mm512_getexp_ps(_mm512_cvtepu32_ps(noise));
  const __m512 bound = _mm512_fnmadd_ps(steps, _mm512_set1_ps(0.6931472f), _mm512_set1_ps(22.2f));
  const __m512 reach = _mm512_add_ps(Clamp(y), bound);
  return _mm512_mask_cmp_ps_mask(OpenLanes(y), reach, _mm512_set1_ps(best), _CMP_GE_OQ);
}

// Raises `best` with the lanes of one step that may win; `ids` holds the id of each.
inline void Settle(__m512 y, __m512i noise, __m512i ids, BestScore* best) {
  uint32_t hits = MayWin(y, noise, best->score);
  if (hits == 0) return;
  alignas(64) float values[kLanes];
  alignas(64) uint32_t words[kLanes];
  alignas(64) uint32_t names[kLanes];
  _mm512_store_ps(values, y);
  _mm512_store_si512(words, noise);
  _mm512_store_si512(names, ids);
  for (; hits != 0; hits &= hits - 1) {
    const uint32_t k = static_cast<uint32_t>(__builtin_ctz(hits));
    OfferNoise(words[k], names[k], values[k], best);
  }
}

// Whether some value of the vector can win at all.
inline bool AnyWithinReach(__m512 y, float best) {
  const __m512 reach = _mm512_add_ps(Clamp(y), _mm512_set1_ps(kMaxGumbel));
  return _mm512_mask_cmp_ps_mask(OpenLanes(y), reach, _mm512_set1_ps(best), _CMP_GE_OQ) != 0;
}

void BestOfNeighbours(const float* values, uint32_t first, uint32_t count, const NoiseKey& key,
                      BestScore* best) {
  const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  const __m512i block = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
  for (uint32_t i = 0; i < count; i += 2 * kLanes) {
    const uint32_t left = count - i;
    const __m512 y[2] = {
        LoadLanes(values + i, LanesOf(left)),
        LoadLanes(values + i + kLanes, LanesOf(left > kLanes ? left - kLanes : 0))};
    if (!AnyWithinReach(_mm512_max_ps(y[0], y[1]), best->score)) continue;
    __m512i words[4], noise[2];
    PhiloxBlocks(key, _mm512_add_epi64(_mm512_set1_epi64((first + i) / 4), block), words);
    InTokenOrder(words, noise);
    for (uint32_t k = 0; k < 2; ++k) {
      const int id = static_cast<int>(first + i + k * kLanes);
      Settle(y[k], noise[k], _mm512_add_epi32(lane, _mm512_set1_epi32(id)), best);
    }
  }
}

// The random words of eight tokens, in 64-bit lanes.
inline __m512i NoiseOfIds(const NoiseKey& key, __m512i ids) {
  __m512i words[4];
  PhiloxBlocks(key, _mm512_srli_epi64(ids, 2), words);
  const __m512i word = _mm512_and_si512(ids, _mm512_set1_epi64(3));
  __m512i noise = words[0];
  for (int w = 1; w < 4; ++w) {
    noise =
        _mm512_mask_mov_epi64(noise, _mm512_cmpeq_epi64_mask(word, _mm512_set1_epi64(w)), words[w]);
  }
  return noise;
}

void BestOfList(const float* values, const uint32_t* ids, uint32_t count, const NoiseKey& key,
                BestScore* best) {
  for (uint32_t i = 0; i < count; i += kLanes) {
    const __mmask16 lanes = LanesOf(count - i);
    const __m512 y = LoadLanes(values + i, lanes);
    if (!AnyWithinReach(y, best->score)) continue;
    const __m512i names = _mm512_maskz_loadu_epi32(lanes, ids + i);
    const __m512i even = NoiseOfIds(key, EvenLanes(names));
    const __m512i odd = NoiseOfIds(key, OddLanes(names));
    Settle(y, Pairs(even, odd), names, best);
  }
}

void BestScoreOf(const float* values, const SliceIds& ids, uint32_t count, const NoiseKey& key,
                 BestScore* best) {
  if (ids.list == nullptr) {
    BestOfNeighbours(values, ids.first, count, key, best);
  } else {
    BestOfList(values, ids.list, count, key, best);
  }
}

}  // namespace

const RowOps* Avx512RowOps() {
  static constexpr RowOps kOps = {"avx512",   CountSlices, ScaleMasked, FindMax,  SumMasses,
                                  AddEntropy, Collect,     Partition,   KeepFrom, BestScoreOf};
  return DetectCpuFeatures().avx512 ? &kOps : nullptr;
}

}  // namespace maskloom::kernels

#else

namespace maskloom::kernels {

const RowOps* Avx512RowOps() { return nullptr; }

}  // namespace maskloom::kernels

#endif
