// What `regex` accepts, the parser of patterns accepts.
#include "grammar/regex/ecma_parser.h"
#include "tests/grammar/formats/format_cases.h"
#include "tests/grammar/formats/text_walk.h"

namespace maskloom {
namespace {

TEST(RegexFormat, AcceptsNoPatternThatIsMalformed) {
  TextWalk walk(AutomatonOf("regex"), 5);
  for (int i = 0; i < 20000; ++i) {
    const std::string pattern = ToUtf8(walk.Next());
    ExprPool pool;
    const Result<ExprId> parsed = ParseEcmaRegex(pattern, &pool);
    if (parsed.ok()) continue;
    ASSERT_NE(parsed.status().code(), StatusCode::kInvalidDefinition) << pattern << "\n"
                                                                      << parsed.status().ToString();
  }
}

TEST(RegexFormat, NestsGroupsFourDeep) {
  EXPECT_TRUE(HasFormat("regex", "((((a))))"));
  EXPECT_FALSE(HasFormat("regex", "(((((a)))))"));
  EXPECT_TRUE(HasFormat("regex", "(?=((a)))(?<!((a)))"));
  EXPECT_FALSE(HasFormat("regex", "(a(?=b))"));
}

}  // namespace
}  // namespace maskloom
