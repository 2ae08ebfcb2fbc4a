// A cut equals the one that sorting the values gives, for every form of the passes.
#include "kernels/sampling/select_cut.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "tests/kernels/sampling/sampling_fixture.h"

namespace maskloom::kernels {
namespace {

// The cut of the smallest prefix of the sorted values whose measure is at least `needed`.
Cut SortedCut(Measure measure, std::vector<float> values, int32_t base, Mass needed) {
  std::sort(values.begin(), values.end(), std::greater<float>());
  Mass sum = 0;
  uint32_t ties = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    ties = i > 0 && values[i] == values[i - 1] ? ties + 1 : 1;
    sum += measure == Measure::kCount ? 1 : MassOf(values[i], base);
    if (sum >= needed) return {values[i], ties};
  }
  return {-kLargestFloat, kAllTies};
}

std::vector<float> ValuesOf(RowMaker* maker, uint32_t count) {
  std::vector<float> values = maker->Row(count).logits;
  const auto odd = [](float v) { return !(v > -__builtin_inff()); };
  std::replace_if(values.begin(), values.end(), odd, -3.0f);
  return values;
}

TEST(SelectCut, EqualsTheCutOfSorting) {
  RowMaker maker(31);
  for (int round = 0; round < 2000; ++round) {
    const std::vector<float> values =
        ValuesOf(&maker, 1 + maker.Below(round % 20 == 0 ? 9000 : 300));
    const uint32_t count = static_cast<uint32_t>(values.size());
    const int32_t base = MassBase(*std::max_element(values.begin(), values.end()));
    const Mass total = PlainRowOps().sum_masses(values.data(), count, base);
    for (Measure measure : {Measure::kCount, Measure::kMass}) {
      Mass needed = measure == Measure::kCount ? 1 + maker.Below(count + 2)
                                               : NeededMass(total, maker.Below(1001) / 1000.0);
      const Cut want = SortedCut(measure, values, base, needed);
      for (const RowOps* ops : {&PlainRowOps(), Avx2RowOps(), Avx512RowOps()}) {
        if (ops == nullptr) continue;
        std::vector<float> work = values, spare(count + kOverrun);
        work.resize(count + kOverrun);
        const Cut got = SelectCut(*ops, measure, {work.data(), spare.data(), count}, base, needed);
        ASSERT_EQ(got.low, want.low) << ops->name << " round " << round;
        ASSERT_EQ(got.ties, want.ties) << ops->name << " round " << round;
      }
    }
  }
}

TEST(SelectCut, EndsOnValuesThatMediansDoNotHalve) {
  // Each value half of the one before: a median of some is far from the middle of the mass.
  std::vector<float> values;
  for (uint32_t i = 0; i < 4000; ++i) values.push_back(i % 1000 < 990 ? 1.0f : 1.0f + 1e-6f * i);
  const int32_t base = MassBase(2.0f);
  for (uint32_t needed : {1u, 20u, 40u, 41u, 2000u, 4000u}) {
    std::vector<float> work = values, spare(4000 + kOverrun);
    const Cut want = SortedCut(Measure::kCount, values, base, needed);
    const Cut got = SelectCut(DefaultRowOps(), Measure::kCount, {work.data(), spare.data(), 4000},
                              base, needed);
    EXPECT_EQ(got.low, want.low) << needed;
    EXPECT_EQ(got.ties, want.ties) << needed;
  }
}

// Both zeros are one value, in whichever order they come.
TEST(SelectCut, EndsOnZerosOfBothSigns) {
  for (const float first : {0.0f, -0.0f}) {
    std::vector<float> values(64, first);
    for (uint32_t i = 8; i < 64; i += 16) values[i] = -1.0f;
    values.front() = 0.0f;
    values.back() = -0.0f;
    for (uint32_t needed : {1u, 5u, 60u, 61u, 64u}) {
      std::vector<float> work = values, spare(64 + kOverrun);
      work.resize(64 + kOverrun);
      const Cut want = SortedCut(Measure::kCount, values, 0, needed);
      const Cut got =
          SelectCut(DefaultRowOps(), Measure::kCount, {work.data(), spare.data(), 64}, 0, needed);
      EXPECT_EQ(got.low, want.low) << needed;
      EXPECT_EQ(got.ties, want.ties) << needed;
    }
  }
}

TEST(Order, KeysAscendWithValuesAndNeighboursAreNeighbours) {
  const float values[] = {-kLargestFloat, -2.0f, -1e-45f, -0.0f, 0.0f, 1e-45f, 1.0f, kLargestFloat};
  for (size_t i = 1; i < std::size(values); ++i) {
    EXPECT_LT(OrderKey(values[i - 1]), OrderKey(values[i]));
    EXPECT_EQ(FloatBits(ValueOfKey(OrderKey(values[i]))), FloatBits(values[i]));
  }
  for (float value : {-2.0f, -1e-45f, -0.0f, 0.0f, 1e-45f, 1.0f}) {
    EXPECT_EQ(NextAbove(value), std::nextafter(value, kLargestFloat));
    EXPECT_EQ(NextBelow(value), std::nextafter(value, -kLargestFloat));
  }
}

TEST(Order, LeastWithinIsTheLeastThatPassesTheComparison) {
  RowMaker maker(32);
  for (int round = 0; round < 20000; ++round) {
    const float max = maker.Uniform(-30.0f, 30.0f) * (round % 3 == 0 ? 1000.0f : 1.0f);
    const float least = round % 7 == 0 ? -max * (max > 0 ? 1.0f : -1.0f) : maker.Uniform(-90, 0);
    const float edge = LeastWithin(max, least);
    ASSERT_GE(edge - max, least);
    ASSERT_LT(NextBelow(edge) - max, least);
  }
}

}  // namespace
}  // namespace maskloom::kernels
