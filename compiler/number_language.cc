// Facts of number prefixes: conditions by sign, transitions, canonical form. See the header for
// the idea and number_liveness.cc for the question whether a prefix can be completed.
#include "compiler/number_language.h"

#include <algorithm>
#include <utility>

namespace maskloom {
namespace {

constexpr int64_t kNoLimit = NumberPolicy::kNoLimit;
// Finite members of exponent sets are below this; ten times as much is still below kNoLimit.
constexpr int64_t kFinite = kNoLimit >> 4;

int64_t CountDown(int64_t left) { return left >= kNoLimit ? left : left - 1; }

// Moves a threshold by `distance` unless it stands for "none".
int64_t Move(int64_t threshold, int64_t distance) {
  return threshold >= kNoLimit || threshold <= -kNoLimit ? threshold : threshold + distance;
}

// Returns 10^digits - 1, or no limit beyond ten digits.
int64_t LargestOf(int64_t digits) {
  if (digits > 10) return kNoLimit;
  int64_t power = 1;
  for (int64_t i = 0; i < digits; ++i) power *= 10;
  return power - 1;
}

int64_t ExponentDigitsFor(int64_t exponent) {
  return static_cast<int64_t>(std::to_string(exponent < 0 ? -exponent : exponent).size());
}

bool Satisfies(const Decimal& value, const NumberNode& node) {
  if (node.integer && !value.IsInteger()) return false;
  if (node.lower &&
      (node.lower->exclusive ? value <= node.lower->value : value < node.lower->value)) {
    return false;
  }
  if (node.upper &&
      (node.upper->exclusive ? value >= node.upper->value : value > node.upper->value)) {
    return false;
  }
  return !node.one_of ||
         std::find(node.one_of->begin(), node.one_of->end(), value) != node.one_of->end();
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

NumberPolicy NumberPolicy::WidenedForValues(const NumberNode& node) const {
  NumberPolicy wide = *this;
  if (!node.one_of) return wide;
  for (const Decimal& value : *node.one_of) {
    const int64_t count = static_cast<int64_t>(value.digits().size());
    const int64_t exponent = value.exponent();
    if (count == 0) continue;
    if (count > wide.integer_digits + wide.fraction_digits) {
      wide.integer_digits = count;
      wide.fraction_digits = count;
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
  }
  return wide;
}

NumberPolicy NumberPolicy::WidenedForBounds(const NumberNode& node) const {
  NumberPolicy wide = *this;
  int64_t digits = 1;
  int64_t exponent = 1;
  for (const std::optional<NumberBound>* bound : {&node.lower, &node.upper}) {
    if (!bound->has_value()) continue;
    const Decimal& value = (*bound)->value;
    digits = std::max(digits, static_cast<int64_t>(value.digits().size()) + 1);
    exponent = std::max(exponent, value.exponent() < 0 ? -value.exponent() : value.exponent());
  }
  wide.integer_digits = std::max(wide.integer_digits, digits);
  wide.fraction_digits = std::max(wide.fraction_digits, digits);
  wide.exponent_digits = std::max(wide.exponent_digits, ExponentDigitsFor(exponent + digits + 1));
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
                        upper.threshold, least_exponent, matched, point, exponent}) {
    mix(field);
  }
  mix(static_cast<int64_t>(first_value) << 32 | last_value);
  mix(exponent_set);
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

Result<NumberLanguage> NumberLanguage::Create(const NumberNode& node, const NumberPolicy& policy) {
  NumberLanguage language;
  language.policy_ = policy;
  language.largest_exponent_ = LargestOf(policy.exponent_digits);
  language.exact_ = node.one_of.has_value();
  language.integer_ = node.integer && !language.exact_;
  language.sets_.push_back({{-kNoLimit, kNoLimit}});

  bool too_long = false;
  const auto bound_of = [&](const Decimal& value, bool exclusive) {
    too_long = too_long || value.digits().size() > kMaxDigits;
    return Bound{value.digits(), value.exponent(), exclusive};
  };
  const Decimal zero;
  for (bool negative : {false, true}) {
    SignCase& sign = language.signs_[negative ? 1 : 0];
    const std::optional<NumberBound>& nearer = negative ? node.upper : node.lower;
    const std::optional<NumberBound>& farther = negative ? node.lower : node.upper;
    sign.zero = Satisfies(zero, node);
    if (language.exact_) continue;
    const auto is_beyond_zero = [&](const std::optional<NumberBound>& bound) {
      return bound && !bound->value.IsZero() && bound->value.negative() == negative;
    };
    sign.nonzero = !farther || is_beyond_zero(farther);
    if (is_beyond_zero(nearer)) sign.lower = bound_of(nearer->value, nearer->exclusive);
    if (is_beyond_zero(farther)) sign.upper = bound_of(farther->value, farther->exclusive);
  }
  if (language.exact_) {
    for (const Decimal& value : *node.one_of) {
      if (value.IsZero()) continue;
      NumberNode bounds = {.integer = node.integer, .lower = node.lower, .upper = node.upper};
      if (!Satisfies(value, bounds)) continue;
      SignCase& sign = language.signs_[value.negative() ? 1 : 0];
      sign.nonzero = true;
      sign.values.push_back(bound_of(value, false));
    }
    for (SignCase& sign : language.signs_) {
      const auto before = [](const Bound& a, const Bound& b) {
        return std::tie(a.digits, a.exponent) < std::tie(b.digits, b.exponent);
      };
      std::sort(sign.values.begin(), sign.values.end(), before);
    }
  }
  if (too_long) {
    return Status(StatusCode::kResourceLimit, "a number in the definition has more than " +
                                                  std::to_string(kMaxDigits) + " digits");
  }
  language.signs_alike_ = language.signs_[0] == language.signs_[1];
  return language;
}

bool NumberLanguage::IsPlain(const SignCase& sign) const {
  return !integer_ && !exact_ && sign.zero && sign.nonzero && !sign.lower && !sign.upper;
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

std::optional<NumberFacts> NumberLanguage::StepFirstDigit(bool negative, int digit) const {
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

bool NumberLanguage::AddDigit(int digit, NumberFacts* facts) const {
  if (facts->digits_left == 0) return false;
  const bool in_integer = facts->phase == NumberPhase::kInteger;
  facts->digits_left = CountDown(facts->digits_left);
  if (in_integer) {
    if (!facts->nonzero) StartSignificant(0, facts);
    facts->point += 1;
    facts->lower.threshold = Move(facts->lower.threshold, -1);
    facts->upper.threshold = Move(facts->upper.threshold, -1);
    facts->least_exponent = digit == 0 ? facts->least_exponent - 1 : 0;
  } else {
    facts->phase = NumberPhase::kFraction;
    facts->fraction_digits += 1;
    if (!facts->nonzero) {
      if (digit == 0) return true;
      StartSignificant(1 - facts->fraction_digits, facts);
    }
    if (digit != 0) facts->least_exponent = facts->fraction_digits;
  }
  const SignCase& sign = CaseOf(*facts);
  if (!sign.nonzero) return false;
  if (exact_) return NarrowValues(digit, facts);
  if (sign.lower) Compare(sign.lower->digits, digit, true, &facts->lower);
  if (sign.upper) Compare(sign.upper->digits, digit, false, &facts->upper);
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

void NumberLanguage::Canonicalize(NumberFacts* facts) const {
  const SignCase& sign = CaseOf(*facts);
  if (IsPlain(sign)) facts->nonzero = true;
  const bool needs_fraction_digits = facts->nonzero ? integer_ : sign.nonzero;
  if (!needs_fraction_digits) facts->fraction_digits = 0;
  if (!facts->nonzero || !integer_) facts->least_exponent = 0;
  if (!facts->nonzero || !exact_) {
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
  if (integer_ && lower.matched < 0) {
    facts->least_exponent = std::max(facts->least_exponent, lower.threshold);
  }
}

bool NumberLanguage::Accepting(const NumberFacts& facts) const {
  switch (facts.phase) {
    case NumberPhase::kZero:
    case NumberPhase::kInteger:
    case NumberPhase::kFraction:
      for (const Interval& part : Exponents(facts)) {
        if (part.first <= 0 && part.last >= 0) return true;
      }
      return false;
    case NumberPhase::kExponentDigits:
      if (facts.exponent_set == 0) return true;
      for (const Interval& part : sets_[facts.exponent_set]) {
        if (part.first <= facts.exponent && part.last >= facts.exponent) return true;
      }
      return false;
    default:
      return false;
  }
}

NumberLanguage::ExponentSet NumberLanguage::Exponents(const NumberFacts& facts) const {
  const SignCase& sign = CaseOf(facts);
  if (IsPlain(sign)) return {{-kNoLimit, kNoLimit}};
  if (!facts.nonzero) {
    return sign.zero ? ExponentSet{{-kNoLimit, kNoLimit}} : ExponentSet{};
  }
  ExponentSet set;
  if (exact_) {
    // The shortest come first: those whose digits have all been read, differing in exponent only.
    for (uint32_t i = facts.first_value; i < facts.last_value; ++i) {
      const Bound& value = sign.values[i];
      if (static_cast<int64_t>(value.digits.size()) > facts.matched) break;
      const int64_t exponent = value.exponent - facts.point;
      if (!set.empty() && exponent <= set.back().last + 1) {
        set.back().last = exponent;
      } else {
        set.push_back({exponent, exponent});
      }
    }
    return set;
  }
  const auto is_equal = [](const NumberFacts::Against& against, const Bound& bound) {
    return against.matched == static_cast<int64_t>(bound.digits.size());
  };
  int64_t first = facts.lower.threshold;
  int64_t last = facts.upper.threshold;
  if (facts.lower.matched >= 0 && (!is_equal(facts.lower, *sign.lower) || sign.lower->exclusive)) {
    first += 1;
  }
  if (facts.upper.matched >= 0 && is_equal(facts.upper, *sign.upper) && sign.upper->exclusive) {
    last -= 1;
  }
  if (integer_) first = std::max(first, facts.least_exponent);
  if (first <= last) set.push_back({first, last});
  return set;
}

std::optional<NumberFacts> NumberLanguage::StepExponent(const NumberFacts& facts) {
  const ExponentSet all{{-largest_exponent_, largest_exponent_}};
  ExponentSet set = IntersectSets(Exponents(facts), all);
  if (set.empty()) return std::nullopt;
  NumberFacts next;
  next.phase = NumberPhase::kExponent;
  next.digits_left = policy_.exponent_digits;
  next.exponent_set = InternSet(std::move(set), all);
  return next;
}

std::optional<NumberFacts> NumberLanguage::StepExponentSign(const NumberFacts& facts,
                                                            bool negative) {
  ExponentSet set = sets_[facts.exponent_set];
  if (negative) {
    std::reverse(set.begin(), set.end());
    for (Interval& part : set) part = {-part.last, -part.first};
  }
  const ExponentSet all{{0, largest_exponent_}};
  set = IntersectSets(set, all);
  if (set.empty()) return std::nullopt;
  NumberFacts next;
  next.phase = NumberPhase::kExponentSign;
  next.digits_left = facts.digits_left;
  next.exponent_set = InternSet(std::move(set), all);
  return next;
}

std::optional<NumberFacts> NumberLanguage::StepExponentDigit(const NumberFacts& facts, int digit) {
  if (facts.digits_left == 0) return std::nullopt;
  NumberFacts next;
  next.phase = NumberPhase::kExponentDigits;
  next.digits_left = CountDown(facts.digits_left);
  next.exponent = std::min(facts.exponent * 10 + digit, kFinite);
  const ExponentSet all = Continuations(next.exponent, next.digits_left);
  ExponentSet set = IntersectSets(sets_[facts.exponent_set], all);
  if (set.empty()) return std::nullopt;
  next.exponent_set = InternSet(std::move(set), all);
  if (next.exponent_set == 0) next.exponent = 0;
  return next;
}

NumberLanguage::ExponentSet NumberLanguage::Continuations(int64_t value, int64_t digits_left) {
  if (value == 0) return {{0, LargestOf(digits_left)}};
  ExponentSet set;
  int64_t first = value;
  int64_t last = value;
  for (int64_t more = 0; more <= digits_left; ++more) {
    if (first >= kFinite) {
      set.push_back({first, kNoLimit});
      break;
    }
    set.push_back({first, last});
    first = first * 10;
    last = last * 10 + 9;
  }
  return set;
}

NumberLanguage::ExponentSet NumberLanguage::IntersectSets(const ExponentSet& a,
                                                          const ExponentSet& b) {
  ExponentSet both;
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const int64_t first = std::max(a[i].first, b[j].first);
    const int64_t last = std::min(a[i].last, b[j].last);
    if (first <= last) both.push_back({first, last});
    if (a[i].last < b[j].last) {
      ++i;
    } else {
      ++j;
    }
  }
  return both;
}

uint32_t NumberLanguage::InternSet(ExponentSet set, const ExponentSet& all) {
  if (set == all) return 0;
  const auto [entry, is_new] =
      set_ids_.emplace(std::move(set), static_cast<uint32_t>(sets_.size()));
  if (is_new) sets_.push_back(entry->first);
  return entry->second;
}

}  // namespace maskloom
