// Nothing fails behind admission: with every budget divided by a hundred, a schema is refused when
// it is compiled, by the name of a budget, or any text of it can be written to its end.
#include <gtest/gtest.h>

#include "grammar/base/budget.h"
#include "tests/suites/data_folder.h"
#include "tests/suites/definition_case.h"
#include "tests/suites/property_walk.h"
#include "tests/suites/random_full_schema.h"
#include "tests/suites/random_schema.h"
#include "tests/suites/random_text.h"
#include "tests/support/long_suite.h"
#include "tests/support/shared_data.h"

namespace maskloom::suites {
namespace {

constexpr uint32_t kDivisor = 100;

struct Tally {
  size_t compiled = 0;
  size_t refused = 0;        // by a budget
  size_t unsatisfiable = 0;  // with all budgets
  size_t texts = 0;
};

void WriteTexts(const std::shared_ptr<const CompiledGrammar>& grammar, std::mt19937_64* random,
                Tally* tally) {
  constexpr int kTexts = 4;
  for (int i = 0; i < kTexts; ++i) {
    const RandomText text = WriteRandomText(
        grammar, i % 2 == 0 ? Chooser::kSeeking : Chooser::kUniform, i < 2 ? 40 : 200, random);
    EXPECT_EQ(text.complaint, "") << Readable(text.text);
    ++tally->texts;
  }
}

void CheckCase(const DefinitionCase& one, uint64_t seed, Tally* tally) {
  static const auto bytes = VocabularyIndex::Bytes();
  SCOPED_TRACE(one.definition.substr(0, 2000));
  std::mt19937_64 random(seed);
  // With all budgets first, which also builds what is built once for the process.
  const auto whole = Compile(one, bytes);
  if (!whole.ok()) {
    ++tally->unsatisfiable;
    return;
  }
  const ScopedBudgetDivisor small(kDivisor);
  const auto grammar = Compile(one, bytes);
  if (!grammar.ok()) {
    EXPECT_EQ(grammar.status().code(), StatusCode::kResourceLimit) << grammar.status().ToString();
    ++tally->refused;
    return;
  }
  ++tally->compiled;
  WriteTexts(*grammar, &random, tally);
}

void CheckCases(const std::vector<DefinitionCase>& cases) {
  const Shard shard = CurrentShard();
  Tally tally;
  for (size_t i = 0; i < cases.size(); ++i) {
    if (shard.Has(i)) CheckCase(cases[i], i * 7919 + 5, &tally);
    if (testing::Test::HasFailure()) break;
  }
  std::printf("%zu compiled, %zu refused by budgets, %zu refused with any, %zu texts\n",
              tally.compiled, tally.refused, tally.unsatisfiable, tally.texts);
}

TEST(SmallBudgets, DivideWhatTheCodeDocuments) {
  EXPECT_EQ(Budget<size_t>(4096), 4096u);
  {
    const ScopedBudgetDivisor small(kDivisor);
    EXPECT_EQ(Budget<size_t>(4096), 40u);
    EXPECT_EQ(Budget<uint32_t>(64), 1u);
  }
  EXPECT_EQ(Budget<size_t>(4096), 4096u);
}

TEST(SmallBudgets, SchemasOfTheFolderAreRefusedOrWrittenToTheirEnd) {
  std::vector<DefinitionCase> cases = SchemaFolderCases();
  for (DefinitionCase& one : InlineCases()) cases.push_back(std::move(one));
  CheckCases(cases);
}

TEST(SmallBudgets, RandomSchemasAreRefusedOrWrittenToTheirEnd) {
  std::mt19937_64 random(404);
  std::vector<DefinitionCase> cases(IsLongRun() ? 6000 : 300);
  for (size_t i = 0; i < cases.size(); ++i) {
    constexpr judge::Draft kDrafts[] = {judge::Draft::k7, judge::Draft::k2020, judge::Draft::k4,
                                        judge::Draft::k2019};
    FullSchemaOptions options;
    cases[i].definition =
        i % 3 == 0 ? RandomSchema(&random) : RandomFullSchema(kDrafts[i % 4], options, &random);
  }
  CheckCases(cases);
}

TEST(SmallBudgets, FilesOfMaskBenchAreRefusedOrWrittenToTheirEnd) {
  if (!SharedDataDir()) GTEST_SKIP() << "no shared data (set MASKLOOM_SHARED)";
  TemporaryFolder folder;
  const Status unpacked = UnpackSuite("maskbench-dev", folder);
  if (!unpacked.ok()) GTEST_SKIP() << unpacked.ToString();
  const auto paths = JsonFilesBelow(folder.path());
  std::vector<DefinitionCase> cases;
  for (size_t i = 0; i < paths.size(); i += IsLongRun() ? 4 : 90) {
    auto one = ReadMaskBenchCase(paths[i].string());
    if (one.ok()) cases.push_back(std::move(*one));
  }
  CheckCases(cases);
}

}  // namespace
}  // namespace maskloom::suites
