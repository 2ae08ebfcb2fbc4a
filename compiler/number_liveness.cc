// Can a prefix of a number be completed? Exact decimal reasoning, without search through texts.
//
// Behind the mantissa digits S read so far, f of them in the fraction, may come digits w, `count`
// of them, and an exponent E. Of the digits w some, j, stand before the point, and each moves it:
// what the conditions see is the power q = E + j. The value is
//     (S * 10^count + w) * 10^(q - f - count)
// and different q mean different values. With I digits left before the point, F behind it, and X
// the largest exponent, q can be anything in [-X, X + I], and then count = min(I, q + X) + F digits
// can follow (trailing zeros are free, so fewer digits mean nothing more). While only zeros have
// been read, a number goes on with z more zeros behind the point and then w, which starts with a
// digit 1-9; with q = E - z the same formulas hold.
//
// So for one q the question is about integers w: bounds say an interval (the whole of it, except
// at the two q where the bound's own digits decide), the divisor says w = c modulo m, divisors to
// avoid that w is in none of some further classes, excluded values that w is none of some numbers.
// Multiples of the divisor are tried in turn; number_conditions.cc says why few tries do. Digits
// beyond the bounds' plus `slack_` are not needed, so the integers stay small.
//
// Which q? Those at the bounds' digits, and of those between them, by monotony:
//   - a divisor alone: the largest, as powers of ten only help; beyond some q all are alike;
//   - divisors to avoid alone: the smallest, as powers of ten only make multiples;
//   - both: only q = f + ten .. f + count + (largest exponent of 2 or 5) make a difference; below,
//     w = 0 is the only choice, and what S means for each divisor says which q are right.
// Excluded values spoil a q only where one of them lies, so those q are stepped over.
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "compiler/number_language.h"
#include "compiler/number_search.h"

namespace maskloom {
namespace {

int64_t DecimalLength(size_t number) {
  int64_t length = 0;
  for (; number != 0; number /= 10) ++length;
  return length;
}

}  // namespace

NumberLanguage::Room NumberLanguage::RoomOf(const NumberFacts& facts) const {
  Room room;
  room.largest = largest_exponent_;
  room.zero_so_far = !facts.nonzero;
  const bool in_fraction =
      facts.phase == NumberPhase::kPoint || facts.phase == NumberPhase::kFraction;
  room.fraction_left = in_fraction ? facts.digits_left : policy_.fraction_digits;
  if (facts.phase == NumberPhase::kInteger) room.integer_left = facts.digits_left;
  return room;
}

NumberFacts NumberLanguage::Significant(const NumberFacts& facts) const {
  NumberFacts now = facts;
  if (!facts.nonzero) {
    StartSignificant(-facts.fraction_digits, &now);
    now.nonzero = false;
  }
  return now;
}

bool NumberLanguage::Live(const NumberFacts& facts) {
  switch (facts.phase) {
    case NumberPhase::kStart:
    case NumberPhase::kMinus:
      for (uint8_t byte : {'0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '-'}) {
        const auto next = Step(facts, byte);
        if (next && Live(*next)) return true;
      }
      return false;
    case NumberPhase::kZero:
    case NumberPhase::kInteger:
    case NumberPhase::kPoint:
    case NumberPhase::kFraction:
      return MantissaLive(facts);
    default:
      return true;  // Step keeps exponents only if an allowed one begins so
  }
}

bool NumberLanguage::MantissaLive(const NumberFacts& facts) const {
  const SignCase& sign = CaseOf(facts);
  if (IsFree(sign)) return true;
  if (!facts.nonzero && sign.zero) return true;
  if (!sign.nonzero) return false;
  const Room room = RoomOf(facts);
  const NumberFacts now = Significant(facts);
  if (!exact_) return FindAny(now, room, true).has_value();
  for (uint32_t i = now.first_value; i < now.last_value; ++i) {
    if (IsReachable(sign.values[i], now, room)) return true;
  }
  return false;
}

bool NumberLanguage::IsReachable(const Bound& value, const NumberFacts& facts,
                                 const Room& room) const {
  const int64_t count =
      std::max<int64_t>(0, static_cast<int64_t>(value.digits.size()) - facts.matched);
  const int64_t power = value.exponent - facts.point;
  return power >= room.FirstPower() && power <= room.LastPower() && count <= room.Digits(power);
}

std::optional<NumberLanguage::Found> NumberLanguage::FindAny(const NumberFacts& now,
                                                             const Room& room,
                                                             bool only_whether) const {
  std::optional<Found> found;
  const auto find_at = [&](int64_t power) {
    const Choices choices = ChoicesAt(now, room, power, 1);
    if (choices.kind == Choices::Kind::kNone) return false;
    int64_t count = choices.count;
    if (choices.kind == Choices::Kind::kAmple) {
      if (only_whether) {
        found = Found{power, 0, {}};
        return true;
      }
      count = std::min(count, UsefulDigits(now, power, 1));
    }
    const std::optional<Slice> slice = SliceAt(now, power, count);
    if (!slice) return false;
    std::vector<Natural> digits = Solve(now, *slice, 1);
    if (digits.empty()) return false;
    found = Found{power, slice->count, std::move(digits[0])};
    return true;
  };
  // Powers at which bounds ask nothing of the digits.
  const bool lower_decides = now.lower.matched >= 0;
  const bool upper_decides = now.upper.matched >= 0;
  const int64_t first = std::max(room.FirstPower(), now.lower.threshold + (lower_decides ? 1 : 0));
  const int64_t last = std::min(room.LastPower(), now.upper.threshold - (upper_decides ? 1 : 0));
  const size_t avoided_count = divisors_.size() - (has_required_ ? 1 : 0);
  const int64_t point = now.fraction_digits;
  if (first <= last && has_required_ && avoided_count == 0) {
    const Divisor& divisor = divisors_[0];
    constexpr int64_t kBeyondListed = 24;  // digits that the number of excluded values may add
    const int64_t enough = point + slack_ + kBeyondListed + divisor.ten + divisor.power;
    const int64_t near = std::clamp(enough, first, last);
    if (find_at(near)) return found;
    const int64_t high = std::clamp(std::max(enough, room.SteadyPower()), first, last);
    int64_t power = high;
    for (; power <= last; ++power) {
      if (find_at(power)) return found;
      if (!HasListed(now, power)) break;
    }
    if (power > last) {
      for (power = high - 1; power >= first; --power) {
        if (find_at(power)) return found;
        if (!HasListed(now, power)) break;
      }
    }
  } else if (first <= last && !has_required_) {
    // At `low` and below no divisor matters.
    int64_t low = avoided_count == 0 ? 0 : NumberPolicy::kNoLimit;
    for (size_t i = 0; i < avoided_count; ++i) {
      low = std::min(low, point + divisors_[i].ten - 1);
      if (now.nonzero) low = std::min(low, ProgressOf(now, i).exponent - 1);
    }
    low = std::clamp(low, first, last);
    for (int64_t power = low; power >= first; --power) {
      if (find_at(power)) return found;
      if (!HasListed(now, power)) break;
    }
    for (int64_t power = low + 1; power <= last; power = NextPower(now, room, power)) {
      if (find_at(power)) return found;
      if (power >= room.SteadyPower() && !HasListed(now, power)) break;
    }
  } else if (first <= last) {
    const int64_t finest = point + divisors_[0].ten;
    int64_t top = 0;
    for (const Divisor& divisor : divisors_) top = std::max(top, divisor.ten + divisor.power);
    if (now.nonzero) {
      int64_t from = std::max(first, ProgressOf(now, 0).exponent);
      int64_t to = std::min(last, finest - 1);
      for (size_t i = 1; i < divisors_.size(); ++i) {
        to = std::min(to, ProgressOf(now, i).exponent - 1);
      }
      for (; from <= to; ++from) {
        if (find_at(from)) return found;
      }
    }
    const int64_t listed = now.last_value - now.first_value;
    const int64_t start = std::max(first, finest);
    const int64_t end =
        std::min(last, std::max(start, point + room.Digits(last) + top + 1) + listed);
    for (int64_t power = start; power <= end; power = NextPower(now, room, power)) {
      if (find_at(power)) return found;
    }
  }
  if (lower_decides && now.lower.threshold >= room.FirstPower() &&
      now.lower.threshold <= room.LastPower() && find_at(now.lower.threshold)) {
    return found;
  }
  if (upper_decides && now.upper.threshold >= room.FirstPower() &&
      now.upper.threshold <= room.LastPower() && find_at(now.upper.threshold)) {
    return found;
  }
  return std::nullopt;
}

bool NumberLanguage::HasListed(const NumberFacts& now, int64_t power) const {
  const SignCase& sign = CaseOf(now);
  for (uint32_t i = now.first_value; i < now.last_value; ++i) {
    if (sign.values[i].exponent - now.point == power) return true;
  }
  return false;
}

// Returns how many digits are surely enough for `wanted` solutions at `power`, if there are so
// many solutions at all.
int64_t NumberLanguage::UsefulDigits(const NumberFacts& now, int64_t power, size_t wanted) const {
  const SignCase& sign = CaseOf(now);
  int64_t count = now.nonzero ? 0 : 1;
  const auto take = [&](const NumberFacts::Against& against, const std::optional<Bound>& bound) {
    if (against.matched < 0 || against.threshold != power) return;
    count = std::max(count, static_cast<int64_t>(bound->digits.size()) - against.matched);
  };
  take(now.lower, sign.lower);
  take(now.upper, sign.upper);
  if (finest_place_ < NumberPolicy::kNoLimit) {
    count = std::max(count, power - now.fraction_digits - finest_place_ + 1);
  }
  return count + slack_ + DecimalLength(wanted + (now.last_value - now.first_value));
}

// Returns the digits that bounds allow at `power`, at most `count`, or nothing if there are none.
std::optional<NumberLanguage::Slice> NumberLanguage::SliceAt(const NumberFacts& now, int64_t power,
                                                             int64_t count) const {
  const SignCase& sign = CaseOf(now);
  if (power < now.lower.threshold || power > now.upper.threshold) return std::nullopt;
  if (has_required_) {  // more digits than the divisor has are zeros
    count = std::min(count, std::max<int64_t>(0, power - now.fraction_digits - divisors_[0].ten));
  }
  if (!now.nonzero && count == 0) return std::nullopt;
  Slice slice;
  slice.power = power;
  slice.count = count;
  if (!now.nonzero) slice.low = Natural::PowerOfTen(static_cast<uint64_t>(count - 1));
  slice.high = Natural::PowerOfTen(static_cast<uint64_t>(count)) - 1;
  bool rest = false;
  if (now.lower.matched >= 0 && now.lower.threshold == power) {
    Natural low = ReadDigits(sign.lower->digits, now.lower.matched, count, &rest);
    if (rest || sign.lower->exclusive) low = low + 1;
    slice.low = std::max(slice.low, low);
  }
  if (now.upper.matched >= 0 && now.upper.threshold == power) {
    slice.high = ReadDigits(sign.upper->digits, now.upper.matched, count, &rest);
    if (!rest && sign.upper->exclusive) {
      if (slice.high.IsZero()) return std::nullopt;
      slice.high = slice.high - 1;
    }
  }
  if (slice.low > slice.high) return std::nullopt;
  return slice;
}

// Returns the least digits of the slice, at most `limit`, that satisfy all other conditions.
std::vector<Natural> NumberLanguage::Solve(const NumberFacts& now, const Slice& slice,
                                           size_t limit) const {
  const SignCase& sign = CaseOf(now);
  std::vector<Natural> excluded;
  for (uint32_t i = now.first_value; i < now.last_value; ++i) {
    const Bound& value = sign.values[i];
    if (value.exponent - now.point != slice.power) continue;
    bool rest = false;
    const int64_t matched = std::min(now.matched, static_cast<int64_t>(value.digits.size()));
    Natural digits = ReadDigits(value.digits, matched, slice.count, &rest);
    if (!rest) excluded.push_back(std::move(digits));
  }
  std::sort(excluded.begin(), excluded.end());

  // A class of digits w that make a multiple: offset + w is divided by `modulus`.
  struct Class {
    Natural modulus;
    Natural offset;
  };
  const Natural shift = Natural::PowerOfTen(static_cast<uint64_t>(slice.count));
  const int64_t place = slice.power - now.fraction_digits - slice.count;
  const auto class_of = [&](size_t i) {
    Natural modulus = divisors_[i].ModulusAt(place);
    Natural offset;
    if (now.nonzero) offset = ProgressOf(now, i).remainder * shift % modulus;
    return Class{std::move(modulus), std::move(offset)};
  };
  Natural at = slice.low;
  Natural step = 1;
  std::vector<Class> avoided;
  const size_t first_avoided = has_required_ ? 1 : 0;
  if (slice.count == 0) {  // the value is that of the digits so far
    if (has_required_ && slice.power < ProgressOf(now, 0).exponent) return {};
    for (size_t i = first_avoided; i < divisors_.size(); ++i) {
      if (slice.power >= ProgressOf(now, i).exponent) return {};
    }
  } else {
    if (has_required_) {
      Class multiples = class_of(0);
      step = std::move(multiples.modulus);
      const Natural beyond = (multiples.offset + at) % step;
      if (!beyond.IsZero()) at = at + (step - beyond);
    }
    for (size_t i = first_avoided; i < divisors_.size(); ++i) {
      if (slice.power - now.fraction_digits < divisors_[i].ten) {
        // Less than the divisor's last place remains: only 0 makes a multiple, if S is one.
        if (now.nonzero && slice.power >= ProgressOf(now, i).exponent) {
          excluded.insert(excluded.begin(), Natural());
        }
        continue;
      }
      avoided.push_back(class_of(i));
      if ((step % avoided.back().modulus).IsZero()) return {};
    }
  }
  std::vector<Natural> found;
  for (; at <= slice.high; at = at + step) {
    if (std::binary_search(excluded.begin(), excluded.end(), at)) continue;
    const bool is_hit = std::any_of(avoided.begin(), avoided.end(), [&](const Class& multiples) {
      return ((multiples.offset + at) % multiples.modulus).IsZero();
    });
    if (is_hit) continue;
    found.push_back(at);
    if (found.size() == limit) break;
  }
  return found;
}

}  // namespace maskloom
