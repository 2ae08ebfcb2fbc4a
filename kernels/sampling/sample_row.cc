// The sampling step used by default: no sort of the row, exact masses, few logarithms.
//
// A row is slices of values (row_slices.h). The first pass finds the largest value of each slice
// and is all that greedy needs. Every further pass skips the slices that cannot matter to it: a
// value in a slice is at most the slice's largest.
//
// Filters keep a prefix of the descending order, so each is a cut: the least value that stays, and
// how many of those equal to it (order.h). top-k and top-p select their cut among the values at the
// top of the row, which are collected first:
//
//   top-k   from the k-th largest of the slices' maxima up: at least k values, rarely many more;
//           where there are fewer slices than k, band by band
//   top-p   band by band downward from the largest, 4 wide at first, until the bands hold the mass;
//           the cut is in the last one
//   min-p   needs no values: its cut is the least float that passes its comparison
//
// Cuts are those that sorting would give, because masses are exact sums (mass.h): no rounding
// depends on the order in which they were added. A last pass over the slices that reach the cut
// sets what is below it to -infinity and draws. The choice is the largest y + noise. Noise is at
// most 22.9, and -ln W bounds it without a logarithm, so that the two logarithms are taken only for
// the few tokens that can still beat the best score so far, which starts at the likeliest token's.
#include "kernels/sampling/sample_row.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "kernels/sampling/mass.h"
#include "kernels/sampling/report_math.h"
#include "kernels/sampling/row_slices.h"
#include "kernels/sampling/select_cut.h"

namespace maskloom::kernels {
namespace {

constexpr float kInfinity = __builtin_inff();
constexpr float kFirstBand = 4.0f;  // width; the distance from the largest then doubles

// Bands from the largest value downward.
struct BandWalk {
  float low = kInfinity;        // what is at least this was collected
  float distance = kFirstBand;  // of the next band's lower end from the largest value
};

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
        slices_(ops, row, settings, scratch_),
        noise_{settings.seed, settings.position} {}

  SampleStatus Run() {
    slices_.Prepare();
    result_->allowed_count = slices_.allowed_count();
    if (result_->allowed_count == 0) return SampleStatus::kEmptyMask;
    if (slices_.max() == -kInfinity) return SampleStatus::kNoFiniteLogit;
    base_ = MassBase(slices_.max());
    noiseless_ = settings_.temperature == 0.0f || slices_.max() > kLogitLimit;
    FindLargest();
    const bool top_k = settings_.top_k != 0 && settings_.top_k < result_->allowed_count;
    const bool top_p = settings_.top_p < 1.0;
    const bool min_p = static_cast<float>(settings_.min_p) >= kSmallestNormal;
    const bool filtered = !noiseless_ && (top_k || top_p || min_p);
    const bool needs_total = WantsProbabilities() || (filtered && top_p && !top_k);
    if (needs_total || !(noiseless_ || filtered)) ReadAll(needs_total, !(noiseless_ || filtered));
    if (settings_.top_count != 0) ListTop();
    if (filtered) {
      Cut cut = {-kLargestFloat, kAllTies};
      if (min_p)
        cut.low = LeastWithin(slices_.max(), ExactLog(static_cast<float>(settings_.min_p)));
      if (top_k) {
        cut = Tighter(cut, CutTopK());
      } else if (top_p) {
        cut = Tighter(cut, CutTopP(cut.low));
      }
      ChooseFrom(cut);
    }
    if (WantsProbabilities()) ReportProbabilities();
    if ((settings_.outputs & kOutputRaw) != 0) ReportRaw();
    return SampleStatus::kOk;
  }

 private:
  bool WantsProbabilities() const {
    return (settings_.outputs & (kOutputLogprobs | kOutputEntropy)) != 0 || settings_.top_count > 0;
  }

  // Takes the first token of the order; draws may replace it.
  void FindLargest() {
    uint32_t s = 0;
    while (slices_.max_of(s) != slices_.max()) ++s;
    slices_.Rewind();
    const Slice slice = slices_.Load(s);
    const MaxAt at = ops_.find_max(slice.values, slice.count);
    result_->token = RowSlices::IdAt(slice, at.index);
    result_->kept_count = 1;
    best_ = {-kInfinity, UINT32_MAX};
    if (!noiseless_) OfferToken(noise_, result_->token, at.value, &best_);
  }

  // Calls `visit` with every slice whose largest value is at least `low`.
  template <typename Visit>
  void VisitFrom(float low, Visit visit) {
    slices_.Rewind();
    for (uint32_t s = 0; s < slices_.slice_count(); ++s) {
      if (slices_.max_of(s) >= low) visit(slices_.Load(s), slices_.max_of(s));
    }
  }

  // One pass for the mass of the row, its entropy, and the draw where no filter is on.
  void ReadAll(bool needs_total, bool draws) {
    const bool entropy = (settings_.outputs & kOutputEntropy) != 0;
    VisitFrom(-kLargestFloat, [&](const Slice& slice, float max) {
      const bool within_reach = draws && ClampLogit(max) + kMaxGumbel >= best_.score;
      if (needs_total) total_ += ops_.sum_masses(slice.values, slice.count, base_);
      if (entropy) ops_.add_entropy(slice.values, slice.count, slices_.max(), entropy_sums_);
      if (within_reach) ops_.best_score(slice.values, slice.ids, slice.count, noise_, &best_);
    });
    if (!draws) return;
    result_->token = best_.id;
    result_->kept_count = result_->allowed_count;
    kept_mass_ = total_;
  }

  // Appends the values of the band to the work list.
  void Collect(Band band, uint32_t* count) {
    VisitFrom(band.low, [&](const Slice& slice, float) {
      *count += ops_.collect(slice.values, slice.count, band, scratch_.work + *count);
    });
  }

  WorkList ListOf(uint32_t count) const { return {scratch_.work, scratch_.spare, count}; }

  // Appends the values of the next band, which lies below those before it. Returns false where
  // nothing is left below.
  bool CollectBand(BandWalk* walk, uint32_t* count) {
    if (walk->low == -kLargestFloat) return false;
    const float top = std::min(slices_.max(), kLargestFloat);
    const float high = walk->low == kInfinity ? kInfinity : NextBelow(walk->low);
    walk->low = walk->distance < kLogitLimit ? std::max(top - walk->distance, -kLargestFloat)
                                             : -kLargestFloat;
    walk->low = std::min(walk->low, high);
    walk->distance *= 2.0f;
    Collect({walk->low, high}, count);
    return true;
  }

  // Returns the cut at the `wanted` largest values; all where there are fewer.
  Cut CutAtCount(uint32_t wanted) {
    const uint32_t slices = slices_.slice_count();
    uint32_t count = 0;
    BandWalk walk;
    if (wanted <= slices) {
      std::copy(scratch_.maxima, scratch_.maxima + slices, scratch_.work);
      std::nth_element(scratch_.work, scratch_.work + wanted - 1, scratch_.work + slices,
                       std::greater<float>());
      walk.low = std::max(scratch_.work[wanted - 1], -kLargestFloat);
      Collect({walk.low, kInfinity}, &count);
    }
    while (count < wanted && CollectBand(&walk, &count)) {
    }
    return SelectCut(ops_, Measure::kCount, ListOf(count), base_, wanted);
  }

  // The cut of top-k, and inside it of top-p.
  Cut CutTopK() {
    const Cut cut = CutAtCount(settings_.top_k);
    if (!(settings_.top_p < 1.0)) return cut;
    uint32_t count = 0;
    Collect({cut.low, kInfinity}, &count);
    Mass inside = ops_.sum_masses(scratch_.work, count, base_);
    // Of the values equal to the cut some may be beyond the k-th.
    if (count > settings_.top_k) inside -= MassOf(cut.low, base_) * (count - settings_.top_k);
    const Mass needed = NeededMass(inside, settings_.top_p);
    return Tighter(cut, SelectCut(ops_, Measure::kMass, ListOf(count), base_, needed));
  }

  // The cut of top-p over the whole row; of no interest where it is below `enough`.
  Cut CutTopP(float enough) {
    const Mass needed = NeededMass(total_, settings_.top_p);
    Mass above = 0;
    BandWalk walk;
    uint32_t count = 0;
    while (walk.low >= enough && CollectBand(&walk, &count)) {
      const Mass inside = ops_.sum_masses(scratch_.work, count, base_);
      if (above + inside >= needed) {
        return SelectCut(ops_, Measure::kMass, ListOf(count), base_, needed - above);
      }
      above += inside;
      count = 0;
    }
    return {-kLargestFloat, kAllTies};
  }

  // Draws among the tokens that the cut keeps.
  void ChooseFrom(Cut cut) {
    uint32_t kept = 0;
    VisitFrom(cut.low, [&](const Slice& slice, float max) {
      kept += ops_.keep_from(slice.values, slice.count, cut.low, &cut.ties);
      if (WantsProbabilities()) kept_mass_ += ops_.sum_masses(slice.values, slice.count, base_);
      if (ClampLogit(max) + kMaxGumbel < best_.score) return;
      ops_.best_score(slice.values, slice.ids, slice.count, noise_, &best_);
    });
    result_->token = best_.id;
    result_->kept_count = kept;
  }

  void ListTop() {
    const Cut cut = CutAtCount(settings_.top_count);
    uint32_t ties = cut.ties;
    uint32_t filled = 0;
    VisitFrom(cut.low, [&](const Slice& slice, float) {
      for (uint32_t i = 0; i < slice.count; ++i) {
        const float value = slice.values[i];
        if (!(value >= cut.low) || (value == cut.low && ties == 0)) continue;
        if (value == cut.low) --ties;
        buffers_.top[filled++] = {RowSlices::IdAt(slice, i), value};
      }
    });
    std::sort(buffers_.top, buffers_.top + filled, [](const TopToken& a, const TopToken& b) {
      return a.logprob > b.logprob || (a.logprob == b.logprob && a.id < b.id);
    });
    const double log_total = LogOfMass(total_, base_);
    for (uint32_t i = 0; i < filled; ++i) {
      buffers_.top[i].logprob = LogprobOf(buffers_.top[i].logprob, log_total);
    }
    result_->top_filled = filled;
  }

  void ReportProbabilities() {
    const float value = slices_.ValueOf(result_->token);
    const double log_total = LogOfMass(total_, base_);
    result_->masked_logsumexp = static_cast<float>(log_total);
    result_->masked_logprob = LogprobOf(value, log_total);
    result_->logprob = noiseless_ ? 0.0f : LogprobOf(value, LogOfMass(kept_mass_, base_));
    if ((settings_.outputs & kOutputEntropy) == 0) return;
    result_->entropy_bits = EntropyBits(total_, MassOf(slices_.max(), base_), entropy_sums_);
  }

  // The mass of the logits as given of the whole row, or of those inside the mask.
  Mass RawMass(bool inside_mask, int32_t base, float* largest) {
    alignas(64) float values[kSliceTokens];
    MaskReader mask(row_);
    Mass mass = 0;
    for (uint32_t first = 0; first < row_.vocab; first += kSliceTokens) {
      const uint32_t count = std::min(kSliceTokens, row_.vocab - first);
      const uint32_t* words = inside_mask ? mask.Words(first) : nullptr;
      const float max = ops_.scale_masked(row_.logits + first, words, count, 1.0f, values);
      if (largest != nullptr) {
        *largest = std::max(*largest, max);
      } else {
        mass += ops_.sum_masses(values, count, base);
      }
    }
    return mass;
  }

  void ReportRaw() {
    float largest = -kInfinity;
    RawMass(false, 0, &largest);
    if (largest == -kInfinity) {
      // Only a bias made something of this row; the model itself said nothing.
      result_->raw_logprob = -kInfinity;
      result_->raw_logsumexp = -kInfinity;
      return;
    }
    const int32_t base = MassBase(largest);
    const Mass total = RawMass(false, base, nullptr);
    const Mass inside = RawMass(true, base, nullptr);
    const double log_total = LogOfMass(total, base);
    result_->raw_logsumexp = static_cast<float>(log_total);
    result_->raw_logprob = LogprobOf(ScaleLogit(row_.logits[result_->token], 1.0f), log_total);
    result_->removed_mass = RemovedShare(total, inside);
  }

  const RowOps& ops_;
  const SampleRow& row_;
  const SampleSettings& settings_;
  const SampleBuffers& buffers_;
  SampleResult* result_;
  Scratch scratch_;
  RowSlices slices_;
  NoiseKey noise_;
  bool noiseless_ = false;
  int32_t base_ = 0;
  BestScore best_ = {};
  Mass total_ = 0;
  Mass kept_mass_ = 0;
  uint64_t entropy_sums_[2] = {};
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
