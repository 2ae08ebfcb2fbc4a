// What tokens hold of items: never nothing where they hold one, and nothing of most tokens.
#include "compiler/held_items.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace maskloom {
namespace {

HeldKinds Held(std::string_view bytes) { return FindHeldKinds(bytes, HeldBehind::kNothing); }
HeldKinds InText(std::string_view bytes) { return FindHeldKinds(bytes, HeldBehind::kText); }

TEST(HeldItems, AreWholeOrBegunBehindAComma) {
  EXPECT_EQ(Held("\"a\"").whole, kStringItems);
  EXPECT_EQ(Held(" 12 ").whole, kNumberItems);
  EXPECT_EQ(Held("{}").whole, kObjectItems);
  EXPECT_EQ(Held("[]").whole, kArrayItems);
  EXPECT_EQ(Held("nullx").whole, kLiteralItems);
  EXPECT_EQ(Held("\"a").whole, 0);
  EXPECT_EQ(Held("12").whole, 0);
  EXPECT_EQ(Held("0e").whole, kNumberItems);
  EXPECT_EQ(Held("\"a").begun, 0);
  EXPECT_EQ(Held("\",\"a").begun, kStringItems);
  EXPECT_EQ(Held("\", \"").begun, 0);
  EXPECT_EQ(Held("\", \"").opened, kStringItems);
  EXPECT_EQ(Held("],[").opened, kArrayItems);
  EXPECT_EQ(Held("},{\"").opened, 0);
  EXPECT_EQ(Held(",1").begun, kNumberItems);
  EXPECT_EQ(Held("},{\"").begun, kObjectItems);
  EXPECT_EQ(Held(",n").begun, kLiteralItems);
  EXPECT_EQ(Held("],[[").begun, kArrayItems);
}

TEST(HeldItems, OfArraysThatBeginInTheTokenAreOfAnyKind) {
  EXPECT_EQ(Held("[1,2").whole, kItemsOfNewArrays);
  EXPECT_EQ(Held("[1,2").begun, kItemsOfNewArrays);
  EXPECT_EQ(InText("\":[\"").whole, 0);
}

TEST(HeldItems, OfATextStandBehindItsQuote) {
  EXPECT_EQ(InText("a\"b\"").whole, 0);
  EXPECT_EQ(InText("\",\"b\"").whole, kStringItems);
  EXPECT_EQ(InText("\\\",\"b\"").whole, 0);
  EXPECT_EQ(InText("12,3,").whole, 0);
  EXPECT_EQ(InText("\"},{\"").begun, kObjectItems);
  EXPECT_EQ(InText("\":[1,").whole, kItemsOfNewArrays);
}

TEST(HeldItems, KnowTokensThatBeginMembers) {
  EXPECT_TRUE(BeginsMembers("{\"a"));
  EXPECT_TRUE(BeginsMembers("}, { \"a"));
  EXPECT_FALSE(BeginsMembers("},{\""));
  EXPECT_FALSE(BeginsMembers("\":{\"a"));
  EXPECT_FALSE(BeginsMembers("{}"));
}

TEST(HeldItems, AreKnownByToken) {
  std::vector<Vocabulary::Token> tokens;
  for (const char* bytes : {"a", "\",\"b", "\",\"b\"", "{}", "[1,"}) tokens.push_back({bytes});
  tokens.push_back({"<end>", TokenKind::kControl});
  const HeldItems held(std::move(Vocabulary::Create(std::move(tokens), {5}).value()));
  const HeldKinds strings{kStringItems, kStringItems}, whole{kStringItems, 0}, none;
  EXPECT_FALSE(held.MayHold(0, HeldBehind::kNothing, strings));
  EXPECT_TRUE(held.MayHold(1, HeldBehind::kText, strings));
  EXPECT_FALSE(held.MayHold(1, HeldBehind::kText, whole));
  EXPECT_TRUE(held.MayHold(2, HeldBehind::kText, whole));
  EXPECT_FALSE(held.MayHold(3, HeldBehind::kNothing, strings));
  EXPECT_TRUE(held.MayHold(4, HeldBehind::kNothing, none));
  EXPECT_FALSE(held.begins_members());
  EXPECT_TRUE(held.BeginsText(U"b"));
  EXPECT_TRUE(held.BeginsText(U"bc"));
  EXPECT_FALSE(held.BeginsText(U"c"));
}

}  // namespace
}  // namespace maskloom
