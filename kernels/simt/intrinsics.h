// CUDA's functions of bits and numbers that C++ has under other names.
//
// Not here: __expf, __logf, __fdividef and others whose bits are the hardware's own.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace simt {

constexpr int __popc(unsigned value) { return std::popcount(value); }
constexpr int __popcll(unsigned long long value) { return std::popcount(value); }
// Counts from one; 0 if no bit is set.
constexpr int __ffs(int value) {
  return value == 0 ? 0 : std::countr_zero(static_cast<unsigned>(value)) + 1;
}
constexpr int __ffsll(long long value) {
  return value == 0 ? 0 : std::countr_zero(static_cast<unsigned long long>(value)) + 1;
}
constexpr int __clz(int value) { return std::countl_zero(static_cast<unsigned>(value)); }
constexpr int __clzll(long long value) {
  return std::countl_zero(static_cast<unsigned long long>(value));
}
constexpr unsigned __brev(unsigned value) {
  unsigned out = 0;
  for (int bit = 0; bit < 32; ++bit) out |= (value >> bit & 1) << (31 - bit);
  return out;
}
constexpr unsigned long long __brevll(unsigned long long value) {
  return static_cast<unsigned long long>(__brev(static_cast<unsigned>(value))) << 32 |
         __brev(static_cast<unsigned>(value >> 32));
}
constexpr unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>(static_cast<unsigned long long>(a) * b >> 32);
}
constexpr int __mulhi(int a, int b) {
  return static_cast<int>(static_cast<long long>(a) * b >> 32);
}
__extension__ typedef unsigned __int128 Wide;
constexpr unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>(static_cast<Wide>(a) * b >> 64);
}
// The upper word of high:low shifted left, and the lower word of it shifted right.
constexpr unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  uint64_t both = uint64_t{high} << 32 | low;
  return static_cast<unsigned>(both << (shift & 31) >> 32);
}
constexpr unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  uint64_t both = uint64_t{high} << 32 | low;
  return static_cast<unsigned>(both >> (shift & 31));
}
// Four bytes of y:x, chosen by the lower three bits of each nibble of `selector`; its upper bit
// spreads the byte's sign.
constexpr unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
  uint64_t both = uint64_t{y} << 32 | x;
  unsigned out = 0;
  for (unsigned i = 0; i < 4; ++i) {
    unsigned nibble = selector >> (4 * i) & 15;
    auto byte = static_cast<unsigned>(both >> (8 * (nibble & 7)) & 255);
    if ((nibble & 8) != 0) byte = (byte & 128) != 0 ? 255 : 0;
    out |= byte << (8 * i);
  }
  return out;
}

constexpr unsigned __float_as_uint(float value) { return std::bit_cast<unsigned>(value); }
constexpr int __float_as_int(float value) { return std::bit_cast<int>(value); }
constexpr float __uint_as_float(unsigned bits) { return std::bit_cast<float>(bits); }
constexpr float __int_as_float(int bits) { return std::bit_cast<float>(bits); }
constexpr long long __double_as_longlong(double value) { return std::bit_cast<long long>(value); }
constexpr double __longlong_as_double(long long bits) { return std::bit_cast<double>(bits); }

// One rounding each; never joined with another operation.
inline float __fmaf_rn(float a, float b, float c) { return std::fma(a, b, c); }
inline double __fma_rn(double a, double b, double c) { return std::fma(a, b, c); }
inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fsub_rn(float a, float b) { return a - b; }
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fdiv_rn(float a, float b) { return a / b; }
inline float __frcp_rn(float a) { return 1.0f / a; }
inline float __fsqrt_rn(float a) { return std::sqrt(a); }
inline double __dadd_rn(double a, double b) { return a + b; }
inline double __dmul_rn(double a, double b) { return a * b; }

// The nearest integer, ties to even; out of range saturates, NaN gives 0.
template <class Integer>
Integer RoundToInteger(double value, double least, double most) {
  if (std::isnan(value)) return 0;
  double rounded = std::nearbyint(value);
  if (rounded <= least) return static_cast<Integer>(least);
  if (rounded >= most) return static_cast<Integer>(most);
  return static_cast<Integer>(rounded);
}
inline int __float2int_rn(float value) {
  return RoundToInteger<int>(value, -2147483648.0, 2147483647.0);
}
inline unsigned __float2uint_rn(float value) {
  return RoundToInteger<unsigned>(value, 0, 4294967295.0);
}
inline int __float2int_rz(float value) { return __float2int_rn(std::trunc(value)); }
inline int __float2int_rd(float value) { return __float2int_rn(std::floor(value)); }
inline unsigned __float2uint_rz(float value) { return __float2uint_rn(std::trunc(value)); }
inline float __int2float_rn(int value) { return static_cast<float>(value); }
inline float __uint2float_rn(unsigned value) { return static_cast<float>(value); }

// CUDA's min and max of numbers; of floats a NaN loses.
template <class T>
requires std::is_integral_v<T>
constexpr T min(T a, T b) { return b < a ? b : a; }
template <class T>
requires std::is_integral_v<T>
constexpr T max(T a, T b) { return a < b ? b : a; }
inline float min(float a, float b) { return std::fmin(a, b); }
inline float max(float a, float b) { return std::fmax(a, b); }
inline double min(double a, double b) { return std::fmin(a, b); }
inline double max(double a, double b) { return std::fmax(a, b); }
inline float rsqrtf(float value) { return 1.0f / std::sqrt(value); }

}  // namespace simt
