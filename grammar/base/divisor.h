// Exact divisibility of decimals, as multipleOf asks for it.
//
// A divisor is modulus * 10^ten, where 10 does not divide the modulus: at most one of the primes 2
// and 5 does. A value S * 10^e is then a multiple if and only if
//   e >= ten: `rest` * prime^max(0, power - (e - ten)) divides S (powers of ten supply 2s and 5s);
//   e < ten:  modulus * 10^(ten - e) divides S.
// Example: 0.6 = 6 * 10^-1, prime 2, power 1, rest 3. 3 * 10^0 is a multiple: 3 divides 3.
// 3 * 10^-1 is not: 6 does not divide 3.
#pragma once

#include <cstdint>
#include <optional>

#include "grammar/base/decimal.h"
#include "grammar/base/natural.h"

namespace maskloom {

struct Divisor {
  Natural modulus = 1;  // rest * prime^power
  int64_t ten = 0;
  uint32_t prime = 2;  // 2 or 5
  int64_t power = 0;   // how often it divides the modulus
  Natural rest = 1;    // divisible by neither

  Divisor() = default;  // 1
  // Requires: `value` is not zero; its sign does not matter.
  explicit Divisor(const Decimal& value);

  // The exponents of 2 and 5.
  int64_t twos() const { return ten + (prime == 2 ? power : 0); }
  int64_t fives() const { return ten + (prime == 5 ? power : 0); }
  // Returns what must divide S for S * 10^exponent to be a multiple.
  Natural ModulusAt(int64_t exponent) const;
  // Returns how often `prime` divides `number`, at most `power`.
  int64_t PrimesIn(const Natural& number) const;
};

// Is `value` a whole number of times `divisor` (not zero)? 0 always is. Exact.
// Cost: linear in the digits of `value` for divisors below 20 digits.
bool IsMultipleOf(const Decimal& value, const Decimal& divisor);
bool IsMultipleOf(const Decimal& value, const Divisor& divisor);

// Returns the least positive number of which both (not zero) are divisors, or nothing if it has
// more than kMaxMultipleDigits digits or an exponent beyond 32 bits.
inline constexpr size_t kMaxMultipleDigits = 2000;
std::optional<Decimal> LeastCommonMultiple(const Decimal& a, const Decimal& b);

}  // namespace maskloom
