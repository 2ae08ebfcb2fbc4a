// Masks that were taken out and built again are the same bit for bit, and the budget holds.
#include "compiler/mask_cache.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

#include "runtime/matcher.h"
#include "tests/suites/definition_case.h"
#include "tests/suites/random_text.h"
#include "tests/suites/vocabularies.h"

namespace maskloom::suites {
namespace {

// What rows, the table and what is not freed yet may take beyond the budget.
constexpr size_t kSlackBytes = 16 << 10;

using Row = std::vector<uint32_t>;

// Fills along `tokens` and compares each row of `matcher` with that of `judge`.
void FollowBoth(const std::vector<TokenId>& tokens, Matcher* matcher, Matcher* judge) {
  const uint32_t words = matcher->grammar().vocabulary().row_words();
  Row row(words), expected(words);
  matcher->Reset();
  judge->Reset();
  for (const TokenId token : tokens) {
    matcher->FillMask(row.data());
    judge->FillMask(expected.data());
    ASSERT_EQ(row, expected);
    ASSERT_TRUE(matcher->Accept(token) && judge->Accept(token));
  }
}

TEST(MaskCache, EvictedMasksAreBuiltAgainBitForBit) {
  const TestVocabulary vocabulary = SyntheticVocabulary(true);
  std::mt19937_64 random(31);
  std::vector<DefinitionCase> cases = InlineCases();
  for (DefinitionCase& one : SchemaFolderCases()) cases.push_back(std::move(one));
  uint64_t evicted = 0;
  for (DefinitionCase& one : cases) {
    SCOPED_TRACE(one.name);
    const auto plenty = Compile(one, vocabulary.index);
    one.options.limits.mask_cache_bytes = 8 << 10;
    const auto tight = Compile(one, vocabulary.index);
    ASSERT_TRUE(plenty.ok() && tight.ok());
    std::vector<std::vector<TokenId>> texts;
    for (int i = 0; i < 4; ++i) {
      const std::string text = WriteRandomText(*plenty, Chooser::kSeeking, 60, &random).text;
      texts.push_back(vocabulary.Split(text, &random));
    }
    Matcher matcher(*tight), judge(*plenty);
    for (int round = 0; round < 2; ++round) {
      for (const std::vector<TokenId>& tokens : texts) {
        FollowBoth(tokens, &matcher, &judge);
        EXPECT_LE((*tight)->masks().MemoryBytes(), (8u << 10) + kSlackBytes);
      }
    }
    evicted += (*tight)->masks().evicted_count();
  }
  EXPECT_GT(evicted, 1000u);
}

TEST(MaskCache, EqualListsOfMasksAreKeptOnce) {
  const TestVocabulary vocabulary = SyntheticVocabulary(true);
  DefinitionCase one;
  one.definition = R"({"properties":{)";
  std::string text = "{";
  for (int i = 0; i < 20; ++i) {
    const std::string comma = i == 0 ? "" : ",";
    one.definition += comma + "\"key" + std::to_string(i) + R"(":{"type":"string"})";
    text += comma + "\"key" + std::to_string(i) + "\":\"text\"";
  }
  one.definition += R"(},"type":"object","additionalProperties":false})";
  const auto grammar = Compile(one, vocabulary.index);
  ASSERT_TRUE(grammar.ok()) << grammar.status().ToString();
  std::map<std::vector<TokenId>, const TokenId*> lists;
  size_t masks = 0;
  Matcher matcher(*grammar);
  for (const char c : text) {
    const auto view = matcher.FindMask();
    ASSERT_TRUE(view.has_value());
    ++masks;
    const std::vector<TokenId> list(view->exceptions.begin(), view->exceptions.end());
    EXPECT_EQ(lists.try_emplace(list, view->exceptions.data()).first->second,
              view->exceptions.data());
    ASSERT_EQ(matcher.AcceptBytes(std::string(1, c)), 1u);
  }
  EXPECT_LT(2 * lists.size(), masks);
}

TEST(MaskCache, MasksOfRealTextsAreTheSameWithinATinyBudget) {
  const Result<TestVocabulary> vocabulary = RealVocabulary("llama3_1");
  if (!vocabulary.ok()) GTEST_SKIP() << vocabulary.status().message();
  std::mt19937_64 random(37);
  uint64_t evicted = 0;
  for (DefinitionCase& one : SchemaFolderCases()) {
    SCOPED_TRACE(one.name);
    const auto plenty = Compile(one, vocabulary->index);
    one.options.limits.mask_cache_bytes = 64 << 10;
    const auto tight = Compile(one, vocabulary->index);
    ASSERT_TRUE(plenty.ok() && tight.ok());
    std::vector<std::vector<TokenId>> texts;
    for (int i = 0; i < 4; ++i) {
      const std::string text = WriteRandomText(*plenty, Chooser::kSeeking, 100, &random).text;
      texts.push_back(vocabulary->Split(text, &random));
    }
    Matcher matcher(*tight), judge(*plenty);
    for (int round = 0; round < 2; ++round) {
      for (const std::vector<TokenId>& tokens : texts) FollowBoth(tokens, &matcher, &judge);
    }
    evicted += (*tight)->masks().evicted_count();
  }
  EXPECT_GT(evicted, 0u);
}

TEST(MaskCache, MasksInUseAreSpared) {
  const TestVocabulary vocabulary = SyntheticVocabulary(true);
  DefinitionCase one;
  one.definition = R"({"type":"object","properties":{"hot":{"type":"boolean"},
      "cold":{"type":"string","pattern":"^(ab*c+[0-9]?){1,400}$"}},"additionalProperties":false})";
  one.options.limits.mask_cache_bytes = 64 << 10;
  const auto grammar = Compile(one, vocabulary.index);
  ASSERT_TRUE(grammar.ok());
  std::mt19937_64 random(41);
  const std::vector<TokenId> hot = vocabulary.Split(R"({"hot": true})", &random);
  Matcher matcher(*grammar);
  Row row((*grammar)->vocabulary().row_words());
  uint64_t hot_builds = 0;
  constexpr size_t kRounds = 300;
  for (size_t round = 0; round < kRounds; ++round) {
    const uint64_t before = (*grammar)->masks().built_count();
    matcher.Reset();
    for (const TokenId token : hot) {
      matcher.FillMask(row.data());
      ASSERT_TRUE(matcher.Accept(token));
    }
    hot_builds += (*grammar)->masks().built_count() - before;
    std::string cold = R"({"cold": ")";
    for (size_t i = 0; i < round; ++i) cold += "abc";
    matcher.Reset();
    ASSERT_EQ(matcher.AcceptBytes(cold), cold.size());
    for (const char c : {'a', 'b', 'b', 'c', 'c', '7'}) {
      matcher.FillMask(row.data());
      ASSERT_EQ(matcher.AcceptBytes(std::string_view(&c, 1)), 1u);
    }
  }
  EXPECT_GT((*grammar)->masks().evicted_count(), 300u);
  EXPECT_LE(hot_builds, 3 * hot.size());
}

}  // namespace
}  // namespace maskloom::suites
