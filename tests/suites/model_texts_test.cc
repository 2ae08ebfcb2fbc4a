// Texts of the real model at temperature 0, 0.7 and 1.5 are valid: 30 here, 300 in the long suite.
#include <gtest/gtest.h>

#include "runtime/engine/generate_loop.h"
#include "runtime/matcher.h"
#include "tests/suites/definition_case.h"
#include "tests/suites/property_walk.h"
#include "tests/support/long_suite.h"
#include "tests/support/shared_data.h"

namespace maskloom::suites {
namespace {

// What the model wrote, completed where it came to the limit of tokens.
std::string WriteText(LanguageModel* model, const std::shared_ptr<const CompiledGrammar>& grammar,
                      const std::string& prompt, const GenerateOptions& options) {
  std::vector<TokenId> tokens = model->tokenizer().Encode(prompt);
  auto loop = GenerateLoop::Create(model, grammar, tokens, options);
  EXPECT_TRUE(loop.ok()) << loop.status().ToString();
  EXPECT_TRUE((*loop)->Prefill().ok());
  std::string text;
  TokenRecord record;
  for (;;) {
    auto more = (*loop)->Next(&record);
    EXPECT_TRUE(more.ok()) << more.status().ToString();
    if (!more.ok() || !*more) break;
    text += record.bytes;
  }
  if (!(*loop)->IsComplete()) text += (*loop)->Completion();
  return text;
}

TEST(ModelTexts, AreValidAtEveryTemperature) {
  auto path = ModelPath();
  if (!path) GTEST_SKIP() << "no model (set MASKLOOM_MODEL)";
  auto model = LanguageModel::Open(*path);
  ASSERT_TRUE(model.ok()) << model.status().ToString();
  auto vocabulary = (*model)->VocabularyForGrammars();
  ASSERT_TRUE(vocabulary.ok());
  std::vector<DefinitionCase> cases = SchemaFolderCases();
  Shard shard = CurrentShard();
  size_t count = IsLongRun() ? 300 : 30;
  for (size_t i = 0; i < count; ++i) {
    if (!shard.Has(i)) continue;
    constexpr double kTemperatures[] = {0, 0.7, 1.5};
    const DefinitionCase& one = cases[(i * 7 + i / cases.size()) % cases.size()];
    SCOPED_TRACE(one.name);
    GenerateOptions options;
    options.max_tokens = IsLongRun() ? 200 : 50;
    options.sampling.temperature = kTemperatures[i % 3];
    options.sampling.seed = i;
    auto grammar = Compile(one, *vocabulary);
    ASSERT_TRUE(grammar.ok()) << grammar.status().ToString();
    auto judge = MakeJudge(one, std::bitset<256>().set());
    ASSERT_TRUE(judge.ok()) << judge.status().ToString();
    std::string prompt = "An example of " + one.name + ":\n";
    std::string text = WriteText(model->get(), *grammar, prompt, options);
    ASSERT_TRUE((*judge)->Accepts(text)) << Readable(text);
  }
}

}  // namespace
}  // namespace maskloom::suites
