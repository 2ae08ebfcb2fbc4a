// The central property: for every token, its bit is set if and only if accepting it succeeds and
// what is reached can still be completed. Some 300 states here, 20,000 in the long suite.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "tests/suites/data_folder.h"
#include "tests/suites/property_walk.h"
#include "tests/suites/random_regex.h"
#include "tests/suites/random_schema.h"
#include "tests/support/long_suite.h"
#include "tests/support/shared_data.h"

namespace maskloom::suites {
namespace {

// Takes states from `cases`, in an order drawn at random, until there are `wanted`.
void RunProperty(std::vector<DefinitionCase> cases, const TestVocabulary& vocabulary,
                 size_t wanted) {
  std::mt19937_64 random(20240229 + vocabulary.index->size());
  std::shuffle(cases.begin(), cases.end(), random);
  Shard shard = CurrentShard();
  wanted = (wanted + shard.count - 1) / shard.count;
  PropertyTally tally;
  size_t faults = 0;
  constexpr size_t kMaxFaults = 20;
  constexpr size_t kMaxRounds = 50;
  for (size_t round = 0; round < kMaxRounds && tally.states < wanted; ++round) {
    for (size_t i = 0; i < cases.size() && tally.states < wanted; ++i) {
      if (!shard.Has(i) && cases.size() >= shard.count) continue;
      SCOPED_TRACE(cases[i].name);
      size_t each = wanted / cases.size() + 1;
      CheckCase(cases[i], vocabulary, std::min(each, wanted - tally.states), &random, &tally);
      for (const std::string& fault : tally.faults) ADD_FAILURE() << fault;
      faults += tally.faults.size();
      tally.faults.clear();
      if (faults >= kMaxFaults) return;
    }
  }
  EXPECT_GE(tally.states, wanted);
  std::printf("%s: %zu states of %zu definitions; %zu refused, %zu not judged\n",
              vocabulary.name.c_str(), tally.states, tally.cases, tally.refused, tally.unjudged);
}

size_t States(size_t sampled, size_t whole) { return IsLongRun() ? whole : sampled; }

// Cases of MaskBench, of the bug reports and of schemas/: as many of each as come by chance.
std::vector<DefinitionCase> SuiteCases(size_t maskbench_count) {
  std::vector<DefinitionCase> cases = SchemaFolderCases();
  for (DefinitionCase& one : InlineCases()) cases.push_back(std::move(one));
  auto shared = SharedDataDir();
  if (!shared) return cases;
  for (BugCase& bug : ReadBugCases(*shared + "/suites/bugcases")) {
    if (bug.expect != "error") cases.push_back(std::move(bug.definition));
  }
  TemporaryFolder folder;
  if (!UnpackSuite("maskbench-dev", folder).ok()) return cases;
  std::vector<std::filesystem::path> paths = JsonFilesBelow(folder.path());
  std::mt19937_64 random(7);
  std::shuffle(paths.begin(), paths.end(), random);
  for (size_t i = 0; i < paths.size() && i < maskbench_count; ++i) {
    auto one = ReadMaskBenchCase(paths[i].string());
    if (one.ok()) cases.push_back(std::move(*one));
  }
  return cases;
}

void RunReal(const std::string& name, size_t wanted) {
  auto vocabulary = RealVocabulary(name);
  if (!vocabulary.ok()) GTEST_SKIP() << vocabulary.status().ToString();
  RunProperty(SuiteCases(IsLongRun() ? 9004 : 100), *vocabulary, wanted);
}

TEST(MaskProperty, HoldsWithEveryShortTokenOverTheBytesThatMatter) {
  std::vector<DefinitionCase> cases = InlineCases();
  for (DefinitionCase& one : SchemaFolderCases()) cases.push_back(std::move(one));
  RunProperty(std::move(cases), SyntheticVocabulary(true), States(160, 5000));
}

TEST(MaskProperty, HoldsOnTextsOfTheSuites) {
  if (!SharedDataDir()) GTEST_SKIP() << "no shared data (set MASKLOOM_SHARED)";
  RunProperty(SuiteCases(IsLongRun() ? 9004 : 100), SyntheticVocabulary(true), States(60, 5000));
}

TEST(MaskProperty, HoldsWhereMostBytesCannotBeSpelled) {
  std::vector<DefinitionCase> cases = InlineCases();
  std::erase_if(cases, [](const DefinitionCase& one) { return !one.name.starts_with("tiny"); });
  RunProperty(std::move(cases), SyntheticVocabulary(false), States(60, 2000));
}

TEST(MaskProperty, HoldsInEveryStyle) {
  using Whitespace = StylePolicy::Whitespace;
  std::vector<DefinitionCase> cases = SchemaFolderCases();
  for (size_t i = 0; i < cases.size(); ++i) {
    StylePolicy& style = cases[i].options.style;
    constexpr Whitespace kForms[] = {Whitespace::kCompact, Whitespace::kIndent, Whitespace::kAny,
                                     Whitespace::kFlexible, Whitespace::kSpaced};
    style.whitespace = kForms[i % 5];
    style.indent = static_cast<uint32_t>(i % 3);
    style.max_blanks = 2;
    if (i % 7 < 3) style.key_order = StylePolicy::KeyOrder::kDeclared;
    if (i % 4 < 2) style.escapes = StylePolicy::Escapes::kPlain;
    style.max_digits = i % 7 == 0 ? kUnbounded : 5;
  }
  RunProperty(std::move(cases), SyntheticVocabulary(true), States(60, 1500));
}

std::vector<DefinitionCase> RandomSchemas(size_t count, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<DefinitionCase> cases(count);
  for (DefinitionCase& one : cases) one.name = one.definition = RandomSchema(&random);
  return cases;
}

TEST(MaskProperty, HoldsOnRandomSchemas) {
  size_t count = IsLongRun() ? 2500 : 150;
  RunProperty(RandomSchemas(count, 101), SyntheticVocabulary(true), States(120, 5000));
}

TEST(MaskProperty, HoldsOnRandomSchemasWhereMostBytesCannotBeSpelled) {
  size_t count = IsLongRun() ? 2500 : 150;
  RunProperty(RandomSchemas(count, 202), SyntheticVocabulary(false), States(60, 2500));
}

TEST(MaskProperty, HoldsOnRandomRegexes) {
  std::mt19937_64 random(303);
  std::vector<DefinitionCase> cases(IsLongRun() ? 1000 : 60);
  for (DefinitionCase& one : cases) {
    one.kind = DefinitionKind::kRegex;
    one.name = one.definition = RandomRegex(&random);
  }
  RunProperty(cases, SyntheticVocabulary(true), States(60, 1500));
  RunProperty(std::move(cases), SyntheticVocabulary(false), States(30, 1000));
}

TEST(MaskProperty, HoldsWithLlama3) { RunReal("llama3_1", States(20, 2500)); }
TEST(MaskProperty, HoldsWithQwen3) { RunReal("qwen3", States(20, 2000)); }
TEST(MaskProperty, HoldsWithGpt4o) { RunReal("gpt4o", States(20, 2000)); }
TEST(MaskProperty, HoldsWithSmolLm2WhichLacksBytes) { RunReal("smollm2", States(20, 1500)); }

}  // namespace
}  // namespace maskloom::suites
