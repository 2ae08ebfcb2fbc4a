// Digit-by-digit search over scaled intervals; see the header for why it is exact.
#include "tests/judge/number_prefix.h"

#include <algorithm>
#include <cstdlib>

namespace maskloom::judge {
namespace {

constexpr int64_t kExponentClamp = 1000000000000;
constexpr int kStyleExponentDigits = 3;

struct Interval {
  std::optional<NumberRule::Bound> lower;
  std::optional<NumberRule::Bound> upper;
};

bool Inside(const ExactDecimal& value, const Interval& interval) {
  if (interval.lower) {
    int order = value.Compare(interval.lower->value);
    if (order < 0 || (order == 0 && interval.lower->exclusive)) return false;
  }
  if (interval.upper) {
    int order = value.Compare(interval.upper->value);
    if (order > 0 || (order == 0 && interval.upper->exclusive)) return false;
  }
  return true;
}

std::string Increment(std::string digits) {
  size_t i = digits.size();
  while (i > 0 && digits[i - 1] == '9') digits[--i] = '0';
  if (i == 0) return "1" + digits;
  ++digits[i - 1];
  return digits;
}

// Search for a completion of a mantissa prefix, all signs taken off.
class MantissaSearch {
 public:
  // `more_integer`: digits that the integer part may still take; `more_fraction`: likewise;
  // `shift`: digits of the fraction already written; `in_fraction`: the point is written;
  // `must_add`: at least one digit has to follow.
  MantissaSearch(const NumberStyle& style, const Interval& bounds, bool integer)
      : style_(style), bounds_(bounds), integer_(integer) {}

  int64_t more_integer = 0;
  int64_t more_fraction = 0;
  int64_t shift = 0;
  bool in_fraction = false;
  bool must_add = false;

  bool Exists(const std::string& prefix) {
    std::string digits = prefix.substr(std::min(prefix.find_first_not_of('0'), prefix.size()));
    int64_t length = static_cast<int64_t>(digits.size());
    int64_t reach = style_.max_digits == 0 ? 0 : 999;
    int64_t low_end = bounds_.lower ? bounds_.lower->value.exponent : 0;
    int64_t high_end = bounds_.upper ? bounds_.upper->value.exponent : 0;
    if (style_.max_digits == 0) {
      reach = std::max(std::abs(low_end), std::abs(high_end)) + length + shift + more_integer +
              more_fraction + 8;
      reach = std::min<int64_t>(reach, 20000);
    }
    reach_ = reach;
    int64_t first = -reach - shift;
    int64_t last = reach + more_integer - shift;
    bool low_positive =
        bounds_.lower && !bounds_.lower->value.IsZero() && !bounds_.lower->value.negative;
    if (low_positive) {
      first = std::max(first, low_end - length - 1);
    } else if (integer_) {
      first = std::max(first, -length - 1);
    }
    if (bounds_.upper && !digits.empty()) {
      last = std::min(last, bounds_.upper->value.IsZero() ? first : high_end - length + 1);
    }
    // Near the point first: most prefixes are shown live at once.
    int64_t middle = std::clamp<int64_t>(-shift, first, std::max(first, last));
    for (int64_t step = 0; middle + step <= last || middle - step >= first; ++step) {
      if (middle + step <= last && Search(digits, 0, middle + step)) return true;
      if (step > 0 && middle - step >= first && Search(digits, 0, middle - step)) return true;
    }
    return false;
  }

 private:
  bool Digit(int digit) const { return style_.spellable['0' + digit]; }

  // Whether the exponent `value` can be spelled (0: by leaving it out).
  bool ExponentSpelled(int64_t value) const {
    if (value == 0) return true;
    if (std::abs(value) > reach_) return false;
    if (!style_.spellable['e'] && !style_.spellable['E']) return false;
    if (value < 0 && !style_.spellable['-']) return false;
    std::string text = std::to_string(std::abs(value));
    if (style_.max_digits != 0 && text.size() > kStyleExponentDigits) return false;
    return std::all_of(text.begin(), text.end(), [&](char c) { return Digit(c - '0'); });
  }

  // Whether exactly `tail` more digits at scale `scale` can be spelled.
  bool Feasible(int64_t tail, int64_t scale) const {
    if (must_add && tail == 0) return false;
    if (in_fraction) return tail <= more_fraction && ExponentSpelled(scale + shift);
    for (int64_t a = std::max<int64_t>(0, tail - more_fraction); a <= std::min(tail, more_integer);
         ++a) {
      if (tail > a && !style_.spellable['.']) continue;
      if (ExponentSpelled(scale - a)) return true;
    }
    return false;
  }

  bool Search(const std::string& digits, int64_t tail, int64_t scale) const {
    int64_t limit = in_fraction ? more_fraction : more_integer + more_fraction;
    int64_t point = scale - tail;  // the last digit written stands for 10^point
    ExactDecimal base = ExactDecimal::FromDigits(digits, point);
    if (integer_ && point < 0 && !base.IsInteger()) return false;
    ExactDecimal top = ExactDecimal::FromDigits(Increment(digits), point);
    if (bounds_.upper && base.Compare(bounds_.upper->value) > 0) return false;
    if (bounds_.lower && top.Compare(bounds_.lower->value) <= 0) return false;
    if (Inside(base, bounds_) && Feasible(tail, scale)) return true;
    bool any_digit = false;
    for (int d = 0; d < 10; ++d) any_digit = any_digit || Digit(d);
    bool all_inside =
        Inside(base, bounds_) && (!bounds_.upper || top.Compare(bounds_.upper->value) <= 0);
    if (all_inside) {
      for (int64_t t = tail + 1; t <= limit; ++t) {
        bool digits_exist =
            integer_ && t > scale ? Digit(0) && (tail >= scale || any_digit) : any_digit;
        if (digits_exist && Feasible(t, scale)) return true;
      }
      return false;
    }
    if (tail >= limit) return false;
    for (int d = 0; d < 10; ++d) {
      if (Digit(d) && Search(digits + static_cast<char>('0' + d), tail + 1, scale)) return true;
    }
    return false;
  }

  const NumberStyle& style_;
  const Interval& bounds_;
  bool integer_;
  int64_t reach_ = 0;
};

// Live with the exponent under way: every exponent that can follow is tried.
bool ExponentLive(const NumberText& text, const NumberRule& rule, const NumberStyle& style) {
  std::string mantissa = (text.negative ? "-" : "") + text.integer;
  if (text.point) mantissa += "." + text.fraction;
  std::vector<std::string> signs = {text.exponent_sign};
  if (text.exponent_sign.empty() && text.exponent.empty()) {
    if (style.spellable['-']) signs.push_back("-");
    if (style.spellable['+']) signs.push_back("+");
  }
  size_t longest = style.max_digits == 0 ? text.exponent.size() + 4 : kStyleExponentDigits;
  // Without limits an exponent of four more digits is beyond what any bound of a test reaches:
  // further digits act as they do.
  for (const std::string& sign : signs) {
    std::vector<std::string> open = {text.exponent};
    while (!open.empty()) {
      std::string digits = open.back();
      open.pop_back();
      if (!digits.empty() && rule.Admits(ExactDecimal::FromText(mantissa + "e" + sign + digits))) {
        return true;
      }
      if (digits.size() >= longest) continue;
      for (char d = '0'; d <= '9'; ++d) {
        if (style.spellable[static_cast<uint8_t>(d)]) open.push_back(digits + d);
      }
    }
  }
  return false;
}

bool MantissaLive(const NumberText& text, const Interval& signed_bounds, bool integer,
                  const NumberStyle& style) {
  if (!text.negative && text.integer.empty()) {
    // Nothing written: any first digit or a minus sign.
    NumberText with = text;
    with.negative = true;
    if (style.spellable['-'] && MantissaLive(with, signed_bounds, integer, style)) return true;
  }
  if (text.integer.empty()) {
    for (char d = '0'; d <= '9'; ++d) {
      NumberText with = text;
      with.integer = std::string(1, d);
      if (style.spellable[static_cast<uint8_t>(d)] &&
          MantissaLive(with, signed_bounds, integer, style)) {
        return true;
      }
    }
    return false;
  }
  Interval bounds = signed_bounds;
  if (text.negative) {
    std::swap(bounds.lower, bounds.upper);
    if (bounds.lower && !bounds.lower->value.IsZero()) bounds.lower->value.negative ^= true;
    if (bounds.upper && !bounds.upper->value.IsZero()) bounds.upper->value.negative ^= true;
  }
  MantissaSearch search(style, bounds, integer);
  int64_t room = style.max_digits;
  int64_t written = static_cast<int64_t>(text.integer.size());
  int64_t fraction = static_cast<int64_t>(text.fraction.size());
  if (style.max_digits == 0) {
    // No limit: as many more digits as the bounds have, and some, separate every value.
    room = 8;
    for (const auto& bound : {bounds.lower, bounds.upper}) {
      if (!bound) continue;
      int64_t span = static_cast<int64_t>(bound->value.digits.size()) +
                     std::min<int64_t>(std::abs(bound->value.exponent), 400);
      room = std::max(room, span + 8);
    }
    room += std::max(written, fraction);
  }
  search.more_integer = text.point || text.integer == "0" ? 0 : room - written;
  search.more_fraction = room - fraction;
  search.shift = fraction;
  search.in_fraction = text.point;
  search.must_add = text.point && text.fraction.empty();
  return search.Exists(text.integer + text.fraction);
}

}  // namespace

ExactDecimal ExactDecimal::FromDigits(std::string_view digits, int64_t scale) {
  ExactDecimal result;
  size_t first = digits.find_first_not_of('0');
  if (first == std::string_view::npos) return result;
  size_t last = digits.find_last_not_of('0');
  result.digits = std::string(digits.substr(first, last - first + 1));
  result.exponent = static_cast<int64_t>(digits.size() - first) + scale;
  return result;
}

ExactDecimal ExactDecimal::FromText(std::string_view text) {
  bool negative = !text.empty() && text[0] == '-';
  std::string digits;
  int64_t scale = 0;
  bool after_point = false;
  for (size_t i = negative ? 1 : 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '.') {
      after_point = true;
    } else if (c == 'e' || c == 'E') {
      bool minus = i + 1 < text.size() && text[i + 1] == '-';
      int64_t value = 0;
      for (size_t k = i + 1; k < text.size(); ++k) {
        if (text[k] < '0' || text[k] > '9') continue;
        value = std::min<int64_t>(value * 10 + (text[k] - '0'), kExponentClamp);
      }
      scale += minus ? -value : value;
      break;
    } else {
      digits += c;
      if (after_point) --scale;
    }
  }
  ExactDecimal result = FromDigits(digits, scale);
  result.negative = negative && !result.IsZero();
  return result;
}

int ExactDecimal::Compare(const ExactDecimal& other) const {
  if (negative != other.negative) return negative ? -1 : 1;
  int sign = negative ? -1 : 1;
  if (IsZero() || other.IsZero()) {
    return IsZero() && other.IsZero() ? 0 : IsZero() ? -sign : sign;
  }
  if (exponent != other.exponent) return exponent < other.exponent ? -sign : sign;
  int order = digits.compare(other.digits);
  return order < 0 ? -sign : order > 0 ? sign : 0;
}

void NumberRule::JoinLower(const Bound& bound) {
  int order = lower ? bound.value.Compare(lower->value) : 1;
  if (order > 0 || (order == 0 && bound.exclusive)) lower = bound;
}

void NumberRule::JoinUpper(const Bound& bound) {
  int order = upper ? bound.value.Compare(upper->value) : -1;
  if (order < 0 || (order == 0 && bound.exclusive)) upper = bound;
}

void NumberRule::JoinOneOf(const std::vector<ExactDecimal>& values) {
  if (!one_of) {
    one_of = values;
    return;
  }
  std::vector<ExactDecimal> both;
  for (const ExactDecimal& value : *one_of) {
    for (const ExactDecimal& other : values) {
      if (value.Compare(other) == 0) {
        both.push_back(value);
        break;
      }
    }
  }
  one_of = both;
}

bool NumberRule::Admits(const ExactDecimal& value) const {
  if (integer && !value.IsInteger()) return false;
  if (!Inside(value, Interval{lower, upper})) return false;
  if (!one_of) return true;
  return std::any_of(one_of->begin(), one_of->end(),
                     [&](const ExactDecimal& allowed) { return allowed.Compare(value) == 0; });
}

NumberText NumberText::Read(std::string_view text, const NumberStyle& style) {
  NumberText result;
  size_t i = 0;
  auto digits = [&](std::string* out) {
    while (i < text.size() && text[i] >= '0' && text[i] <= '9') *out += text[i++];
  };
  if (i < text.size() && text[i] == '-') result.negative = true, ++i;
  digits(&result.integer);
  bool leading_zero = result.integer.size() > 1 && result.integer[0] == '0';
  if (!result.integer.empty() && i < text.size() && text[i] == '.') {
    result.point = true;
    ++i;
    digits(&result.fraction);
  }
  bool mantissa_whole = !result.integer.empty() && (!result.point || !result.fraction.empty());
  if (mantissa_whole && i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    result.exponent_letter = true;
    ++i;
    if (i < text.size() && (text[i] == '+' || text[i] == '-')) result.exponent_sign = text[i++];
    digits(&result.exponent);
  }
  result.valid = i == text.size() && !leading_zero;
  if (style.max_digits != 0) {
    result.valid = result.valid && result.integer.size() <= style.max_digits &&
                   result.fraction.size() <= style.max_digits &&
                   result.exponent.size() <= kStyleExponentDigits;
  }
  return result;
}

bool NumberText::Complete() const {
  return valid && !integer.empty() && (!point || !fraction.empty()) &&
         (!exponent_letter || !exponent.empty());
}

bool NumberAccepts(std::string_view text, const NumberRule& rule, const NumberStyle& style) {
  NumberText parts = NumberText::Read(text, style);
  return parts.Complete() && rule.Admits(ExactDecimal::FromText(text));
}

bool NumberLive(std::string_view text, const NumberRule& rule, const NumberStyle& style) {
  if (NumberAccepts(text, rule, style)) return true;
  NumberText parts = NumberText::Read(text, style);
  if (!parts.valid) return false;
  if (parts.exponent_letter) return ExponentLive(parts, rule, style);
  if (!rule.one_of) return MantissaLive(parts, {rule.lower, rule.upper}, rule.integer, style);
  std::string written = parts.integer + parts.fraction;
  std::string digits = written.substr(std::min(written.find_first_not_of('0'), written.size()));
  for (const ExactDecimal& value : *rule.one_of) {
    if (!rule.Admits(value)) continue;
    std::string padded = value.digits;
    if (padded.size() < digits.size()) padded.resize(digits.size(), '0');
    if (!value.IsZero() && padded.compare(0, digits.size(), digits) != 0) continue;
    if (value.IsZero() && !digits.empty()) continue;
    NumberRule::Bound point{value, false};
    if (MantissaLive(parts, {point, point}, rule.integer, style)) return true;
  }
  return false;
}

}  // namespace maskloom::judge
