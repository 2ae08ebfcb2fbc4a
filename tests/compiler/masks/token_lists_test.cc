// Lists that are held by several, kept once and as long as someone holds them.
#include "compiler/token_lists.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace maskloom {
namespace {

TEST(TokenLists, KeepEqualListsOnce) {
  TokenLists lists;
  const std::vector<TokenId> tokens = {1, 5, 70000}, equal = tokens, others = {1, 5, 70001};
  const TokenLists::Key first(tokens), same(equal), other(others);
  EXPECT_EQ(lists.BytesToHold(first), TokenLists::BytesOf(3));
  const auto held = lists.Hold(first);
  EXPECT_TRUE(std::ranges::equal(held, tokens));
  EXPECT_NE(held.data(), tokens.data());
  EXPECT_EQ(lists.BytesToHold(same), 0u);
  EXPECT_EQ(lists.Hold(same).data(), held.data());
  EXPECT_EQ(lists.BytesToHold(other), TokenLists::BytesOf(3));
  EXPECT_NE(lists.Hold(other).data(), held.data());
  // The last one who held it gets it.
  EXPECT_EQ(lists.Release(held), nullptr);
  EXPECT_EQ(lists.BytesToHold(first), 0u);
  const auto memory = lists.Release(held);
  ASSERT_NE(memory, nullptr);
  EXPECT_TRUE(std::equal(tokens.begin(), tokens.end(), memory.get()));
  EXPECT_EQ(lists.BytesToHold(first), TokenLists::BytesOf(3));
}

TEST(TokenLists, TellListsApartByEachToken) {
  TokenLists lists;
  std::vector<TokenId> tokens(21);
  const auto held = lists.Hold(TokenLists::Key(tokens));
  for (TokenId& id : tokens) {
    id = 7;
    EXPECT_NE(TokenLists::Key(tokens).hash, TokenLists::Key(held).hash);
    EXPECT_GT(lists.BytesToHold(TokenLists::Key(tokens)), 0u);
    id = 0;
  }
  EXPECT_EQ(lists.BytesToHold(TokenLists::Key(tokens)), 0u);
}

TEST(TokenLists, HoldNothingForEmptyOnes) {
  TokenLists lists;
  const TokenLists::Key none(std::span<const TokenId>{});
  EXPECT_EQ(lists.BytesToHold(none), 0u);
  EXPECT_TRUE(lists.Hold(none).empty());
  EXPECT_EQ(lists.Release({}), nullptr);
}

}  // namespace
}  // namespace maskloom
