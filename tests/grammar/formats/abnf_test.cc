// The reader of ABNF: what it builds, and what it refuses.
#include "grammar/formats/abnf.h"

#include <gtest/gtest.h>

#include "grammar/base/utf8.h"
#include "grammar/regular/regular.h"

namespace maskloom {
namespace {

TextAutomaton Build(std::string_view text, std::string_view root) {
  ExprPool pool;
  const Result<ExprId> expr = ReadAbnf(text, root, {{"odd", {{'1', '1'}, {'3', '3'}}}}, &pool);
  if (!expr.ok()) {
    ADD_FAILURE() << expr.status().ToString();
    return {};
  }
  return *BuildAutomaton(pool, *expr);
}

bool Matches(std::string_view rules, std::string_view text) {
  return Build(rules, "a").Match(ToUtf32(text)) != 0;
}

TEST(Abnf, ReadsTheNotationOfTheRfcs) {
  EXPECT_TRUE(Matches("a = \"x\"\n", "X"));
  EXPECT_FALSE(Matches("a = %s\"x\"\n", "X"));
  EXPECT_TRUE(Matches("a = %x41.42 / %d99-101 ; a comment\n  / b\nb = 2*3DIGIT\n", "AB"));
  EXPECT_TRUE(Matches("a = %x41.42 / %d99-101 ; a comment\n  / b\nb = 2*3DIGIT\n", "d"));
  EXPECT_TRUE(Matches("a = %x41.42 / %d99-101 ; a comment\n  / b\nb = 2*3DIGIT\n", "123"));
  EXPECT_FALSE(Matches("a = %x41.42 / %d99-101 ; a comment\n  / b\nb = 2*3DIGIT\n", "1234"));
  EXPECT_TRUE(Matches("a = 2(\"x\" [\"y\"]) *odd 1*\"z\" 0*1DQUOTE\n", "xyx131zz\""));
  EXPECT_FALSE(Matches("a = 2(\"x\" [\"y\"]) *odd 1*\"z\" 0*1DQUOTE\n", "xyx2z"));
  EXPECT_TRUE(Matches("a = \"\" / ALPHA HEXDIG\n", ""));
  EXPECT_TRUE(Matches("a = \"\" / ALPHA HEXDIG\n", "zF"));
}

TEST(Abnf, RefusesWhatIsNoRegularGrammar) {
  for (const char* rules :
       {"a = b\n", "a = a \"x\"\n", "a = \n", "a = \"x\n", "a = (\"x\"\n", "a = [\"x\"\n",
        "a = \"x\" /\n", "a = %q41\n", "a = %x\n", "a = %x42-41\n", "a = 3*2\"x\"\n", "a = <x>\n",
        "a = \"x\" )\n", "a = \"x\"\na = \"y\"\n", "a \"x\"\n", "a = 5000\"x\"\n", "b = \"x\"\n"}) {
    ExprPool pool;
    const Result<ExprId> expr = ReadAbnf(rules, "a", {}, &pool);
    EXPECT_FALSE(expr.ok()) << rules;
    EXPECT_EQ(expr.status().code(), StatusCode::kInvalidDefinition) << rules;
  }
}

}  // namespace
}  // namespace maskloom
