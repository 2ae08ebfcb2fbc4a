// Rows that go on by tables against the matcher: the same state and mask, or unknown.
#include "runtime/device/step_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <random>

#include "runtime/cli/bench_case.h"
#include "runtime/cli/step_walk.h"
#include "runtime/device/published_steps.h"
#include "tests/suites/data_folder.h"
#include "tests/suites/definition_case.h"
#include "tests/suites/random_full_schema.h"
#include "tests/suites/random_schema.h"
#include "tests/suites/vocabularies.h"
#include "tests/support/long_suite.h"
#include "tests/support/shared_data.h"

namespace maskloom::suites {
namespace {

using cli::StepTally;
using cli::StepWalk;
using Tokens = std::vector<TokenId>;

// Tokens drawn from masks, at most `most` of them.
Tokens AnyTokens(const std::shared_ptr<const CompiledGrammar>& grammar, size_t most,
                 std::mt19937_64* random) {
  Matcher matcher(grammar);
  std::vector<uint32_t> row(grammar->vocabulary().row_words());
  Tokens tokens;
  while (tokens.size() < most && !matcher.IsTerminated()) {
    matcher.FillMask(row.data());
    Tokens allowed;
    for (TokenId id = 0; id < row.size() * 32; ++id) {
      if ((row[id / 32] >> (id % 32) & 1) != 0) allowed.push_back(id);
    }
    tokens.push_back(allowed[(*random)() % allowed.size()]);
    EXPECT_TRUE(matcher.Accept(tokens.back()));
  }
  return tokens;
}

class StepTableTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    vocabulary_ = std::make_unique<TestVocabulary>(SyntheticVocabulary(true));
    text_tokens_ = std::make_shared<const TextTokens>(*vocabulary_->index, TextCoding::kJsonString);
    plain_tokens_ =
        std::make_shared<const TextTokens>(*vocabulary_->index, TextCoding::kPlainString);
  }
  static void TearDownTestSuite() {
    text_tokens_.reset();
    plain_tokens_.reset();
    vocabulary_.reset();
  }

  StepTableTest() {
    auto pool = MaskPool::Create(*vocabulary_->index, &memory_, 64u << 20);
    EXPECT_TRUE(pool.ok());
    pool_ = std::move(*pool);
    pool_->BeginStep();
  }

  static std::shared_ptr<const CompiledGrammar> Schema(const std::string& text) {
    auto grammar = Compile({.name = text, .definition = text}, vocabulary_->index);
    EXPECT_TRUE(grammar.ok()) << grammar.status().ToString();
    return *grammar;
  }

  StepWalk Walk(const std::shared_ptr<const CompiledGrammar>& grammar,
                const StepTableLimits& limits = {}) {
    const bool plain = grammar->machine().string_coding() == TextCoding::kPlainString;
    return StepWalk(grammar, plain ? plain_tokens_ : text_tokens_, pool_.get(), limits);
  }

  // Follows random texts, each twice.
  void Check(const std::shared_ptr<const CompiledGrammar>& grammar, size_t texts, uint64_t seed,
             StepTally* first, StepTally* again) {
    std::mt19937_64 random(seed);
    StepWalk walk = Walk(grammar);
    for (size_t i = 0; i < texts; ++i) {
      const Tokens tokens = AnyTokens(grammar, 40, &random);
      ASSERT_EQ(walk.Follow(tokens, first, nullptr), "");
      ASSERT_EQ(walk.Follow(tokens, again, nullptr), "");
    }
  }

  // What was met once is known, but for keys that begin like others of which none are declared.
  static void ExpectKnown(const StepTally& again) {
    const size_t others = again.steps - again.no_state;
    EXPECT_LE(again.no_mask * 100, others);
    EXPECT_LE((again.no_step - std::min(again.no_step, again.no_state)) * 100, others);
  }

  Tokens Split(const std::string& text) {
    std::mt19937_64 random(1);
    return vocabulary_->Split(text, &random);
  }

  static std::unique_ptr<TestVocabulary> vocabulary_;
  static std::shared_ptr<const TextTokens> text_tokens_, plain_tokens_;
  PlainMemory memory_;
  std::unique_ptr<MaskPool> pool_;
};

std::unique_ptr<TestVocabulary> StepTableTest::vocabulary_;
std::shared_ptr<const TextTokens> StepTableTest::text_tokens_, StepTableTest::plain_tokens_;

TEST_F(StepTableTest, GoesWhereTheMatcherGoes) {
  StepTally tally, again;
  std::vector<DefinitionCase> cases = InlineCases();
  for (DefinitionCase& one : SchemaFolderCases()) cases.push_back(std::move(one));
  for (const DefinitionCase& one : cases) {
    SCOPED_TRACE(one.name);
    auto grammar = Compile(one, vocabulary_->index);
    ASSERT_TRUE(grammar.ok());
    ASSERT_NO_FATAL_FAILURE(Check(*grammar, 8, 3, &tally, &again));
  }
  ExpectKnown(again);
  EXPECT_GT(tally.alone, tally.steps / 20);
}

TEST_F(StepTableTest, GoesWhereTheMatcherGoesInRandomSchemas) {
  std::mt19937_64 random(17);
  StepTally tally, again;
  for (int i = 0; i < 250; ++i) {
    const std::string schema =
        i % 2 == 0 ? RandomSchema(&random)
                   : RandomFullSchema(judge::Draft::k2020, {.formats = "date ipv4"}, &random);
    SCOPED_TRACE(schema);
    auto grammar = Compile({.name = "random", .definition = schema}, vocabulary_->index);
    if (!grammar.ok()) continue;
    ASSERT_NO_FATAL_FAILURE(Check(*grammar, 4, static_cast<uint64_t>(i), &tally, &again));
  }
  ExpectKnown(again);
  EXPECT_GT(tally.steps, 5000u);
}

TEST_F(StepTableTest, GoesTheSameWayBelowOtherWords) {
  const auto grammar = Schema(R"({"$ref": "#/$defs/a", "$defs": {"a": {"type": "array",
      "items": {"anyOf": [{"$ref": "#/$defs/a"}, {"type": "string"}, {"type": "number"}]}}}})");
  StepWalk walk = Walk(grammar);
  StepTally first, nested;
  ASSERT_EQ(walk.Follow(Split(R"(["ab",["c",1]])"), &first, nullptr), "");
  // Four levels deeper nothing is new but where the outermost ends.
  std::string text = R"(["ab",["c",1]])";
  for (int i = 0; i < 4; ++i) text = "[" + text + "]";
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(walk.Follow(Split(text), &nested, nullptr), "");
  }
  EXPECT_LT(walk.table().counts().words, 40u);
}

TEST_F(StepTableTest, CountsTextsInTheRow) {
  const auto grammar = Schema(R"({"type": "string", "minLength": 3, "maxLength": 900})");
  StepWalk walk = Walk(grammar);
  StepTally tally;
  for (const size_t length : {3u, 100u, 500u, 890u, 900u}) {
    ASSERT_EQ(walk.Follow(Split('"' + std::string(length, 'a') + '"'), &tally, nullptr), "");
  }
  EXPECT_LT(walk.table().counts().words, 6u);
  EXPECT_LT(walk.table().counts().steps, 20u);
  EXPECT_GT(tally.alone * 10, tally.steps * 8);
}

TEST_F(StepTableTest, SaysUnknownWhereItIsFull) {
  const auto grammar = Schema(R"({"properties": {"a": {"type": "integer"}}})");
  StepWalk walk = Walk(grammar, {.bytes = 0});
  StepTally tally;
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(walk.Follow(Split(R"({"a":12,"b":[1]})"), &tally, nullptr), "");
  }
  EXPECT_EQ(tally.alone, 0u);
  EXPECT_EQ(walk.table().counts().steps, 0u);
}

TEST_F(StepTableTest, SaysUnknownWhereItemsAreCompared) {
  const auto grammar = Schema(R"({"items": {"type": "integer"}, "type": "array", "minItems": 3,
                                  "uniqueItems": true})");
  StepWalk walk = Walk(grammar);
  StepTally tally;
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(walk.Follow(Split("[1,2,1,12]"), &tally, nullptr), "");
    ASSERT_EQ(walk.Follow(Split("[12,1,11,2]"), &tally, nullptr), "");
  }
  EXPECT_GT(tally.no_state, 0u);
}

// The bytes alone are few tokens, so that all that can be reached is explored.
TEST(StepTableAhead, KnowsWhatItExplored) {
  const auto vocabulary = VocabularyIndex::Bytes();
  const auto text_tokens =
      std::make_shared<const TextTokens>(*vocabulary, TextCoding::kPlainString);
  DefinitionCase one{.name = "ahead", .definition = R"({"type": "object", "required": ["a", "b"],
      "additionalProperties": false, "properties": {"a": {"type": ["boolean", "null"]},
      "b": {"pattern": "^[a-z]{0,4}$", "type": "string"}, "c": {"enum": ["x", "yz"]}}})"};
  one.options.style.whitespace = StylePolicy::Whitespace::kCompact;
  one.options.style.escapes = StylePolicy::Escapes::kPlain;
  auto grammar = Compile(one, vocabulary);
  ASSERT_TRUE(grammar.ok());
  PlainMemory memory;
  auto pool = MaskPool::Create(*vocabulary, &memory, 4u << 20);
  ASSERT_TRUE(pool.ok());
  (*pool)->BeginStep();
  StepWalk walk(*grammar, text_tokens, pool->get(), {});
  while (walk.table().Explore(100, 1000)) {
  }
  std::mt19937_64 random(5);
  StepTally tally;
  for (int i = 0; i < 200; ++i) {
    ASSERT_EQ(walk.Follow(AnyTokens(*grammar, 80, &random), &tally, nullptr), "");
  }
  EXPECT_EQ(tally.alone, tally.steps);
  EXPECT_GT(tally.steps, 2000u);
}

TEST_F(StepTableTest, WidensAStateThatWasInWantTwice) {
  const auto grammar = Schema(R"({"type": "integer"})");
  StepWalk walk = Walk(grammar), narrow = Walk(grammar, {.widened_tokens = 0});
  for (StepWalk* one : {&walk, &narrow}) {
    StepTally tally;
    for (const char* text : {"1", "2", "9"}) {
      ASSERT_EQ(one->Follow(Split(text), &tally, nullptr), "");
    }
  }
  StepTally wide_tally, narrow_tally;
  ASSERT_EQ(walk.Follow(Split("5"), &wide_tally, nullptr), "");
  ASSERT_EQ(narrow.Follow(Split("5"), &narrow_tally, nullptr), "");
  EXPECT_EQ(wide_tally.alone, 1u);
  EXPECT_EQ(narrow_tally.alone, 0u);
}

TEST_F(StepTableTest, PublishesOneVersionOverTheOther) {
  const auto grammar = Schema(R"({"properties": {"a": {"type": "integer"}}})");
  StepTable table(grammar, text_tokens_, pool_.get());
  auto published = PublishedSteps::Create(&memory_, 1u << 20);
  const uint8_t* const lengths = PublishTextLengths(*text_tokens_, &memory_);
  ASSERT_TRUE(published.ok());
  const Tokens tokens = Split(R"({"a":12})");
  Matcher matcher(grammar);
  kernels::RowState start;
  ASSERT_TRUE(table.StateOf(matcher.items(), &start));
  const auto empty = published->Publish(table, lengths);
  ASSERT_TRUE(empty);
  kernels::RowState row = start;
  EXPECT_EQ(StepRow(*empty, tokens[0], &row), kernels::StepOutcome::kUnknown);
  for (const TokenId token : tokens) {
    ASSERT_TRUE(table.LearnStep(matcher.items(), token));
    ASSERT_TRUE(matcher.Accept(token));
  }
  const auto whole = published->Publish(table, lengths);
  ASSERT_TRUE(whole);
  for (const TokenId token : tokens) {
    ASSERT_EQ(StepRow(*whole, token, &row), kernels::StepOutcome::kDone);
  }
  kernels::RowState there;
  ASSERT_TRUE(table.StateOf(matcher.items(), &there));
  EXPECT_EQ(row.depth, there.depth);
  EXPECT_TRUE(std::equal(row.words, row.words + row.depth, there.words));
  auto small = PublishedSteps::Create(&memory_, 0);
  ASSERT_TRUE(small.ok());
  EXPECT_FALSE(small->Publish(table, lengths));
}

TEST(TextTokensTest, CountCodePointsOfTextAlone) {
  const auto vocabulary = VocabularyIndex::Bytes();
  const TextTokens tokens(*vocabulary, TextCoding::kJsonString);
  EXPECT_EQ(tokens.lengths['a'], 2);
  EXPECT_EQ(tokens.lengths['"'], 0);
  EXPECT_EQ(tokens.lengths['\\'], 0);  // inside an escape
  EXPECT_EQ(tokens.lengths[0xC3], 0);  // inside a character
  EXPECT_EQ(tokens.lengths['\n'], 0);
  Partial partial = kBoundary;
  EXPECT_EQ(CountText(TextCoding::kJsonString, "a\\n\\u00e9\xC3\xA9", &partial), 4u);
  EXPECT_EQ(partial, kBoundary);
  EXPECT_FALSE(CountText(TextCoding::kJsonString, "a\"", &partial));
}

// Texts of the sample, with the vocabulary for which it was made: of every fifth schema here, of
// all in the long suite.
TEST(StepTableSample, GoesWhereTheMatcherGoes) {
  if (!SharedDataDir()) GTEST_SKIP() << "no shared data (set MASKLOOM_SHARED)";
  TemporaryFolder folder;
  const Status unpacked = UnpackSuite("maskbench-dev", folder);
  if (!unpacked.ok()) GTEST_SKIP() << unpacked.ToString();
  auto vocabulary = RealVocabulary("llama3_1");
  if (!vocabulary.ok()) GTEST_SKIP() << vocabulary.status().ToString();
  const auto text_tokens =
      std::make_shared<const TextTokens>(*vocabulary->index, TextCoding::kJsonString);
  PlainMemory memory;
  auto pool = MaskPool::Create(*vocabulary->index, &memory, 256u << 20);
  ASSERT_TRUE(pool.ok());
  std::ifstream list(*SharedDataDir() + "/compare/sample-dev-1000.txt");
  StepTally first, again;
  cli::StepBytes bytes;
  size_t count = 0;
  for (std::string line; std::getline(list, line);) {
    SCOPED_TRACE(line);
    if (!IsLongRun() && ++count % 5 != 0) continue;
    const std::string name = line.substr(line.find_last_of('/') + 1);
    auto one = cli::ReadBenchCase((folder.path() / name).string(), *vocabulary->tokenizer);
    ASSERT_TRUE(one.ok());
    auto grammar = Compile({.name = name, .definition = one->schema}, vocabulary->index);
    if (!grammar.ok()) continue;
    (*pool)->FinishSteps((*pool)->BeginStep() - 1);
    StepWalk walk(*grammar, text_tokens, pool->get(), StepTableLimits{});
    for (const cli::BenchText& text : one->texts) {
      ASSERT_EQ(walk.Follow(text.tokens, &first, nullptr), "");
    }
    for (const cli::BenchText& text : one->texts) {
      ASSERT_EQ(walk.Follow(text.tokens, &again, &bytes), "");
    }
  }
  EXPECT_GT(again.alone * 1000, again.steps * 995);
  std::sort(bytes.sent.begin(), bytes.sent.end());
  ASSERT_GT(bytes.sent.size(), 20000u);
  EXPECT_LE(bytes.sent[bytes.sent.size() * 99 / 100], 64);
}

}  // namespace
}  // namespace maskloom::suites
