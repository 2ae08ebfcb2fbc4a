// Stand-alone regular expressions: hand cases, and RE2 on every short text.
#include <gtest/gtest.h>
#include <re2/re2.h>

#include "tests/judge/consistency.h"

namespace maskloom::judge {
namespace {

TEST(RegexJudge, AgreesWithRe2OnEveryShortText) {
  const std::string alphabet = "abc1";
  for (const char* pattern :
       {"a*b",           "(ab|a)*",      "a{2,4}b?",      "(a|b){0,3}c", "^a$|^b1$",
        "[^a]+",         "(a*)*b",       "(a|ab)(c|bcb)", "a(b|)c",      "(ab){2}",
        "\\d{1,3}",      "(?:a|b)*?abb", "[a-b]{3,}",     "a|",          "(a?){3}b",
        ".*11",          "(^a|b)c",      "a(c$|b)",       "(^|a){2}b",   "(a|b$){2}",
        "(a{1,2}){2,3}", "()",           "\\w\\W?1*"}) {
    RE2 oracle(pattern);
    ASSERT_TRUE(oracle.ok()) << pattern;
    auto judge = Judge::ForRegex(pattern, BytesOf(alphabet));
    ASSERT_TRUE(judge.ok()) << pattern << ": " << judge.status().ToString();
    SCOPED_TRACE(pattern);
    Consistency check(judge->get(), alphabet,
                      [&](const std::string& text) { return RE2::FullMatch(text, oracle); });
    check.Check(6);
  }
}

TEST(RegexJudge, ReadsUtf8ByteByByte) {
  auto judge = Judge::ForRegex("[\xC3\xA9-\xC3\xAF]\xE2\x82\xAC");
  ASSERT_TRUE(judge.ok());
  EXPECT_TRUE((*judge)->Accepts("\xC3\xA9\xE2\x82\xAC"));
  State lead = (*judge)->Walk((*judge)->Start(), "\xC3");
  ASSERT_NE(lead, kDead);
  EXPECT_EQ((*judge)->Step(lead, 0xA8), kDead);
  EXPECT_NE((*judge)->Step(lead, 0xAF), kDead);
  EXPECT_EQ((*judge)->Walk((*judge)->Start(), "\xC2"), kDead);
  EXPECT_EQ((*judge)->Walk((*judge)->Start(), "\xE2"), kDead);
}

TEST(RegexJudge, IsDeadWhereTheRestCannotBeSpelled) {
  auto judge = Judge::ForRegex("a(b|\xC3\xA9)c|\xC3\xA9\xC3\xA9", BytesOf("abc\xC3"));
  ASSERT_TRUE(judge.ok());
  auto live = [&](const char* text) {
    State state = (*judge)->Walk((*judge)->Start(), text);
    return state != kDead && (*judge)->Live(state);
  };
  EXPECT_TRUE(live("a"));
  EXPECT_FALSE(live("a\xC3"));
  EXPECT_TRUE(live("a\xC3\xA9"));
  EXPECT_FALSE(live("\xC3\xA9"));
  EXPECT_TRUE(live("\xC3\xA9\xC3\xA9"));
}

TEST(RegexJudge, RefusesByName) {
  for (const char* pattern : {"(?=a)b", "(?<!a)b", "(a)\\1", "a\\b"}) {
    auto judge = Judge::ForRegex(pattern);
    ASSERT_FALSE(judge.ok()) << pattern;
    EXPECT_EQ(judge.status().code(), StatusCode::kUnsupported) << pattern;
  }
  for (const char* pattern : {"(a", "a)", "[a", "*a", "a{3,2}", "[b-a]", "\\"}) {
    auto judge = Judge::ForRegex(pattern);
    ASSERT_FALSE(judge.ok()) << pattern;
    EXPECT_EQ(judge.status().code(), StatusCode::kInvalidDefinition) << pattern;
  }
  auto never = Judge::ForRegex("a$b");
  ASSERT_FALSE(never.ok());
  EXPECT_EQ(never.status().code(), StatusCode::kUnsatisfiable);
}

TEST(RegexJudge, CountsWithoutWritingOut) {
  auto judge = Judge::ForRegex("[a-z]{3,100000}");
  ASSERT_TRUE(judge.ok());
  EXPECT_FALSE((*judge)->Accepts("ab"));
  EXPECT_TRUE((*judge)->Accepts(std::string(5000, 'q')));
}

}  // namespace
}  // namespace maskloom::judge
