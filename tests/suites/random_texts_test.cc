// Texts from random logits over all of schemas/: whatever is chosen among the allowed tokens, the
// text is valid. Some 300 texts here, judged by the slow recogniser; ten thousand in the long
// suite, where `jsonschema` from PyPI judges them as well.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <fstream>

#include "runtime/cli/json_reader.h"
#include "tests/suites/data_folder.h"
#include "tests/suites/definition_case.h"
#include "tests/suites/property_walk.h"
#include "tests/suites/random_text.h"
#include "tests/suites/vocabularies.h"
#include "tests/support/long_suite.h"

namespace maskloom::suites {
namespace {

constexpr size_t kMaxTokens = 300;

// Writes `per_schema` texts for every schema and has the judge read them. `lines` takes them as
// JSON lines {"schema","text"}.
void RunTexts(const TestVocabulary& vocabulary, size_t per_schema, std::ostream* lines) {
  Shard shard = CurrentShard();
  size_t finished = 0;
  size_t written = 0;
  for (const DefinitionCase& one : SchemaFolderCases()) {
    SCOPED_TRACE(one.name);
    auto grammar = Compile(one, vocabulary.index);
    ASSERT_TRUE(grammar.ok()) << grammar.status().ToString();
    auto judge = MakeJudge(one, vocabulary.trie->SingleBytes());
    ASSERT_TRUE(judge.ok()) << judge.status().ToString();
    judge::State start = (*judge)->Start();
    judge::State mark = (*judge)->StateCount();
    for (size_t i = 0; i < per_schema; ++i) {
      if (!shard.Has(i)) continue;
      std::mt19937_64 random(i * 7919 + 13);
      // The highest id is the same text every time, unless it begins with a few random tokens.
      RandomText text =
          i % 2 == 0 ? WriteRandomText(*grammar, Chooser::kUniform, kMaxTokens, &random)
                     : WriteRandomText(*grammar, Chooser::kHighestId, kMaxTokens, &random, i / 2);
      ++written;
      finished += text.finished ? 1 : 0;
      ASSERT_EQ(text.complaint, "") << Readable(text.text);
      judge::State end = (*judge)->Walk(start, text.text);
      ASSERT_TRUE(end != judge::kDead && (*judge)->Accepting(end))
          << "text " << i << ": " << Readable(text.text);
      (*judge)->ForgetFrom(mark);
      if (lines == nullptr) continue;
      std::string line = "{\"schema\":";
      cli::AppendJsonString(one.name, &line);
      line += ",\"text\":";
      cli::AppendJsonString(text.text, &line);
      *lines << line << "}\n";
    }
  }
  std::printf("%s: %zu texts, %zu ended before %zu tokens\n", vocabulary.name.c_str(), written,
              finished, kMaxTokens);
}

TEST(RandomTexts, AreValidWithEveryShortTokenOverTheBytesThatMatter) {
  RunTexts(SyntheticVocabulary(true), IsLongRun() ? 70 : 4, nullptr);
}

TEST(RandomTexts, AreValidWithARealVocabulary) {
  auto vocabulary = RealVocabulary("smollm2");
  if (!vocabulary.ok()) vocabulary = RealVocabulary("llama3_1");
  if (!vocabulary.ok()) GTEST_SKIP() << vocabulary.status().ToString();
  RunTexts(*vocabulary, IsLongRun() ? 70 : 4, nullptr);
}

TEST(RandomTexts, AreValidForJsonschema) {
  auto vocabulary = RealVocabulary("smollm2");
  TestVocabulary synthetic = SyntheticVocabulary(true);
  TemporaryFolder folder;
  std::string path = (folder.path() / "texts.jsonl").string();
  std::ofstream lines(path);
  RunTexts(synthetic, IsLongRun() ? 140 : 1, &lines);
  if (vocabulary.ok()) RunTexts(*vocabulary, IsLongRun() ? 140 : 1, &lines);
  lines.close();
  if (!IsLongRun()) GTEST_SKIP() << "jsonschema judges in the long suite (MASKLOOM_LONG=1)";
  std::string command = "python3 " MASKLOOM_SOURCE_ROOT "/tests/suites/validate_texts.py " +
                        std::string(MASKLOOM_SOURCE_ROOT "/schemas ") + path;
  int status = std::system(command.c_str());
  ASSERT_TRUE(WIFEXITED(status));
  constexpr int kNotInstalled = 77;
  if (WEXITSTATUS(status) == kNotInstalled) GTEST_SKIP() << "jsonschema cannot be installed";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace maskloom::suites
