// Values of one sign are solved as magnitudes in an interval [low, high]. On the lattice of the
// numbers T * 10^p, the multiples of the required divisor are those with T a multiple of some
// modulus, so they are tried in order from the lowest. The tries are few: of consecutive multiples,
// each number to avoid hits every n-th, n >= 2, so one soon misses all (Jacobsthal's function of
// the number of divisors bounds the gap), and excluded values are finitely many.
//
// p is chosen so low that the interval, if it is more than a point, surely has enough lattice
// points, or that the lattice holds all multiples of the divisor; then the answer is final.
#include "grammar/number_conditions.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "grammar/base/divisor.h"

namespace maskloom {
namespace {

Status TooLong(const char* what, int64_t limit) {
  return Status(StatusCode::kResourceLimit,
                std::string(what) + " have more than " + std::to_string(limit) + " digits");
}

// Returns value / 10^scale, rounded down; `rest` tells whether something was cut off.
// Requires: value >= 0.
Natural Scaled(const Decimal& value, int64_t scale, bool* rest) {
  const int64_t count = value.exponent() - scale;  // digits of the result
  const int64_t have = static_cast<int64_t>(value.digits().size());
  *rest = count < have;
  if (count <= 0) return {};
  std::string digits = value.digits().substr(0, static_cast<size_t>(std::min(count, have)));
  if (have < count) digits.append(static_cast<size_t>(count - have), '0');
  return Natural::FromDigits(digits);
}

int64_t LastPlace(const Decimal& value) {
  return value.exponent() - static_cast<int64_t>(value.digits().size());
}

// Finds a positive magnitude: `sign` gives it its sign.
class Solver {
 public:
  Solver(const NumberNode& node, const std::optional<Decimal>& divisor, bool negative)
      : node_(node), negative_(negative) {
    if (divisor) divisor_ = Divisor(*divisor);
    has_divisor_ = divisor.has_value();
    for (const Decimal& avoided : node.no_multiples_of) avoided_.emplace_back(avoided);
    low_ = BoundOf(negative ? node.upper : node.lower);
    high_ = BoundOf(negative ? node.lower : node.upper);
    if (has_divisor_) least_ = *divisor;
  }

  Result<std::optional<Decimal>> Solve() {
    const std::optional<Decimal> none;
    if (high_ && (high_->value.IsZero() || high_->value.negative())) return none;
    if (low_ && (low_->value.IsZero() || low_->value.negative())) low_ = std::nullopt;
    if (has_divisor_ && (!low_ || low_->value < least_)) low_ = NumberBound{least_, false};
    if (!low_) {
      const int64_t exponent = high_ ? std::min<int64_t>(high_->value.exponent() - 2, 1) : 1;
      low_ = NumberBound{Decimal::FromParts(false, "1", exponent), false};
    }
    // How many lattice points are surely enough, in digits.
    const int64_t slack =
        static_cast<int64_t>(divisor_.modulus.Digits().size() +
                             std::to_string(node_.none_of.size()).size() + avoided_.size() / 3 + 4);
    const Decimal far = Decimal::FromParts(false, "1", low_->value.exponent() + slack);
    if (!high_ || high_->value > far) high_ = NumberBound{far, false};
    if (low_->value > high_->value) return none;
    int64_t scale = std::min(LastPlace(low_->value), LastPlace(high_->value)) - slack;
    for (const Divisor& avoided : avoided_) scale = std::min(scale, Finest(avoided) - 1);
    if (has_divisor_) scale = std::max(scale, divisor_.ten);
    if (high_->value.exponent() - scale > kMaxSolvedDigits) {
      return TooLong("the numbers that satisfy the conditions on a number", kMaxSolvedDigits);
    }
    return Scan(scale);
  }

 private:
  std::optional<NumberBound> BoundOf(std::optional<NumberBound> bound) const {
    if (bound && negative_) bound->value = bound->value.Negated();
    return bound;
  }

  // Above which place the multiples of the divisor and of a power of ten are all multiples of
  // `avoided`; very high if that never happens.
  int64_t Finest(const Divisor& avoided) const {
    constexpr int64_t kNever = int64_t{1} << 40;
    if (has_divisor_ ? !(divisor_.rest % avoided.rest).IsZero() : !avoided.rest.IsOne()) {
      return kNever;
    }
    int64_t place = -kNever;
    if (!has_divisor_ || avoided.twos() > divisor_.twos()) place = avoided.twos();
    if (!has_divisor_ || avoided.fives() > divisor_.fives()) {
      place = std::max(place, avoided.fives());
    }
    return place;
  }

  std::optional<Decimal> Scan(int64_t scale) const {
    bool rest = false;
    const Natural high = Scaled(high_->value, scale, &rest);
    const bool high_is_out = high_->exclusive && !rest;
    Natural at = Scaled(low_->value, scale, &rest);
    if (rest || low_->exclusive) at = at + 1;
    const Natural step = has_divisor_ ? divisor_.ModulusAt(scale) : Natural(1);
    const int64_t step_digits = static_cast<int64_t>(step.Digits().size());
    for (const Divisor& avoided : avoided_) {
      if (avoided.ten - scale > step_digits) continue;  // larger than `step`
      if ((step % avoided.ModulusAt(scale)).IsZero()) return std::nullopt;
    }
    at = (at + step - 1) / step * step;
    for (; high_is_out ? at < high : at <= high; at = at + step) {
      const std::string digits = at.Digits();
      const Decimal value =
          Decimal::FromParts(negative_, digits, scale + static_cast<int64_t>(digits.size()));
      if (std::binary_search(node_.none_of.begin(), node_.none_of.end(), value)) continue;
      const bool is_hit = std::any_of(avoided_.begin(), avoided_.end(),
                                      [&](const Divisor& d) { return IsMultipleOf(value, d); });
      if (!is_hit) return value;
    }
    return std::nullopt;
  }

  const NumberNode& node_;
  bool negative_;
  bool has_divisor_ = false;
  Divisor divisor_;
  Decimal least_;
  std::vector<Divisor> avoided_;
  std::optional<NumberBound> low_;
  std::optional<NumberBound> high_;
};

}  // namespace

bool Satisfies(const NumberNode& node, const Decimal& value) {
  const bool is_whole = node.integer || node.spelling == NumberNode::Spelling::kPlain;
  if (is_whole && !value.IsInteger()) return false;
  if (node.lower &&
      (node.lower->exclusive ? value <= node.lower->value : value < node.lower->value)) {
    return false;
  }
  if (node.upper &&
      (node.upper->exclusive ? value >= node.upper->value : value > node.upper->value)) {
    return false;
  }
  if (node.one_of && !std::binary_search(node.one_of->begin(), node.one_of->end(), value)) {
    return false;
  }
  if (std::binary_search(node.none_of.begin(), node.none_of.end(), value)) return false;
  const auto divides = [&](const Decimal& divisor) { return IsMultipleOf(value, divisor); };
  return std::all_of(node.multiples_of.begin(), node.multiples_of.end(), divides) &&
         std::none_of(node.no_multiples_of.begin(), node.no_multiples_of.end(), divides);
}

bool IsPlainSpelling(std::string_view text) {
  return text.find_first_of(".eE") == std::string_view::npos;
}

Result<std::optional<Decimal>> RequiredDivisor(const NumberNode& node) {
  std::optional<Decimal> divisor;
  if (node.integer || node.spelling == NumberNode::Spelling::kPlain) {
    divisor = Decimal::FromInteger(1);
  }
  for (const Decimal& next : node.multiples_of) {
    divisor = divisor ? LeastCommonMultiple(*divisor, next) : next;
    if (!divisor) return TooLong("common multiples of divisors", kMaxMultipleDigits);
  }
  return divisor;
}

Result<std::optional<Decimal>> FindValue(const NumberNode& node) {
  if (node.one_of) {
    for (const Decimal& value : *node.one_of) {
      if (Satisfies(node, value)) return std::optional<Decimal>(value);
    }
    return std::optional<Decimal>();
  }
  if (Satisfies(node, Decimal())) return std::optional<Decimal>(Decimal());
  const Result<std::optional<Decimal>> divisor = RequiredDivisor(node);
  if (!divisor.ok()) return divisor.status();
  for (bool negative : {false, true}) {
    Result<std::optional<Decimal>> value = Solver(node, *divisor, negative).Solve();
    if (!value.ok() || value->has_value()) return value;
  }
  return std::optional<Decimal>();
}

}  // namespace maskloom
