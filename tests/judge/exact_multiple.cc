// Long division by hand: the remainder of digits modulo digits.
#include "tests/judge/exact_multiple.h"

#include <algorithm>

namespace maskloom::judge {
namespace {

// Unsigned decimals as text without leading zeros; zero is "".
bool Less(const std::string& a, const std::string& b) {
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

// Requires: a >= b.
std::string Minus(std::string a, const std::string& b) {
  int borrow = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    int digit = a[a.size() - 1 - i] - '0' - borrow;
    if (i < b.size()) digit -= b[b.size() - 1 - i] - '0';
    borrow = digit < 0 ? 1 : 0;
    a[a.size() - 1 - i] = static_cast<char>('0' + digit + 10 * borrow);
  }
  return a.substr(std::min(a.find_first_not_of('0'), a.size()));
}

}  // namespace

bool IsMultiple(const ExactDecimal& value, const ExactDecimal& divisor) {
  if (value.IsZero()) return true;
  // value = a * 10^s, divisor = b * 10^t with integers a, b that do not end in 0.
  int64_t s = value.exponent - static_cast<int64_t>(value.digits.size());
  int64_t t = divisor.exponent - static_cast<int64_t>(divisor.digits.size());
  if (s < t) return false;  // a would have to be divisible by 10
  // Twos and fives of b are at most four a digit: further zeros behind a change nothing.
  int64_t zeros = std::min<int64_t>(s - t, 4 * static_cast<int64_t>(divisor.digits.size()));
  std::string rest;
  for (char digit : value.digits + std::string(static_cast<size_t>(zeros), '0')) {
    if (!rest.empty() || digit != '0') rest += digit;
    while (!Less(rest, divisor.digits)) rest = Minus(rest, divisor.digits);
  }
  return rest.empty();
}

}  // namespace maskloom::judge
