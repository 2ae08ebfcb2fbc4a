// CUDA's short floating-point types: half, bfloat16 and both kinds of fp8.
//
// Conversions have the bits of CUDA's own, NaNs included: round to nearest, ties to even; fp8
// saturates. Arithmetic is what the kernels' sources spell out: convert to float, compute, convert.
#pragma once

#include <bit>
#include <cstdint>

#include "kernels/simt/vector_types.h"

namespace simt {

// Returns the magnitude of a float, given as bits without sign, in a format of `kMantissa` bits and
// exponents with `kBias`; too large ones go on counting beyond the format's largest exponent.
// Requires: no NaN.
template <unsigned kMantissa, unsigned kBias>
constexpr uint32_t RoundMagnitude(uint32_t bits) {
  unsigned shift = 23 - kMantissa;
  uint64_t wide = bits;
  if (kBias < 127 && bits < (128 - kBias) << 23) {
    // Below the smallest normal number: the leading one is written, and moves right.
    unsigned exponent = bits >> 23;
    if (exponent == 0) return 0;  // of a float; far below the smallest of the format
    wide = (bits & 0x7FFFFF) | 0x800000;
    shift += 128 - kBias - exponent;
    if (shift > 40) return 0;
  } else {
    wide -= uint64_t{127 - kBias} << 23;
  }
  uint64_t kept = wide >> shift;
  uint64_t rest = wide & ((uint64_t{1} << shift) - 1);
  uint64_t half = uint64_t{1} << (shift - 1);
  bool is_up = rest > half || (rest == half && (kept & 1) != 0);
  return static_cast<uint32_t>(kept) + (is_up ? 1 : 0);
}

// Returns the float of `bits` in a format of `kMantissa` bits and exponents with `kBias`; all
// exponents are finite.
template <unsigned kMantissa, unsigned kBias>
constexpr float WidenMagnitude(uint32_t bits) {
  uint32_t exponent = bits >> kMantissa;
  if (exponent != 0) {
    return std::bit_cast<float>((bits << (23 - kMantissa)) + ((127 - kBias) << 23));
  }
  // The mantissa counts units of 2^(1 - bias - mantissa bits).
  return static_cast<float>(bits) * std::bit_cast<float>((127 + 1 - kBias - kMantissa) << 23);
}

inline constexpr uint32_t kFloatInfinity = 0x7F800000;
inline constexpr uint32_t kFloatMagnitude = 0x7FFFFFFF;

struct __half {
  uint16_t bits;

  __half() = default;
  constexpr __half(float value) : bits(Round(value)) {}
  constexpr operator float() const {
    uint32_t magnitude = bits & 0x7FFF;
    if (magnitude > 0x7C00) return std::bit_cast<float>(kFloatMagnitude);
    float value = magnitude == 0x7C00 ? std::bit_cast<float>(kFloatInfinity)
                                      : WidenMagnitude<10, 15>(magnitude);
    return (bits & 0x8000) != 0 ? -value : value;
  }

 private:
  static constexpr uint16_t Round(float value) {
    auto all = std::bit_cast<uint32_t>(value);
    auto sign = static_cast<uint16_t>(all >> 16 & 0x8000);
    uint32_t magnitude = all & kFloatMagnitude;
    if (magnitude > kFloatInfinity) return 0x7FFF;
    uint32_t rounded = RoundMagnitude<10, 15>(magnitude);
    return static_cast<uint16_t>(sign | (rounded < 0x7C00 ? rounded : 0x7C00));
  }
};

struct __nv_bfloat16 {
  uint16_t bits;

  __nv_bfloat16() = default;
  constexpr __nv_bfloat16(float value) : bits(Round(value)) {}
  constexpr operator float() const { return std::bit_cast<float>(uint32_t{bits} << 16); }

 private:
  static constexpr uint16_t Round(float value) {
    auto all = std::bit_cast<uint32_t>(value);
    uint32_t magnitude = all & kFloatMagnitude;
    if (magnitude > kFloatInfinity) return 0x7FFF;
    return static_cast<uint16_t>((all >> 16 & 0x8000) | RoundMagnitude<7, 127>(magnitude));
  }
};

// The bits of `value` rounded to eight; those beyond `kLargest`, infinity too, become that.
template <unsigned kMantissa, unsigned kBias, uint32_t kLargest>
constexpr uint8_t RoundFp8(float value) {
  auto all = std::bit_cast<uint32_t>(value);
  uint32_t magnitude = all & kFloatMagnitude;
  if (magnitude > kFloatInfinity) return 0x7F;
  uint32_t rounded = RoundMagnitude<kMantissa, kBias>(magnitude);
  return static_cast<uint8_t>((all >> 24 & 0x80) | (rounded < kLargest ? rounded : kLargest));
}

struct __nv_fp8_e4m3 {
  uint8_t __x;

  __nv_fp8_e4m3() = default;
  constexpr explicit __nv_fp8_e4m3(float value) : __x(RoundFp8<3, 7, 0x7E>(value)) {}
  constexpr explicit operator float() const {
    uint32_t magnitude = __x & 0x7F;
    if (magnitude == 0x7F) return std::bit_cast<float>(kFloatMagnitude);
    float value = WidenMagnitude<3, 7>(magnitude);
    return (__x & 0x80) != 0 ? -value : value;
  }
};

struct __nv_fp8_e5m2 {
  uint8_t __x;

  __nv_fp8_e5m2() = default;
  constexpr explicit __nv_fp8_e5m2(float value) : __x(RoundFp8<2, 15, 0x7B>(value)) {}
  constexpr explicit operator float() const {
    uint32_t magnitude = __x & 0x7F;
    if (magnitude > 0x7C) return std::bit_cast<float>(kFloatMagnitude);
    float value =
        magnitude == 0x7C ? std::bit_cast<float>(kFloatInfinity) : WidenMagnitude<2, 15>(magnitude);
    return (__x & 0x80) != 0 ? -value : value;
  }
};

struct alignas(4) __half2 {
  __half x, y;
};
struct alignas(4) __nv_bfloat162 {
  __nv_bfloat16 x, y;
};

constexpr float __half2float(__half value) { return value; }
constexpr __half __float2half(float value) { return value; }
constexpr __half __float2half_rn(float value) { return value; }
constexpr uint16_t __half_as_ushort(__half value) { return value.bits; }
constexpr __half __ushort_as_half(uint16_t bits) { return std::bit_cast<__half>(bits); }
constexpr float __bfloat162float(__nv_bfloat16 value) { return value; }
constexpr __nv_bfloat16 __float2bfloat16(float value) { return value; }
constexpr __nv_bfloat16 __float2bfloat16_rn(float value) { return value; }
constexpr uint16_t __bfloat16_as_ushort(__nv_bfloat16 value) { return value.bits; }
constexpr __nv_bfloat16 __ushort_as_bfloat16(uint16_t bits) {
  return std::bit_cast<__nv_bfloat16>(bits);
}

constexpr float2 __half22float2(__half2 pair) { return {pair.x, pair.y}; }
constexpr __half2 __float22half2_rn(float2 pair) { return {pair.x, pair.y}; }
constexpr __half2 __floats2half2_rn(float x, float y) { return {x, y}; }
constexpr float2 __bfloat1622float2(__nv_bfloat162 pair) { return {pair.x, pair.y}; }
constexpr __nv_bfloat162 __float22bfloat162_rn(float2 pair) { return {pair.x, pair.y}; }
constexpr __nv_bfloat162 __floats2bfloat162_rn(float x, float y) { return {x, y}; }
constexpr float __low2float(__half2 pair) { return pair.x; }
constexpr float __high2float(__half2 pair) { return pair.y; }
constexpr float __low2float(__nv_bfloat162 pair) { return pair.x; }
constexpr float __high2float(__nv_bfloat162 pair) { return pair.y; }

}  // namespace simt
