// The passes over a row that each instruction set supplies; sample_row.cc is written once over
// them. All forms give the same bits. Ids of a row are its indices where `ids` is null.
#pragma once

#include <cstdint>

#include "kernels/sampling/mass.h"
#include "kernels/sampling/philox.h"

namespace maskloom::kernels {

// The largest value of a row and the first index that holds it.
struct MaxAt {
  float value;
  uint32_t index;
};

// The best score so far; equal scores go to the lower id.
struct BestScore {
  float score;
  uint32_t id;
};

// Values v with low <= v < high.
struct Band {
  float low;
  float high;
};

struct RowOps {
  const char* name;

  // Returns how many of the first `count` bits of `mask` are set.
  uint32_t (*count_allowed)(const uint32_t* mask, uint32_t count);

  // Sets values[i] to logits[i] * scale where bit i of `mask` is set (all bits where mask is null)
  // and the product is not NaN, to -infinity elsewhere.
  void (*scale_masked)(const float* logits, const uint32_t* mask, uint32_t count, float scale,
                       float* values);

  // Finds the largest value; index is `count` where all are -infinity. Requires: no NaN.
  MaxAt (*find_max)(const float* values, uint32_t count);

  // Returns the mass of all values (mass.h).
  Mass (*sum_masses)(const float* values, uint32_t count, int32_t base);

  // Adds e^-d * d for d = max - v, rounded to 2^-30 in sums[0] where it is at least 2^-12 and to
  // 2^-42 in sums[1] below. At most 0.37 * 2^30 a token, so sums are exact whatever the split.
  void (*add_entropy)(const float* values, uint32_t count, float max, uint64_t* sums);

  // Appends the indices of the values in the band to `indices`, ascending; returns how many.
  uint32_t (*collect)(const float* values, uint32_t count, Band band, uint32_t* indices);

  // Raises `best` to the best Gumbel score of the row; -infinity takes no part.
  void (*best_score)(const float* values, const uint32_t* ids, uint32_t count, const NoiseKey& key,
                     BestScore* best);
};

// Always there: ordinary C++.
const RowOps& PlainRowOps();

// Returns the AVX2 form, or null where the build or the processor lacks it.
const RowOps* Avx2RowOps();

// Returns the form that ChooseToken uses on this machine.
const RowOps& DefaultRowOps();

// The terms that add_entropy accumulates, shared by its forms.
inline constexpr float kEntropySmall = 1.0f / 4096.0f;
inline constexpr float kEntropyScaleLarge = 1073741824.0f;     // 2^30
inline constexpr float kEntropyScaleSmall = 4398046511104.0f;  // 2^42
inline constexpr int32_t kEntropyLeastExponent = -60;

// Raises `best` with one token, taking the logarithms only when it can still win.
static inline void OfferToken(const NoiseKey& key, uint32_t id, float y, BestScore* best) {
  if (!(y > -__builtin_inff())) return;
  const float clamped = ClampLogit(y);
  if (clamped + kMaxGumbel < best->score) return;
  const uint32_t bits = TokenNoise(key, id);
  if (clamped + GumbelBound(bits) < best->score) return;
  const float score = clamped + GumbelFromBits(bits);
  if (score > best->score || (score == best->score && id < best->id)) *best = {score, id};
}

}  // namespace maskloom::kernels
