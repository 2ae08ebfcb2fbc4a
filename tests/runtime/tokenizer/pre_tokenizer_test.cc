#include "runtime/tokenizer/pre_tokenizer.h"

#include <gtest/gtest.h>

#include <string>

#include "runtime/tokenizer/normalizer.h"

namespace maskloom {
namespace {

// The pieces joined by "|".
std::string Split(std::vector<SplitRule> rules, std::string_view text) {
  std::vector<std::string_view> pieces;
  PreTokenizer(std::move(rules)).Split(text, &pieces);
  std::string joined;
  for (const std::string_view piece : pieces) {
    if (!joined.empty()) joined += "|";
    joined += piece;
  }
  return joined;
}

TEST(PreTokenizer, Gpt2KeepsASpaceWithItsWord) {
  EXPECT_EQ(Split({SplitRule::kGpt2}, "Hi  there's 42 things..."),
            "Hi| | there|'s| 42| things|...");
  EXPECT_EQ(Split({SplitRule::kGpt2}, "IT'S\n\n x\t"), "IT|'|S|\n\n| x|\t");
}

TEST(PreTokenizer, SmolLm2CutsNumbersFirst) {
  // The spaces before a number end a text of their own, so none is kept back.
  EXPECT_EQ(Split({SplitRule::kSingleNumbers, SplitRule::kGpt2}, "a  123 b"), "a|  |1|2|3| b");
  EXPECT_EQ(Split({SplitRule::kNumberRuns, SplitRule::kGpt2}, "a  123 b"), "a|  |123| b");
}

TEST(PreTokenizer, Llama3GroupsNumbersByThree) {
  EXPECT_EQ(Split({SplitRule::kLlama3}, "x=12345;\n\n  y DON'T"), "x|=|123|45|;\n\n| | y| DON|'T");
  EXPECT_EQ(Split({SplitRule::kLlama3}, "\"name\": \"Ada\""), "\"name|\":| \"|Ada|\"");
  EXPECT_EQ(Split({SplitRule::kLlama3}, " \n \t z  "), " \n| \t| z|  ");
}

TEST(PreTokenizer, QwenTakesNumbersOneByOne) {
  EXPECT_EQ(Split({SplitRule::kQwen2}, "v12.5"), "v|1|2|.|5");
}

TEST(PreTokenizer, LongSIsAnSWhereCaseIsIgnored) {
  EXPECT_EQ(Split({SplitRule::kLlama3}, "it'\xC5\xBF"), "it|'\xC5\xBF");
  EXPECT_EQ(Split({SplitRule::kQwen2}, "it'\xC5\xBFx"), "it|'\xC5\xBF|x");
  EXPECT_EQ(Split({SplitRule::kGpt2}, "it'\xC5\xBF"), "it|'|\xC5\xBF");
}

TEST(PreTokenizer, O200kBreaksBeforeUpperCase) {
  EXPECT_EQ(Split({SplitRule::kO200k}, "camelCaseHTMLPage isn't I'M"),
            "camel|Case|HTMLPage| isn't| I'M");
  EXPECT_EQ(Split({SplitRule::kO200k}, "a//\n/b"), "a|//\n/|b");
  // Caseless letters go with either side: the last one ends the word before upper case.
  EXPECT_EQ(Split({SplitRule::kO200k},
                  "AB\xE3\x81\x82\xE3\x81\x84"
                  "CD"),
            "AB\xE3\x81\x82\xE3\x81\x84|CD");
}

TEST(PreTokenizer, KnowsLettersAndNumbersOfUnicode16) {
  // An Egyptian hieroglyph (U+13460) is a letter; a Myanmar digit (U+116D0) is a number.
  EXPECT_EQ(Split({SplitRule::kLlama3}, "\xF0\x93\x91\xA0've"), "\xF0\x93\x91\xA0|'ve");
  EXPECT_EQ(Split({SplitRule::kQwen2}, "a\xF0\x91\x9B\x90"), "a|\xF0\x91\x9B\x90");
}

TEST(PreTokenizer, PiecesOfAnyBytesGiveTheTextBack) {
  std::string text;
  for (int i = 0; i < 4096; ++i) text.push_back(static_cast<char>(i * 7 + i / 256));
  for (const SplitRule rule : {SplitRule::kSingleNumbers, SplitRule::kNumberRuns, SplitRule::kGpt2,
                               SplitRule::kLlama3, SplitRule::kQwen2, SplitRule::kO200k}) {
    std::vector<std::string_view> pieces;
    PreTokenizer({rule}).Split(text, &pieces);
    std::string joined;
    for (const std::string_view piece : pieces) joined += piece;
    EXPECT_EQ(joined, text);
  }
}

TEST(PreTokenizer, KnowsOnlyExactPatterns) {
  EXPECT_EQ(FindSplitRule(R"(\p{N})"), SplitRule::kSingleNumbers);
  EXPECT_EQ(FindSplitRule(R"(\p{N}{1,3})"), std::nullopt);
  EXPECT_EQ(FindSplitRule(""), std::nullopt);
}

TEST(Normalizer, ComposesAndLeavesInvalidBytes) {
  EXPECT_EQ(NormalizeToNfc("plain"), "plain");
  EXPECT_EQ(NormalizeToNfc("e\xCC\x81"), "\xC3\xA9");
  EXPECT_EQ(NormalizeToNfc("e\xCC\x81\xFF"
                           "e\xCC\x81\xC3"),
            "\xC3\xA9\xFF\xC3\xA9\xC3");
  EXPECT_EQ(NormalizeToNfc(std::string_view("\0\xC3\xA9", 3)), std::string("\0\xC3\xA9", 3));
}

}  // namespace
}  // namespace maskloom
