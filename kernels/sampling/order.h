// The order of floats as integers, and cuts of a row in that order; the same on host and device.
#pragma once

#include "kernels/sampling/exact_math.h"

namespace maskloom::kernels {

inline constexpr float kLargestFloat = 3.40282347e38f;
inline constexpr float kSmallestNormal = 1.17549435e-38f;

// What filters keep of a row: the values above `low`, and of those equal to it the first `ties`.
struct Cut {
  float low;
  uint32_t ties;
};

inline constexpr uint32_t kAllTies = UINT32_MAX;

// Returns a key that ascends with the value; -0 lies below +0. Requires: not NaN.
MASKLOOM_DEVICE static inline uint32_t OrderKey(float value) {
  const uint32_t bits = FloatBits(value);
  return (bits & 0x80000000u) != 0 ? ~bits : bits | 0x80000000u;
}

// Returns the value whose key is `key`.
MASKLOOM_DEVICE static inline float ValueOfKey(uint32_t key) {
  return FloatFromBits((key & 0x80000000u) != 0 ? key & 0x7fffffffu : ~key);
}

// Returns the least float above `value`. Requires: finite.
MASKLOOM_DEVICE static inline float NextAbove(float value) {
  return value == 0.0f ? FloatFromBits(1) : ValueOfKey(OrderKey(value) + 1);
}

// Returns the largest float below `value`. Requires: finite.
MASKLOOM_DEVICE static inline float NextBelow(float value) {
  return value == 0.0f ? FloatFromBits(0x80000001u) : ValueOfKey(OrderKey(value) - 1);
}

// Returns the least finite y with y - max >= least. Rounded subtraction is monotonous, so a search
// among the keys finds it. Requires: `max` finite, `least` finite and not positive.
MASKLOOM_DEVICE static inline float LeastWithin(float max, float least) {
  uint32_t low = OrderKey(-kLargestFloat);
  uint32_t high = OrderKey(max);
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (ValueOfKey(middle) - max >= least) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return ValueOfKey(low);
}

// Returns the cut that keeps what both keep.
MASKLOOM_DEVICE static inline Cut Tighter(const Cut& a, const Cut& b) {
  if (a.low != b.low) return a.low > b.low ? a : b;
  return a.ties < b.ties ? a : b;
}

}  // namespace maskloom::kernels
