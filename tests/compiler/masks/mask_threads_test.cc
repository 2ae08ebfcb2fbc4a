// Eight threads share one compiled grammar and its forks, while the background completes it and a
// tiny budget takes masks out under their hands: all of them see the masks that one thread sees.
#include <gtest/gtest.h>

#include <random>
#include <thread>

#include "compiler/completion_worker.h"
#include "compiler/mask_cache.h"
#include "runtime/matcher.h"
#include "tests/suites/definition_case.h"
#include "tests/suites/random_text.h"
#include "tests/suites/vocabularies.h"

namespace maskloom::suites {
namespace {

constexpr size_t kThreads = 8;
constexpr int kRounds = 3;

using Texts = std::vector<std::vector<TokenId>>;
using Rows = std::vector<std::vector<uint32_t>>;

// The rows along each text, beginning with text `first`; every few tokens a fork goes on.
Rows RowsAlong(Matcher start, const Texts& texts, size_t first) {
  Rows rows(texts.size());
  std::vector<uint32_t> row(start.grammar().vocabulary().row_words());
  for (size_t i = 0; i < texts.size(); ++i) {
    const size_t at = (first + i) % texts.size();
    Matcher matcher = start.Fork();
    size_t taken = 0;
    for (const TokenId token : texts[at]) {
      matcher.FillMask(row.data());
      rows[at].insert(rows[at].end(), row.begin(), row.end());
      EXPECT_TRUE(matcher.Accept(token));
      if (++taken % 7 == 0) matcher = matcher.Fork();
      if (taken % 11 == 0) {
        EXPECT_TRUE(matcher.Rollback(1).ok());
        EXPECT_TRUE(matcher.Accept(token));
      }
    }
  }
  return rows;
}

// Small definitions, and some of what grammars keep besides masks: rows and insides of patterns,
// states of numbers, values of distinct arrays.
std::vector<DefinitionCase> Cases() {
  std::vector<DefinitionCase> cases;
  for (DefinitionCase& one : InlineCases()) {
    const bool is_wanted = one.name == "tiny-any-order" || one.name == "tiny-recursion" ||
                           one.name == "tiny-grammar-left" || one.name == "any-value";
    if (is_wanted) cases.push_back(std::move(one));
  }
  for (const char* patterns :
       {R"({"pattern":"^[^e]{1,20}$"},{"pattern":"^[b-z][a-z]*( [a-z]+)*$"})",
        R"({"format":"idn-email"},{"pattern":"^(?!the).*$","maxLength":30})"}) {
    DefinitionCase& one = cases.emplace_back();
    one.name = patterns;
    one.definition = R"({"type":"array","minItems":4,"items":{"anyOf":[
        {"type":"string","anyOf":[)" +
                     std::string(patterns) + R"(]},
        {"type":"object","additionalProperties":false,
         "patternProperties":{"^[a-f]{2,9}$":{"type":"integer","minimum":3,"maximum":4000}}},
        {"type":"array","uniqueItems":true,"items":{"enum":["a","ab","b",12,15,null]}}]}})";
  }
  return cases;
}

TEST(MaskThreads, SeeTheSameMasksWhileTheyAreMadeAheadAndTakenOut) {
  const TestVocabulary vocabulary = SyntheticVocabulary(true);
  std::mt19937_64 random(43);
  uint64_t evicted = 0;
  for (DefinitionCase& one : Cases()) {
    SCOPED_TRACE(one.name);
    const auto alone = Compile(one, vocabulary.index);
    one.options.limits.mask_cache_bytes = 16 << 10;
    const auto shared = Compile(one, vocabulary.index);
    ASSERT_TRUE(alone.ok() && shared.ok());
    CompleteInBackground(*shared);
    Texts texts;
    for (size_t i = 0; i < kThreads; ++i) {
      const std::string text = WriteRandomText(*alone, Chooser::kSeeking, 60, &random).text;
      texts.push_back(vocabulary.Split(text, &random));
    }
    const Rows expected = RowsAlong(Matcher(*alone), texts, 0);
    const Matcher start(*shared);
    std::vector<std::thread> threads;
    std::vector<Rows> results(kThreads * kRounds);
    for (size_t i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, i] {
        for (size_t round = 0; round < kRounds; ++round) {
          results[i * kRounds + round] = RowsAlong(start.Fork(), texts, i + round);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (const Rows& rows : results) EXPECT_EQ(rows, expected);
    evicted += (*shared)->masks().evicted_count();
  }
  EXPECT_GT(evicted, 0u);
}

}  // namespace
}  // namespace maskloom::suites
