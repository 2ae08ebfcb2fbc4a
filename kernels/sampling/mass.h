// Exact sums of probabilities.
//
// The weight of a token is e^y = M * 2^(E - 23) with a 24-bit integer M (exact_math.h). Weights are
// summed as integers, so a sum does not depend on order, lanes, threads or how a row is split.
//
//   exponent, relative to the largest weight, whose window is the last one:
//
//      base          base+16       base+32       base+48       base+64
//       |-- window 0 --|-- window 1 --|-- window 2 --|-- window 3 --|
//
// `base` is a multiple of 16 that depends only on the largest logit. A token at exponent E adds
// M << (E - base - 16 w) to the 64-bit sum of its window w: at most 2^40, so 2^22 tokens cannot
// overflow it. Weights below `base` (less than 2^-48 of the largest) count as zero: 2^22 of them
// are less than 2^-26 of the whole. The mass of a set is sum_w window[w] << 16 w, an exact 128-bit
// integer in units of 2^(base - 23); masses of disjoint sets add without error.
#pragma once

#include "kernels/sampling/exact_math.h"

namespace maskloom::kernels {

using Mass = unsigned __int128;

inline constexpr int kMassWindows = 4;
inline constexpr int kMassWindowBits = 16;

// Returns the exponent of the lowest mass unit for a row whose largest value is `max_value`.
static inline int32_t MassBase(float max_value) {
  const int32_t exponent = SplitExp(max_value).exponent;
  return ((exponent >> 4) - (kMassWindows - 1)) * kMassWindowBits;
}

// Returns the mass of one value; 0 for -infinity. Requires: y at most the value given to MassBase.
static inline Mass MassOf(float y, int32_t base) {
  if (y == -__builtin_inff()) return 0;
  const ExpParts parts = SplitExp(y);
  const int32_t shift = parts.exponent - base;
  return shift < 0 ? 0 : static_cast<Mass>(parts.mantissa) << shift;
}

// Returns the mass that window sums stand for.
static inline Mass MassOfWindows(const uint64_t* windows) {
  Mass mass = 0;
  for (int w = 0; w < kMassWindows; ++w) {
    mass += static_cast<Mass>(windows[w]) << (w * kMassWindowBits);
  }
  return mass;
}

// Returns the natural logarithm of `mass` in units of e^0: the log-sum-exp of the set.
double LogOfMass(Mass mass, int32_t base);

// Returns the least mass that is at least `fraction` of `total`, and at least 1.
// Requires: fraction in [0, 1]. One multiplication in double decides, the same everywhere.
Mass NeededMass(Mass total, double fraction);

}  // namespace maskloom::kernels
