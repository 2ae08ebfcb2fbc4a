// Completion makes all masks of a small grammar, keeps to its budgets, and follows matchers.
#include "compiler/mask_completion.h"

#include <gtest/gtest.h>

#include <random>
#include <thread>

#include "compiler/completion_worker.h"
#include "runtime/matcher.h"
#include "tests/suites/definition_case.h"
#include "tests/suites/random_text.h"
#include "tests/suites/vocabularies.h"

namespace maskloom::suites {
namespace {

using Grammar = std::shared_ptr<const CompiledGrammar>;

Grammar CompileSchema(const std::string& schema, size_t max_bytes = size_t{256} << 20) {
  DefinitionCase one;
  one.definition = schema;
  one.options.limits.mask_cache_bytes = max_bytes;
  // With single bytes for tokens every state is one where a token may end.
  auto grammar = Compile(one, VocabularyIndex::Bytes());
  return grammar.ok() ? *grammar : nullptr;
}

constexpr const char* kSmall = R"({"type":"object","properties":{"kind":{"enum":["ab","ac","b"]},
    "on":{"type":"boolean"},"n":{"type":"integer","minimum":1,"maximum":30}},
    "required":["kind"],"additionalProperties":false})";
constexpr const char* kRecursive = R"({"$ref":"#/$defs/tree","$defs":{"tree":{"type":"object",
    "properties":{"l":{"$ref":"#/$defs/tree"},"r":{"$ref":"#/$defs/tree"},"v":{}}}}})";

// Fills along `text`, byte by byte. Returns how many masks had to be built.
uint64_t BuildsAlong(const Grammar& grammar, const std::string& text) {
  Matcher matcher(grammar);
  std::vector<uint32_t> row(grammar->vocabulary().row_words());
  const uint64_t before = grammar->masks().built_count();
  for (const char c : text) {
    matcher.FillMask(row.data());
    EXPECT_EQ(matcher.AcceptBytes(std::string_view(&c, 1)), 1u) << text;
  }
  matcher.FillMask(row.data());
  return grammar->masks().built_count() - before;
}

TEST(MaskCompletion, MakesEveryMaskOfASmallGrammar) {
  const Grammar grammar = CompileSchema(kSmall);
  ASSERT_NE(grammar, nullptr);
  EXPECT_EQ(grammar->completion().Run({}), CompletionEnd::kDone);
  std::mt19937_64 random(5);
  for (int i = 0; i < 200; ++i) {
    const std::string text = WriteRandomText(grammar, Chooser::kSeeking, 80, &random).text;
    EXPECT_EQ(BuildsAlong(grammar, text), 0u) << text;
  }
  EXPECT_EQ(grammar->completion().Run({}), CompletionEnd::kDone);
}

TEST(MaskCompletion, HasTheFirstMasksFromCompilation) {
  const auto made_at = [](const char* schema, std::string_view text) {
    const Grammar grammar = CompileSchema(schema);
    Matcher matcher(grammar);
    EXPECT_EQ(matcher.AcceptBytes(text), text.size());
    std::vector<uint32_t> row(grammar->vocabulary().row_words());
    const uint64_t before = grammar->masks().built_count();
    matcher.FillMask(row.data());
    return grammar->masks().built_count() - before;
  };
  for (const char* schema : {kSmall, kRecursive, R"({"enum":[1,"a"]})", R"({"minItems":2})"}) {
    EXPECT_EQ(made_at(schema, ""), 0u) << schema;
  }
  for (const char* schema : {kSmall, kRecursive}) {
    EXPECT_EQ(made_at(schema, "{\""), 0u) << schema;
    EXPECT_GT(made_at(schema, "{\"k"), 0u) << schema;
  }
}

TEST(MaskCompletion, KeepsToEachBudgetAndGoesOn) {
  const Grammar grammar = CompileSchema(kRecursive);
  ASSERT_NE(grammar, nullptr);
  MaskCompletion& completion = grammar->completion();
  CompletionBudget few;
  few.states = 10;
  EXPECT_EQ(completion.Run(few), CompletionEnd::kBudget);
  const uint64_t first = grammar->masks().built_count();
  EXPECT_GE(first, 5u);
  EXPECT_LE(first, 40u);
  EXPECT_EQ(completion.Run(few), CompletionEnd::kBudget);
  EXPECT_GT(grammar->masks().built_count(), first);
  const uint64_t second = grammar->masks().built_count();
  CompletionBudget none;
  none.time = std::chrono::nanoseconds(0);
  EXPECT_EQ(completion.Run(none), CompletionEnd::kBudget);
  std::atomic<bool> stop{true};
  CompletionBudget stopped;
  stopped.stop = &stop;
  EXPECT_EQ(completion.Run(stopped), CompletionEnd::kBudget);
  EXPECT_EQ(grammar->masks().built_count(), second);
  CompletionBudget ahead;
  ahead.ahead_states = 100;
  EXPECT_EQ(completion.Run(ahead), CompletionEnd::kAhead);
  EXPECT_EQ(completion.Run(ahead), CompletionEnd::kAhead);
}

TEST(MaskCompletion, DrivesNoMaskOutOfTheCache) {
  const Grammar grammar = CompileSchema(kRecursive, 256 << 10);
  ASSERT_NE(grammar, nullptr);
  EXPECT_EQ(grammar->completion().Run({}), CompletionEnd::kFull);
  EXPECT_EQ(grammar->masks().evicted_count(), 0u);
  EXPECT_LE(grammar->masks().MemoryBytes(), size_t{256} << 10);
  const Grammar other = CompileSchema(kRecursive);
  CompletionBudget bytes;
  bytes.bytes = 64 << 10;
  EXPECT_EQ(other->completion().Run(bytes), CompletionEnd::kFull);
  EXPECT_LE(other->masks().MemoryBytes(), size_t{80} << 10);
}

TEST(MaskCompletion, ExploresFromTheStateOfAMatcher) {
  // Which of many keys comes is a matter of chance; behind one of them there is one way.
  std::string properties;
  for (int i = 0; i < 200; ++i) {
    properties += (i == 0 ? "" : ",") + ("\"" + std::to_string(i * 7919 % 10007)) +
                  "\":{\"enum\":[\"value " + std::to_string(i) + " of many\"]}";
  }
  const Grammar grammar = CompileSchema("{\"type\":\"object\",\"properties\":{" + properties +
                                        "},\"additionalProperties\":false}");
  ASSERT_NE(grammar, nullptr);
  grammar->completion().set_follows();
  const std::string key = std::to_string(150 * 7919 % 10007);
  EXPECT_GT(BuildsAlong(grammar, "{\"" + key + "\":"), 0u);
  EXPECT_TRUE(grammar->completion().HasFollowed());
  CompletionBudget few;
  few.states = 60;
  EXPECT_EQ(grammar->completion().Run(few), CompletionEnd::kBudget);
  EXPECT_FALSE(grammar->completion().HasFollowed());
  EXPECT_EQ(BuildsAlong(grammar, "{\"" + key + "\":\"value 150 of many\""), 0u);
  // Also where the masks take as much memory as they may, but then no farther than near by.
  CompletionBudget full;
  full.bytes = 0;
  EXPECT_EQ(grammar->completion().Run(full), CompletionEnd::kFull);
  const std::string other = std::to_string(70 * 7919 % 10007);
  EXPECT_GT(BuildsAlong(grammar, "{\"" + other + "\":"), 0u);
  EXPECT_EQ(grammar->completion().Run(full), CompletionEnd::kFull);
  EXPECT_EQ(BuildsAlong(grammar, "{\"" + other + "\":\"value 70 of many\""), 0u);
}

TEST(CompletionWorker, CompletesInTheBackgroundAndLetsGo) {
  Grammar grammar = CompileSchema(kSmall);
  ASSERT_NE(grammar, nullptr);
  CompleteInBackground(grammar);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (BuildsAlong(grammar, R"({"kind":"ac","n":29,"on":false})") > 0 &&
         std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  // One that never comes to an end is left alone when nobody holds it.
  Grammar endless = CompileSchema(kRecursive);
  const std::weak_ptr<const CompiledGrammar> watch = endless;
  CompleteInBackground(endless);
  endless = nullptr;
  while (!watch.expired() && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_TRUE(watch.expired());
}

TEST(CompletionWorker, WakesForEachGrammar) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  for (int i = 0; i < 3; ++i) {
    const Grammar grammar = CompileSchema(R"({"enum":["abc","abd"]})");  // done at once
    ASSERT_NE(grammar, nullptr);
    const uint64_t before = grammar->masks().built_count();
    CompleteInBackground(grammar);
    // No matcher is there that could wake it.
    while (grammar->masks().built_count() == before &&
           std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_GT(grammar->masks().built_count(), before);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));  // for it to fall asleep
  }
}

TEST(CompletionWorker, IsAskedForByAnOptionOfCompilation) {
  DefinitionCase one;
  one.definition = kSmall;
  one.options.ahead.at_once = std::chrono::seconds(60);
  auto grammar = Compile(one, VocabularyIndex::Bytes());
  ASSERT_TRUE(grammar.ok());
  EXPECT_EQ(BuildsAlong(*grammar, R"({"on":true,"kind":"b"})"), 0u);
}

}  // namespace
}  // namespace maskloom::suites
