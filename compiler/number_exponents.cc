// Exponents: once the mantissa is read, the set of exponents that make an allowed value, as
// intervals, narrowed by each character of the exponent.
#include <algorithm>
#include <cstdlib>
#include <string>
#include <utility>

#include "compiler/number_language.h"

namespace maskloom {
namespace {

constexpr int64_t kNoLimit = NumberPolicy::kNoLimit;
// Finite members of exponent sets are below this; ten times as much is still below kNoLimit.
constexpr int64_t kFinite = kNoLimit >> 4;

}  // namespace

NumberLanguage::ExponentSet NumberLanguage::Exponents(const NumberFacts& facts) const {
  const SignCase& sign = CaseOf(facts);
  if (IsFree(sign)) return {{-kNoLimit, kNoLimit}};
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
  for (size_t i = 0; i < divisors_.size(); ++i) {
    const int64_t exponent = ProgressOf(facts, i).exponent;
    if (i == 0 && has_required_) {
      if (exponent >= kNoLimit) return set;
      first = std::max(first, exponent);
    } else {
      last = std::min(last, exponent - 1);
    }
  }
  for (uint32_t i = facts.first_value; i < facts.last_value && first <= last; ++i) {
    // Excluded values, by exponent.
    if (static_cast<int64_t>(sign.values[i].digits.size()) > facts.matched) break;
    const int64_t exponent = sign.values[i].exponent - facts.point;
    if (exponent < first || exponent > last) continue;
    if (first < exponent) set.push_back({first, exponent - 1});
    first = exponent + 1;
  }
  if (first <= last) set.push_back({first, last});
  return set;
}

bool NumberLanguage::Contains(const ExponentSet& set, int64_t exponent) {
  return std::any_of(set.begin(), set.end(), [exponent](const Interval& part) {
    return part.first <= exponent && exponent <= part.last;
  });
}

bool NumberLanguage::Accepting(const NumberFacts& facts) const {
  switch (facts.phase) {
    case NumberPhase::kZero:
    case NumberPhase::kInteger:
      return spelling_ != NumberNode::Spelling::kNotPlain && Contains(Exponents(facts), 0);
    case NumberPhase::kFraction:
      return Contains(Exponents(facts), 0);
    case NumberPhase::kExponentDigits:
      return facts.exponent_set == 0 || Contains(sets_[facts.exponent_set], facts.exponent);
    default:
      return false;
  }
}

std::optional<NumberFacts> NumberLanguage::StepExponent(const NumberFacts& facts) {
  if (policy_.exponent_digits == 0) return std::nullopt;
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
  next.digits_left = NumberPolicy::CountDown(facts.digits_left);
  next.exponent = std::min(facts.exponent * 10 + digit, kFinite);
  const ExponentSet all = Continuations(next.exponent, next.digits_left);
  ExponentSet set = IntersectSets(sets_[facts.exponent_set], all);
  if (set.empty()) return std::nullopt;
  next.exponent_set = InternSet(std::move(set), all);
  if (next.exponent_set == 0) next.exponent = 0;
  return next;
}

NumberLanguage::ExponentSet NumberLanguage::Continuations(int64_t value, int64_t digits_left) {
  if (value == 0) return {{0, NumberPolicy::LargestOf(digits_left)}};
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

// The exponent nearest to 0 that goes on with what was read.
std::string NumberLanguage::CompleteExponent(const NumberFacts& facts) const {
  if (Accepting(facts)) return "";
  if (facts.exponent_set == 0) return "0";
  const ExponentSet& set = sets_[facts.exponent_set];
  if (facts.phase != NumberPhase::kExponent) {
    std::string digits = std::to_string(set.front().first);
    if (facts.phase == NumberPhase::kExponentDigits && facts.exponent != 0) {
      digits.erase(0, std::to_string(facts.exponent).size());
    }
    return digits;
  }
  int64_t nearest = kNoLimit;
  for (const Interval& part : set) {
    const int64_t here = part.first > 0 ? part.first : std::min<int64_t>(part.last, 0);
    if (std::abs(here) < std::abs(nearest)) nearest = here;
  }
  return std::to_string(nearest);
}

}  // namespace maskloom
