// What the digits of a prefix mean for divisors: S modulo each, and the exponent from which on the
// value is a multiple. See number_language.h for the arithmetic.
#include <algorithm>
#include <string>
#include <utility>

#include "compiler/number_language.h"
#include "grammar/number_conditions.h"

namespace maskloom {
namespace {

constexpr int64_t kNoLimit = NumberPolicy::kNoLimit;

}  // namespace

size_t NumberLanguage::HashProgress::operator()(const ProgressList& list) const {
  size_t hash = 0;
  for (const Progress& progress : list) {
    hash = (hash ^ progress.remainder.Hash()) * 0x9E3779B97F4A7C15u;
    hash = (hash ^ static_cast<size_t>(progress.exponent)) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 32;
  }
  return hash;
}

Status NumberLanguage::AddDivisors(const NumberNode& node) {
  Result<std::optional<Decimal>> required = RequiredDivisor(node);
  if (!required.ok()) return required.status();
  // Plain numbers are integers; only beside divisors to avoid that has to be said.
  const bool is_implied = spelling_ == NumberNode::Spelling::kPlain &&
                          node.no_multiples_of.empty() && **required == Decimal::FromInteger(1);
  if (required->has_value() && !is_implied) {
    divisors_.emplace_back(**required);
    has_required_ = true;
  }
  for (const Decimal& avoided : node.no_multiples_of) divisors_.emplace_back(avoided);
  const size_t first_avoided = has_required_ ? 1 : 0;
  // Without a divisor every place counts, which no power of 2 or 5 stands for.
  const int64_t twos = has_required_ ? divisors_[0].twos() : -kNoLimit;
  const int64_t fives = has_required_ ? divisors_[0].fives() : -kNoLimit;
  const Natural rest = has_required_ ? divisors_[0].rest : Natural(1);
  size_t digits = has_required_ ? divisors_[0].modulus.Digits().size() : 0;
  size_t longest = digits;
  for (size_t i = first_avoided; i < divisors_.size(); ++i) {
    const Divisor& avoided = divisors_[i];
    longest = std::max(longest, avoided.modulus.Digits().size());
    if (!(rest % avoided.rest).IsZero()) continue;
    int64_t place = -kNoLimit;
    if (avoided.twos() > twos) place = avoided.twos();
    if (avoided.fives() > fives) place = std::max(place, avoided.fives());
    finest_place_ = std::min(finest_place_, place);
    // Every multiple of the divisor is one of a divisor to avoid.
    if (place == -kNoLimit) signs_[0].nonzero = signs_[1].nonzero = false;
  }
  if (longest > kMaxDigits) {
    return Status(StatusCode::kResourceLimit,
                  "a divisor has more than " + std::to_string(kMaxDigits) + " digits");
  }
  // So many numbers hold a multiple of the divisor that misses all divisors to avoid: Kanold's
  // bound on Jacobsthal's function is 2^n for n of them.
  slack_ = static_cast<int64_t>(digits + (divisors_.size() - first_avoided) / 3 + 2);
  return Status::Ok();
}

void NumberLanguage::AddDigitToProgress(int digit, NumberFacts* facts) {
  ProgressList list = progress_[facts->progress];
  list.resize(divisors_.size());
  const bool in_integer = facts->phase == NumberPhase::kInteger;
  for (size_t i = 0; i < list.size(); ++i) {
    const Divisor& divisor = divisors_[i];
    Progress& progress = list[i];
    progress.remainder = (progress.remainder * 10 + static_cast<uint64_t>(digit)) % divisor.modulus;
    if (digit == 0) {
      if (in_integer && progress.exponent < kNoLimit) progress.exponent -= 1;
    } else if (!(progress.remainder % divisor.rest).IsZero()) {
      progress.exponent = kNoLimit;
    } else {
      const int64_t point = in_integer ? 0 : facts->fraction_digits;
      progress.exponent =
          point + divisor.ten + divisor.power - divisor.PrimesIn(progress.remainder);
    }
  }
  facts->progress = InternProgress(std::move(list));
}

void NumberLanguage::CanonicalizeProgress(const Interval& reach, NumberFacts* facts) {
  const int64_t lowest = facts->lower.matched < 0 ? facts->lower.threshold : reach.first;
  const int64_t highest = facts->upper.matched < 0 ? facts->upper.threshold : reach.last;
  const bool may_go_on = facts->digits_left > 0 ||
                         (facts->phase == NumberPhase::kInteger && policy_.fraction_digits > 0);
  ProgressList list = progress_[facts->progress];
  for (size_t i = 0; i < list.size(); ++i) {
    Progress& progress = list[i];
    if (!may_go_on) progress.remainder = {};
    progress.exponent =
        progress.exponent > highest ? kNoLimit : std::max(progress.exponent, lowest);
  }
  facts->progress = InternProgress(std::move(list));
}

uint32_t NumberLanguage::InternProgress(ProgressList list) {
  const auto [entry, is_new] =
      progress_ids_.emplace(std::move(list), static_cast<uint32_t>(progress_.size()));
  if (is_new) progress_.push_back(entry->first);
  return entry->second;
}

}  // namespace maskloom
