// `maskloom compile`, --compiled and --cache.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/runtime/cli/run_command.h"

namespace maskloom {
namespace {

namespace fs = std::filesystem;

bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class Compile : public testing::Test {
 protected:
  const std::string tokenizer_ = WriteTestFile("compile_tokenizer.json", TinyTokenizerJson());
  const std::string schema_ =
      WriteTestFile("compile_schema.json",
                    R"({"type":"object","properties":{"a":{"enum":["xyz","b"]}},"required":["a"],
          "additionalProperties":false,"x-note":1})");
  const std::string compiled_ = WriteTestFile("compiled.grammar", "");
};

TEST_F(Compile, FilesServeInPlaceOfTheirDefinition) {
  const CommandResult made = RunMaskloom({"compile", "--schema", schema_, "--whitespace", "compact",
                                          "--tokenizer", tokenizer_, "-o", compiled_});
  ASSERT_EQ(made.exit_status, 0) << made.err;
  EXPECT_TRUE(Contains(made.out, "loaded in")) << made.out;
  EXPECT_TRUE(Contains(made.out, "all that were found")) << made.out;
  const std::string good = WriteTestFile("good.json", R"({"a":"xyz"})");
  const std::string bad = WriteTestFile("bad.json", R"({"a": "xyz"})");
  const auto check = [&](const std::string& text) {
    return RunMaskloom({"check", "--compiled", compiled_, "--tokenizer", tokenizer_, text});
  };
  EXPECT_EQ(check(good).exit_status, 0) << check(good).err;
  EXPECT_EQ(check(bad).exit_status, 1) << check(bad).err;
  const CommandResult report = RunMaskloom(
      {"check", "--compiled", compiled_, "--tokenizer", tokenizer_, "--report", "json"});
  EXPECT_EQ(report.exit_status, 0) << report.err;
  EXPECT_TRUE(Contains(report.out, "\"whitespace\":\"compact\"")) << report.out;
  EXPECT_TRUE(Contains(report.out, "/x-note")) << report.out;
}

TEST_F(Compile, FilesAreRefusedByName) {
  const auto check = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"check", "--compiled", compiled_});
    return RunMaskloom(arguments);
  };
  EXPECT_EQ(check({"--tokenizer", tokenizer_}).exit_status, 4) << "an empty file";
  ASSERT_EQ(RunMaskloom({"compile", "--regex", "a+", "--tokenizer", tokenizer_, "-o", compiled_})
                .exit_status,
            0);
  const CommandResult other = check({});
  EXPECT_EQ(other.exit_status, 4);
  EXPECT_TRUE(Contains(other.err, "another vocabulary")) << other.err;
  EXPECT_TRUE(Contains(other.err, compiled_)) << other.err;
  const CommandResult styled = check({"--tokenizer", tokenizer_, "--whitespace", "any"});
  EXPECT_EQ(styled.exit_status, 3) << styled.err;
  EXPECT_EQ(check({"--tokenizer", tokenizer_, "--schema", schema_}).exit_status, 3);
  EXPECT_EQ(RunMaskloom({"compile", "--tokenizer", tokenizer_, "-o", compiled_}).exit_status, 3);
  EXPECT_EQ(RunMaskloom({"compile", "--regex", "(", "--tokenizer", tokenizer_, "-o", compiled_})
                .exit_status,
            2);
}

TEST_F(Compile, CachesKeepWhatWasCompiled) {
  const fs::path folder = fs::path(schema_).parent_path() / "compile_cache";
  fs::remove_all(folder);
  const std::string good = WriteTestFile("cached.json", R"({"a":"xyz"})");
  for (int i = 0; i < 2; ++i) {
    const CommandResult result = RunMaskloom({"check", "--schema", schema_, "--cache",
                                              folder.string(), "--tokenizer", tokenizer_, good});
    EXPECT_EQ(result.exit_status, 0) << result.err;
    EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()), 1);
  }
  EXPECT_EQ(
      RunMaskloom({"check", "--schema", schema_, "--cache", schema_, "--tokenizer", tokenizer_})
          .exit_status,
      4);
  fs::remove_all(folder);
}

}  // namespace
}  // namespace maskloom
