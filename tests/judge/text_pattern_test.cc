// Patterns on whole texts: what look-around, boundaries, classes and repeats find.
#include "tests/judge/text_pattern.h"

#include <gtest/gtest.h>

namespace maskloom::judge {
namespace {

bool Found(const std::u32string& pattern, const std::u32string& text) {
  auto parsed = TextPattern::Parse(pattern);
  EXPECT_TRUE(parsed.ok()) << parsed.status().ToString();
  return parsed.ok() && (*parsed)->FoundIn(text);
}

TEST(TextPattern, SearchesUnlessAnchored) {
  EXPECT_TRUE(Found(U"b", U"abc"));
  EXPECT_FALSE(Found(U"^b", U"abc"));
  EXPECT_TRUE(Found(U"^$", U""));
  EXPECT_FALSE(Found(U"^a$", U"a\n"));
}

TEST(TextPattern, RepeatsBetweenTheirBounds) {
  EXPECT_TRUE(Found(U"^(ab?){2,3}$", U"aba"));
  EXPECT_FALSE(Found(U"^(ab?){2,3}$", U"a"));
  EXPECT_FALSE(Found(U"^(ab?){2,3}$", U"aaaa"));
  EXPECT_TRUE(Found(U"^(a?){1000000000,}$", U"aa"));
  EXPECT_TRUE(Found(U"^(?:(?:a|b)*c)*$", U"abcc"));
}

TEST(TextPattern, LooksAheadAndBehind) {
  EXPECT_TRUE(Found(U"^(?=.*[0-9])(?=.*[a-z]).{3,}$", U"a1b"));
  EXPECT_FALSE(Found(U"^(?=.*[0-9])(?=.*[a-z]).{3,}$", U"abc"));
  EXPECT_FALSE(Found(U"^(?!ab)", U"abc"));
  EXPECT_TRUE(Found(U"(?<=a)b", U"ab"));
  EXPECT_FALSE(Found(U"(?<!a)b", U"ab"));
  EXPECT_TRUE(Found(U"(?<!a)b", U"abb"));
}

TEST(TextPattern, KnowsBoundariesAndProperties) {
  EXPECT_TRUE(Found(U"\\bcat\\b", U"a cat!"));
  EXPECT_FALSE(Found(U"\\bcat\\b", U"concat"));
  EXPECT_TRUE(Found(U"\\Bcat", U"concat"));
  EXPECT_TRUE(Found(U"^\\p{Lu}\\p{L}+$", U"\u00c9t\u00e9"));
  EXPECT_TRUE(Found(U"^\\p{Script=Greek}$", U"\u03b1"));
  EXPECT_FALSE(Found(U"^[^\\p{L}]$", U"x"));
}

TEST(TextPattern, RefusesBackReferences) {
  auto parsed = TextPattern::Parse(U"(a)\\1");
  ASSERT_FALSE(parsed.ok());
  EXPECT_EQ(parsed.status().code(), StatusCode::kUnsupported);
}

}  // namespace
}  // namespace maskloom::judge
