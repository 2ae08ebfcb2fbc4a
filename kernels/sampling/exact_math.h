// exp and log with the same bits everywhere: the plain form, the AVX2 form and any device form.
//
// Only operations that IEEE 754 rounds in one defined way are used (+, -, *, /, fma on float,
// conversions and integer work), in one written order. A product and a sum are fused where it says
// fma and nowhere else: files that include this header are compiled with -ffp-contract=off, and the
// AVX2 form repeats the same operations lane by lane. A test compares the bits.
//
// exp: y = n ln2 + r with n the nearest integer to y log2(e) (found by adding and subtracting
// 1.5 * 2^23, which rounds to nearest even while |n| < 2^22), |r| <= ln2 / 2, and e^r by its Taylor
// series to r^7 (remainder 5e-9, below half a unit of float). ln2 is a sum of two floats, and fma
// keeps the product with n whole, so that r is right to 2^-26 however large n is. The plain form
// takes the two steps in double, where they are exact before the one rounding to float: products of
// 22 and 24 bits, and sums that are multiples of 2^-52 below 2.
//
// The result stays in two integers, mantissa * 2^(exponent - 23), so that sums of any length can be
// taken exactly (see mass.h) and no exponent ever overflows.
//
// log: x = 2^e m with m in [sqrt(1/2), sqrt(2)), s = (m - 1) / (m + 1), and
// ln m = 2 (s + s^3/3 + s^5/5 + s^7/7 + s^9/9), remainder below 1e-9 relative.
//
// Functions are `static inline`: each file keeps its own copy, so that code compiled for AVX2 never
// ends up being the one that the linker picks for a machine without it.
#pragma once

#include <cstdint>
#include <cstring>

namespace maskloom::kernels {

// Adjusted logits beyond +-2^21 count as that in exp and in scores.
inline constexpr float kLogitLimit = 2097152.0f;
inline constexpr float kRoundingMagic = 12582912.0f;  // 1.5 * 2^23
inline constexpr float kLog2E = 1.44269504f;
inline constexpr float kLn2High = 0.693147182f;  // ln2 rounded to float
inline constexpr float kLn2Low = -1.90465421e-9f;
inline constexpr float kExpTaylor[8] = {1.0f,         1.0f,          0.5f,          1.0f / 6.0f,
                                        1.0f / 24.0f, 1.0f / 120.0f, 1.0f / 720.0f, 1.0f / 5040.0f};

// e^y as mantissa * 2^(exponent - 23), mantissa in [2^23, 2^24).
struct ExpParts {
  uint32_t mantissa;
  int32_t exponent;
};

static inline uint32_t FloatBits(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

static inline float FloatFromBits(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

// Returns `y` limited to +-kLogitLimit. Requires: not NaN.
static inline float ClampLogit(float y) {
  y = y < kLogitLimit ? y : kLogitLimit;
  return y > -kLogitLimit ? y : -kLogitLimit;
}

// Returns e^y in parts, within 2e-7 relative for |y| < 2^18. Requires: not NaN; clamps `y` itself.
static inline ExpParts SplitExp(float y) {
  y = ClampLogit(y);
  const float n = (y * kLog2E + kRoundingMagic) - kRoundingMagic;
  const double steps = n;
  const float high = static_cast<float>(y - steps * kLn2High);  // fma(-n, kLn2High, y)
  const float r = static_cast<float>(high - steps * kLn2Low);   // fma(-n, kLn2Low, high)
  float p = kExpTaylor[7];
  for (int i = 6; i >= 0; --i) p = p * r + kExpTaylor[i];
  const uint32_t bits = FloatBits(p);
  return {(bits & 0x7fffffu) | 0x800000u,
          static_cast<int32_t>(bits >> 23) - 127 + static_cast<int32_t>(n)};
}

// Returns the natural logarithm of `x` within 2e-7 relative. Requires: x positive, normal, finite.
static inline float ExactLog(float x) {
  const uint32_t bits = FloatBits(x);
  int32_t e = static_cast<int32_t>(bits >> 23) - 127;
  float m = FloatFromBits((bits & 0x7fffffu) | 0x3f800000u);
  if (m > 1.41421356f) {
    m = m * 0.5f;
    e += 1;
  }
  const float s = (m - 1.0f) / (m + 1.0f);
  const float z = s * s;
  float p = 1.0f / 9.0f;
  p = p * z + 1.0f / 7.0f;
  p = p * z + 0.2f;
  p = p * z + 1.0f / 3.0f;
  const float tail = (2.0f * s) * (z * p);
  const float k = static_cast<float>(e);
  return (2.0f * s + (tail + k * kLn2Low)) + k * kLn2High;
}

}  // namespace maskloom::kernels
