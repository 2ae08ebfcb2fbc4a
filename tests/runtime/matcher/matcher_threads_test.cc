// Matchers on several threads share one compiled grammar, whose masks are built while others read.
#include <gtest/gtest.h>

#include <thread>

#include "runtime/matcher.h"
#include "tests/suites/definition_case.h"
#include "tests/suites/random_text.h"
#include "tests/suites/vocabularies.h"

namespace maskloom::suites {
namespace {

using Masks = std::vector<std::vector<uint32_t>>;

Masks MasksAlong(const std::shared_ptr<const CompiledGrammar>& grammar,
                 const std::vector<std::vector<TokenId>>& texts, size_t first) {
  Masks masks(texts.size());
  Matcher matcher(grammar);
  std::vector<uint32_t> row(grammar->vocabulary().row_words());
  for (size_t i = 0; i < texts.size(); ++i) {
    size_t at = (first + i) % texts.size();  // every thread begins with another text
    matcher.Reset();
    for (TokenId token : texts[at]) {
      matcher.FillMask(row.data());
      masks[at].insert(masks[at].end(), row.begin(), row.end());
      EXPECT_TRUE(matcher.Accept(token));
    }
  }
  return masks;
}

TEST(MatcherThreads, GiveTheSameMasksAsOneThread) {
  TestVocabulary vocabulary = SyntheticVocabulary(true);
  constexpr size_t kThreads = 4;
  std::mt19937_64 random(17);
  for (const char* name : {"tiny-any-order", "tiny-recursion", "tiny-grammar-left", "any-value"}) {
    SCOPED_TRACE(name);
    DefinitionCase one;
    for (DefinitionCase& other : InlineCases()) {
      if (other.name == name) one = other;
    }
    auto alone = Compile(one, vocabulary.index);
    auto shared = Compile(one, vocabulary.index);
    ASSERT_TRUE(alone.ok() && shared.ok());
    std::vector<std::vector<TokenId>> texts;
    for (size_t i = 0; i < kThreads; ++i) {
      std::string text = WriteRandomText(*alone, Chooser::kSeeking, 60, &random).text;
      texts.push_back(vocabulary.Split(text, &random));
    }
    Masks expected = MasksAlong(*alone, texts, 0);
    std::vector<Masks> results(kThreads);
    std::vector<std::thread> threads;
    for (size_t i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, i] { results[i] = MasksAlong(*shared, texts, i); });
    }
    for (std::thread& thread : threads) thread.join();
    for (const Masks& masks : results) EXPECT_EQ(masks, expected);
  }
}

}  // namespace
}  // namespace maskloom::suites
