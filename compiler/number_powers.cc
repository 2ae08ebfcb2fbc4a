// Which powers have digits to write, judged without writing them; see number_liveness.cc for powers
// and digits. Budgets may leave endlessly many powers, and at each of them endlessly many digits,
// so nothing here goes through all of either.
//
// Let c digits be available at power q (the budget's, less those that are finer than the divisor to
// be a multiple of; these are zeros), and let P = q - f - c be the place of the last. Then
//   - at P >= finest_place_ there is nothing: some divisor to avoid divides whatever is left;
//   - else, if c is large enough, there are as many solutions as are asked for: the digits of
//   bounds
//     take b of c and leave an interval of 10^(c-b) numbers or more, unless they leave just one;
//     this has 10^(c-b) / modulus multiples of the divisor; and of 2^n in a row of these one misses
//     all n divisors to avoid (see `slack_`);
//   - else there are so few digits that their numbers can be tried.
// As q grows, c never falls and P never does, so once P is too large it remains so, and the powers
// with few digits lie in a row. Among them what divisors ask changes where c changes, where the
// digits reach the places of a divisor, and where the digits so far begin to be its multiple.
// Between these all powers are alike; if one of them has nothing, the others are stepped over.
#include <algorithm>

#include "compiler/number_language.h"
#include "compiler/number_search.h"

namespace maskloom {
namespace {

constexpr int64_t kNoLimit = NumberPolicy::kNoLimit;

}  // namespace

// Returns how many digits may follow at `power` and need not be zeros.
int64_t NumberLanguage::Available(const NumberFacts& now, const Room& room, int64_t power) const {
  const int64_t count = room.Digits(power);
  if (!has_required_) return count;
  return std::min(count, std::max<int64_t>(0, power - now.fraction_digits - divisors_[0].ten));
}

// Is every number whose last digit is the last one available at `power` a multiple to avoid?
bool NumberLanguage::IsTooCoarse(const NumberFacts& now, int64_t power, int64_t available) const {
  return finest_place_ < kNoLimit && power - now.fraction_digits - available >= finest_place_;
}

// Of how many digits on are there surely `wanted` solutions, where bounds ask nothing of the digits
// and IsTooCoarse does not hold?
int64_t NumberLanguage::AmpleDigits(const NumberFacts& now, size_t wanted) const {
  int64_t digits = (now.nonzero ? 2 : 3) + slack_;
  for (size_t rest = wanted + (now.last_value - now.first_value); rest != 0; rest /= 10) ++digits;
  return digits;
}

NumberLanguage::Choices NumberLanguage::ChoicesAt(const NumberFacts& now, const Room& room,
                                                  int64_t power, size_t wanted) const {
  if (power < now.lower.threshold || power > now.upper.threshold) return {};
  const int64_t available = Available(now, room, power);
  if (available < (now.nonzero ? 0 : 1) || IsTooCoarse(now, power, available)) return {};
  const SignCase& sign = CaseOf(now);
  const bool lower_decides = now.lower.matched >= 0 && now.lower.threshold == power;
  const bool upper_decides = now.upper.matched >= 0 && now.upper.threshold == power;
  int64_t bound_digits = now.nonzero ? 0 : 1;
  const auto take = [&](bool decides, const NumberFacts::Against& against,
                        const std::optional<Bound>& bound) {
    if (!decides) return;
    const int64_t left = static_cast<int64_t>(bound->digits.size()) - against.matched;
    bound_digits = std::max(bound_digits, left);
  };
  take(lower_decides, now.lower, sign.lower);
  take(upper_decides, now.upper, sign.upper);
  if (available <= bound_digits + AmpleDigits(now, wanted)) {
    return {Choices::Kind::kFew, available};
  }
  if (upper_decides) {
    // What bounds leave of their own digits: one number is a number, two have many between them.
    bool rest = false;
    const Natural high = ReadDigits(sign.upper->digits, now.upper.matched, bound_digits, &rest);
    Natural low;
    if (!now.nonzero) low = Natural::PowerOfTen(static_cast<uint64_t>(bound_digits - 1));
    if (lower_decides) {
      low = ReadDigits(sign.lower->digits, now.lower.matched, bound_digits, &rest);
    }
    if (low > high) return {};
    if (low == high) return {Choices::Kind::kFew, bound_digits};
  }
  return {Choices::Kind::kAmple, available};
}

int64_t NumberLanguage::FirstAmplePower(const NumberFacts& now, const Room& room, int64_t first,
                                        size_t wanted) const {
  const int64_t ample = AmpleDigits(now, wanted) + 1 + (now.nonzero ? 0 : 1);
  int64_t power = std::max(first, ample - room.largest - room.fraction_left);
  if (has_required_) power = std::max(power, now.fraction_digits + divisors_[0].ten + ample);
  return power;
}

bool NumberLanguage::HasMoreThan(const NumberFacts& now, const Room& room, int64_t first,
                                 int64_t last, size_t limit) const {
  if (divisors_.size() > (has_required_ ? 1u : 0u)) return false;
  constexpr int kPowersTried = 64;
  size_t left = limit + (now.last_value - now.first_value);  // as excluded values may be there
  for (int tried = 0; tried < kPowersTried && last - tried >= first; ++tried) {
    const int64_t power = last - tried;
    const Choices choices = ChoicesAt(now, room, power, left + 1);
    if (choices.kind == Choices::Kind::kAmple) return true;
    if (choices.kind == Choices::Kind::kNone || choices.count == 0) continue;
    const std::optional<Slice> slice = SliceAt(now, power, choices.count);
    if (!slice) continue;
    Natural count = slice->high - slice->low;
    if (has_required_) {
      // Of so many numbers in a row, at least this many are in one class.
      count = (count + 1) / divisors_[0].ModulusAt(power - now.fraction_digits - slice->count);
    } else {
      count = count + 1;
    }
    if (count > Natural(left)) return true;
    left -= static_cast<size_t>(count.Word());
  }
  return false;
}

int64_t NumberLanguage::NextPower(const NumberFacts& now, const Room& room, int64_t power) const {
  const bool decides = (now.lower.matched >= 0 && now.lower.threshold == power) ||
                       (now.upper.matched >= 0 && now.upper.threshold == power);
  const int64_t available = Available(now, room, power);
  if (IsTooCoarse(now, power, available)) return kNoPower;
  if (decides || HasListed(now, power)) return power + 1;
  if (power < room.LastPower() && Available(now, room, power + 1) > available) return power + 1;
  int64_t next = kNoPower;
  const auto stop_at = [&](int64_t stop) {
    if (stop > power) next = std::min(next, stop);
  };
  const int64_t place = power - now.fraction_digits;
  for (size_t i = 0; i < divisors_.size(); ++i) {
    const Divisor& divisor = divisors_[i];
    if (available > 0 && place >= divisor.ten && place <= divisor.ten + divisor.power + available) {
      return power + 1;
    }
    stop_at(now.fraction_digits + divisor.ten);
    if (now.nonzero) {
      const int64_t exponent = ProgressOf(now, i).exponent;
      if (exponent < kNoLimit) stop_at(exponent);
    }
  }
  const SignCase& sign = CaseOf(now);
  for (uint32_t i = now.first_value; i < now.last_value; ++i) {
    stop_at(sign.values[i].exponent - now.point);
  }
  if (now.upper.matched >= 0) stop_at(now.upper.threshold);
  return next;
}

}  // namespace maskloom
