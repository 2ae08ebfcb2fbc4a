// Shared by number_liveness.cc, number_powers.cc and number_values.cc: what can still be written
// behind a prefix.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "compiler/number_language.h"
#include "grammar/base/natural.h"

namespace maskloom {

// What is left of the budget, as number_liveness.cc names it.
struct NumberLanguage::Room {
  bool zero_so_far = false;
  int64_t integer_left = 0;   // I
  int64_t fraction_left = 0;  // F
  int64_t largest = 0;        // X

  int64_t FirstPower() const { return zero_so_far ? 1 - largest - fraction_left : -largest; }
  int64_t LastPower() const { return largest + integer_left; }
  // Most digits that may follow at this power. Requires: it is within the two above.
  int64_t Digits(int64_t power) const {
    return zero_so_far ? fraction_left - std::max<int64_t>(0, -largest - power)
                       : std::min(integer_left, power + largest) + fraction_left;
  }
  // From this power on, Digits is the same for all.
  int64_t SteadyPower() const { return integer_left - largest; }
};

// The digits w, `count` of them, that bounds allow at one power: an interval of integers.
struct NumberLanguage::Slice {
  int64_t power = 0;
  int64_t count = 0;
  Natural low;
  Natural high;  // inclusive; not below `low`
};

// Digits to write behind the mantissa so far: `digits`, `count` of them, at this power.
struct NumberLanguage::Found {
  int64_t power = 0;
  int64_t count = 0;
  Natural digits;
};

// Reads the first `count` digits behind `matched` ones, zeros where there are none; `rest` tells
// whether more follow.
inline Natural ReadDigits(const std::string& digits, int64_t matched, int64_t count, bool* rest) {
  const std::string_view left = std::string_view(digits).substr(static_cast<size_t>(matched));
  const size_t wanted = static_cast<size_t>(count);
  *rest = left.size() > wanted;
  if (left.size() >= wanted) return Natural::FromDigits(left.substr(0, wanted));
  return Natural::FromDigits(left) * Natural::PowerOfTen(wanted - left.size());
}

// Prints `number` with exactly `count` digits.
inline std::string PaddedDigits(const Natural& number, int64_t count) {
  std::string digits = number.Digits();
  digits.insert(0, static_cast<size_t>(count) - digits.size(), '0');
  return digits;
}

}  // namespace maskloom
