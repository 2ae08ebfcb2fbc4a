// The generation loop on the real model, where it is at hand.
#include "runtime/engine/generate_loop.h"

#include <gtest/gtest.h>

#include "runtime/engine/compile_definition.h"
#include "tests/support/shared_data.h"

namespace maskloom {
namespace {

constexpr char kOrder[] =
    R"({"type":"object","properties":{"item":{"enum":["apple","pear","plum"]},)"
    R"("count":{"type":"integer","minimum":1,"maximum":20},"gift":{"type":"boolean"},)"
    R"("note":{"type":"string","maxLength":12}},"required":["item","count"],)"
    R"("additionalProperties":false})";

class GenerateLoopTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    std::optional<std::string> path = ModelPath();
    if (!path) return;
    auto model = LanguageModel::Open(*path);
    ASSERT_TRUE(model.ok()) << model.status().message();
    model_ = std::move(*model).release();
  }
  static void TearDownTestSuite() {
    delete model_;
    model_ = nullptr;
  }
  void SetUp() override {
    if (model_ == nullptr) GTEST_SKIP() << "the model file is not at hand";
  }

  std::shared_ptr<const CompiledGrammar> Compile(DefinitionKind kind, std::string_view text) {
    auto vocabulary = model_->VocabularyForGrammars();
    EXPECT_TRUE(vocabulary.ok());
    auto compiled = CompileDefinition(kind, text, {}, *vocabulary);
    EXPECT_TRUE(compiled.ok()) << compiled.status().message();
    return compiled->grammar;
  }

  // Writes a whole text; returns it, and the number of forced tokens in *forced.
  std::string Write(std::shared_ptr<const CompiledGrammar> grammar, const GenerateOptions& options,
                    size_t* forced = nullptr) {
    std::vector<TokenId> prompt = model_->tokenizer().Encode("An order of fruit:\n");
    auto loop = GenerateLoop::Create(model_, std::move(grammar), prompt, options);
    EXPECT_TRUE(loop.ok()) << loop.status().message();
    EXPECT_TRUE((*loop)->Prefill().ok());
    std::string text;
    size_t forced_count = 0;
    TokenRecord record;
    for (;;) {
      Result<bool> more = (*loop)->Next(&record);
      EXPECT_TRUE(more.ok()) << more.status().message();
      if (!more.ok() || !*more) break;
      text += record.bytes;
      forced_count += record.forced;
    }
    reason_ = (*loop)->finish_reason();
    complete_ = (*loop)->IsComplete();
    if (forced != nullptr) *forced = forced_count;
    return text;
  }

  static LanguageModel* model_;
  FinishReason reason_ = FinishReason::kNotFinished;
  bool complete_ = false;
};

LanguageModel* GenerateLoopTest::model_ = nullptr;

TEST_F(GenerateLoopTest, WhichLogitsAreComputedDoesNotChangeTheText) {
  auto grammar = Compile(DefinitionKind::kJsonSchema, kOrder);
  for (double temperature : {0.0, 1.0}) {
    GenerateOptions options;
    options.max_tokens = 120;
    options.sampling.temperature = temperature;
    options.sampling.seed = 11;
    options.sampling.repetition_penalty = 1.1;
    size_t forced = 0;
    std::string text = Write(grammar, options, &forced);
    EXPECT_GT(forced, 0u);
    options.gather_limit = 1;
    EXPECT_EQ(Write(grammar, options), text);
    options.gather_limit = 1u << 20;
    EXPECT_EQ(Write(grammar, options), text);
    options.full_rows = true;
    EXPECT_EQ(Write(grammar, options, &forced), text);
    EXPECT_EQ(forced, 0u);
  }
}

TEST_F(GenerateLoopTest, TextsMatchAtAnyTemperature) {
  auto grammar = Compile(DefinitionKind::kJsonSchema, kOrder);
  for (double temperature : {0.0, 0.7, 1.5}) {
    GenerateOptions options;
    options.max_tokens = 300;
    options.sampling.temperature = temperature;
    options.sampling.seed = 3;
    std::string text = Write(grammar, options);
    Matcher matcher(grammar);
    EXPECT_EQ(matcher.AcceptBytes(text), text.size()) << text;
    if (complete_) {
      EXPECT_TRUE(matcher.IsAccepting()) << text;
    }
  }
}

TEST_F(GenerateLoopTest, EndsWhereTheGrammarLeavesNothingElse) {
  GenerateOptions options;
  std::string text = Write(Compile(DefinitionKind::kRegex, "yes|no"), options);
  EXPECT_TRUE(text == "yes" || text == "no") << text;
  EXPECT_EQ(reason_, FinishReason::kComplete);
  EXPECT_TRUE(complete_);
}

TEST_F(GenerateLoopTest, StopsAtTheTokenLimit) {
  GenerateOptions options;
  options.max_tokens = 4;
  Write(Compile(DefinitionKind::kRegex, "[a-z]{200}"), options);
  EXPECT_EQ(reason_, FinishReason::kMaxTokens);
  EXPECT_FALSE(complete_);
}

TEST_F(GenerateLoopTest, RefusesPromptsThatDoNotFit) {
  GenerateOptions options;
  std::vector<TokenId> prompt(8192, 28);
  auto full = GenerateLoop::Create(model_, nullptr, prompt, options);
  EXPECT_EQ(full.status().code(), StatusCode::kInvalidArgument);
  auto empty = GenerateLoop::Create(model_, nullptr, {}, options);
  EXPECT_EQ(empty.status().code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace maskloom
