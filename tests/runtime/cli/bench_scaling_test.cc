// Growth: time per mask stays flat with depth and grows no worse than linearly in what a mask must
// look at. Numbers of masks are exact; times are medians of many, compared with four times the
// slack, so that a busy machine does not fail them.
#include "runtime/cli/bench_scaling.h"

#include <gtest/gtest.h>

#include <string>

#include "runtime/cli/made_up_vocabulary.h"

namespace maskloom::cli {
namespace {

constexpr double kSlack = 4;
constexpr double kNoiseUs = 1;  // of a median

const std::shared_ptr<const VocabularyIndex>& Index() {
  static const auto* index = [] {
    auto vocabulary = MakeUpVocabulary(8192, {VocabularyScalingCase().text});
    return new std::shared_ptr<const VocabularyIndex>(
        VocabularyIndex::Build(std::move(*vocabulary)));
  }();
  return *index;
}

ScalingPoint Measure(const std::string& name, size_t x) {
  for (const ScalingCurve& curve : ScalingCurves()) {
    if (curve.name != name) continue;
    Result<ScalingPoint> point = MeasureScaling(MakeScalingCase(curve, x), Index());
    if (point.ok()) return *point;
    ADD_FAILURE() << name << " at " << x << ": " << point.status().ToString();
  }
  return {};
}

class GrowsWithDepth : public testing::TestWithParam<const char*> {};

TEST_P(GrowsWithDepth, NeitherMasksNorTheirTimes) {
  const ScalingPoint shallow = Measure(GetParam(), 30);
  const ScalingPoint deep = Measure(GetParam(), 3000);
  EXPECT_GT(deep.tokens, 20 * shallow.tokens);
  EXPECT_EQ(deep.masks_made, shallow.masks_made);
  EXPECT_EQ(deep.memory_bytes, shallow.memory_bytes);
  EXPECT_LE(deep.seen_p50_us, kSlack * shallow.seen_p50_us + kNoiseUs);
  EXPECT_LE(deep.accept_p50_us, kSlack * shallow.accept_p50_us + kNoiseUs);
}

INSTANTIATE_TEST_SUITE_P(Curves, GrowsWithDepth,
                         testing::Values("nested_arrays", "nested_objects", "right_recursion",
                                         "left_recursion", "both_recursions"));

struct LinearCurve {
  const char* name;
  size_t few;
  size_t many;
};

class GrowsLinearly : public testing::TestWithParam<LinearCurve> {};

TEST_P(GrowsLinearly, InMasksAndTheirTimesAtMost) {
  const LinearCurve& curve = GetParam();
  const ScalingPoint few = Measure(curve.name, curve.few);
  const ScalingPoint many = Measure(curve.name, curve.many);
  const auto ratio = static_cast<double>(curve.many) / static_cast<double>(curve.few);
  EXPECT_LE(static_cast<double>(many.masks_made),
            1.5 * ratio * static_cast<double>(few.masks_made));
  EXPECT_LE(many.mask_p50_us, kSlack * ratio * (few.mask_p50_us + kNoiseUs));
  EXPECT_LE(many.seen_p50_us, kSlack * ratio * (few.seen_p50_us + kNoiseUs));
  EXPECT_LE(many.accept_p50_us, kSlack * ratio * (few.accept_p50_us + kNoiseUs));
}

INSTANTIATE_TEST_SUITE_P(Curves, GrowsLinearly,
                         testing::Values(LinearCurve{"tagged_branches", 16, 128},
                                         LinearCurve{"untagged_branches", 16, 128},
                                         LinearCurve{"ambiguous_branches", 4, 32},
                                         LinearCurve{"declared_keys", 16, 256},
                                         LinearCurve{"open_keys", 16, 256},
                                         LinearCurve{"enum_values", 50, 2000}),
                         [](const auto& info) { return std::string(info.param.name); });

// Behind a bound that is far off, masks do not depend on how far.
TEST(ScalingOfBounds, CountsSaturate) {
  const ScalingPoint near = Measure("string_bound", 1000);
  const ScalingPoint far = Measure("string_bound", 100000);
  EXPECT_LE(far.masks_made, 2 * near.masks_made);
  EXPECT_LE(far.seen_p50_us, kSlack * near.seen_p50_us + kNoiseUs);
}

TEST(ScalingOfVocabularies, MasksAreAsMany) {
  size_t masks = 0;
  for (const size_t size : {4096u, 16384u}) {
    auto vocabulary = MakeUpVocabulary(size, {VocabularyScalingCase().text});
    ASSERT_TRUE(vocabulary.ok());
    auto point =
        MeasureScaling(VocabularyScalingCase(), VocabularyIndex::Build(std::move(*vocabulary)));
    ASSERT_TRUE(point.ok()) << point.status().ToString();
    EXPECT_GT(point->masks_made, 10u);
    if (masks != 0) {
      EXPECT_LT(point->masks_made, 2 * masks);
    }
    masks = point->masks_made;
  }
}

}  // namespace
}  // namespace maskloom::cli
