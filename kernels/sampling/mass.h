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
//
// Conversions to and from double and the logarithm are written out here, so that no compiler's
// library decides a bit of them.
#pragma once

#include "kernels/sampling/exact_math.h"

namespace maskloom::kernels {

using Mass = unsigned __int128;

inline constexpr int32_t kMassBaseStep = 16;
inline constexpr int32_t kMassDepth = 48;  // bits kept below the step that holds the largest weight

// Returns the lowest exponent of the step that holds `exponent`.
MASKLOOM_DEVICE static inline int32_t MassStep(int32_t exponent) {
  return exponent & ~(kMassBaseStep - 1);
}

// Returns the exponent of the lowest mass unit for a row whose largest value is `max_value`.
MASKLOOM_DEVICE static inline int32_t MassBase(float max_value) {
  return MassStep(SplitExp(max_value).exponent) - kMassDepth;
}

// Returns the mass of one value; 0 for -infinity. Requires: y at most the value given to MassBase.
MASKLOOM_DEVICE static inline Mass MassOf(float y, int32_t base) {
  if (y == -__builtin_inff()) return 0;
  const ExpParts parts = SplitExp(y);
  const int32_t shift = parts.exponent - base;
  return shift < 0 ? 0 : static_cast<Mass>(parts.mantissa) << shift;
}

// Returns the double nearest to `mass`, to even in a tie.
MASKLOOM_DEVICE static inline double MassToDouble(Mass mass) {
  const uint64_t high = static_cast<uint64_t>(mass >> 64);
  if (high == 0) return static_cast<double>(static_cast<uint64_t>(mass));
  // The top 64 bits, the last of which also stands for all below: enough to round 53 of them.
  double scale = 1.0;
  Mass top = mass;
  uint64_t lost = 0;
  while (static_cast<uint64_t>(top >> 64) != 0) {
    lost |= static_cast<uint64_t>(top) & 1u;
    top >>= 1;
    scale *= 2.0;
  }
  return static_cast<double>(static_cast<uint64_t>(top) | lost) * scale;
}

// Returns the integer part of `value`. Requires: 0 <= value < 2^127.
MASKLOOM_DEVICE static inline Mass MassFromDouble(double value) {
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  const int32_t exponent = static_cast<int32_t>(bits >> 52) - 1023 - 52;  // of the last bit
  if (exponent < -52) return 0;
  const uint64_t mantissa = (bits & 0xfffffffffffffull) | 0x10000000000000ull;
  return exponent < 0 ? static_cast<Mass>(mantissa >> -exponent)
                      : static_cast<Mass>(mantissa) << exponent;
}

// Returns the least mass that is at least `fraction` of `total`, and at least 1.
// Requires: fraction in [0, 1]. One multiplication in double decides, the same everywhere.
MASKLOOM_DEVICE static inline Mass NeededMass(Mass total, double fraction) {
  const double wanted = fraction * MassToDouble(total);
  Mass needed = MassFromDouble(wanted);
  if (MassToDouble(needed) < wanted) ++needed;
  if (needed < 1) return 1;
  return needed < total ? needed : total;
}

// Returns the natural logarithm of `x` within 1e-15 relative. Requires: x positive, normal, finite.
MASKLOOM_DEVICE static inline double LogOfDouble(double x) {
  uint64_t bits;
  std::memcpy(&bits, &x, sizeof(bits));
  int32_t e = static_cast<int32_t>(bits >> 52) - 1023;
  bits = (bits & 0xfffffffffffffull) | 0x3ff0000000000000ull;
  double m;
  std::memcpy(&m, &bits, sizeof(m));
  if (m > 1.4142135623730951) {
    m *= 0.5;
    e += 1;
  }
  const double s = (m - 1.0) / (m + 1.0);  // ln m = 2 (s + s^3/3 + s^5/5 + ...), |s| < 0.172
  const double z = s * s;
  double p = 0.0;
  for (int n = 21; n >= 3; n -= 2) p = (p + 1.0 / n) * z;
  return 2.0 * (s + s * p) + e * 0.693147180559945309417;
}

// Returns the natural logarithm of `mass` in units of e^0: the log-sum-exp of the set.
// Requires: mass > 0.
MASKLOOM_DEVICE static inline double LogOfMass(Mass mass, int32_t base) {
  return LogOfDouble(MassToDouble(mass)) + (base - 23) * 0.693147180559945309417;
}

}  // namespace maskloom::kernels
