// Every form of the passes over a row gives the bits of the plain form.
#include <gtest/gtest.h>

#include "kernels/cpu_features.h"
#include "kernels/sampling/mass.h"
#include "tests/kernels/sampling/sampling_fixture.h"

namespace maskloom::kernels {
namespace {

bool SameBits(float a, float b) { return FloatBits(a) == FloatBits(b); }

TEST(RowOps, DefaultFormIsTheWidestThatTheProcessorHas) {
  EXPECT_STREQ(PlainRowOps().name, "plain");
  if (Avx2RowOps() == nullptr) {
    EXPECT_STREQ(DefaultRowOps().name, "plain");
    GTEST_SKIP() << "this build or processor has no AVX2";
  }
  EXPECT_TRUE(DetectCpuFeatures().avx2);
  EXPECT_STREQ(Avx2RowOps()->name, "avx2");
  EXPECT_STREQ(DefaultRowOps().name, "avx2");
}

TEST(RowOps, Avx2EqualsPlainBitForBit) {
  if (Avx2RowOps() == nullptr) GTEST_SKIP() << "this build or processor has no AVX2";
  const RowOps& plain = PlainRowOps();
  const RowOps& avx2 = *Avx2RowOps();
  RowMaker maker(11);
  for (int round = 0; round < 600; ++round) {
    const uint32_t count = 1 + maker.Below(round % 10 == 0 ? 5000 : 200);
    OwnedRow row = maker.Row(count);
    if (round % 50 == 0) row.logits[maker.Below(count)] = __builtin_inff();
    if (round % 2 == 0) maker.Mask(&row);
    const uint32_t* mask = row.mask.empty() ? nullptr : row.mask.data();
    std::vector<float> a(count), b(count);
    const float scale = round % 5 == 0 ? 10000.0f : maker.Uniform(0.01f, 3.0f);
    plain.scale_masked(row.logits.data(), mask, count, scale, a.data());
    avx2.scale_masked(row.logits.data(), mask, count, scale, b.data());
    for (uint32_t i = 0; i < count; ++i) ASSERT_TRUE(SameBits(a[i], b[i])) << i;

    const MaxAt max_a = plain.find_max(a.data(), count);
    const MaxAt max_b = avx2.find_max(a.data(), count);
    ASSERT_EQ(max_a.index, max_b.index);
    ASSERT_TRUE(SameBits(max_a.value, max_b.value));
    if (max_a.index == count) continue;

    const int32_t base = MassBase(max_a.value);
    const Mass mass = plain.sum_masses(a.data(), count, base);
    ASSERT_TRUE(mass == avx2.sum_masses(a.data(), count, base));
    const uint32_t split = maker.Below(count);
    ASSERT_TRUE(mass == avx2.sum_masses(a.data(), split, base) +
                            avx2.sum_masses(a.data() + split, count - split, base));
    if (mask != nullptr) {
      ASSERT_EQ(plain.count_allowed(mask, count), avx2.count_allowed(mask, count));
    }

    uint64_t sums_a[2] = {}, sums_b[2] = {};
    plain.add_entropy(a.data(), count, max_a.value, sums_a);
    avx2.add_entropy(a.data(), count, max_a.value, sums_b);
    ASSERT_EQ(sums_a[0], sums_b[0]);
    ASSERT_EQ(sums_a[1], sums_b[1]);

    const Band band = {maker.Uniform(-6.0f, 4.0f), maker.Uniform(0.0f, 9.0f)};
    std::vector<uint32_t> found_a(count), found_b(count);
    found_a.resize(plain.collect(a.data(), count, band, found_a.data()));
    found_b.resize(avx2.collect(a.data(), count, band, found_b.data()));
    ASSERT_EQ(found_a, found_b);
  }
}

TEST(RowOps, BestScoreFindsTheLargestOfAllScores) {
  RowMaker maker(12);
  for (int round = 0; round < 400; ++round) {
    const uint32_t count = 1 + maker.Below(round % 10 == 0 ? 3000 : 150);
    const OwnedRow row = maker.Row(count);
    std::vector<float> values(count);
    std::vector<uint32_t> ids(count);
    PlainRowOps().scale_masked(row.logits.data(), nullptr, count, 1.0f, values.data());
    for (uint32_t i = 0; i < count; ++i) ids[i] = (i == 0 ? 0 : ids[i - 1]) + 1 + maker.Below(9);
    const NoiseKey key = {maker.Below(1000), static_cast<uint64_t>(round) << 31};
    for (const uint32_t* list :
         {static_cast<const uint32_t*>(nullptr), static_cast<const uint32_t*>(ids.data())}) {
      BestScore expected = {-__builtin_inff(), UINT32_MAX};
      for (uint32_t i = 0; i < count; ++i) {
        if (values[i] == -__builtin_inff()) continue;
        const uint32_t id = list == nullptr ? i : list[i];
        const float score = GumbelScore(key, id, values[i]);
        if (score > expected.score || (score == expected.score && id < expected.id)) {
          expected = {score, id};
        }
      }
      for (const RowOps* ops : {&PlainRowOps(), Avx2RowOps()}) {
        if (ops == nullptr) continue;
        BestScore best = {-__builtin_inff(), UINT32_MAX};
        ops->best_score(values.data(), list, count, key, &best);
        ASSERT_EQ(best.id, expected.id) << ops->name;
        ASSERT_TRUE(SameBits(best.score, expected.score)) << ops->name;
      }
    }
  }
}

}  // namespace
}  // namespace maskloom::kernels
