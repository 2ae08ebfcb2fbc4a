// Natural numbers of any size: the integers behind exact decimals.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace maskloom {

// Numbers below 2^128 are kept inline and cost no allocation; larger ones are limbs on the heap.
class Natural {
 public:
  __extension__ using Inline = unsigned __int128;

  Natural() = default;                         // zero
  Natural(uint64_t value) : inline_(value) {}  // NOLINT(google-explicit-constructor)

  // Reads decimal digits; "" is zero. Cost: quadratic in their number beyond 38 digits.
  static Natural FromDigits(std::string_view digits);
  static Natural Power(uint32_t base, uint64_t exponent);
  static Natural PowerOfTen(uint64_t exponent) { return Power(10, exponent); }
  // Returns the number of `digits` modulo `modulus` (not zero). Cost: linear in the digits if the
  // modulus is below 2^64, else that of FromDigits.
  static Natural Remainder(std::string_view digits, const Natural& modulus);

  bool IsZero() const { return limbs_.empty() && inline_ == 0; }
  bool IsOne() const { return limbs_.empty() && inline_ == 1; }
  bool IsEven() const { return ((limbs_.empty() ? inline_ : limbs_[0]) & 1) == 0; }
  bool FitsWord() const { return limbs_.empty() && inline_ >> 64 == 0; }
  // Requires: FitsWord().
  uint64_t Word() const { return static_cast<uint64_t>(inline_); }
  // Prints it without leading zeros; zero is "".
  std::string Digits() const;
  size_t Hash() const;

  bool operator==(const Natural&) const = default;
  std::strong_ordering operator<=>(const Natural& other) const;
  friend Natural operator+(const Natural& a, const Natural& b);
  // Requires: a >= b.
  friend Natural operator-(const Natural& a, const Natural& b);
  friend Natural operator*(const Natural& a, const Natural& b);
  // Requires: b is not zero.
  friend Natural operator/(const Natural& a, const Natural& b);
  friend Natural operator%(const Natural& a, const Natural& b);

 private:
  using Limbs = std::vector<uint32_t>;

  static Natural FromInline(Inline value);
  static Natural FromLimbs(Limbs limbs);
  Limbs ToLimbs() const;
  static Limbs Divide(Limbs dividend, const Limbs& divisor, Limbs* remainder);

  Inline inline_ = 0;  // if limbs_ is empty
  Limbs limbs_;        // least first, the last not zero; only for numbers of more than four
};

// Returns the greatest common divisor; that of 0 and b is b.
Natural GreatestCommonDivisor(Natural a, Natural b);

}  // namespace maskloom
