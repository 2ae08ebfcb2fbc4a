// Back-references that are regular: what they match, against all short texts.
#include <gtest/gtest.h>

#include <string>

#include "grammar/base/utf8.h"
#include "grammar/regex/ecma_parser.h"
#include "grammar/regular/regular.h"

namespace maskloom {
namespace {

TextAutomaton Build(std::string_view pattern) {
  ExprPool pool;
  auto expr = ParseEcmaRegex(pattern, &pool);
  EXPECT_TRUE(expr.ok()) << pattern << ": " << expr.status().ToString();
  return expr.ok() ? *BuildAutomaton(pool, *expr) : TextAutomaton();
}

TEST(BackReferences, AreWrittenOut) {
  EXPECT_EQ(Build(R"(^(["']).*\1$)"), Build(R"(^(?:".*"|'.*')$)"));
  EXPECT_EQ(Build(R"((?<q>ab|c)x\k<q>)"), Build("abxab|cxc"));
  EXPECT_EQ(Build(R"((?:([ab])x\1)+)"), Build("(?:axa|bxb)+"));
  EXPECT_EQ(Build(R"((([ab])c)\2\1)"), Build("acaac|bcbbc"));
  EXPECT_EQ(Build(R"(([ab])(?:x|\1)*)"), Build("a[xa]*|b[xb]*"));
  EXPECT_EQ(Build(R"((a|b)(?!\1)[ab])"), Build("ab|ba"));
  EXPECT_EQ(Build(R"((a|b)x(?<=\1x))"), Build("ax|bx"));
  EXPECT_EQ(Build(R"(()a\1)"), Build("a"));
  EXPECT_EQ(Build(R"((a|b)(c|d)\1\2)"), Build("acac|adad|bcbc|bdbd"));
}

TEST(BackReferences, MatchNothingBeforeTheirGroup) {
  EXPECT_EQ(Build(R"(\1(a))"), Build("a"));
  EXPECT_EQ(Build(R"((a\1))"), Build("a"));
  EXPECT_EQ(Build(R"((?:\1(a|b))*)"), Build("[ab]*"));
  EXPECT_EQ(Build(R"(\k<x>+(?<x>a))"), Build("a"));
}

}  // namespace
}  // namespace maskloom
