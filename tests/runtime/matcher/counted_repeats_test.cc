// Counted repeats whose counts are ambiguous: what a lower count accepts stands for higher ones, so
// texts are read in time that grows gently. Without that the nested cases do not end in hours.
#include <gtest/gtest.h>

#include <string>

#include "runtime/engine/compile_definition.h"
#include "runtime/matcher.h"

namespace maskloom {
namespace {

Matcher MatcherOf(const std::string& regex) {
  auto compiled = CompileDefinition(DefinitionKind::kRegex, regex, {}, VocabularyIndex::Bytes());
  EXPECT_TRUE(compiled.ok()) << compiled.status().ToString();
  return Matcher(compiled->grammar);
}

bool Matches(const std::string& regex, const std::string& text) {
  Matcher matcher = MatcherOf(regex);
  return matcher.AcceptBytes(text) == text.size() && matcher.IsAccepting();
}

TEST(CountedRepeats, AmbiguousCountsKeepTheirBounds) {
  const std::string a(1000, 'a');
  EXPECT_TRUE(Matches("(a|aa){400,1000}", a));
  EXPECT_TRUE(Matches("(a|aa){500}", a));
  EXPECT_FALSE(Matches("(a|aa){499}", a));
  EXPECT_FALSE(Matches("(a|aa){1001,2000}", a));
  EXPECT_TRUE(Matches("(a|ab?){300,}", a));
}

TEST(CountedRepeats, NestedOptionalRepeatsEnd) {
  const std::string a(400, 'a');
  EXPECT_TRUE(Matches("((a{0,50}b?){0,50}c?){0,50}", a));
  EXPECT_TRUE(Matches("((a{0,50}b?){0,50}c?){0,50}", a + "bca"));
  EXPECT_FALSE(Matches("((a{0,50}b?){0,50}c?){0,50}", a + "d"));
  EXPECT_FALSE(Matches("((a{0,5}b?){0,5}c?){0,5}", std::string(126, 'a')));
  EXPECT_TRUE(Matches("((a{0,5}b?){0,5}c?){0,5}", std::string(125, 'a')));
}

TEST(CountedRepeats, LongTextsOfOptionalParts) {
  EXPECT_TRUE(Matches("(a{0,100}b{0,100}){0,100}", std::string(10000, 'a')));
  EXPECT_FALSE(Matches("(a{0,100}b{0,100}){0,100}", std::string(10001, 'a')));
}

}  // namespace
}  // namespace maskloom
