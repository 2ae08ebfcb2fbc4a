// Exact sums of probabilities.
//
// The weight of a token is e^y = M * 2^(E - 23) with a 24-bit integer M (exact_math.h). Weights are
// summed as integers, so a sum does not depend on order, lanes, threads or how a row is split, and
// masses of disjoint sets add without error.
//
//      base                                            largest weight: E in base+48 .. base+63
//       |---------------------------------------------------|
//       unit 2^(base - 23): a token at exponent E has mass M << (E - base)
//
// `base` is a multiple of 16 that depends only on the largest logit. A device that reads the row
// once keeps a 64-bit sum for each 16 exponents (at most 2^40 a token) and drops the lowest when a
// larger logit moves the base. Weights below `base` (less than 2^-48 of the largest) count as zero:
// 2^22 of them are less than 2^-26 of the whole. A mass is at most 2^88 for one token and 2^110 for
// a row: 128 bits hold it.
#pragma once

#include "kernels/sampling/exact_math.h"

namespace maskloom::kernels {

using Mass = unsigned __int128;

inline constexpr int32_t kMassBaseStep = 16;
inline constexpr int32_t kMassDepth = 48;  // bits kept below the step that holds the largest weight

// Returns the exponent of the lowest mass unit for a row whose largest value is `max_value`.
static inline int32_t MassBase(float max_value) {
  const int32_t exponent = SplitExp(max_value).exponent;
  return (exponent & ~(kMassBaseStep - 1)) - kMassDepth;
}

// Returns the mass of one value; 0 for -infinity. Requires: y at most the value given to MassBase.
static inline Mass MassOf(float y, int32_t base) {
  if (y == -__builtin_inff()) return 0;
  const ExpParts parts = SplitExp(y);
  const int32_t shift = parts.exponent - base;
  return shift < 0 ? 0 : static_cast<Mass>(parts.mantissa) << shift;
}

// Returns the natural logarithm of `mass` in units of e^0: the log-sum-exp of the set.
double LogOfMass(Mass mass, int32_t base);

// Returns the least mass that is at least `fraction` of `total`, and at least 1.
// Requires: fraction in [0, 1]. One multiplication in double decides, the same everywhere.
Mass NeededMass(Mass total, double fraction);

}  // namespace maskloom::kernels
