// See the header: only the part of a divisor that is prime to ten needs division.
#include "grammar/base/divisor.h"

#include <algorithm>
#include <limits>
#include <string>

namespace maskloom {
namespace {

int64_t DigitCount(const Decimal& value) { return static_cast<int64_t>(value.digits().size()); }

}  // namespace

Divisor::Divisor(const Decimal& value)
    : modulus(Natural::FromDigits(value.digits())), ten(value.exponent() - DigitCount(value)) {
  rest = modulus;
  const char last = value.digits().back();
  if (last == '5') prime = 5;
  if (last != '5' && (last - '0') % 2 != 0) return;
  const Natural factor = prime;
  for (;;) {
    const Natural quotient = rest / factor;
    if (quotient * factor != rest) return;
    rest = quotient;
    ++power;
  }
}

Natural Divisor::ModulusAt(int64_t exponent) const {
  if (exponent < ten) return modulus * Natural::PowerOfTen(static_cast<uint64_t>(ten - exponent));
  const int64_t left = power - (exponent - ten);
  return left <= 0 ? rest : rest * Natural::Power(prime, static_cast<uint64_t>(left));
}

int64_t Divisor::PrimesIn(const Natural& number) const {
  if (power == 0 || number.IsZero()) return power;
  if (number.FitsWord()) {
    uint64_t word = number.Word();
    int64_t count = 0;
    for (; count < power && word % prime == 0; ++count) word /= prime;
    return count;
  }
  Natural left = number;
  int64_t count = 0;
  for (; count < power && (left % prime).IsZero(); ++count) left = left / prime;
  return count;
}

bool IsMultipleOf(const Decimal& value, const Decimal& divisor) {
  if (divisor.digits() == "1") {  // a power of ten
    return value.IsZero() || value.exponent() - DigitCount(value) >= divisor.exponent() - 1;
  }
  return IsMultipleOf(value, Divisor(divisor));
}

bool IsMultipleOf(const Decimal& value, const Divisor& divisor) {
  if (value.IsZero()) return true;
  const int64_t exponent = value.exponent() - DigitCount(value);
  if (exponent < divisor.ten) return false;  // the last digit is not 0
  return Natural::Remainder(value.digits(), divisor.ModulusAt(exponent)).IsZero();
}

std::optional<Decimal> LeastCommonMultiple(const Decimal& a, const Decimal& b) {
  if (a == b) return a.negative() ? a.Negated() : a;
  const Divisor x(a);
  const Divisor y(b);
  const int64_t twos = std::max(x.twos(), y.twos());
  const int64_t fives = std::max(x.fives(), y.fives());
  const int64_t ten = std::min(twos, fives);
  const int64_t power = std::max(twos, fives) - ten;
  // 2^power has at least power / 4 digits.
  if (power > static_cast<int64_t>(kMaxMultipleDigits) * 4) return std::nullopt;
  const Natural rest = x.rest / GreatestCommonDivisor(x.rest, y.rest) * y.rest;
  const Natural modulus = rest * Natural::Power(twos > fives ? 2 : 5, static_cast<uint64_t>(power));
  const std::string digits = modulus.Digits();
  Decimal multiple = Decimal::FromParts(false, digits, ten + static_cast<int64_t>(digits.size()));
  if (digits.size() > kMaxMultipleDigits ||
      multiple.exponent() > std::numeric_limits<int32_t>::max() ||
      multiple.exponent() < std::numeric_limits<int32_t>::min()) {
    return std::nullopt;
  }
  return multiple;
}

}  // namespace maskloom
