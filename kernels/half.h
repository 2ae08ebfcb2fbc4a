// Half precision in plain integer arithmetic, for code that may not assume F16C.
#pragma once

#include <cstdint>
#include <cstring>

#include "kernels/portable.h"

namespace maskloom::kernels {

// Returns the value of IEEE half `bits`, exactly.
MASKLOOM_DEVICE inline float HalfToFloat(uint16_t bits) {
  uint32_t sign = static_cast<uint32_t>(bits & 0x8000) << 16;
  uint32_t exponent = (bits >> 10) & 0x1F;
  uint32_t mantissa = bits & 0x3FF;
  uint32_t out;
  if (exponent == 0x1F) {
    out = sign | 0x7F800000 | (mantissa << 13);
  } else if (exponent != 0) {
    out = sign | ((exponent + 112) << 23) | (mantissa << 13);
  } else {
    float magnitude = static_cast<float>(mantissa) * 0x1p-24f;  // subnormal or zero
    std::memcpy(&out, &magnitude, 4);
    out |= sign;
  }
  float value;
  std::memcpy(&value, &out, 4);
  return value;
}

// Returns `value` rounded to half precision, nearest even; too large becomes infinity.
inline uint16_t FloatToHalf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  uint16_t sign = static_cast<uint16_t>((bits >> 16) & 0x8000);
  uint32_t magnitude = bits & 0x7FFFFFFF;
  if (magnitude > 0x7F800000) return sign | 0x7E00;   // NaN
  if (magnitude >= 0x477FF000) return sign | 0x7C00;  // rounds to 65536 or more
  if (magnitude < 0x38800000) {                       // below 2^-14: subnormal
    // Adding 0.5 leaves the half's bits at the bottom of the sum, rounded by the addition.
    float scaled, sum;
    std::memcpy(&scaled, &magnitude, 4);
    sum = scaled + 0.5f;
    uint32_t sum_bits;
    std::memcpy(&sum_bits, &sum, 4);
    return static_cast<uint16_t>(sign | (sum_bits - 0x3F000000));
  }
  uint32_t rounded = magnitude + 0xFFF + ((magnitude >> 13) & 1);
  return static_cast<uint16_t>(sign | ((rounded - 0x38000000) >> 13));
}

}  // namespace maskloom::kernels
