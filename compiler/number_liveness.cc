// Can a prefix of a number be completed? Exact decimal reasoning, without search.
//
// Behind the mantissa digits s read so far may come digits w (without trailing zeros, which are
// free) and an exponent E. Of the digits w some, j, stand before the point, and each moves it: what
// the conditions see is q = E + j. With `count` = |w|:
//   - q can be anything in [-X + max(0, count - F), X + I], where I digits are left before the
//     point, F behind it, and X is the largest exponent;
//   - an integer needs q >= the digits behind the point that do not fit otherwise;
//   - a lower bound with threshold t allows q > t for every w, and q == t for w that keep s w at
//     or above the bound's digits; an upper bound the other way round.
// All of these are easiest for small `count`. So three cases are complete: q strictly between the
// thresholds with the fewest digits, q at the lower threshold, and q at the upper one, each with
// the fewest digits that satisfy the bounds there.
//
// While only zeros have been read, a number goes on with z more zeros behind the point and then
// w (not empty); with q = E - z the same formulas hold, on an interval shifted by z <= F - count.
#include <algorithm>

#include "compiler/number_language.h"

namespace maskloom {
namespace {

// Returns the least `count` digits w such that w is not below `rest` (or above it, if exclusive),
// both read as 0.w and 0.rest; nothing if there are none of that length.
std::optional<std::string> LeastAbove(const std::string& rest, bool exclusive, size_t count) {
  if (count > rest.size()) return rest + std::string(count - rest.size() - 1, '0') + '1';
  if (count == rest.size() && !exclusive) return rest;
  std::string digits = rest.substr(0, count);
  for (size_t i = count; i-- > 0;) {
    if (digits[i] != '9') {
      ++digits[i];
      return digits;
    }
    digits[i] = '0';
  }
  return std::nullopt;
}

// Orders digit strings as the fractions 0.a and 0.b.
int CompareFractions(const std::string& a, const std::string& b) {
  const size_t common = std::min(a.size(), b.size());
  if (int order = a.compare(0, common, b, 0, common); order != 0) return order;
  if (a.find_first_not_of('0', common) != std::string::npos) return 1;
  if (b.find_first_not_of('0', common) != std::string::npos) return -1;
  return 0;
}

}  // namespace

// What is left of the budget, as the file comment names it.
struct NumberLanguage::Room {
  bool zero_so_far = false;
  int64_t integer_left = 0;   // I
  int64_t fraction_left = 0;  // F
  int64_t largest = 0;        // X
  int64_t fewest = 0;         // digits that w must have at least

  bool Fits(int64_t count) const {
    return count >= fewest && count <= integer_left + fraction_left;
  }
  int64_t FirstExponent(int64_t count) const {
    return zero_so_far ? -largest - (fraction_left - count)
                       : -largest + std::max<int64_t>(0, count - fraction_left);
  }
  int64_t LastExponent() const { return largest + integer_left; }
};

NumberLanguage::Room NumberLanguage::RoomOf(const NumberFacts& facts) const {
  Room room;
  room.largest = largest_exponent_;
  room.zero_so_far = !facts.nonzero;
  room.fewest = facts.nonzero ? 0 : 1;
  const bool in_fraction =
      facts.phase == NumberPhase::kPoint || facts.phase == NumberPhase::kFraction;
  room.fraction_left = in_fraction ? facts.digits_left : policy_.fraction_digits;
  if (facts.phase == NumberPhase::kInteger) room.integer_left = facts.digits_left;
  return room;
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
  if (IsPlain(sign)) return true;
  if (!facts.nonzero && sign.zero) return true;
  if (!sign.nonzero) return false;
  const Room room = RoomOf(facts);
  return exact_ ? ValuesLive(facts, room) : BoundsLive(facts, room);
}

bool NumberLanguage::ValuesLive(const NumberFacts& facts, const Room& room) const {
  const SignCase& sign = CaseOf(facts);
  const uint32_t last =
      facts.nonzero ? facts.last_value : static_cast<uint32_t>(sign.values.size());
  const int64_t point = facts.nonzero ? facts.point : -facts.fraction_digits;
  for (uint32_t i = facts.first_value; i < last; ++i) {
    const Bound& value = sign.values[i];
    const int64_t count =
        std::max<int64_t>(0, static_cast<int64_t>(value.digits.size()) - facts.matched);
    const int64_t exponent = value.exponent - point;
    if (room.Fits(count) && exponent >= room.FirstExponent(count) &&
        exponent <= room.LastExponent()) {
      return true;
    }
  }
  return false;
}

bool NumberLanguage::BoundsLive(const NumberFacts& facts, const Room& room) const {
  NumberFacts now = facts;
  if (!facts.nonzero) StartSignificant(-facts.fraction_digits, &now);
  const auto first_exponent = [&](int64_t count) {
    int64_t first = room.FirstExponent(count);
    if (integer_) {
      first = std::max(first, count == 0 ? now.least_exponent : now.fraction_digits + count);
    }
    return first;
  };
  // Exponents of which no digits ask more.
  const int64_t any_first = now.lower.threshold + (now.lower.matched >= 0 ? 1 : 0);
  const int64_t any_last = now.upper.threshold - (now.upper.matched >= 0 ? 1 : 0);
  if (room.Fits(room.fewest) &&
      std::max(any_first, first_exponent(room.fewest)) <= std::min(any_last, room.LastExponent())) {
    return true;
  }
  for (const NumberFacts::Against& edge : {now.lower, now.upper}) {
    if (edge.matched < 0) continue;
    const int64_t exponent = edge.threshold;
    if (exponent > room.LastExponent()) continue;
    const std::optional<int64_t> count = FewestDigits(now, exponent, room.fewest);
    if (count && room.Fits(*count) && exponent >= first_exponent(*count)) return true;
  }
  return false;
}

std::optional<int64_t> NumberLanguage::FewestDigits(const NumberFacts& facts, int64_t exponent,
                                                    int64_t least) const {
  const SignCase& sign = CaseOf(facts);
  const auto rest_of = [](const Bound& bound, int64_t matched) {
    return bound.digits.substr(static_cast<size_t>(matched));
  };
  const bool lower_is_near = facts.lower.matched >= 0 && facts.lower.threshold == exponent;
  const bool upper_is_near = facts.upper.matched >= 0 && facts.upper.threshold == exponent;
  if (!lower_is_near && exponent < facts.lower.threshold) return std::nullopt;
  if (!upper_is_near && exponent > facts.upper.threshold) return std::nullopt;
  std::string upper;
  if (upper_is_near) upper = rest_of(*sign.upper, facts.upper.matched);
  const auto is_below_upper = [&](const std::string& digits) {
    if (!upper_is_near) return true;
    const int order = CompareFractions(digits, upper);
    return sign.upper->exclusive ? order < 0 : order <= 0;
  };
  if (!lower_is_near) {
    // The smallest digits are the best: none, or a first significant 1.
    return is_below_upper(std::string(static_cast<size_t>(least), '1'))
               ? std::optional<int64_t>(least)
               : std::nullopt;
  }
  const std::string lower = rest_of(*sign.lower, facts.lower.matched);
  size_t count = static_cast<size_t>(least);
  if (upper_is_near) {
    // Fewer digits than both bounds share are below one or above the other.
    while (count < lower.size() && count < upper.size() && lower[count] == upper[count]) ++count;
  }
  // Just above one bound and below the other takes at most one digit more than either has.
  const size_t most = std::max(lower.size(), upper.size()) + 1;
  for (; count <= most; ++count) {
    const auto digits = LeastAbove(lower, sign.lower->exclusive, count);
    if (digits && is_below_upper(*digits)) return static_cast<int64_t>(count);
  }
  return std::nullopt;
}

}  // namespace maskloom
