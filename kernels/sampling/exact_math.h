// exp and log with the same bits everywhere: the plain form, the vector forms and the device form.
//
// Only operations that IEEE 754 rounds in one defined way are used (+, -, *, /, fma, conversions
// and integer work), in one written order. A product and a sum are fused where it says Fma and
// nowhere else: files that include this header are compiled with -ffp-contract=off (-fmad=false by
// nvcc), and the vector forms repeat the same operations lane by lane. A test compares the bits.
//
// exp: y = n ln2 + r with n the nearest integer to y log2(e) (found by adding and subtracting
// 1.5 * 2^23, which rounds to nearest even while |n| < 2^22), |r| <= ln2 / 2, and e^r by its Taylor
// series to r^7 (remainder 5e-9, below half a unit of float). ln2 is a sum of two floats, and Fma
// keeps the product with n whole, so that r is right to 2^-26 however large n is.
//
// The result stays in two integers, mantissa * 2^(exponent - 23), so that sums of any length can be
// taken exactly (see mass.h) and no exponent ever overflows.
//
// log: x = 2^e m with m in [sqrt(1/2), sqrt(2)), s = (m - 1) / (m + 1), and
// ln m = 2 (s + s^3/3 + s^5/5 + s^7/7 + s^9/9), remainder below 1e-9 relative.
//
// Without an instruction for it, Fma takes the product in double, where it is exact, and rounds the
// sum to odd before the one rounding to float; rounding to odd keeps the half-way cases apart.
// Source: Boldo and Melquiond, "Emulation of a FMA and correctly rounded sums", IEEE Trans. on
// Computers 57(4), 2008.
//
// Functions are `static inline`: each file keeps its own copy, so that code compiled for AVX2 never
// ends up being the one that the linker picks for a machine without it.
#pragma once

#include <cstdint>
#include <cstring>

#include "kernels/portable.h"

namespace maskloom::kernels {

// Adjusted logits beyond +-2^21 count as that in exp and in scores.
inline constexpr float kLogitLimit = 2097152.0f;
inline constexpr float kRoundingMagic = 12582912.0f;  // 1.5 * 2^23
inline constexpr float kLog2E = 1.44269504f;
inline constexpr float kLn2High = 0.693147182f;  // ln2 rounded to float
inline constexpr float kLn2Low = -1.90465421e-9f;
// 1 / n!, the coefficients of e^r; those of r^0 and r^1 are 1.
inline constexpr float kExp2 = 0.5f;
inline constexpr float kExp3 = 1.0f / 6.0f;
inline constexpr float kExp4 = 1.0f / 24.0f;
inline constexpr float kExp5 = 1.0f / 120.0f;
inline constexpr float kExp6 = 1.0f / 720.0f;
inline constexpr float kExp7 = 1.0f / 5040.0f;

// e^y as mantissa * 2^(exponent - 23), mantissa in [2^23, 2^24).
struct ExpParts {
  uint32_t mantissa;
  int32_t exponent;
};

MASKLOOM_DEVICE static inline uint32_t FloatBits(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

MASKLOOM_DEVICE static inline float FloatFromBits(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

// Fma for processors that have no instruction for it. Requires: finite arguments and result.
MASKLOOM_DEVICE static inline float FmaByDoubles(float a, float b, float c) {
  const double product = static_cast<double>(a) * static_cast<double>(b);
  const double addend = c;
  const double sum = product + addend;
  const double part = sum - product;
  const double lost = (product - (sum - part)) + (addend - part);
  uint64_t bits;
  std::memcpy(&bits, &sum, sizeof(bits));
  if (lost != 0.0 && (bits & 1u) == 0) {
    const bool away_from_zero = (lost > 0.0) == (sum > 0.0);
    bits = away_from_zero ? bits + 1 : bits - 1;
  }
  double odd;
  std::memcpy(&odd, &bits, sizeof(odd));
  return static_cast<float>(odd);
}

// Returns a * b + c with one rounding.
MASKLOOM_DEVICE static inline float Fma(float a, float b, float c) {
#if defined(__CUDA_ARCH__)
  return __fmaf_rn(a, b, c);
#elif defined(__FMA__)
  return __builtin_fmaf(a, b, c);
#else
  return FmaByDoubles(a, b, c);
#endif
}

// Returns `y` limited to +-kLogitLimit. Requires: not NaN.
MASKLOOM_DEVICE static inline float ClampLogit(float y) {
  y = y < kLogitLimit ? y : kLogitLimit;
  return y > -kLogitLimit ? y : -kLogitLimit;
}

// Returns e^y in parts, within 2e-7 relative for |y| < 2^18. Requires: not NaN; clamps `y` itself.
MASKLOOM_DEVICE static inline ExpParts SplitExp(float y) {
  y = ClampLogit(y);
  const float n = Fma(y, kLog2E, kRoundingMagic) - kRoundingMagic;
  const float r = Fma(-n, kLn2Low, Fma(-n, kLn2High, y));
  float p = Fma(kExp7, r, kExp6);
  p = Fma(p, r, kExp5);
  p = Fma(p, r, kExp4);
  p = Fma(p, r, kExp3);
  p = Fma(p, r, kExp2);
  p = Fma(p, r, 1.0f);
  p = Fma(p, r, 1.0f);
  const uint32_t bits = FloatBits(p);
  return {(bits & 0x7fffffu) | 0x800000u,
          static_cast<int32_t>(bits >> 23) - 127 + static_cast<int32_t>(n)};
}

// Returns the natural logarithm of `x` within 2e-7 relative. Requires: x positive, normal, finite.
MASKLOOM_DEVICE static inline float ExactLog(float x) {
  const uint32_t bits = FloatBits(x);
  int32_t e = static_cast<int32_t>(bits >> 23) - 127;
  float m = FloatFromBits((bits & 0x7fffffu) | 0x3f800000u);
  if (m > 1.41421356f) {
    m = m * 0.5f;
    e += 1;
  }
  const float s = (m - 1.0f) / (m + 1.0f);
  const float z = s * s;
  float p = Fma(1.0f / 9.0f, z, 1.0f / 7.0f);
  p = Fma(p, z, 0.2f);
  p = Fma(p, z, 1.0f / 3.0f);
  const float tail = (2.0f * s) * (z * p);
  const float k = static_cast<float>(e);
  return Fma(k, kLn2High, Fma(2.0f, s, Fma(k, kLn2Low, tail)));
}

}  // namespace maskloom::kernels
