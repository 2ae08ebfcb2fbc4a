// Every form of the passes over a row gives the bits of the plain form.
#include <gtest/gtest.h>

#include "kernels/cpu_features.h"
#include "kernels/sampling/mass.h"
#include "tests/kernels/sampling/sampling_fixture.h"

namespace maskloom::kernels {
namespace {

bool SameBits(float a, float b) { return FloatBits(a) == FloatBits(b); }

// Every form but the plain one that this processor runs.
std::vector<const RowOps*> VectorForms() {
  std::vector<const RowOps*> forms;
  for (const RowOps* ops : {Avx2RowOps(), Avx512RowOps()}) {
    if (ops != nullptr) forms.push_back(ops);
  }
  return forms;
}

TEST(RowOps, DefaultFormIsTheWidestThatTheProcessorHas) {
  const CpuFeatures& features = DetectCpuFeatures();
  EXPECT_STREQ(DefaultRowOps().name, features.avx512 ? "avx512" : features.avx2 ? "avx2" : "plain");
  EXPECT_EQ(Avx2RowOps() != nullptr, features.avx2);
  EXPECT_EQ(Avx512RowOps() != nullptr, features.avx512);
}

TEST(RowOps, FormsAreFoundByName) {
  EXPECT_EQ(FindRowOps("plain"), &PlainRowOps());
  EXPECT_EQ(FindRowOps("reference"), &PlainRowOps());
  EXPECT_EQ(FindRowOps("avx2"), Avx2RowOps());
  EXPECT_EQ(FindRowOps("avx512"), Avx512RowOps());
  EXPECT_EQ(FindRowOps("sse9"), nullptr);
}

void ExpectSameFloats(const std::vector<float>& a, const std::vector<float>& b, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) ASSERT_TRUE(SameBits(a[i], b[i])) << i;
}

// Checks that compaction gives the same values, whatever lies behind them.
void ExpectSameLists(const RowOps& ops, const std::vector<float>& values, Band band) {
  const RowOps& plain = PlainRowOps();
  const uint32_t count = static_cast<uint32_t>(values.size());
  std::vector<float> found_a(count + kOverrun), found_b(count + kOverrun);
  const uint32_t found = plain.collect(values.data(), count, band, found_a.data());
  ASSERT_EQ(ops.collect(values.data(), count, band, found_b.data()), found);
  ASSERT_NO_FATAL_FAILURE(ExpectSameFloats(found_a, found_b, found));

  std::vector<float> low_a = values, low_b = values;
  const uint32_t moved = plain.partition(low_a.data(), count, band.low, found_a.data());
  ASSERT_EQ(ops.partition(low_b.data(), count, band.low, found_b.data()), moved);
  ASSERT_NO_FATAL_FAILURE(ExpectSameFloats(found_a, found_b, moved));
  ASSERT_NO_FATAL_FAILURE(ExpectSameFloats(low_a, low_b, count - moved));

  for (uint32_t allowed_ties : {0u, 1u, 5u, UINT32_MAX}) {
    std::vector<float> kept_a = values, kept_b = values;
    uint32_t ties_a = allowed_ties, ties_b = allowed_ties;
    const float edge = values[count / 2] > -__builtin_inff() ? values[count / 2] : band.low;
    ASSERT_EQ(plain.keep_from(kept_a.data(), count, edge, &ties_a),
              ops.keep_from(kept_b.data(), count, edge, &ties_b));
    ASSERT_EQ(ties_a, ties_b);
    ASSERT_NO_FATAL_FAILURE(ExpectSameFloats(kept_a, kept_b, count));
  }
}

void ExpectSamePasses(const RowOps& ops, const OwnedRow& row, float scale, RowMaker* maker) {
  const RowOps& plain = PlainRowOps();
  const uint32_t count = row.vocab;
  const uint32_t* mask = row.mask.empty() ? nullptr : row.mask.data();
  std::vector<float> a(count), b(count);
  const float most = plain.scale_masked(row.logits.data(), mask, count, scale, a.data());
  ASSERT_EQ(ops.scale_masked(row.logits.data(), mask, count, scale, b.data()), most);
  ASSERT_NO_FATAL_FAILURE(ExpectSameFloats(a, b, count));

  const MaxAt max = plain.find_max(a.data(), count);
  const MaxAt other = ops.find_max(a.data(), count);
  ASSERT_EQ(max.index, other.index);
  ASSERT_TRUE(SameBits(max.value, other.value));
  ASSERT_EQ(max.value, most);
  if (mask != nullptr) {
    std::vector<uint16_t> in_a(count / kSliceTokens + 1), in_b(count / kSliceTokens + 1);
    ASSERT_EQ(plain.count_slices(mask, count, in_a.data()),
              ops.count_slices(mask, count, in_b.data()));
    ASSERT_EQ(in_a, in_b);
  }
  if (max.index == count) return;

  const int32_t base = MassBase(max.value);
  const Mass mass = plain.sum_masses(a.data(), count, base);
  ASSERT_TRUE(mass == ops.sum_masses(a.data(), count, base));
  const uint32_t split = maker->Below(count);
  ASSERT_TRUE(mass == ops.sum_masses(a.data(), split, base) +
                          ops.sum_masses(a.data() + split, count - split, base));
  uint64_t sums_a[2] = {}, sums_b[2] = {};
  plain.add_entropy(a.data(), count, max.value, sums_a);
  ops.add_entropy(a.data(), count, max.value, sums_b);
  ASSERT_EQ(sums_a[0], sums_b[0]);
  ASSERT_EQ(sums_a[1], sums_b[1]);
  const float low = maker->Uniform(-6.0f, 4.0f);
  ExpectSameLists(ops, a, {low, low + maker->Uniform(-1.0f, 9.0f)});
}

TEST(RowOps, FormsEqualThePlainOneBitForBit) {
  RowMaker maker(11);
  for (int round = 0; round < 600; ++round) {
    const uint32_t count = 1 + maker.Below(round % 10 == 0 ? 5000 : 200);
    OwnedRow row = maker.Row(count);
    if (round % 50 == 0) row.logits[maker.Below(count)] = __builtin_inff();
    if (round % 2 == 0) maker.Mask(&row);
    const float scale = round % 5 == 0 ? 10000.0f : maker.Uniform(0.01f, 3.0f);
    for (const RowOps* ops : VectorForms()) {
      SCOPED_TRACE(testing::Message() << ops->name << " round " << round);
      ASSERT_NO_FATAL_FAILURE(ExpectSamePasses(*ops, row, scale, &maker));
    }
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
    const uint32_t first = kSliceTokens * maker.Below(8);
    const NoiseKey key = {maker.Below(1000), static_cast<uint64_t>(round) << 31};
    for (const uint32_t* list :
         {static_cast<const uint32_t*>(nullptr), static_cast<const uint32_t*>(ids.data())}) {
      BestScore expected = {-__builtin_inff(), UINT32_MAX};
      for (uint32_t i = 0; i < count; ++i) {
        if (values[i] == -__builtin_inff()) continue;
        const uint32_t id = list == nullptr ? first + i : list[i];
        const float score = GumbelScore(key, id, values[i]);
        if (score > expected.score || (score == expected.score && id < expected.id)) {
          expected = {score, id};
        }
      }
      for (const RowOps* ops : {&PlainRowOps(), Avx2RowOps(), Avx512RowOps()}) {
        if (ops == nullptr) continue;
        BestScore best = {-__builtin_inff(), UINT32_MAX};
        ops->best_score(values.data(), {list, first}, count, key, &best);
        ASSERT_EQ(best.id, expected.id) << ops->name;
        ASSERT_TRUE(SameBits(best.score, expected.score)) << ops->name;
      }
    }
  }
}

}  // namespace
}  // namespace maskloom::kernels
