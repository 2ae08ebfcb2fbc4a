// The judge's readers on corpora: JSONTestSuite for JSON, MaskBench for whole schemas.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tests/judge/plain_validator.h"
#include "tests/suites/data_folder.h"
#include "tests/support/long_suite.h"

namespace maskloom::suites {
namespace {

namespace fs = std::filesystem;

using judge::JsonTree;
using judge::ParseJsonTree;
using judge::PlainOptions;
using judge::PlainValidator;
using judge::ToJsonText;
using judge::Verdict;

std::string ReadFile(const fs::path& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

TEST(JudgeCorpora, JsonIsReadAsRfc8259Says) {
  TemporaryFolder folder;
  Status unpacked = UnpackSuite("nst-json-test-suite", folder);
  if (!unpacked.ok()) GTEST_SKIP() << unpacked.ToString();
  size_t files = 0;
  for (const fs::path& path : JsonFilesBelow(folder.path() / "nst-json-test-suite/test_parsing")) {
    char kind = path.filename().string()[0];
    if (kind == 'i') continue;
    EXPECT_EQ(ParseJsonTree(ReadFile(path)).ok(), kind == 'y') << path.filename();
    ++files;
  }
  EXPECT_GT(files, 280u);
}

TEST(JudgeCorpora, MaskBenchIsJudgedAsItSays) {
  TemporaryFolder folder;
  Status unpacked = UnpackSuite("maskbench-dev", folder);
  if (!unpacked.ok()) GTEST_SKIP() << unpacked.ToString();
  size_t number = 0;
  size_t texts = 0;
  size_t unknown = 0;
  for (const fs::path& path : JsonFilesBelow(folder.path())) {
    if (!IsLongRun() && number++ % 10 != 0) continue;
    std::string name = path.filename().string();
    auto file = ParseJsonTree(ReadFile(path));
    if (!file.ok() || file->Find(U"schema") == nullptr) continue;
    PlainOptions options;
    options.assert_formats = true;
    auto validator = PlainValidator::Create(ToJsonText(*file->Find(U"schema")), options);
    ASSERT_TRUE(validator.ok()) << name;
    for (const JsonTree& test : file->Find(U"tests")->items) {
      Verdict verdict = (*validator)->Validate(*test.Find(U"data"));
      ++texts;
      if (verdict == Verdict::kUnknown) {  // formats, references that lead nowhere
        ++unknown;
        continue;
      }
      bool labelled = test.Find(U"valid")->kind == JsonTree::Kind::kTrue;
      EXPECT_EQ(verdict == Verdict::kValid, labelled)
          << name << " " << ToJsonText(*test.Find(U"data")).substr(0, 300);
    }
  }
  std::printf("%zu texts, %zu not judged\n", texts, unknown);
  EXPECT_LE(unknown, texts / 50);
}

}  // namespace
}  // namespace maskloom::suites
