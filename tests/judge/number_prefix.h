// Decides which beginnings of JSON numbers can still become a number inside given bounds, exactly.
//
// A number's value is digits times a power of ten. Fix the scale S of the digits written so far
// (where the point stands and what the exponent will be, taken together): appending t digits to
// the prefix P reaches values (P + 0.tail) * 10^S, an interval that is cut in ten by the next
// digit. So search digit by digit: an interval that misses the bounds is dropped, one that lies
// inside them is decided by counting, and at most the two that straddle a bound are cut further.
// Which pairs (t, S) can be spelled at all follows from the digit limits, the exponents and the
// bytes at hand. Worked example: "5" under minimum 60, maximum 70 is dead, since every 5.xxx * 10^S
// misses it; under minimum 60 alone "5e2" and "500" show that it is live. Cost: (scales that can
// meet the bounds) x (digits left) x 10 comparisons; prefixes are memoised by the caller.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/judge/code_points.h"

namespace maskloom::judge {

// An exact decimal: (negative ? -1 : 1) * 0.digits * 10^exponent; no outer zeros, zero is "".
struct ExactDecimal {
  bool negative = false;
  std::string digits;
  int64_t exponent = 0;

  // Requires: `text` is a JSON number. Exponents beyond +-10^12 are cut there.
  static ExactDecimal FromText(std::string_view text);
  static ExactDecimal FromDigits(std::string_view digits, int64_t scale);
  bool IsZero() const { return digits.empty(); }
  bool IsInteger() const { return exponent >= static_cast<int64_t>(digits.size()); }
  // -1, 0 or 1.
  int Compare(const ExactDecimal& other) const;
};

// What a number must satisfy. Several such rules join by Join().
struct NumberRule {
  struct Bound {
    ExactDecimal value;
    bool exclusive = false;
  };
  bool integer = false;
  std::optional<Bound> lower;
  std::optional<Bound> upper;
  std::optional<std::vector<ExactDecimal>> one_of;

  void JoinLower(const Bound& bound);
  void JoinUpper(const Bound& bound);
  void JoinOneOf(const std::vector<ExactDecimal>& values);
  bool Admits(const ExactDecimal& value) const;
  bool Unconstrained() const { return !integer && !lower && !upper && !one_of; }
};

// Limits of spelling: digits of the integer part and of the fraction; exponents have at most three
// digits. Zero: no limits at all.
struct NumberStyle {
  uint32_t max_digits = 64;
  ByteSet spellable;
};

// The parts of a JSON number read so far; `valid` tells whether it is a beginning of one.
struct NumberText {
  bool valid = true;
  bool negative = false;
  std::string integer;
  bool point = false;
  std::string fraction;
  bool exponent_letter = false;
  std::string exponent_sign;
  std::string exponent;

  static NumberText Read(std::string_view text, const NumberStyle& style);
  bool Complete() const;
};

// Whether `text` is a whole number that `rule` admits.
bool NumberAccepts(std::string_view text, const NumberRule& rule, const NumberStyle& style);
// Whether some text that begins with `text` is such a number, the rest spelled as `style` says.
bool NumberLive(std::string_view text, const NumberRule& rule, const NumberStyle& style);

}  // namespace maskloom::judge
