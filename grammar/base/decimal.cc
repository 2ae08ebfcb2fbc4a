// Decimals are compared digit by digit after normalisation: equal values have equal fields, so
// equality is memberwise and the order looks at sign, then exponent, then digits.
#include "grammar/base/decimal.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace maskloom {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Exponents saturate here while they are read; far beyond 32 bits, far from overflowing 64.
constexpr int64_t kExponentLimit = int64_t{1} << 40;

}  // namespace

std::optional<Decimal> Decimal::Parse(std::string_view text) {
  size_t at = 0;
  const auto peek = [&](char c) { return at < text.size() && text[at] == c; };
  const auto read_digits = [&] {
    size_t begin = at;
    while (at < text.size() && IsDigit(text[at])) ++at;
    return text.substr(begin, at - begin);
  };
  bool negative = peek('-');
  if (negative) ++at;
  std::string_view integer = read_digits();
  if (integer.empty() || (integer.size() > 1 && integer[0] == '0')) return std::nullopt;
  std::string_view fraction;
  if (peek('.')) {
    ++at;
    fraction = read_digits();
    if (fraction.empty()) return std::nullopt;
  }
  int64_t exponent = 0;
  if (peek('e') || peek('E')) {
    ++at;
    bool negative_exponent = peek('-');
    if (negative_exponent || peek('+')) ++at;
    std::string_view digits = read_digits();
    if (digits.empty()) return std::nullopt;
    for (char c : digits) exponent = std::min(exponent * 10 + (c - '0'), kExponentLimit);
    if (negative_exponent) exponent = -exponent;
  }
  if (at != text.size()) return std::nullopt;

  std::string digits(integer);
  digits += fraction;
  Decimal value = FromParts(negative, digits, exponent + static_cast<int64_t>(integer.size()));
  if (value.exponent_ < std::numeric_limits<int32_t>::min() ||
      value.exponent_ > std::numeric_limits<int32_t>::max()) {
    return std::nullopt;
  }
  return value;
}

Decimal Decimal::FromInteger(int64_t value) {
  bool negative = value < 0;
  uint64_t magnitude = negative ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  std::string digits = std::to_string(magnitude);
  return FromParts(negative, digits, static_cast<int64_t>(digits.size()));
}

Decimal Decimal::FromParts(bool negative, std::string_view digits, int64_t exponent) {
  size_t begin = 0;
  while (begin < digits.size() && digits[begin] == '0') ++begin;
  size_t end = digits.size();
  while (end > begin && digits[end - 1] == '0') --end;
  Decimal value;
  if (begin == end) return value;
  value.negative_ = negative;
  value.digits_ = std::string(digits.substr(begin, end - begin));
  value.exponent_ = exponent - static_cast<int64_t>(begin);
  return value;
}

Decimal Decimal::Negated() const {
  Decimal value = *this;
  value.negative_ = !negative_ && !IsZero();
  return value;
}

std::string Decimal::ToString() const {
  constexpr int64_t kMostZeros = 20;  // zeros written before an exponent is used instead
  if (IsZero()) return "0";
  std::string text = negative_ ? "-" : "";
  int64_t count = static_cast<int64_t>(digits_.size());
  if (exponent_ > 0 && exponent_ < count) {
    size_t point = static_cast<size_t>(exponent_);
    return text + digits_.substr(0, point) + "." + digits_.substr(point);
  }
  if (exponent_ >= count && exponent_ - count <= kMostZeros) {
    return text + digits_ + std::string(static_cast<size_t>(exponent_ - count), '0');
  }
  if (exponent_ <= 0 && -exponent_ <= kMostZeros) {
    return text + "0." + std::string(static_cast<size_t>(-exponent_), '0') + digits_;
  }
  text += digits_[0];
  if (count > 1) text += "." + digits_.substr(1);
  return text + "e" + std::to_string(exponent_ - 1);
}

std::strong_ordering Decimal::operator<=>(const Decimal& other) const {
  int sign = IsZero() ? 0 : (negative_ ? -1 : 1);
  int other_sign = other.IsZero() ? 0 : (other.negative_ ? -1 : 1);
  if (sign != other_sign) return sign <=> other_sign;
  // Same sign: order the magnitudes; without trailing zeros, digits order as text does.
  std::strong_ordering magnitude = exponent_ <=> other.exponent_;
  if (magnitude == 0) magnitude = digits_.compare(other.digits_) <=> 0;
  return sign < 0 ? 0 <=> magnitude : magnitude;
}

}  // namespace maskloom
