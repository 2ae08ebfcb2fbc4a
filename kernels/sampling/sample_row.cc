// The sampling step used by default: no sort of the row, exact masses, few logarithms.
//
// Filters keep a prefix of the descending order, so only the top of the row matters. Tokens within
// 4 of the largest value are collected in one pass (a comparison for each token), which with a
// trained model is a handful; while that is too few for top-k, or too little mass for top-p, the
// next band below is collected as well. Bands are in order, so the prefix ends in the last one,
// which is cut by selection, not by sorting:
//
//   order   | t1 t2 t3 t4 | t5 t6 t7 t8 ...     within 4: t1..t4, within 8: also t5..
//   top-k   nth_element at k
//   top-p   halve [low, high) with nth_element; where the upper half and all above it have the
//           needed mass go on inside it, else in the lower half: n + n/2 + ... steps
//   min-p   one comparison for each token that is left
//
// Each cut is the set that sorting would give, because masses are exact sums (mass.h): no rounding
// depends on the order in which they were added. The chosen token is the largest y + noise. Noise
// is at most 22.9, and -ln W bounds it without a logarithm, so that the two logarithms are taken
// only for the few tokens that can still beat the best score so far, which starts at the likeliest
// token's.
#include "kernels/sampling/sample_row.h"

#include <algorithm>
#include <cmath>

#include "kernels/sampling/mass.h"
#include "kernels/sampling/prepare_row.h"

namespace maskloom::kernels {
namespace {

constexpr float kInfinity = __builtin_inff();
constexpr float kBandStep = 4.0f;    // width of the first bands
constexpr float kEvenBands = 16.0f;  // below that distance from the largest they double
constexpr float kLargestFloat = 3.40282347e38f;
constexpr double kLn2 = 0.693147180559945309417;
constexpr float kSmallestNormal = 1.17549435e-38f;

bool Precedes(const Candidate& a, const Candidate& b) {
  return a.value > b.value || (a.value == b.value && a.index < b.index);
}

Mass CandidateMass(const Candidate& c) {
  return c.shift < 0 ? 0 : static_cast<Mass>(c.mantissa) << c.shift;
}

Mass SumMass(const Candidate* candidates, size_t count) {
  Mass mass = 0;
  for (size_t i = 0; i < count; ++i) mass += CandidateMass(candidates[i]);
  return mass;
}

// Moves the smallest prefix of the order whose mass is at least `needed` to the front.
// Returns its length; `count` where the mass of all is less.
size_t CutAtMass(Candidate* candidates, size_t count, Mass needed) {
  size_t low = 0;
  size_t high = count;
  Mass above = 0;  // mass of [0, low), which is part of the prefix
  while (high - low > 16) {
    const size_t middle = low + (high - low) / 2;
    std::nth_element(candidates + low, candidates + middle, candidates + high, Precedes);
    const Mass upper = SumMass(candidates + low, middle - low);
    if (above + upper >= needed) {
      high = middle;
    } else {
      above += upper;
      low = middle;
    }
  }
  std::sort(candidates + low, candidates + high, Precedes);
  while (low < high) {
    above += CandidateMass(candidates[low++]);
    if (above >= needed) break;
  }
  return low;
}

// The work on one row, in the order of its calls.
class RowStep {
 public:
  RowStep(const RowOps& ops, const SampleRow& row, const SampleSettings& settings,
          const SampleBuffers& buffers, SampleResult* result)
      : ops_(ops),
        row_(row),
        settings_(settings),
        buffers_(buffers),
        result_(result),
        scratch_(DivideScratch(buffers.scratch, row.vocab)),
        noise_{settings.seed, settings.position} {}

  SampleStatus Run() {
    prepared_ = PrepareRow(ops_, row_, settings_, scratch_);
    result_->allowed_count = prepared_.allowed_count;
    if (prepared_.allowed_count == 0) return SampleStatus::kEmptyMask;
    max_ = ops_.find_max(prepared_.values, prepared_.count);
    if (max_.index == prepared_.count) return SampleStatus::kNoFiniteLogit;
    base_ = MassBase(max_.value);
    const bool noiseless = settings_.temperature == 0.0f || max_.value > kLogitLimit;
    const bool top_k = settings_.top_k != 0 && settings_.top_k < prepared_.allowed_count;
    const bool top_p = settings_.top_p < 1.0;
    const bool min_p = static_cast<float>(settings_.min_p) >= kSmallestNormal;
    if (WantsProbabilities() || (!noiseless && top_p && !top_k)) {
      total_ = ops_.sum_masses(prepared_.values, prepared_.count, base_);
    }
    if (settings_.top_count != 0) ListTop();
    if (noiseless) {
      TakeLargest();
    } else if (top_k || top_p || min_p) {
      ChooseFiltered(top_k, min_p);
    } else {
      ChooseUnfiltered();
    }
    if (WantsProbabilities()) ReportProbabilities(noiseless);
    if ((settings_.outputs & kOutputRaw) != 0) ReportRaw();
    return SampleStatus::kOk;
  }

 private:
  bool WantsProbabilities() const {
    return (settings_.outputs & (kOutputLogprobs | kOutputEntropy)) != 0 || settings_.top_count > 0;
  }

  uint32_t IdAt(uint32_t index) const {
    return prepared_.ids == nullptr ? index : prepared_.ids[index];
  }

  // Collects the next lower band; false where nothing below is left.
  bool Widen() {
    if (low_ == -kLargestFloat) return false;
    newest_ = collected_;
    band_ = band_ < kEvenBands ? band_ + kBandStep : 2.0f * band_;
    const float top = std::min(max_.value, kLargestFloat);
    const float low = band_ < kLogitLimit ? std::max(top - band_, -kLargestFloat) : -kLargestFloat;
    const uint32_t found =
        ops_.collect(prepared_.values, prepared_.count, {low, low_}, scratch_.indices);
    for (uint32_t i = 0; i < found; ++i) {
      const uint32_t index = scratch_.indices[i];
      const float value = prepared_.values[index];
      const ExpParts parts = SplitExp(value);
      scratch_.candidates[collected_++] = {value, index, parts.mantissa, parts.exponent - base_};
    }
    low_ = low;
    return true;
  }

  void StartCollecting() {
    low_ = kInfinity;
    band_ = 0.0f;
    collected_ = 0;
    newest_ = 0;
  }

  void ListTop() {
    StartCollecting();
    if (max_.value == kInfinity) TakeInfinities();
    while (collected_ < settings_.top_count && Widen()) {
    }
    Candidate* list = scratch_.candidates;
    const size_t count = std::min<size_t>(collected_, settings_.top_count);
    std::nth_element(list, list + count, list + collected_, Precedes);
    std::sort(list, list + count, Precedes);
    const double log_total = LogOfMass(total_, base_);
    for (size_t i = 0; i < count; ++i) {
      buffers_.top[i] = {IdAt(list[i].index),
                         static_cast<float>(ClampLogit(list[i].value) - log_total)};
    }
    result_->top_filled = static_cast<uint32_t>(count);
  }

  // Collects the values of +infinity, which no band holds.
  void TakeInfinities() {
    for (uint32_t i = 0; i < prepared_.count; ++i) {
      if (prepared_.values[i] == kInfinity) {
        scratch_.candidates[collected_++] = {kInfinity, i, 0, -1};
      }
    }
  }

  void TakeLargest() {
    result_->token = IdAt(max_.index);
    result_->kept_count = 1;
  }

  BestScore ScoreOfLargest() const {
    BestScore best = {-kInfinity, UINT32_MAX};
    OfferToken(noise_, IdAt(max_.index), max_.value, &best);
    return best;
  }

  void ChooseUnfiltered() {
    BestScore best = ScoreOfLargest();
    ops_.best_score(prepared_.values, prepared_.ids, prepared_.count, noise_, &best);
    result_->token = best.id;
    result_->kept_count = prepared_.allowed_count;
    kept_mass_ = total_;
  }

  void ChooseFiltered(bool top_k, bool min_p) {
    const bool top_p = settings_.top_p < 1.0;
    const float least =
        min_p ? ExactLog(static_cast<float>(settings_.min_p)) : -kInfinity;  // of y - y_max
    Candidate* list = scratch_.candidates;
    StartCollecting();
    size_t kept = 0;
    if (top_k) {
      // Below `least` nothing is kept, but top-p needs the mass of all that top-k keeps.
      while (collected_ < settings_.top_k && (top_p || !(low_ - max_.value < least)) && Widen()) {
      }
      kept = std::min<size_t>(collected_, settings_.top_k);
      std::nth_element(list + newest_, list + kept, list + collected_, Precedes);
      if (top_p) {
        kept = CutAtMass(list, kept, NeededMass(SumMass(list, kept), settings_.top_p));
      }
    } else if (top_p) {
      const Mass needed = NeededMass(total_, settings_.top_p);
      Mass above = 0;   // of the bands before the newest
      Mass newest = 0;  // of the newest
      while (above + newest < needed && !(low_ - max_.value < least) && Widen()) {
        above += newest;
        newest = SumMass(list + newest_, collected_ - newest_);
      }
      kept = newest_ + CutAtMass(list + newest_, collected_ - newest_, needed - above);
    } else {
      while (!(low_ - max_.value < least) && Widen()) {
      }
      kept = collected_;
    }
    Choose(list, kept, least);
  }

  // Drops what min-p excludes and draws among the rest.
  void Choose(const Candidate* list, size_t count, float least) {
    uint32_t kept = 0;
    kept_mass_ = 0;
    for (size_t i = 0; i < count; ++i) {
      if (list[i].value - max_.value < least) continue;
      scratch_.kept_values[kept] = list[i].value;
      scratch_.indices[kept++] = IdAt(list[i].index);
      kept_mass_ += CandidateMass(list[i]);
    }
    BestScore best = ScoreOfLargest();
    ops_.best_score(scratch_.kept_values, scratch_.indices, kept, noise_, &best);
    result_->token = best.id;
    result_->kept_count = kept;
  }

  float ValueOf(uint32_t id) const {
    if (prepared_.ids == nullptr) return prepared_.values[id];
    const uint32_t* at = std::lower_bound(prepared_.ids, prepared_.ids + prepared_.count, id);
    return prepared_.values[at - prepared_.ids];
  }

  void ReportProbabilities(bool noiseless) {
    const double value = ClampLogit(ValueOf(result_->token));
    const double log_total = LogOfMass(total_, base_);
    result_->masked_logsumexp = static_cast<float>(log_total);
    result_->masked_logprob = static_cast<float>(value - log_total);
    result_->logprob = noiseless ? 0.0f : static_cast<float>(value - LogOfMass(kept_mass_, base_));
    if ((settings_.outputs & kOutputEntropy) == 0) return;
    uint64_t sums[2] = {};
    ops_.add_entropy(prepared_.values, prepared_.count, max_.value, sums);
    const double moment = std::ldexp(static_cast<double>(sums[0]), -30) +
                          std::ldexp(static_cast<double>(sums[1]), -42);
    const double log_relative = log_total - LogOfMass(MassOf(max_.value, base_), base_);
    const double nats = log_relative + moment / std::exp(log_relative);
    result_->entropy_bits = static_cast<float>(std::max(nats, 0.0) / kLn2);
  }

  // Overwrites the prepared values: the last thing that a step does.
  void ReportRaw() {
    float* values = scratch_.values;
    ops_.scale_masked(row_.logits, nullptr, row_.vocab, 1.0f, values);
    const MaxAt largest = ops_.find_max(values, row_.vocab);
    if (largest.index == row_.vocab) {
      // Only a bias made something of this row; the model itself said nothing.
      result_->raw_logprob = -kInfinity;
      result_->raw_logsumexp = -kInfinity;
      return;
    }
    const int32_t base = MassBase(largest.value);
    const float chosen = values[result_->token];
    const Mass total = ops_.sum_masses(values, row_.vocab, base);
    ops_.scale_masked(row_.logits, row_.mask, row_.vocab, 1.0f, values);
    const Mass inside = ops_.sum_masses(values, row_.vocab, base);
    const double log_total = LogOfMass(total, base);
    result_->raw_logsumexp = static_cast<float>(log_total);
    result_->raw_logprob =
        chosen == -kInfinity ? -kInfinity : static_cast<float>(ClampLogit(chosen) - log_total);
    result_->removed_mass =
        static_cast<float>(static_cast<double>(total - inside) / static_cast<double>(total));
  }

  const RowOps& ops_;
  const SampleRow& row_;
  const SampleSettings& settings_;
  const SampleBuffers& buffers_;
  SampleResult* result_;
  Scratch scratch_;
  NoiseKey noise_;
  PreparedRow prepared_ = {};
  MaxAt max_ = {};
  int32_t base_ = 0;
  Mass total_ = 0;
  Mass kept_mass_ = 0;
  // Values at or above low_ are collected; band_ is the distance of low_ from the largest.
  float low_ = 0.0f;
  float band_ = 0.0f;
  size_t collected_ = 0;
  size_t newest_ = 0;  // where the newest band starts in the candidates
};

}  // namespace

SampleStatus ChooseTokenWith(const RowOps& ops, const SampleRow& row,
                             const SampleSettings& settings, const SampleBuffers& buffers,
                             SampleResult* result) noexcept {
  *result = SampleResult();
  const SampleStatus status = CheckArguments(row, settings, buffers);
  if (status != SampleStatus::kOk) return status;
  return RowStep(ops, row, settings, buffers, result).Run();
}

SampleStatus ChooseToken(const SampleRow& row, const SampleSettings& settings,
                         const SampleBuffers& buffers, SampleResult* result) noexcept {
  return ChooseTokenWith(DefaultRowOps(), row, settings, buffers, result);
}

}  // namespace maskloom::kernels
