// Facts of number prefixes: conditions by sign, transitions, canonical form. See the header for
// the idea, number_multiples.cc and number_exponents.cc for divisors and exponents, and
// number_liveness.cc for the question whether a prefix can be completed.
#include "compiler/number_language.h"

#include <algorithm>
#include <utility>

#include "grammar/number_conditions.h"

namespace maskloom {
namespace {

constexpr int64_t kNoLimit = NumberPolicy::kNoLimit;

// Moves a threshold by `distance` unless it stands for "none".
int64_t Move(int64_t threshold, int64_t distance) {
  return threshold >= kNoLimit || threshold <= -kNoLimit ? threshold : threshold + distance;
}

int64_t ExponentDigitsFor(int64_t exponent) {
  return static_cast<int64_t>(std::to_string(exponent < 0 ? -exponent : exponent).size());
}

int DigitAt(const std::string& digits, int64_t at) {
  return at < static_cast<int64_t>(digits.size()) ? digits[static_cast<size_t>(at)] - '0' : 0;
}

// Takes one more digit of a number into its comparison with `bound`.
void Compare(const std::string& bound, int digit, bool is_lower, NumberFacts::Against* against) {
  if (against->matched < 0) return;
  int expected = DigitAt(bound, against->matched);
  if (digit == expected) {
    against->matched = std::min<int64_t>(against->matched + 1, bound.size());
    return;
  }
  against->matched = -1;
  if (is_lower && digit < expected) against->threshold += 1;
  if (!is_lower && digit > expected) against->threshold -= 1;
}

}  // namespace

int64_t NumberPolicy::LargestOf(int64_t digits) {
  if (digits > 10) return kNoLimit;
  int64_t power = 1;
  for (int64_t i = 0; i < digits; ++i) power *= 10;
  return power - 1;
}

NumberPolicy NumberPolicy::WidenedFor(const Decimal& value, NumberNode::Spelling spelling) const {
  NumberPolicy wide = *this;
  const int64_t count = static_cast<int64_t>(value.digits().size());
  const int64_t exponent = value.exponent();
  if (count == 0) return wide;
  if (spelling == NumberNode::Spelling::kPlain) {
    wide.integer_digits = std::max(wide.integer_digits, exponent);
    return wide;
  }
  if (count > std::min(wide.integer_digits, wide.fraction_digits)) {
    // Room for the usual spelling without an exponent, if that is not much longer.
    constexpr int64_t kMostZeros = 100;
    const int64_t before = std::max<int64_t>(1, exponent);
    const int64_t behind = std::max<int64_t>(0, count - exponent);
    const bool is_usual = before <= count + kMostZeros && behind <= count + kMostZeros;
    wide.integer_digits = std::max(wide.integer_digits, is_usual ? before : count);
    wide.fraction_digits = std::max(wide.fraction_digits, is_usual ? behind : count);
  }
  const int64_t largest = LargestOf(wide.exponent_digits);
  // With i digits before the point the exponent written is `exponent` - i; with a leading "0."
  // and z zeros it is `exponent` + z.
  const int64_t fewest = std::max<int64_t>(1, count - wide.fraction_digits);
  const bool fits = exponent >= fewest - largest && exponent <= largest + wide.integer_digits;
  const bool fits_behind_zero = count <= wide.fraction_digits && exponent <= largest &&
                                exponent >= -largest - (wide.fraction_digits - count);
  if (!fits && !fits_behind_zero) {
    wide.exponent_digits =
        std::max(ExponentDigitsFor(exponent), ExponentDigitsFor(exponent - fewest));
  }
  return wide;
}

NumberPolicy NumberPolicy::WidenedForValues(const NumberNode& node) const {
  NumberPolicy wide = *this;
  if (!node.one_of) return wide;
  for (const Decimal& value : *node.one_of) {
    if (Satisfies(node, value)) wide = wide.WidenedFor(value, node.spelling);
  }
  return wide;
}

size_t NumberFacts::Hash() const {
  uint64_t hash = 0;
  const auto mix = [&hash](int64_t field) {
    hash = (hash ^ static_cast<uint64_t>(field)) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 32;
  };
  mix(static_cast<int64_t>(phase) | (negative ? 16 : 0) | (nonzero ? 32 : 0));
  for (int64_t field : {digits_left, fraction_digits, lower.matched, lower.threshold, upper.matched,
                        upper.threshold, matched, point, exponent}) {
    mix(field);
  }
  mix(static_cast<int64_t>(first_value) << 32 | last_value);
  mix(static_cast<int64_t>(progress) << 32 | exponent_set);
  return static_cast<size_t>(hash);
}

bool NumberLanguage::SignCase::operator==(const SignCase& other) const {
  const auto same = [](const Bound& a, const Bound& b) {
    return a.digits == b.digits && a.exponent == b.exponent && a.exclusive == b.exclusive;
  };
  const auto same_optional = [&](const std::optional<Bound>& a, const std::optional<Bound>& b) {
    return a.has_value() == b.has_value() && (!a || same(*a, *b));
  };
  return zero == other.zero && nonzero == other.nonzero && same_optional(lower, other.lower) &&
         same_optional(upper, other.upper) &&
         std::equal(values.begin(), values.end(), other.values.begin(), other.values.end(), same);
}

NumberLanguage::NumberLanguage() {
  sets_.push_back({{-kNoLimit, kNoLimit}});
  progress_.emplace_back();
}

Result<NumberLanguage> NumberLanguage::Create(const NumberNode& node, const NumberPolicy& policy) {
  NumberLanguage language;
  language.policy_ = policy;
  language.spelling_ = node.spelling;
  if (node.spelling == NumberNode::Spelling::kPlain) {
    language.policy_.fraction_digits = 0;
    language.policy_.exponent_digits = 0;
  }
  language.largest_exponent_ = NumberPolicy::LargestOf(language.policy_.exponent_digits);
  language.exact_ = node.one_of.has_value();
  Status status = language.AddConditions(node);
  if (status.ok() && !language.exact_) status = language.AddDivisors(node);
  if (!status.ok()) return status;
  language.signs_alike_ = language.signs_[0] == language.signs_[1];
  return language;
}

Status NumberLanguage::AddConditions(const NumberNode& node) {
  bool too_long = false;
  const auto bound_of = [&](const Decimal& value, bool exclusive) {
    too_long = too_long || value.digits().size() > kMaxDigits;
    return Bound{value.digits(), value.exponent(), exclusive};
  };
  for (bool negative : {false, true}) {
    SignCase& sign = signs_[negative ? 1 : 0];
    const std::optional<NumberBound>& nearer = negative ? node.upper : node.lower;
    const std::optional<NumberBound>& farther = negative ? node.lower : node.upper;
    sign.zero = Satisfies(node, Decimal());
    if (exact_) continue;
    const auto is_beyond_zero = [&](const std::optional<NumberBound>& bound) {
      return bound && !bound->value.IsZero() && bound->value.negative() == negative;
    };
    sign.nonzero = !farther || is_beyond_zero(farther);
    if (is_beyond_zero(nearer)) {
      sign.lower = bound_of(nearer->value, nearer->exclusive);
      // Digit for digit, numbers beyond take too many.
      too_long = too_long || (spelling_ == NumberNode::Spelling::kPlain &&
                              sign.lower->exponent > static_cast<int64_t>(kMaxDigits));
    }
    if (is_beyond_zero(farther)) sign.upper = bound_of(farther->value, farther->exclusive);
  }
  // Excluded values matter where they would be allowed otherwise.
  NumberNode others;
  if (!exact_) {
    others = node;
    others.none_of.clear();
  }
  for (const Decimal& value : exact_ ? *node.one_of : node.none_of) {
    if (value.IsZero() || !Satisfies(exact_ ? node : others, value)) continue;
    if (spelling_ == NumberNode::Spelling::kPlain) {
      too_long = too_long || value.exponent() > static_cast<int64_t>(kMaxDigits);
    }
    SignCase& sign = signs_[value.negative() ? 1 : 0];
    sign.nonzero = true;
    sign.values.push_back(bound_of(value, false));
  }
  for (SignCase& sign : signs_) {
    std::sort(sign.values.begin(), sign.values.end(), [](const Bound& a, const Bound& b) {
      return std::tie(a.digits, a.exponent) < std::tie(b.digits, b.exponent);
    });
  }
  if (!too_long) return Status::Ok();
  return Status(StatusCode::kResourceLimit, "a number in the definition has more than " +
                                                std::to_string(kMaxDigits) + " digits");
}

bool NumberLanguage::IsFree(const SignCase& sign) const {
  return divisors_.empty() && !exact_ && sign.values.empty() && sign.zero && sign.nonzero &&
         !sign.lower && !sign.upper;
}

std::optional<NumberFacts> NumberLanguage::Step(const NumberFacts& facts, uint8_t byte) {
  const bool is_digit = byte >= '0' && byte <= '9';
  const int digit = byte - '0';
  const bool is_exponent = byte == 'e' || byte == 'E';
  switch (facts.phase) {
    case NumberPhase::kStart:
      if (byte == '-') {
        NumberFacts next;
        next.phase = NumberPhase::kMinus;
        return next;
      }
      if (is_digit) return StepFirstDigit(false, digit);
      return std::nullopt;
    case NumberPhase::kMinus:
      if (is_digit) return StepFirstDigit(!signs_alike_, digit);
      return std::nullopt;
    case NumberPhase::kZero:
    case NumberPhase::kInteger:
      if (byte == '.') {
        if (policy_.fraction_digits == 0) return std::nullopt;
        NumberFacts next = facts;
        next.phase = NumberPhase::kPoint;
        next.digits_left = policy_.fraction_digits;
        Canonicalize(&next);
        return next;
      }
      if (is_exponent) return StepExponent(facts);
      if (facts.phase == NumberPhase::kZero) return std::nullopt;
      break;
    case NumberPhase::kPoint:
      break;
    case NumberPhase::kFraction:
      if (is_exponent) return StepExponent(facts);
      break;
    case NumberPhase::kExponent:
      if (byte == '+' || byte == '-') return StepExponentSign(facts, byte == '-');
      if (!is_digit) return std::nullopt;
      if (auto sign = StepExponentSign(facts, false)) return StepExponentDigit(*sign, digit);
      return std::nullopt;
    case NumberPhase::kExponentSign:
    case NumberPhase::kExponentDigits:
      if (is_digit) return StepExponentDigit(facts, digit);
      return std::nullopt;
  }
  // A further digit of the mantissa.
  if (!is_digit) return std::nullopt;
  NumberFacts next = facts;
  if (!AddDigit(digit, &next)) return std::nullopt;
  Canonicalize(&next);
  return next;
}

std::optional<NumberFacts> NumberLanguage::StepFirstDigit(bool negative, int digit) {
  NumberFacts next;
  next.negative = negative;
  if (digit == 0) {
    next.phase = NumberPhase::kZero;
  } else {
    next.phase = NumberPhase::kInteger;
    next.digits_left = policy_.integer_digits;
    if (!AddDigit(digit, &next)) return std::nullopt;
  }
  Canonicalize(&next);
  return next;
}

void NumberLanguage::StartSignificant(int64_t point, NumberFacts* facts) const {
  const SignCase& sign = CaseOf(*facts);
  facts->nonzero = true;
  facts->point = point;
  facts->matched = 0;
  facts->first_value = 0;
  facts->last_value = static_cast<uint32_t>(sign.values.size());
  facts->lower = sign.lower ? NumberFacts::Against{0, sign.lower->exponent - point}
                            : NumberFacts::Against{-1, -kNoLimit};
  facts->upper = sign.upper ? NumberFacts::Against{0, sign.upper->exponent - point}
                            : NumberFacts::Against{-1, kNoLimit};
}

bool NumberLanguage::AddDigit(int digit, NumberFacts* facts) {
  if (facts->digits_left == 0) return false;
  const bool in_integer = facts->phase == NumberPhase::kInteger;
  facts->digits_left = NumberPolicy::CountDown(facts->digits_left);
  if (in_integer) {
    if (!facts->nonzero) StartSignificant(0, facts);
    facts->point += 1;
    facts->lower.threshold = Move(facts->lower.threshold, -1);
    facts->upper.threshold = Move(facts->upper.threshold, -1);
  } else {
    facts->phase = NumberPhase::kFraction;
    facts->fraction_digits += 1;
    if (!facts->nonzero) {
      if (digit == 0) return true;
      StartSignificant(1 - facts->fraction_digits, facts);
    }
  }
  const SignCase& sign = CaseOf(*facts);
  if (!sign.nonzero) return false;
  if (exact_) return NarrowValues(digit, facts);
  if (!sign.values.empty() && !NarrowValues(digit, facts)) {
    facts->first_value = facts->last_value = 0;  // no excluded value is near any more
  }
  if (sign.lower) Compare(sign.lower->digits, digit, true, &facts->lower);
  if (sign.upper) Compare(sign.upper->digits, digit, false, &facts->upper);
  if (!divisors_.empty()) AddDigitToProgress(digit, facts);
  return true;
}

bool NumberLanguage::NarrowValues(int digit, NumberFacts* facts) const {
  const auto begin = CaseOf(*facts).values.begin();
  const int64_t at = facts->matched;
  const auto first =
      std::partition_point(begin + facts->first_value, begin + facts->last_value,
                           [&](const Bound& value) { return DigitAt(value.digits, at) < digit; });
  const auto last = std::partition_point(first, begin + facts->last_value, [&](const Bound& value) {
    return DigitAt(value.digits, at) <= digit;
  });
  if (first == last) return false;
  facts->first_value = static_cast<uint32_t>(first - begin);
  facts->last_value = static_cast<uint32_t>(last - begin);
  size_t longest = 0;
  for (auto value = first; value != last; ++value)
    longest = std::max(longest, value->digits.size());
  facts->matched = std::min<int64_t>(at + 1, static_cast<int64_t>(longest));
  return true;
}

void NumberLanguage::Canonicalize(NumberFacts* facts) {
  const SignCase& sign = CaseOf(*facts);
  if (IsFree(sign)) facts->nonzero = true;
  const bool needs_fraction_digits = facts->nonzero ? !divisors_.empty() : sign.nonzero;
  if (!needs_fraction_digits) facts->fraction_digits = 0;
  if (!facts->nonzero || facts->first_value == facts->last_value) {
    facts->first_value = facts->last_value = 0;
    facts->matched = facts->point = 0;
  }
  if (!facts->nonzero || exact_) {
    facts->lower = facts->upper = {};
    return;
  }
  // An exponent plus the integer digits still to come lies in [-largest_exponent_, top].
  const int64_t more = facts->phase == NumberPhase::kInteger ? facts->digits_left : 0;
  const int64_t bottom = -largest_exponent_;
  const int64_t top = std::min(kNoLimit, largest_exponent_ + more);
  NumberFacts::Against& lower = facts->lower;
  if (!sign.lower) {
    lower = {-1, bottom};
  } else if (lower.matched >= 0 ? lower.threshold < bottom : lower.threshold <= bottom) {
    lower = {-1, bottom};
  }
  NumberFacts::Against& upper = facts->upper;
  if (!sign.upper) {
    upper = {-1, top};
  } else if (upper.matched >= 0 ? upper.threshold > top : upper.threshold >= top) {
    upper = {-1, top};
  }
  if (!divisors_.empty()) CanonicalizeProgress({bottom, top}, facts);
}

}  // namespace maskloom
