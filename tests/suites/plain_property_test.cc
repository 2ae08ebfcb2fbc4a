// The central property on schemas of every keyword and draft, against the plain validator. A few
// hundred schemas here, 20,000 in the long suite.
#include "tests/suites/plain_property.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/suites/random_full_schema.h"
#include "tests/support/long_suite.h"

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

void RunDraft(Draft draft, const TestVocabulary& vocabulary, size_t count) {
  FullSchemaOptions options;
  PlainBudget budget;
  PlainTally tally;
  Shard shard = CurrentShard();
  const char* first = std::getenv("MASKLOOM_SEED");
  uint64_t start = first == nullptr ? 1000 : std::strtoull(first, nullptr, 10);
  size_t faulty = 0;
  constexpr size_t kMaxFaulty = 10;
  for (size_t i = 0; i < count && faulty < kMaxFaulty; ++i) {
    if (!shard.Has(i)) continue;
    std::mt19937_64 random(start + i);
    DefinitionCase one;
    one.definition = RandomFullSchema(draft, options, &random);
    size_t before = tally.faults.size();
    CheckPlainCase(one, vocabulary, budget, start + i, &tally);
    if (tally.faults.size() == before) continue;
    ++faulty;
    std::string small = Shrunk(one, vocabulary, budget, start + i);
    ADD_FAILURE() << "seed " << start + i << ": " << (small.empty() ? tally.faults.back() : small);
  }
  std::printf(
      "%zu compiled, %zu unsatisfiable, %zu refused; %zu valid, %zu invalid, %zu unknown "
      "texts; %zu states, %zu bits\n",
      tally.schemas, tally.unsatisfiable, tally.refused, tally.valid, tally.invalid, tally.unknown,
      tally.states, tally.bits);
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
TEST(PlainProperty, HoldsWithARealVocabulary) {
  auto vocabulary = RealVocabulary("smollm2");
  if (!vocabulary.ok()) vocabulary = RealVocabulary("llama3_1");
  if (!vocabulary.ok()) GTEST_SKIP() << vocabulary.status().ToString();
  RunDraft(Draft::k2020, *vocabulary, Count() / 2);
}

}  // namespace
}  // namespace maskloom::suites
