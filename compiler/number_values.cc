// Completions spelled out: a short one, and the values of all of them if they are few. Both go by
// the powers of number_liveness.cc; values at different powers, or with different digits at one
// power, are different.
#include <algorithm>
#include <string>
#include <string_view>

#include "compiler/number_language.h"
#include "compiler/number_search.h"

namespace maskloom {
namespace {

constexpr std::string_view kDigits = "0123456789";

// A prefix up to its exponent: its digits from the first that is not 0, and the place of the point
// before them, as in number_language.h. Without such a digit, the point is minus the zeros read
// behind it.
struct Mantissa {
  bool negative = false;
  std::string digits;
  int64_t point = 0;
  int64_t fraction_digits = 0;

  explicit Mantissa(std::string_view text) {
    bool in_fraction = false;
    for (char c : text) {
      if (c == 'e' || c == 'E') break;
      if (c == '-') negative = true;
      if (c == '.') in_fraction = true;
      if (c < '0' || c > '9') continue;
      if (in_fraction) ++fraction_digits;
      if (digits.empty() && c == '0') {
        if (in_fraction) --point;
        continue;
      }
      digits += c;
      if (!in_fraction) ++point;
    }
  }
  Decimal Value(const std::string& more, int64_t power) const {
    return Decimal::FromParts(negative, digits + more, point + power);
  }
};

}  // namespace

std::string NumberLanguage::Complete(const NumberFacts& facts) {
  std::string best;
  switch (facts.phase) {
    case NumberPhase::kStart:
    case NumberPhase::kMinus:
      for (char byte : std::string_view("0123456789-")) {
        const auto next = Step(facts, static_cast<uint8_t>(byte));
        if (!next || !Live(*next)) continue;
        const std::string text = byte + Complete(*next);
        if (best.empty() || text.size() < best.size()) best = text;
        if (best.size() == 1) break;
      }
      return best;
    case NumberPhase::kZero:
    case NumberPhase::kInteger:
    case NumberPhase::kPoint:
    case NumberPhase::kFraction:
      return Accepting(facts) ? std::string() : CompleteMantissa(facts);
    default:
      return CompleteExponent(facts);
  }
}

std::string NumberLanguage::CompleteMantissa(const NumberFacts& facts) const {
  const bool may_be_zero = IsFree(CaseOf(facts)) || (!facts.nonzero && CaseOf(facts).zero);
  if (facts.phase == NumberPhase::kPoint && may_be_zero) return "0";
  const bool in_integer = facts.phase == NumberPhase::kZero || facts.phase == NumberPhase::kInteger;
  const std::string nothing = in_integer ? (policy_.fraction_digits > 0 ? ".0" : "e0") : "";
  if (may_be_zero) return nothing;
  const Room room = RoomOf(facts);
  const NumberFacts now = Significant(facts);
  if (exact_) {
    std::string best;
    for (uint32_t i = now.first_value; i < now.last_value; ++i) {
      const Bound& value = CaseOf(facts).values[i];
      if (!IsReachable(value, now, room)) continue;
      const size_t matched = std::min(static_cast<size_t>(now.matched), value.digits.size());
      const std::string rest = value.digits.substr(matched);
      const Found found{value.exponent - now.point, static_cast<int64_t>(rest.size()),
                        Natural::FromDigits(rest)};
      const std::string text = Spell(found, facts, room);
      if (best.empty() || text.size() < best.size()) best = text;
    }
    return best;
  }
  // Without an exponent, as few digits as possible.
  constexpr int64_t kMostPowersTried = 1000;
  const int64_t most_digits = spelling_ == NumberNode::Spelling::kPlain ? room.integer_left : 40;
  std::string best;
  for (int64_t count = now.nonzero ? 0 : 1; count <= most_digits && best.empty(); ++count) {
    // Before a first digit 1-9 come zeros, which move the point the other way.
    int64_t least = count - room.fraction_left;
    int64_t most = now.nonzero ? std::min(room.integer_left, count) : 0;
    if (now.nonzero) least = std::max<int64_t>(least, 0);
    least = std::max({least, now.lower.threshold, room.FirstPower()});
    most = std::min({most, now.upper.threshold, room.LastPower()});
    // Where nothing bounds the digits nothing bounds the powers; FindAny() knows all of them.
    least = std::max(least, most - kMostPowersTried);
    for (int64_t power = most; power >= least; --power) {
      const std::optional<Slice> slice = SliceAt(now, power, count);
      if (!slice) continue;
      const std::vector<Natural> digits = Solve(now, *slice, 1);
      if (digits.empty()) continue;
      best = Spell({power, slice->count, digits[0]}, facts, room);
      break;
    }
  }
  if (best.empty() || (best.size() > 4 && spelling_ != NumberNode::Spelling::kPlain)) {
    if (const auto found = FindAny(now, room, false)) {
      const std::string text = Spell(*found, facts, room);
      if (best.empty() || text.size() < best.size()) best = text;
    }
  }
  return best;
}

std::string NumberLanguage::Spell(const Found& found, const NumberFacts& facts,
                                  const Room& room) const {
  std::string digits = PaddedDigits(found.digits, found.count);
  while (!digits.empty() && digits.back() == '0') digits.pop_back();
  const int64_t count = static_cast<int64_t>(digits.size());
  std::string text;
  int64_t exponent = found.power;
  const bool in_fraction =
      facts.phase == NumberPhase::kPoint || facts.phase == NumberPhase::kFraction;
  if (room.zero_so_far) {
    const int64_t least = std::max<int64_t>(0, -room.largest - found.power);
    int64_t zeros = std::max(least, -found.power);  // without an exponent
    if (zeros > room.fraction_left - count || zeros > least + 20) zeros = least;
    exponent += zeros;
    if (!in_fraction) text += '.';
    text += std::string(static_cast<size_t>(zeros), '0') + digits;
  } else {
    const int64_t least =
        std::max<int64_t>({0, count - room.fraction_left, found.power - room.largest});
    const int64_t most = std::min(room.integer_left, found.power + room.largest);
    // Digits before the point: up to the place where no exponent is needed, unless far away.
    int64_t before = std::min(found.power, count);
    if (found.power > 0 && found.power <= count + 3) before = found.power;
    before = std::clamp(before, least, std::max(least, most));
    exponent -= before;
    if (count < before) digits.append(static_cast<size_t>(before - count), '0');
    text += digits.substr(0, static_cast<size_t>(before));
    if (digits.size() > static_cast<size_t>(before)) {
      if (!in_fraction) text += '.';
      text += digits.substr(static_cast<size_t>(before));
    }
    if (facts.phase == NumberPhase::kPoint && text.empty()) text += '0';
  }
  const bool needs_more = spelling_ == NumberNode::Spelling::kNotPlain && !in_fraction &&
                          text.find('.') == std::string::npos;
  if (exponent != 0 || needs_more) text += "e" + std::to_string(exponent);
  return text;
}

std::optional<std::vector<Decimal>> NumberLanguage::Values(const NumberFacts& facts,
                                                           std::string_view prefix, size_t limit) {
  std::vector<Decimal> values;
  bool fits = true;
  switch (facts.phase) {
    case NumberPhase::kStart:
    case NumberPhase::kMinus:
      for (char byte : std::string_view("0123456789-")) {
        const auto next = Step(facts, static_cast<uint8_t>(byte));
        if (!next || !Live(*next)) continue;
        const auto more = Values(*next, std::string(prefix) + byte, limit);
        if (!more) return std::nullopt;
        values.insert(values.end(), more->begin(), more->end());
      }
      break;
    case NumberPhase::kZero:
    case NumberPhase::kInteger:
    case NumberPhase::kPoint:
    case NumberPhase::kFraction:
      fits = AppendMantissaValues(facts, prefix, limit, false, &values);
      break;
    default:
      fits = AppendExponentValues(facts, prefix, limit, &values);
  }
  if (!fits) return std::nullopt;
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  if (values.size() > limit) return std::nullopt;
  return values;
}

std::vector<Decimal> NumberLanguage::SomeValues(const NumberFacts& facts, std::string_view prefix,
                                                size_t count) const {
  const bool in_mantissa =
      facts.phase >= NumberPhase::kZero && facts.phase < NumberPhase::kExponent;
  std::vector<Decimal> values;
  if (!in_mantissa || count == 0) return values;
  AppendMantissaValues(facts, prefix, count, true, &values);
  if (values.size() > count) values.resize(count);
  return values;
}

bool NumberLanguage::AppendMantissaValues(const NumberFacts& facts, std::string_view prefix,
                                          size_t limit, bool only_some,
                                          std::vector<Decimal>* values) const {
  const Mantissa mantissa(prefix);
  const SignCase& sign = CaseOf(facts);
  NumberFacts now = facts;
  // Canonical facts may have dropped what the text still knows.
  now.fraction_digits = mantissa.fraction_digits;
  now.nonzero = !mantissa.digits.empty();
  const Room room = RoomOf(now);
  now = Significant(now);
  if (!now.nonzero && sign.zero) values->emplace_back();
  if (!sign.nonzero || values->size() > limit) return values->size() <= limit;
  if (exact_) {
    for (uint32_t i = now.first_value; i < now.last_value; ++i) {
      const Bound& value = sign.values[i];
      if (!IsReachable(value, now, room)) continue;
      values->push_back(Decimal::FromParts(mantissa.negative, value.digits, value.exponent));
    }
    return values->size() <= limit;
  }
  int64_t first = std::max(room.FirstPower(), now.lower.threshold);
  const int64_t last = std::min(room.LastPower(), now.upper.threshold);
  if (has_required_) {
    // Below the divisor's last place the value is that of the digits so far.
    const int64_t finest = now.fraction_digits + divisors_[0].ten;
    first = std::max(first, now.nonzero ? std::min(finest, ProgressOf(now, 0).exponent) : finest);
  }
  if (first > last) return values->size() <= limit;
  const auto is_ample = [&](int64_t power) {
    return ChoicesAt(now, room, power, limit + 1).kind == Choices::Kind::kAmple;
  };
  const int64_t ample = FirstAmplePower(now, room, first, limit + 1);
  if (is_ample(first) || (ample <= last && is_ample(ample))) return false;
  if (!only_some && HasMoreThan(now, room, first, last, limit)) return false;
  // The longest numbers first if some will do: of these there are most.
  constexpr int64_t kPowersTried = 16;
  int64_t power = only_some ? last : first;
  while (only_some ? power >= first && power > last - kPowersTried : power <= last) {
    const size_t wanted = limit + 1 - values->size();
    const Choices choices = ChoicesAt(now, room, power, wanted);
    if (choices.kind == Choices::Kind::kAmple) return false;
    std::vector<Natural> found;
    std::optional<Slice> slice;
    if (choices.kind == Choices::Kind::kFew) slice = SliceAt(now, power, choices.count);
    if (slice) found = Solve(now, *slice, wanted);
    for (const Natural& digits : found) {
      values->push_back(mantissa.Value(PaddedDigits(digits, slice->count), power));
    }
    if (values->size() > limit) return false;
    if (only_some) {
      --power;
    } else {
      power = found.empty() ? NextPower(now, room, power) : power + 1;
    }
  }
  return true;
}

bool NumberLanguage::AppendExponentValues(const NumberFacts& facts, std::string_view prefix,
                                          size_t limit, std::vector<Decimal>* values) const {
  const Mantissa mantissa(prefix);
  if (mantissa.digits.empty()) {
    values->emplace_back();
    return limit >= 1;
  }
  const size_t at = prefix.find_first_of("eE") + 1;
  const bool negative = at < prefix.size() && prefix[at] == '-';
  ExponentSet set = sets_[facts.exponent_set];
  if (facts.exponent_set == 0) {
    const int64_t first = facts.phase == NumberPhase::kExponent ? -largest_exponent_ : 0;
    set = {{first, largest_exponent_}};
    if (facts.phase == NumberPhase::kExponentDigits) {
      constexpr size_t kMostDigits = 12;  // longer ones have a last digit that is no news
      const size_t digits = prefix.find_first_of(kDigits, at);
      int64_t exponent = 0;
      for (char c : prefix.substr(digits)) {
        if (exponent < NumberPolicy::kNoLimit >> 4) exponent = exponent * 10 + (c - '0');
      }
      if (prefix.size() - digits > kMostDigits && facts.digits_left > 0) return false;
      set = Continuations(exponent, facts.digits_left);
    }
  }
  for (const Interval& part : set) {
    for (int64_t exponent = part.first; exponent <= part.last; ++exponent) {
      values->push_back(mantissa.Value("", negative ? -exponent : exponent));
      if (values->size() > limit) return false;
    }
  }
  return true;
}

}  // namespace maskloom
