// School arithmetic on 32-bit limbs, behind a path for numbers of at most 128 bits. Division is
// algorithm D of Knuth, The Art of Computer Programming 2, 4.3.1.
#include "grammar/base/natural.h"

#include <algorithm>
#include <utility>

namespace maskloom {
namespace {

constexpr size_t kInlineDigits = 38;  // 10^38 < 2^128
constexpr int kWordDigits = 18;       // 2^64 * 10^18 < 2^128

uint64_t WordOf(std::string_view digits) {
  uint64_t value = 0;
  for (char c : digits) value = value * 10 + static_cast<uint64_t>(c - '0');
  return value;
}

constexpr uint64_t WordPowerOfTen(size_t exponent) {
  uint64_t power = 1;
  for (size_t i = 0; i < exponent; ++i) power *= 10;
  return power;
}

// limbs = limbs * factor + summand
void MultiplyAdd(std::vector<uint32_t>* limbs, uint32_t factor, uint32_t summand) {
  uint64_t carry = summand;
  for (uint32_t& limb : *limbs) {
    carry += static_cast<uint64_t>(limb) * factor;
    limb = static_cast<uint32_t>(carry);
    carry >>= 32;
  }
  if (carry != 0) limbs->push_back(static_cast<uint32_t>(carry));
}

}  // namespace

Natural Natural::FromInline(Inline value) {
  Natural number;
  number.inline_ = value;
  return number;
}

Natural Natural::FromLimbs(Limbs limbs) {
  while (!limbs.empty() && limbs.back() == 0) limbs.pop_back();
  Natural number;
  if (limbs.size() <= 4) {
    for (size_t i = limbs.size(); i-- > 0;) number.inline_ = number.inline_ << 32 | limbs[i];
  } else {
    number.limbs_ = std::move(limbs);
  }
  return number;
}

Natural::Limbs Natural::ToLimbs() const {
  if (!limbs_.empty()) return limbs_;
  Limbs limbs;
  for (Inline rest = inline_; rest != 0; rest >>= 32) limbs.push_back(static_cast<uint32_t>(rest));
  return limbs;
}

Natural Natural::FromDigits(std::string_view digits) {
  if (digits.size() <= kInlineDigits) {
    Inline value = 0;
    for (size_t at = 0; at < digits.size(); at += kWordDigits) {
      const std::string_view part = digits.substr(at, kWordDigits);
      value = value * WordPowerOfTen(part.size()) + WordOf(part);
    }
    return FromInline(value);
  }
  Limbs limbs;
  for (size_t at = 0; at < digits.size(); at += 9) {
    const std::string_view part = digits.substr(at, 9);
    MultiplyAdd(&limbs, static_cast<uint32_t>(WordPowerOfTen(part.size())),
                static_cast<uint32_t>(WordOf(part)));
  }
  return FromLimbs(std::move(limbs));
}

Natural Natural::Power(uint32_t base, uint64_t exponent) {
  if (base == 10 && exponent <= kWordDigits) return WordPowerOfTen(exponent);
  Natural power = 1;
  Natural square = base;
  for (; exponent != 0; exponent >>= 1) {
    if ((exponent & 1) != 0) power = power * square;
    if (exponent > 1) square = square * square;
  }
  return power;
}

Natural Natural::Remainder(std::string_view digits, const Natural& modulus) {
  if (!modulus.FitsWord()) return FromDigits(digits) % modulus;
  const uint64_t divisor = modulus.Word();
  Inline rest = 0;
  for (size_t at = 0; at < digits.size(); at += kWordDigits) {
    const std::string_view part = digits.substr(at, kWordDigits);
    rest = (rest * WordPowerOfTen(part.size()) + WordOf(part)) % divisor;
  }
  return FromInline(rest);
}

std::string Natural::Digits() const {
  std::string digits;
  Natural rest = *this;
  const Natural base = WordPowerOfTen(kWordDigits);
  while (!rest.IsZero()) {
    std::string part = std::to_string((rest % base).Word());
    rest = rest / base;
    if (!rest.IsZero()) part.insert(0, kWordDigits - part.size(), '0');
    digits.insert(0, part);
  }
  return digits;
}

size_t Natural::Hash() const {
  uint64_t hash = static_cast<uint64_t>(inline_) ^ static_cast<uint64_t>(inline_ >> 64) * 31;
  for (uint32_t limb : limbs_) hash = (hash ^ limb) * 0x9E3779B97F4A7C15u;
  return static_cast<size_t>(hash ^ hash >> 32);
}

std::strong_ordering Natural::operator<=>(const Natural& other) const {
  if (limbs_.size() != other.limbs_.size()) return limbs_.size() <=> other.limbs_.size();
  for (size_t i = limbs_.size(); i-- > 0;) {
    if (limbs_[i] != other.limbs_[i]) return limbs_[i] <=> other.limbs_[i];
  }
  return inline_ == other.inline_  ? std::strong_ordering::equal
         : inline_ < other.inline_ ? std::strong_ordering::less
                                   : std::strong_ordering::greater;
}

Natural operator+(const Natural& a, const Natural& b) {
  if (a.limbs_.empty() && b.limbs_.empty()) {
    Natural::Inline sum = 0;
    if (!__builtin_add_overflow(a.inline_, b.inline_, &sum)) return Natural::FromInline(sum);
  }
  Natural::Limbs sum = a.ToLimbs();
  const Natural::Limbs other = b.ToLimbs();
  sum.resize(std::max(sum.size(), other.size()) + 1);
  uint64_t carry = 0;
  for (size_t i = 0; i < sum.size(); ++i) {
    carry += uint64_t{sum[i]} + (i < other.size() ? other[i] : 0);
    sum[i] = static_cast<uint32_t>(carry);
    carry >>= 32;
  }
  return Natural::FromLimbs(std::move(sum));
}

Natural operator-(const Natural& a, const Natural& b) {
  if (a.limbs_.empty()) return Natural::FromInline(a.inline_ - b.inline_);
  Natural::Limbs difference = a.limbs_;
  const Natural::Limbs other = b.ToLimbs();
  int64_t borrow = 0;
  for (size_t i = 0; i < difference.size(); ++i) {
    int64_t limb = int64_t{difference[i]} - (i < other.size() ? other[i] : 0) + borrow;
    borrow = limb < 0 ? -1 : 0;
    difference[i] = static_cast<uint32_t>(limb);
  }
  return Natural::FromLimbs(std::move(difference));
}

Natural operator*(const Natural& a, const Natural& b) {
  if (a.limbs_.empty() && b.limbs_.empty()) {
    Natural::Inline product = 0;
    if (!__builtin_mul_overflow(a.inline_, b.inline_, &product)) {
      return Natural::FromInline(product);
    }
  }
  const Natural::Limbs left = a.ToLimbs();
  const Natural::Limbs right = b.ToLimbs();
  Natural::Limbs product(left.size() + right.size());
  for (size_t i = 0; i < left.size(); ++i) {
    uint64_t carry = 0;
    for (size_t j = 0; j < right.size(); ++j) {
      carry += uint64_t{left[i]} * right[j] + product[i + j];
      product[i + j] = static_cast<uint32_t>(carry);
      carry >>= 32;
    }
    product[i + right.size()] = static_cast<uint32_t>(carry);
  }
  return Natural::FromLimbs(std::move(product));
}

Natural operator/(const Natural& a, const Natural& b) {
  if (a < b) return {};
  if (a.limbs_.empty()) return Natural::FromInline(a.inline_ / b.inline_);
  return Natural::FromLimbs(Natural::Divide(a.limbs_, b.ToLimbs(), nullptr));
}

Natural operator%(const Natural& a, const Natural& b) {
  if (a < b) return a;
  if (a.limbs_.empty()) return Natural::FromInline(a.inline_ % b.inline_);
  Natural::Limbs remainder;
  Natural::Divide(a.limbs_, b.ToLimbs(), &remainder);
  return Natural::FromLimbs(std::move(remainder));
}

// Requires: dividend >= divisor > 0.
Natural::Limbs Natural::Divide(Limbs dividend, const Limbs& divisor, Limbs* remainder) {
  const size_t size = divisor.size();
  Limbs quotient(dividend.size() - size + 1);
  if (size == 1) {
    uint64_t rest = 0;
    for (size_t i = dividend.size(); i-- > 0;) {
      rest = rest << 32 | dividend[i];
      quotient[i] = static_cast<uint32_t>(rest / divisor[0]);
      rest %= divisor[0];
    }
    if (remainder != nullptr) *remainder = {static_cast<uint32_t>(rest)};
    return quotient;
  }
  // Scaled so that the divisor's top bit is set, an estimated digit is at most two too large.
  const int shift = __builtin_clz(divisor.back());
  const auto shifted = [shift](const Limbs& limbs, size_t i) {
    const uint32_t high = i < limbs.size() ? limbs[i] : 0;
    const uint32_t low = i > 0 ? limbs[i - 1] : 0;
    return static_cast<uint32_t>((uint64_t{high} << 32 | low) << shift >> 32);
  };
  Limbs d(size);
  for (size_t i = 0; i < size; ++i) d[i] = shifted(divisor, i);
  Limbs rest(dividend.size() + 1);
  for (size_t i = 0; i < rest.size(); ++i) rest[i] = shifted(dividend, i);
  for (size_t at = quotient.size(); at-- > 0;) {
    const uint64_t top = uint64_t{rest[at + size]} << 32 | rest[at + size - 1];
    uint64_t digit = top / d[size - 1];
    uint64_t over = top % d[size - 1];
    while (digit >> 32 != 0 || digit * d[size - 2] > (over << 32 | rest[at + size - 2])) {
      --digit;
      over += d[size - 1];
      if (over >> 32 != 0) break;
    }
    uint64_t carry = 0;
    int64_t borrow = 0;
    for (size_t i = 0; i <= size; ++i) {
      carry += i < size ? digit * d[i] : 0;
      const int64_t limb = int64_t{rest[at + i]} - static_cast<uint32_t>(carry) + borrow;
      carry >>= 32;
      borrow = limb < 0 ? -1 : 0;
      rest[at + i] = static_cast<uint32_t>(limb);
    }
    if (borrow != 0) {  // one too large: add the divisor back
      --digit;
      uint64_t sum = 0;
      for (size_t i = 0; i <= size; ++i) {
        sum += uint64_t{rest[at + i]} + (i < size ? d[i] : 0);
        rest[at + i] = static_cast<uint32_t>(sum);
        sum >>= 32;
      }
    }
    quotient[at] = static_cast<uint32_t>(digit);
  }
  if (remainder != nullptr) {
    remainder->resize(size);
    for (size_t i = 0; i < size; ++i) {
      const uint64_t pair = uint64_t{rest[i + 1]} << 32 | rest[i];
      (*remainder)[i] = static_cast<uint32_t>(pair >> shift);
    }
  }
  return quotient;
}

Natural GreatestCommonDivisor(Natural a, Natural b) {
  while (!a.IsZero()) {
    b = b % a;
    std::swap(a, b);
  }
  return b;
}

}  // namespace maskloom
