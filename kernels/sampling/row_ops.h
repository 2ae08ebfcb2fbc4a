// The passes over values that each instruction set supplies; sample_row.cc is written once over
// them. All forms give the same bits. A pass is given a slice of a row (slices.h) or the
// work list of a selection (select_cut.h).
#pragma once

#include <cstdint>

#include "kernels/sampling/mass.h"
#include "kernels/sampling/philox.h"

namespace maskloom::kernels {

// A row is worked on in slices of so many tokens: a slice of values stays in the first cache.
inline constexpr uint32_t kSliceTokens = 512;
// How many values the vector forms may write behind the last one of an output that they compact.
inline constexpr uint32_t kOverrun = 16;

// The largest value of a slice and the first index that holds it.
struct MaxAt {
  float value;
  uint32_t index;
};

// The best score so far; equal scores go to the lower id.
struct BestScore {
  float score;
  uint32_t id;
};

// Values v with low <= v <= high.
struct Band {
  float low;
  float high;
};

// Ids of a slice: value i is of list[i], or of first + i where there is no list.
struct SliceIds {
  const uint32_t* list;  // ascending
  uint32_t first;        // a multiple of kSliceTokens
};

struct RowOps {
  const char* name;

  // Writes how many bits are set in each slice of a mask of `vocab` bits. Returns their sum.
  uint32_t (*count_slices)(const uint32_t* mask, uint32_t vocab, uint16_t* counts);

  // Sets values[i] to logits[i] * scale where bit i of `mask` is set (all bits where mask is null)
  // and the product is not NaN, to -infinity elsewhere. Returns the largest.
  float (*scale_masked)(const float* logits, const uint32_t* mask, uint32_t count, float scale,
                        float* values);

  // Finds the largest value; index is `count` where all are -infinity. Requires: no NaN.
  MaxAt (*find_max)(const float* values, uint32_t count);

  // Returns the mass of all values (mass.h).
  Mass (*sum_masses)(const float* values, uint32_t count, int32_t base);

  // Adds e^-d * d for d = max - v, rounded to 2^-30 in sums[0] where it is at least 2^-12 and to
  // 2^-42 in sums[1] below. At most 0.37 * 2^30 a token, so sums are exact whatever the split.
  void (*add_entropy)(const float* values, uint32_t count, float max, uint64_t* sums);

  // Writes the values in the band to `out`, in their order; returns how many.
  // Requires: room for kOverrun more.
  uint32_t (*collect)(const float* values, uint32_t count, Band band, float* out);

  // Moves the values of at least `pivot` to `high`, the others to the front of `values`, both in
  // their order. Returns how many were moved. Requires: room for kOverrun more in `high`.
  uint32_t (*partition)(float* values, uint32_t count, float pivot, float* high);

  // Sets values below `low` to -infinity, and those equal to it beyond the first *ties; takes the
  // equal ones that stay off *ties. Returns how many values stay. Requires: low > -infinity.
  uint32_t (*keep_from)(float* values, uint32_t count, float low, uint32_t* ties);

  // Raises `best` to the best Gumbel score of the slice; -infinity takes no part.
  void (*best_score)(const float* values, const SliceIds& ids, uint32_t count, const NoiseKey& key,
                     BestScore* best);
};

// Always there: ordinary C++.
const RowOps& PlainRowOps();

// Return the forms for AVX2 and AVX-512, or null where the build or the processor lacks them.
const RowOps* Avx2RowOps();
const RowOps* Avx512RowOps();

// Returns the form called `name`: "plain" (also "reference"), "avx2" or "avx512"; null where there
// is none here.
const RowOps* FindRowOps(const char* name);

// Returns the form that ChooseToken uses: the one that MASKLOOM_KERNELS names, else the widest that
// this processor runs. The variable is read at the first call; a name that cannot be had counts as
// not given here and is refused where the backend of the model is chosen (kernels.h).
const RowOps& DefaultRowOps();

// The terms that add_entropy accumulates, shared by its forms.
inline constexpr float kEntropySmall = 1.0f / 4096.0f;
inline constexpr float kEntropyScaleLarge = 1073741824.0f;     // 2^30
inline constexpr float kEntropyScaleSmall = 4398046511104.0f;  // 2^42
inline constexpr int32_t kEntropyLeastExponent = -60;

// Raises `best` to a score of token `id`; equal scores go to the lower id.
MASKLOOM_DEVICE static inline void RaiseBest(float score, uint32_t id, BestScore* best) {
  if (score > best->score || (score == best->score && id < best->id)) *best = {score, id};
}

// Raises `best` with one token whose random word is known, taking the logarithms only when it can
// still win. Requires: y not NaN.
MASKLOOM_DEVICE static inline void OfferNoise(uint32_t noise, uint32_t id, float y,
                                              BestScore* best) {
  const float clamped = ClampLogit(y);
  if (!(y > -__builtin_inff()) || clamped + GumbelBound(noise) < best->score) return;
  RaiseBest(clamped + GumbelFromBits(noise), id, best);
}

// Raises `best` with one token, drawing its noise only when it can still win.
MASKLOOM_DEVICE static inline void OfferToken(const NoiseKey& key, uint32_t id, float y,
                                              BestScore* best) {
  if (!(y > -__builtin_inff()) || ClampLogit(y) + kMaxGumbel < best->score) return;
  OfferNoise(TokenNoise(key, id), id, y, best);
}

// The term of one value in add_entropy, split as documented there.
MASKLOOM_DEVICE static inline void AddEntropyTerm(float y, float top, uint64_t* sums) {
  if (y == -__builtin_inff()) return;
  const float distance = top - ClampLogit(y);
  const ExpParts parts = SplitExp(-distance);
  if (parts.exponent < kEntropyLeastExponent) return;
  const float weight = FloatFromBits((parts.mantissa & 0x7fffffu) |
                                     static_cast<uint32_t>(parts.exponent + 127) << 23);
  const float term = weight * distance;
  const bool large = term >= kEntropySmall;
  const float scale = large ? kEntropyScaleLarge : kEntropyScaleSmall;
  const uint32_t units = static_cast<uint32_t>(static_cast<int32_t>(term * scale + 0.5f));
  sums[0] += large ? units : 0u;
  sums[1] += large ? 0u : units;
}

}  // namespace maskloom::kernels
