// Schemas made by chance from every keyword of five drafts: the normal form against the plain
// validator, on values near the schema and on small ones. A hundred here, 20,000 in the long suite.
#include <gtest/gtest.h>

#include <cstdlib>

#include "grammar/base/budget.h"
#include "tests/grammar/schema/semantics/semantic_check.h"
#include "tests/suites/random_chain_schema.h"
#include "tests/suites/random_full_schema.h"
#include "tests/suites/random_instance.h"
#include "tests/suites/random_shape_schema.h"
#include "tests/support/long_suite.h"

namespace maskloom {
namespace {

using judge::Draft;
using judge::JsonTree;
using judge::Verdict;

constexpr size_t kValues = 40;
constexpr size_t kSmallValues = 25;

// Without date-time: the validator takes leap seconds on any day.
constexpr const char* kFormats = "date ipv4 ipv6 uuid";

void CheckSchema(const std::string& schema, std::mt19937_64* random, size_t* valid_count) {
  SCOPED_TRACE(schema);
  const NormalisedSchema normal(schema, true);
  if (!normal.IsRead()) {
    EXPECT_NE(normal.status().code(), StatusCode::kInvalidDefinition);
    return;
  }
  EXPECT_EQ(normal.Fault(), "");
  auto tree = judge::ParseJsonTree(schema);
  ASSERT_TRUE(tree.ok());
  judge::PlainOptions options;
  options.assert_formats = true;
  auto validator = judge::PlainValidator::Create(schema, options);
  ASSERT_TRUE(validator.ok());
  suites::InstanceWriter writer(*tree, random);
  std::vector<std::string> texts;
  JsonTree last = writer.Guided();
  for (size_t i = 0; i < kValues; ++i) {
    last = i % 3 == 2 ? writer.Mutated(last) : writer.Guided();
    texts.push_back(suites::Spell(last, random));
  }
  const std::vector<JsonTree>& small = suites::SmallValues();
  const size_t first = (*random)() % small.size();
  for (size_t i = 0; i < kSmallValues; ++i) {
    texts.push_back(judge::ToJsonText(small[(first + i) % small.size()]));
  }
  for (const std::string& text : texts) {
    auto value = judge::ParseJsonTree(text);
    ASSERT_TRUE(value.ok()) << text;
    const Verdict verdict = (*validator)->Validate(*value);
    if (verdict == Verdict::kUnknown) continue;
    *valid_count += verdict == Verdict::kValid;
    ASSERT_EQ(normal.Accepts(text), verdict == Verdict::kValid) << text << "\n"
                                                                << normal.ToString();
  }
}

// Checks `count` schemas from the seed MASKLOOM_SEED on, or from 1, as far as they belong to this
// shard. check(i, &random, &valid) checks the one with number i.
template <typename Check>
void CheckSeeds(uint64_t count, const Check& check) {
  const Shard shard = CurrentShard();
  const char* first = std::getenv("MASKLOOM_SEED");
  const uint64_t start = first == nullptr ? 1 : std::strtoull(first, nullptr, 10);
  size_t valid = 0;
  for (uint64_t i = 0; i < count; ++i) {
    if (!shard.Has(i)) continue;
    std::mt19937_64 random(start + i);
    SCOPED_TRACE("seed " + std::to_string(start + i));
    check(i, &random, &valid);
    if (::testing::Test::HasFailure()) break;  // one is enough to look at
  }
  EXPECT_GT(valid, count / shard.count);
}

TEST(SchemaSemantics, NormalFormsOfRandomSchemasAgreeWithThePlainValidator) {
  CheckSeeds(IsLongRun() ? 20000 : 120, [](uint64_t i, std::mt19937_64* random, size_t* valid) {
    constexpr Draft kDrafts[] = {Draft::k2020, Draft::k2019, Draft::k7,
                                 Draft::k2020, Draft::k6,    Draft::k4};
    CheckSchema(suites::RandomFullSchema(kDrafts[i % 6], {.formats = kFormats}, random), random,
                valid);
  });
}

// Chains, with all budgets and with so few that most of them are counted and divided.
void CheckChains(uint32_t divisor) {
  CheckSeeds(IsLongRun() ? 10000 : 150, [&](uint64_t i, std::mt19937_64* random, size_t* valid) {
    constexpr Draft kDrafts[] = {Draft::k2020, Draft::k7, Draft::k2019, Draft::k7, Draft::k4};
    const std::string schema = suites::RandomChainSchema(kDrafts[i % 5], random);
    const ScopedBudgetDivisor small(divisor);
    CheckSchema(schema, random, valid);
  });
}

TEST(SchemaSemantics, NormalFormsOfChainsAgreeWithThePlainValidator) { CheckChains(1); }

TEST(SchemaSemantics, NormalFormsOfChainsWithFewCountersAgreeToo) { CheckChains(16); }

TEST(SchemaSemantics, NormalFormsOfShapesAgreeWithThePlainValidator) {
  CheckSeeds(IsLongRun() ? 10000 : 200, [](uint64_t, std::mt19937_64* random, size_t* valid) {
    CheckSchema(suites::RandomShapeSchema(random), random, valid);
  });
}

}  // namespace
}  // namespace maskloom
