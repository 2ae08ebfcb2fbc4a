// What the benches compute from measurements.
#include "runtime/cli/bench_summary.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "runtime/cli/bench_percentiles.h"
#include "runtime/cli/made_up_vocabulary.h"
#include "runtime/cli/state_kind.h"
#include "runtime/engine/compile_definition.h"

namespace maskloom::cli {
namespace {

MaskBenchRow OkRow(const std::string& file, std::vector<double> tbm_us, double ttfm_us) {
  MaskBenchRow row;
  row.file = file;
  row.status = "ok";
  row.compile_us = 1;
  row.ttfm_us = ttfm_us;
  row.kinds = std::string(tbm_us.size(), 'A');
  row.tests = {{true, true, tbm_us.size(), tbm_us.size()}};
  row.tbm_us = std::move(tbm_us);
  return row;
}

const Percentiles& Figure(const BenchSummary& summary, const std::string& name) {
  static const Percentiles none;
  for (const Percentiles& figure : summary.figures) {
    if (figure.name == name) return figure;
  }
  return none;
}

TEST(BenchPercentiles, AreNearestRanks) {
  std::vector<double> values;
  for (int i = 1000; i >= 1; --i) values.push_back(i);
  const Percentiles percentiles = PercentilesOf("x", values);
  EXPECT_EQ(percentiles.count, 1000u);
  EXPECT_EQ(percentiles.p50, 500);
  EXPECT_EQ(percentiles.p90, 900);
  EXPECT_EQ(percentiles.p99, 990);
  EXPECT_EQ(percentiles.p999, 999);
  EXPECT_EQ(percentiles.p9999, 1000);
  EXPECT_EQ(percentiles.max, 1000);
  EXPECT_EQ(PercentilesOf("none", {}).count, 0u);
}

TEST(BenchSummary, BestOfThreeReplacesASlowFirstMeasurement) {
  MaskBenchResults results;
  results.rows = {OkRow("a---1.json", {1, 500, 2}, 900), OkRow("a---2.json", {3, 3, 3}, 4)};
  RetimedMask mask;
  mask.file = "a---1.json";
  mask.token = 1;
  mask.kind = 'A';
  mask.us = {500, 7, 8};
  RetimedMask start;
  start.file = "a---1.json";
  start.us = {900, 60, 70};
  results.retimed = {mask, start};
  const BenchSummary summary = Summarize(results);
  EXPECT_EQ(Figure(summary, "mask and accept, cold").max, 7);
  EXPECT_EQ(Figure(summary, "time to first mask").max, 60);
  ASSERT_EQ(summary.worst.size(), 1u);
  EXPECT_EQ(summary.worst[0].best_us(), 7);
}

TEST(BenchSummary, FamiliesAreWhatFileNamesBeginWith) {
  MaskBenchResults results;
  results.rows = {OkRow("Github_easy---o1.json", {1}, 1), OkRow("Github_easy---o2.json", {1}, 1),
                  OkRow("BFCL_java_11.json", {9}, 1)};
  const BenchSummary summary = Summarize(results);
  ASSERT_EQ(summary.families.size(), 2u);
  EXPECT_EQ(summary.families[0].name, "BFCL_java");
  EXPECT_EQ(summary.families[1].name, "Github_easy");
  EXPECT_EQ(summary.families[1].count, 2u);
}

TEST(BenchSummary, TheSlowestAreTimedAgain) {
  std::vector<double> times(100000, 1);
  times[77] = 50;  // alone above p99.9, so the 50 slowest are taken: it and none of the equal ones
  MaskBenchResults results;
  results.rows = {OkRow("a.json", times, 3), OkRow("b.json", {1}, 3)};
  const std::vector<RetimeRequest> requests = SelectWorst(results, {"dir/a.json", "dir/b.json"});
  ASSERT_EQ(requests.size(), 2u);  // of few files all starts
  EXPECT_EQ(requests[0].path, "dir/a.json");
  ASSERT_EQ(requests[0].masks.size(), 1u);
  EXPECT_EQ(requests[0].masks[0].token, 77u);
  EXPECT_EQ(requests[0].masks[0].us, std::vector<double>{50});
  EXPECT_EQ(requests[1].masks.size(), 0u);
  EXPECT_EQ(requests[1].first_us, std::vector<double>{3});
}

TEST(StateKind, TellsPlacesApart) {
  auto vocabulary = MakeUpVocabulary(2000, {});
  ASSERT_TRUE(vocabulary.ok());
  auto index = VocabularyIndex::Build(std::move(*vocabulary));
  const DefinitionOptions options;
  auto compiled = CompileDefinition(
      DefinitionKind::kJsonSchema,
      R"({"properties":{"code":{"type":"string","pattern":"^[A-Z]+$"},"name":{"type":"string"},
          "size":{"type":"number"},"flag":{"type":"boolean"},"closed":{"type":"object",
          "properties":{"a":{}},"additionalProperties":false}},"type":"object"})",
      options, index);
  ASSERT_TRUE(compiled.ok());
  const auto kind_after = [&](const std::string& text) {
    Matcher matcher(compiled->grammar);
    EXPECT_EQ(matcher.AcceptBytes(text), text.size());
    return std::string(StateKindName(StateKindOf(matcher)));
  };
  EXPECT_EQ(kind_after("{"), "structure");
  EXPECT_EQ(kind_after("{\"x"), "key, any text");
  EXPECT_EQ(kind_after("{\"closed\":{\""), "key, declared or automaton");
  EXPECT_EQ(kind_after("{\"name\":"), "before a value");
  EXPECT_EQ(kind_after("{\"name\":\"x"), "string, any text");
  EXPECT_EQ(kind_after("{\"code\":\"X"), "string, automaton");
  EXPECT_EQ(kind_after("{\"size\":1"), "number");
  EXPECT_EQ(kind_after("{\"flag\":t"), "literal");
  EXPECT_EQ(kind_after("{}"), "end");
}

TEST(MadeUpVocabulary, CutsTextsIntoItsLongestTokens) {
  auto vocabulary = MakeUpVocabulary(5000, {"the longest piece of this text"});
  ASSERT_TRUE(vocabulary.ok());
  EXPECT_EQ(vocabulary->size(), 5000u);
  auto index = VocabularyIndex::Build(std::move(*vocabulary));
  const std::string text = "the longest piece, and \xC3\xA9";
  std::string joined;
  const std::vector<TokenId> ids = CutIntoLongest(*index, text);
  for (TokenId id : ids) joined += index->vocabulary().bytes(id);
  EXPECT_EQ(joined, text);
  EXPECT_LT(ids.size(), text.size());
}

}  // namespace
}  // namespace maskloom::cli
