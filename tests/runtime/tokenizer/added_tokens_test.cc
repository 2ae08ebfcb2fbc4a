#include "runtime/tokenizer/added_tokens.h"

#include <gtest/gtest.h>

namespace maskloom {
namespace {

AddedToken Special(TokenId id, std::string text) { return {id, std::move(text), true}; }
AddedToken UserDefined(TokenId id, std::string text) { return {id, std::move(text), false}; }

// "text" for a stretch, "#id" for a token, joined by "|".
std::string Cut(const AddedTokenMatcher& matcher, std::string_view text,
                const CutOptions& options = {}) {
  std::vector<TextSegment> segments;
  matcher.Cut(text, options, &segments);
  std::string joined;
  for (const TextSegment& segment : segments) {
    if (!joined.empty()) joined += "|";
    joined += segment.id == TextSegment::kTextSegment ? std::string(segment.text)
                                                      : "#" + std::to_string(segment.id);
  }
  return joined;
}

TEST(AddedTokens, LongestWinsAtEachPlace) {
  const AddedTokenMatcher matcher({UserDefined(1, "  "), UserDefined(2, "    "),
                                   UserDefined(3, "<a>"), UserDefined(4, "<a>b")});
  EXPECT_EQ(Cut(matcher, "x     y"), "x|#2| y");
  EXPECT_EQ(Cut(matcher, "<a>b<a><a"), "#4|#3|<a");
  EXPECT_EQ(Cut(matcher, ""), "");
}

TEST(AddedTokens, SpecialOnesAreParsedOnlyWhenAskedFor) {
  const AddedTokenMatcher matcher({Special(1, "<|end|>"), UserDefined(2, "<tool>")});
  EXPECT_EQ(Cut(matcher, "a<|end|><tool>b"), "a<|end|>|#2|b");
  EXPECT_EQ(Cut(matcher, "a<|end|><tool>b", {.parse_special = true}), "a|#1|#2|b");
}

TEST(AddedTokens, LiteralRangesKeepSpecialTextAsText) {
  const AddedTokenMatcher matcher({Special(1, "<|end|>"), UserDefined(2, "<tool>")});
  const TextRange range = {2, 14};
  const CutOptions options = {.parse_special = true, .literal = {&range, 1}};
  EXPECT_EQ(Cut(matcher, "<|end|><|end|><tool><|end|>", options), "<|end|><|end|>|#2|#1");
}

TEST(AddedTokens, StripsSpacesAroundItself) {
  AddedToken left = UserDefined(1, "<l>");
  left.strips_left = true;
  AddedToken right = UserDefined(2, "<r>");
  right.strips_right = true;
  const AddedTokenMatcher matcher({left, right});
  EXPECT_EQ(Cut(matcher, "a \t<l> b"), "a|#1| b");
  EXPECT_EQ(Cut(matcher, "a <r> \xE3\x80\x80 b"), "a |#2|b");
}

TEST(AddedTokens, SingleWordsStandAlone) {
  AddedToken word = UserDefined(1, "cat");
  word.single_word = true;
  const AddedTokenMatcher matcher({word});
  EXPECT_EQ(Cut(matcher,
                "cat concat cat_ \xC3\xA9"
                "cat (cat)"),
            "#1| concat cat_ \xC3\xA9"
            "cat (|#1|)");
}

}  // namespace
}  // namespace maskloom
