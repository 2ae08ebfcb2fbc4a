// JoinLabels against the plain product.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "grammar/regular/regular.h"
#include "tests/grammar/regular/slow_matcher.h"

namespace maskloom {
namespace {

using testing::RandomAutomaton;

constexpr uint32_t kNo = TextAutomaton::kNotAccepting;

// Returns a random automaton with labels 1 to 4; where `is_total`, it accepts every text.
TextAutomaton RandomClasses(std::mt19937* random, bool is_total) {
  const TextAutomaton a = RandomAutomaton(random, 4), b = RandomAutomaton(random, 4);
  return *Product({&a, &b}, [is_total](const std::vector<uint32_t>& labels) {
    const uint32_t label = 2 * (labels[0] != kNo) + (labels[1] != kNo);
    return label + (is_total ? 1 : 0);
  });
}

// Keys that hold `a` and a two-digit number, with the largest number from `first` to `last`, plus
// 1, as their label, or 1 if there is none.
TextAutomaton LargestOf(uint32_t first, uint32_t last) {
  TextAutomaton result = AnyText();
  for (uint32_t number = first; number <= last; ++number) {
    ExprPool pool;
    const std::u32string text{U'a', U'0' + number / 10, U'0' + number % 10};
    const TextAutomaton search = *BuildSearchAutomaton(pool, pool.Text(text));
    result = *Product({&result, &search}, [number](const std::vector<uint32_t>& labels) {
      return labels[1] == kNo ? labels[0] : std::max(labels[0], number + 1);
    });
  }
  return result;
}

Result<uint32_t> Larger(uint32_t a, uint32_t b) { return std::max(a, b); }

TEST(JoinLabels, IsTheProduct) {
  std::mt19937 random(11);
  for (int round = 0; round < 400; ++round) {
    const TextAutomaton a = RandomClasses(&random, random() % 2 == 0);
    const TextAutomaton b = RandomClasses(&random, random() % 2 == 0);
    uint32_t table[6][6];
    const uint32_t kinds = 1 + random() % 4;  // few, so that parts often make no difference
    for (auto& row : table) {
      for (uint32_t& label : row) label = random() % (kinds + 1);
    }
    const TextAutomaton product = *Product({&a, &b}, [&](const std::vector<uint32_t>& labels) {
      return labels[0] == kNo || labels[1] == kNo ? kNo : table[labels[0]][labels[1]];
    });
    const TextAutomaton joined =
        *JoinLabels(a, b, [&](uint32_t x, uint32_t y) -> Result<uint32_t> { return table[x][y]; });
    ASSERT_EQ(joined.Validate(), "");
    ASSERT_EQ(joined, product) << round;
  }
}

TEST(JoinLabels, DoesNotTellApartWhatMakesNoDifference) {
  const TextAutomaton low = LargestOf(10, 29), high = LargestOf(30, 49);
  const TextAutomaton joined = *JoinLabels(low, high, Larger);
  EXPECT_EQ(joined, LargestOf(10, 49));
  const uint32_t enough = joined.state_count() + 10;
  EXPECT_TRUE(JoinLabels(low, high, Larger, enough).ok());
  const Result<TextAutomaton> product = Product(
      {&low, &high},
      [](const std::vector<uint32_t>& labels) { return std::max(labels[0], labels[1]); }, enough);
  EXPECT_EQ(product.status().code(), StatusCode::kResourceLimit);
}

TEST(JoinLabels, FailsOnlyForPairsThatSomeTextHas) {
  const TextAutomaton a = AutomatonOfTexts({U"x", U"y"}, {1, 2});
  const TextAutomaton b = AutomatonOfTexts({U"x", U"y"}, {1, 2});
  const auto fail_at = [](uint32_t bad_a, uint32_t bad_b) {
    return [bad_a, bad_b](uint32_t x, uint32_t y) -> Result<uint32_t> {
      if (x == bad_a && y == bad_b) return Status(StatusCode::kUnsupported, "a bad pair");
      return x;
    };
  };
  EXPECT_EQ(*JoinLabels(a, b, fail_at(1, 2)), a);
  const Result<TextAutomaton> failed = JoinLabels(a, b, fail_at(2, 2));
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.status().message(), "a bad pair");
}

}  // namespace
}  // namespace maskloom
