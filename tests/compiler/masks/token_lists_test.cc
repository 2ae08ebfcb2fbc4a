// Lists that are held by several, kept once and as long as someone holds them.
#include "compiler/token_lists.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace maskloom {
namespace {

TEST(TokenLists, KeepEqualListsOnce) {
  TokenLists lists;
  const std::vector<TokenId> first = {1, 5, 70000}, same = first, other = {1, 5, 70001};
  EXPECT_EQ(lists.BytesToHold(first), TokenLists::BytesOf(3));
  const auto held = lists.Hold(first);
  EXPECT_TRUE(std::ranges::equal(held, first));
  EXPECT_NE(held.data(), first.data());
  EXPECT_EQ(lists.BytesToHold(same), 0u);
  EXPECT_EQ(lists.Hold(same).data(), held.data());
  EXPECT_EQ(lists.BytesToHold(other), TokenLists::BytesOf(3));
  EXPECT_NE(lists.Hold(other).data(), held.data());
  // The last one who held it gets it.
  EXPECT_EQ(lists.Release(held), nullptr);
  EXPECT_EQ(lists.BytesToHold(first), 0u);
  const auto memory = lists.Release(held);
  ASSERT_NE(memory, nullptr);
  EXPECT_TRUE(std::equal(first.begin(), first.end(), memory.get()));
  EXPECT_EQ(lists.BytesToHold(first), TokenLists::BytesOf(3));
}

TEST(TokenLists, HoldNothingForEmptyOnes) {
  TokenLists lists;
  EXPECT_EQ(lists.BytesToHold({}), 0u);
  EXPECT_TRUE(lists.Hold({}).empty());
  EXPECT_EQ(lists.Release({}), nullptr);
}

}  // namespace
}  // namespace maskloom
