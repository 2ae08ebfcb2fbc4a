// What `regex` accepts, the parser of patterns accepts as valid under the `u` flag.
#include "grammar/regex/ecma_parser.h"
#include "tests/grammar/formats/format_cases.h"
#include "tests/grammar/formats/text_walk.h"

namespace maskloom {
namespace {

TEST(RegexFormat, AcceptsNoPatternThatIsMalformedUnderTheUFlag) {
  TextWalk walk(AutomatonOf("regex"), 5);
  for (int i = 0; i < 20000; ++i) {
    const std::string pattern = ToUtf8(walk.Next());
    ExprPool pool;
    std::string widened;
    const Result<ExprId> parsed = ParseEcmaRegex(pattern, &pool, &widened);
    ASSERT_EQ(widened, "") << pattern;
    if (parsed.ok()) continue;
    ASSERT_NE(parsed.status().code(), StatusCode::kInvalidDefinition) << pattern << "\n"
                                                                      << parsed.status().ToString();
  }
}

TEST(RegexFormat, RejectsWhatOnlyAnnexBAllows) {
  for (const char* pattern : {"\\_", "\\-", "a\\ b", "]", "}", "a]", "a{", "x{2", "[\\d-z]",
                              "[\\@]", "[a-\\~]", "(?=a)*", "(a|(?!b)?)", "\\p", "\\1"}) {
    EXPECT_FALSE(HasFormat("regex", pattern)) << pattern;
  }
}

TEST(RegexFormat, AcceptsEscapesOfSyntaxSigns) {
  for (const char* pattern :
       {"\\^\\$\\\\\\.\\*\\+\\?\\(\\)\\[\\]\\{\\}\\|\\/", "[\\-]", "[ -\\]]", "[[]", "[}]"}) {
    EXPECT_TRUE(HasFormat("regex", pattern)) << pattern;
  }
}

TEST(RegexFormat, TakesTwoSurrogatesInAClassForOneCodePoint) {
  EXPECT_TRUE(HasFormat("regex", "[\\uD83D\\uDE00]"));
  EXPECT_FALSE(HasFormat("regex", "[\\uD83D\\uDE00-\\uFFFF]"));
}

TEST(RegexFormat, NestsGroupsFourDeep) {
  EXPECT_TRUE(HasFormat("regex", "((((a))))"));
  EXPECT_FALSE(HasFormat("regex", "(((((a)))))"));
}

TEST(RegexFormat, HasLookAroundsInGroupsButNoneInsideAnother) {
  EXPECT_TRUE(HasFormat("regex", "(?=((a)))(?<!((a)))"));
  EXPECT_TRUE(HasFormat("regex", "(a(?:(?=b)c)+)*"));
  EXPECT_FALSE(HasFormat("regex", "(?=(?!a)b)"));
}

TEST(RegexFormat, HasANameForTheFirstGroup) {
  EXPECT_TRUE(HasFormat("regex", "^a[b]\\d(?<year>c(d))(e)"));
  EXPECT_FALSE(HasFormat("regex", "(a)(?<year>b)"));
  EXPECT_FALSE(HasFormat("regex", "(?<a>b)(?<a>c)"));
}

}  // namespace
}  // namespace maskloom
