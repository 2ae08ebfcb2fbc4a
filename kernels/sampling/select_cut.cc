// A selection by values: the list is split at a pivot, the half that holds the cut is split again.
//
//   values      3 1 4 1 5 9 2 6 5 3          needed: 4 values
//   pivot 5     9 5 6 5 | 3 1 4 1 2 3        the upper part has 4: go on there, nothing is above
//   pivot 6     9 6 | 5 5                    the upper part has 2: go on below, 2 are above
//   sorted      5 5                          the second 5 makes 4: cut at 5 with 2 ties
//
// Equal values are never split, and masses are exact sums (mass.h), so that the cut is the one that
// sorting would give. The pivot is a median of some values, which about halves a list of any likely
// shape; where it did not, the next is the middle of the range as floats are ordered, which ends
// after 32 such turns whatever the values are.
#include "kernels/sampling/select_cut.h"

#include <algorithm>
#include <functional>

namespace maskloom::kernels {
namespace {

constexpr uint32_t kSortedCount = 32;
constexpr uint32_t kSampleCount = 15;

float MedianOfSome(const float* values, uint32_t count) {
  float some[kSampleCount];
  const uint32_t step = count / kSampleCount;
  for (uint32_t i = 0; i < kSampleCount; ++i) some[i] = values[i * step];
  std::nth_element(some, some + kSampleCount / 2, some + kSampleCount);
  return some[kSampleCount / 2];
}

// As OrderKey, with one key for both zeros.
uint32_t KeyOfValue(float value) { return OrderKey(value == 0.0f ? 0.0f : value); }

float MiddleOfRange(const float* values, uint32_t count) {
  const auto [least, most] = std::minmax_element(values, values + count);
  const uint32_t low = KeyOfValue(*least);
  return ValueOfKey(low + (KeyOfValue(*most) - low) / 2);
}

class Selection {
 public:
  Selection(const RowOps& ops, Measure measure, int32_t base, Mass needed)
      : ops_(ops), measure_(measure), base_(base), needed_(needed) {}

  Cut Run(WorkList list) {
    bool halved = true;  // about: the last pivot left at most seven eighths
    while (list.count > kSortedCount) {
      const float pivot =
          halved ? MedianOfSome(list.values, list.count) : MiddleOfRange(list.values, list.count);
      const uint32_t whole = list.count;
      list = Narrow(list, pivot);
      halved = list.count <= whole / 8 * 7;
      if (list.count != whole) continue;
      // The pivot is the least value: what is above it is split off, and what stays is all equal.
      list = Narrow(list, NextAbove(pivot));
      if (list.values[0] == pivot) return CutInside(pivot, list.count);
    }
    std::sort(list.values, list.values + list.count, std::greater<float>());
    uint32_t at = 0;
    while (at < list.count) {
      uint32_t end = at + 1;
      while (end < list.count && list.values[end] == list.values[at]) ++end;
      const Mass one = MeasureOf(list.values + at, 1);
      if (above_ + one * (end - at) >= needed_) return CutInside(list.values[at], end - at);
      above_ += one * (end - at);
      at = end;
    }
    return {-kLargestFloat, kAllTies};
  }

 private:
  Mass MeasureOf(const float* values, uint32_t count) const {
    return measure_ == Measure::kCount ? count : ops_.sum_masses(values, count, base_);
  }

  // Splits at `pivot` and returns the part that holds the cut.
  WorkList Narrow(WorkList list, float pivot) {
    const uint32_t moved = ops_.partition(list.values, list.count, pivot, list.spare);
    const Mass upper = MeasureOf(list.spare, moved);
    if (above_ + upper >= needed_) return {list.spare, list.values, moved};
    above_ += upper;
    return {list.values, list.spare, list.count - moved};
  }

  // The cut among `count` values that all equal `value`, with above_ before them.
  Cut CutInside(float value, uint32_t count) const {
    const Mass one = MeasureOf(&value, 1);
    if (above_ + one * count < needed_) return {-kLargestFloat, kAllTies};
    const Mass missing = needed_ - above_;
    return {value, static_cast<uint32_t>((missing + one - 1) / one)};
  }

  const RowOps& ops_;
  Measure measure_;
  int32_t base_;
  Mass needed_;
  Mass above_ = 0;  // measure of the values that were split off above
};

}  // namespace

Cut SelectCut(const RowOps& ops, Measure measure, WorkList list, int32_t base, Mass needed) {
  return Selection(ops, measure, base, needed).Run(list);
}

}  // namespace maskloom::kernels
