// MaskBench: no valid instance is rejected, no invalid one accepted, and all compiles but for what
// a list names. The fixed sample of 1,000 files here, all 9,004 in the long suite.
#include <gtest/gtest.h>

#include <fstream>

#include "runtime/matcher.h"
#include "tests/suites/data_folder.h"
#include "tests/suites/definition_case.h"
#include "tests/suites/property_walk.h"
#include "tests/suites/refusal_list.h"
#include "tests/suites/vocabularies.h"
#include "tests/support/long_suite.h"
#include "tests/support/shared_data.h"

namespace maskloom::suites {
namespace {

// Its file says draft-04, where 12345.0 is no integer, and is tested as a later draft.
constexpr const char* kDraftMistaken = "Github_easy---o24544.json";

std::vector<std::string> SampleNames() {
  std::vector<std::string> names;
  std::ifstream in(*SharedDataDir() + "/compare/sample-dev-1000.txt");
  for (std::string line; std::getline(in, line);) {
    if (!line.empty()) names.push_back(line.substr(line.find_last_of('/') + 1));
  }
  return names;
}

bool AcceptsBytes(Matcher* matcher, const std::string& text) {
  matcher->Reset();
  return matcher->AcceptBytes(text) == text.size() && matcher->IsAccepting();
}

// As an engine would use it: token by token, by the mask.
bool AcceptsTokens(Matcher* matcher, const std::vector<TokenId>& tokens) {
  matcher->Reset();
  std::vector<uint32_t> row(matcher->grammar().vocabulary().row_words());
  for (TokenId token : tokens) {
    matcher->FillMask(row.data());
    bool allowed = (row[token / 32] >> (token % 32) & 1) != 0;
    EXPECT_EQ(matcher->Accept(token), allowed);
    if (!allowed) return false;
  }
  return matcher->IsAccepting();
}

struct Tally {
  size_t compiled = 0;
  size_t refused = 0;
  size_t texts = 0;
};

// What nothing satisfies rejects all that the file says about it.
void ExpectNothingValid(const DefinitionCase& one, const Status& status) {
  if (status.code() != StatusCode::kUnsatisfiable) return;
  for (const CaseText& text : one.texts) {
    EXPECT_FALSE(text.valid) << status.ToString() << text.text.substr(0, 2000);
  }
}

// Of a thousand files five may be refused.
void ExpectNearlyAllCompile(const Tally& tally) {
  EXPECT_GE(tally.compiled * 1000, (tally.compiled + tally.refused) * 995);
  std::printf("%zu compiled, %zu refused, %zu texts\n", tally.compiled, tally.refused, tally.texts);
}

TEST(MaskBench, SampleIsJudgedAsItSays) {
  if (!SharedDataDir()) GTEST_SKIP() << "no shared data (set MASKLOOM_SHARED)";
  TemporaryFolder folder;
  Status unpacked = UnpackSuite("maskbench-dev", folder);
  if (!unpacked.ok()) GTEST_SKIP() << unpacked.ToString();
  RefusalList expected("maskbench_refusals.txt");
  auto bytes = VocabularyIndex::Bytes();
  Tally tally;
  for (const std::string& name : SampleNames()) {
    SCOPED_TRACE(name);
    auto one = ReadMaskBenchCase((folder.path() / name).string());
    ASSERT_TRUE(one.ok()) << one.status().ToString();
    auto grammar = Compile(*one, bytes);
    if (!grammar.ok()) {
      ++tally.refused;
      EXPECT_EQ(expected.Refused(name, grammar.status().message()), "");
      ExpectNothingValid(*one, grammar.status());
      continue;
    }
    ++tally.compiled;
    EXPECT_EQ(expected.Compiled(name), "");
    Matcher matcher(*grammar);
    for (const CaseText& text : one->texts) {
      ++tally.texts;
      if (name == kDraftMistaken) continue;
      EXPECT_EQ(AcceptsBytes(&matcher, text.text), text.valid) << text.text.substr(0, 2000);
    }
  }
  ExpectNearlyAllCompile(tally);
}

TEST(MaskBench, FilesAreJudgedAsTheySayByTokens) {
  if (!SharedDataDir()) GTEST_SKIP() << "no shared data (set MASKLOOM_SHARED)";
  TemporaryFolder folder;
  Status unpacked = UnpackSuite("maskbench-dev", folder);
  if (!unpacked.ok()) GTEST_SKIP() << unpacked.ToString();
  auto vocabulary = RealVocabulary("llama3_1");
  if (!vocabulary.ok()) GTEST_SKIP() << vocabulary.status().ToString();
  auto paths = JsonFilesBelow(folder.path());
  Shard shard = CurrentShard();
  constexpr size_t kSampleStep = 60;
  RefusalList expected("maskbench_refusals.txt");
  Tally tally;
  for (size_t i = 0; i < paths.size(); ++i) {
    if (IsLongRun() ? !shard.Has(i) : i % kSampleStep != 0) continue;
    auto one = ReadMaskBenchCase(paths[i].string());
    ASSERT_TRUE(one.ok()) << one.status().ToString();
    SCOPED_TRACE(one->name);
    auto grammar = Compile(*one, vocabulary->index);
    if (!grammar.ok()) {
      ++tally.refused;
      EXPECT_EQ(expected.Refused(one->name, grammar.status().message()), "");
      ExpectNothingValid(*one, grammar.status());
      continue;
    }
    ++tally.compiled;
    EXPECT_EQ(expected.Compiled(one->name), "");
    Matcher matcher(*grammar);
    for (const CaseText& text : one->texts) {
      ++tally.texts;
      if (one->name == kDraftMistaken) continue;
      EXPECT_EQ(AcceptsTokens(&matcher, vocabulary->tokenizer->Encode(text.text)), text.valid)
          << text.text.substr(0, 2000);
    }
  }
  if (IsLongRun() && shard.count == 1) {
    EXPECT_TRUE(expected.Unused().empty());
  }
  ExpectNearlyAllCompile(tally);
}

}  // namespace
}  // namespace maskloom::suites
