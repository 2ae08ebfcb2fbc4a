// The central property on schemas of every keyword and draft, against the plain validator. A few
// hundred schemas here, 20,000 in the long suite.
#include "tests/suites/plain_property.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>

#include "tests/judge/code_points.h"
#include "tests/suites/data_folder.h"
#include "tests/suites/random_full_schema.h"
#include "tests/support/long_suite.h"
#include "tests/support/shared_data.h"

namespace maskloom::suites {
namespace {

using judge::Draft;

// The schema that remains of `one` when all that does not matter to its faults is gone.
std::string Shrunk(const DefinitionCase& one, const TestVocabulary& vocabulary,
                   const PlainBudget& budget, uint64_t seed) {
  std::string message;
  ShrinkSchema(one.definition, [&](const std::string& smaller) {
    DefinitionCase other = one;
    other.definition = smaller;
    PlainTally tally;
    CheckPlainCase(other, vocabulary, budget, seed, &tally);
    if (tally.faults.empty() || tally.unknown > 0) return false;
    message = tally.faults[0];
    return true;
  });
  return message;
}

// Checks `cases` one after another; faults are made small before they are told.
void CheckCases(const std::vector<DefinitionCase>& cases, const TestVocabulary& vocabulary,
                uint64_t seed, const PlainBudget& budget = {}) {
  PlainTally tally;
  Shard shard = CurrentShard();
  size_t faulty = 0;
  constexpr size_t kMaxFaulty = 10;
  constexpr double kSlowSeconds = 5;
  for (size_t i = 0; i < cases.size() && faulty < kMaxFaulty; ++i) {
    if (!shard.Has(i)) continue;
    size_t before = tally.faults.size();
    const auto begin = std::chrono::steady_clock::now();
    CheckPlainCase(cases[i], vocabulary, budget, seed + i, &tally);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    if (taken.count() > kSlowSeconds) {
      std::printf("slow, %.0f s: %s: %s\n", taken.count(), cases[i].name.c_str(),
                  cases[i].definition.c_str());
    }
    if (tally.faults.size() == before) continue;
    ++faulty;
    std::string small = Shrunk(cases[i], vocabulary, budget, seed + i);
    ADD_FAILURE() << cases[i].name << ": " << (small.empty() ? tally.faults.back() : small);
  }
  std::printf(
      "%zu compiled, %zu unsatisfiable, %zu refused; %zu valid, %zu invalid, %zu unknown "
      "texts; %zu states, %zu bits\n",
      tally.schemas, tally.unsatisfiable, tally.refused, tally.valid, tally.invalid, tally.unknown,
      tally.states, tally.bits);
}

void RunDraft(Draft draft, const TestVocabulary& vocabulary, size_t count) {
  const char* first = std::getenv("MASKLOOM_SEED");
  uint64_t start = first == nullptr ? 1000 : std::strtoull(first, nullptr, 10);
  std::vector<DefinitionCase> cases(count);
  for (size_t i = 0; i < count; ++i) {
    std::mt19937_64 random(start + i);
    cases[i].name = "seed " + std::to_string(start + i);
    cases[i].definition = RandomFullSchema(draft, FullSchemaOptions(), &random);
  }
  CheckCases(cases, vocabulary, start);
}

// The schemas of the JSON-Schema-Test-Suite with its data as texts, each naming its draft.
std::vector<DefinitionCase> TestSuiteCases(const std::filesystem::path& tests) {
  std::vector<DefinitionCase> cases;
  for (const auto& [folder, uri] :
       {std::pair{"draft4", "http://json-schema.org/draft-04/schema#"},
        std::pair{"draft6", "http://json-schema.org/draft-06/schema#"},
        std::pair{"draft7", "http://json-schema.org/draft-07/schema#"},
        std::pair{"draft2019-09", "https://json-schema.org/draft/2019-09/schema"},
        std::pair{"draft2020-12", "https://json-schema.org/draft/2020-12/schema"}}) {
    for (const auto& path : JsonFilesBelow(tests / folder)) {
      if (path.string().find("/optional/") != std::string::npos) continue;
      auto groups = judge::ParseJsonTree(ReadWholeFile(path.string()).value_or("[]"));
      for (const judge::JsonTree& group : groups->items) {
        judge::JsonTree schema = *group.Find(U"schema");
        if (schema.kind != judge::JsonTree::Kind::kObject) continue;
        if (schema.Find(U"$schema") == nullptr) {
          judge::JsonTree name;
          name.kind = judge::JsonTree::Kind::kString;
          name.text = *judge::DecodeUtf8(uri);
          schema.members.insert(schema.members.begin(), {U"$schema", name});
        }
        DefinitionCase one;
        one.name = std::string(folder) + "/" + path.filename().string() + ": " +
                   judge::ToUtf8(group.Find(U"description")->text);
        one.definition = judge::ToJsonText(schema);
        for (const judge::JsonTree& test : group.Find(U"tests")->items) {
          one.texts.push_back({judge::ToJsonText(*test.Find(U"data"))});
        }
        cases.push_back(std::move(one));
      }
    }
  }
  return cases;
}

size_t Count() { return IsLongRun() ? 4000 : 40; }

TEST(PlainProperty, HoldsInDraft4) { RunDraft(Draft::k4, SyntheticVocabulary(true), Count()); }
TEST(PlainProperty, HoldsInDraft6) { RunDraft(Draft::k6, SyntheticVocabulary(true), Count()); }
TEST(PlainProperty, HoldsInDraft7) { RunDraft(Draft::k7, SyntheticVocabulary(true), Count()); }
TEST(PlainProperty, HoldsInDraft201909) {
  RunDraft(Draft::k2019, SyntheticVocabulary(true), Count());
}
TEST(PlainProperty, HoldsInDraft202012) {
  RunDraft(Draft::k2020, SyntheticVocabulary(true), 2 * Count());
}
TEST(PlainProperty, HoldsWhereMostBytesCannotBeSpelled) {
  RunDraft(Draft::k2020, SyntheticVocabulary(false), Count());
}
TEST(PlainProperty, HoldsWithARealVocabulary) {
  auto vocabulary = RealVocabulary("smollm2");
  if (!vocabulary.ok()) vocabulary = RealVocabulary("llama3_1");
  if (!vocabulary.ok()) GTEST_SKIP() << vocabulary.status().ToString();
  RunDraft(Draft::k2020, *vocabulary, Count() / 2);
}

TEST(PlainProperty, HoldsOnTheSchemasOfTheTestSuite) {
  TemporaryFolder folder;
  Status unpacked = UnpackSuite("json-schema-test-suite", folder);
  if (!unpacked.ok()) GTEST_SKIP() << unpacked.ToString();
  std::vector<DefinitionCase> cases =
      TestSuiteCases(folder.path() / "json-schema-test-suite/tests");
  if (!IsLongRun()) {
    size_t number = 0;
    std::erase_if(cases, [&](const DefinitionCase&) { return number++ % 4 != 0; });
  }
  PlainBudget budget{5, 10, 3, 3, 10};
  CheckCases(cases, SyntheticVocabulary(true), 1, IsLongRun() ? PlainBudget() : budget);
}

TEST(PlainProperty, HoldsOnSchemasOfMaskBench) {
  TemporaryFolder folder;
  Status unpacked = UnpackSuite("maskbench-dev", folder);
  if (!unpacked.ok()) GTEST_SKIP() << unpacked.ToString();
  std::vector<std::filesystem::path> paths = JsonFilesBelow(folder.path());
  std::vector<DefinitionCase> cases;
  for (size_t i = 0; i < paths.size(); i += IsLongRun() ? 1 : 100) {
    auto one = ReadMaskBenchCase(paths[i].string());
    if (one.ok()) cases.push_back(std::move(*one));
  }
  CheckCases(cases, SyntheticVocabulary(true), 1, PlainBudget{10, 0, 3, 3, 20});
}

}  // namespace
}  // namespace maskloom::suites
