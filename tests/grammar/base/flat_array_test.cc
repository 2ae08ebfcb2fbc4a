// Sequences that own their elements or view those of another.
#include "grammar/base/flat_array.h"

#include <gtest/gtest.h>

namespace maskloom {
namespace {

TEST(FlatArray, OwnsWhatAVectorHeld) {
  std::vector<int> elements = {3, 1, 2};
  const int* where = elements.data();
  FlatArray<int> array = std::move(elements);
  EXPECT_EQ(array.data(), where) << "elements are moved, not copied";
  EXPECT_FALSE(array.is_view());
  EXPECT_GE(array.owned_bytes(), 12u);
  EXPECT_EQ(array.front(), 3);
  EXPECT_EQ(array.back(), 2);
  EXPECT_EQ(std::span<const int>(array).size(), 3u);
}

TEST(FlatArray, ViewsWhatAnotherKeeps) {
  const std::vector<int> keeper = {3, 1, 2};
  const auto view = FlatArray<int>::ViewOf(keeper);
  EXPECT_EQ(view.data(), keeper.data());
  EXPECT_TRUE(view.is_view());
  EXPECT_EQ(view.owned_bytes(), 0u);
  const FlatArray<int> copy = view;
  EXPECT_EQ(copy.data(), keeper.data()) << "copies of views are views";
}

TEST(FlatArray, CopiesOfOwnersAreDeep) {
  FlatArray<int> first = std::vector<int>{3, 1, 2};
  const FlatArray<int> second = first;
  EXPECT_NE(second.data(), first.data());
  EXPECT_EQ(second, first);
  first = std::vector<int>{4};
  EXPECT_EQ(second.size(), 3u);
  EXPECT_FALSE(second == first);
}

TEST(FlatArray, MovesLeaveNothingBehind) {
  FlatArray<int> first = std::vector<int>{3, 1, 2};
  const int* where = first.data();
  FlatArray<int> second = std::move(first);
  EXPECT_EQ(second.data(), where);
  EXPECT_TRUE(first.empty());  // NOLINT(bugprone-use-after-move): it is empty, and that is tested
  EXPECT_EQ(first.begin(), first.end());
  second = std::move(first);
  EXPECT_TRUE(second.empty());
}

TEST(FlatArray, AnEmptyOneHasNoElements) {
  const FlatArray<int> none;
  EXPECT_EQ(none.begin(), none.end());
  EXPECT_EQ(none, FlatArray<int>(std::vector<int>()));
}

}  // namespace
}  // namespace maskloom
