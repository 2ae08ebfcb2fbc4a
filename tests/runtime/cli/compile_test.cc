// `maskloom compile`, --compiled and --cache.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>

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

  CommandResult RunCompile(std::vector<std::string> arguments, const CommandInput& input = {}) {
    arguments.insert(arguments.begin(), {"compile", "--tokenizer", tokenizer_});
    return RunMaskloom(arguments, input);
  }
  // The files beside the one that is compiled whose names begin as its does.
  size_t FilesBeside() const {
    const fs::path own(compiled_);
    size_t count = 0;
    for (const auto& entry : fs::directory_iterator(own.parent_path())) {
      count += entry.path().filename().string().starts_with(own.filename().string());
    }
    return count - 1;
  }
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
  EXPECT_TRUE(Contains(other.err, "without --tokenizer or --model")) << other.err;
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
  const CommandResult file =
      RunMaskloom({"check", "--schema", schema_, "--cache", schema_, "--tokenizer", tokenizer_});
  EXPECT_EQ(file.exit_status, 4);
  EXPECT_TRUE(Contains(file.err, schema_ + ": is a file, not a folder")) << file.err;
  const CommandResult nameless = RunMaskloom({"check", "--schema", schema_, "--cache", ""});
  EXPECT_EQ(nameless.exit_status, 3);
  EXPECT_TRUE(Contains(nameless.err, "--cache names no folder")) << nameless.err;
  fs::remove_all(folder);
}

TEST_F(Compile, BatchesUseTheCache) {
  const fs::path folder = fs::path(schema_).parent_path() / "batch_cache";
  fs::remove_all(folder);
  CommandInput input;
  input.text = R"({"kind":"regex","definition":"a+","texts":["aa","b"]}
{"kind":"regex","definition":"(","texts":["aa"]}
{"kind":"ebnf","definition":"root ::= \"x\"","texts":["x"]}
{"kind":"regex","definition":"a+","texts":["a"]}
)";
  std::string answers;
  for (int i = 0; i < 2; ++i) {
    const CommandResult result =
        RunMaskloom({"check", "--batch", "-", "--cache", folder.string()}, input);
    EXPECT_EQ(result.exit_status, 0) << result.err;
    EXPECT_TRUE(i == 0 || result.out == answers) << result.out;
    answers = result.out;
    EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()), 2);
  }
  EXPECT_TRUE(Contains(answers, R"("accepted":[true,false])")) << answers;
  EXPECT_EQ(RunMaskloom({"check", "--batch", "-", "--trim"}, input).exit_status, 3);
  fs::remove_all(folder);
}

TEST_F(Compile, RefusesAtOnceWhatCannotBeWritten) {
  const auto refuses = [&](const std::string& out, int exit_status, const std::string& words) {
    const CommandResult result = RunCompile({"--regex", "a+", "-o", out});
    EXPECT_EQ(result.exit_status, exit_status) << result.err;
    EXPECT_TRUE(Contains(result.err, words)) << result.err;
    EXPECT_EQ(RunMaskloom({"index", "--tokenizer", tokenizer_, "-o", out}).exit_status,
              exit_status);
  };
  refuses("", 3, "the name of the file to write is empty");
  refuses("-", 3, "./-");
  refuses("/dev/null", 4, "not a regular file");
  refuses(compiled_ + "/below", 4, "Not a directory");
  const CommandResult own = RunCompile({"--schema", schema_, "-o", schema_});
  EXPECT_EQ(own.exit_status, 3);
  EXPECT_TRUE(Contains(own.err, "is what is read")) << own.err;
  // Before anything is read or compiled.
  const CommandResult early =
      RunMaskloom({"compile", "--regex", "(", "--tokenizer", "no/tokenizer", "-o", "no/folder/x"});
  EXPECT_TRUE(Contains(early.err, "no/folder/x: cannot be written in this folder")) << early.err;
}

TEST_F(Compile, WritesWhatALinkLeadsTo) {
  const std::string link = compiled_ + "-link";
  fs::remove(link);
  fs::create_symlink(compiled_, link);
  ASSERT_EQ(RunCompile({"--regex", "a+", "-o", link}).exit_status, 0);
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_GT(fs::file_size(compiled_), 0u);
  fs::remove(link);
}

TEST_F(Compile, OptionsThatDoNotApplyAreRefused) {
  for (const char* command : {"compile", "check"}) {
    std::vector<std::string> arguments = {command, "--regex", "a+", "--max-blanks", "3"};
    if (std::string(command) == "compile") arguments.insert(arguments.end(), {"-o", compiled_});
    const CommandResult result = RunMaskloom(arguments);
    EXPECT_EQ(result.exit_status, 3) << result.err;
    EXPECT_TRUE(Contains(result.err, "--max-blanks says how a schema is read; a regex takes no"))
        << result.err;
  }
  EXPECT_EQ(RunMaskloom({"check", "--compiled", ""}).exit_status, 3);
  const CommandResult budget = RunCompile({"--regex", "a", "-o", compiled_, "--budget-ms", "much"});
  EXPECT_EQ(budget.exit_status, 3);
  EXPECT_TRUE(Contains(budget.err, "not in range 0 to 86400000")) << budget.err;
}

TEST_F(Compile, AnInterruptWritesNothingAndExitsWith130) {
  CommandInput input;
  input.while_running = [](int pid, const std::string&) {
    const timespec pause = {0, 300'000'000};
    ::nanosleep(&pause, nullptr);
    ::kill(pid, SIGINT);
  };
  // Masks without end, so that the budget would last.
  const CommandResult result =
      RunCompile({"--schema", WriteTestFile("any.json", R"({"anyOf":[
      {"type":"array","uniqueItems":true,"items":{"pattern":"^([a-z]{1,9}-[0-9]{1,9}){1,9}$"}},
      {"type":"object","additionalProperties":{"pattern":"^([0-9a-f]{2}:){1,500}[0-9]$"}}]})"),
                  "--budget-ms", "60000", "--budget-mb", "100000", "-o", compiled_},
                 input);
  EXPECT_EQ(result.exit_status, 130) << result.out << result.err;
  EXPECT_TRUE(Contains(result.err, "interrupted; ")) << result.err;
  EXPECT_EQ(fs::file_size(compiled_), 0u) << "as it was";
  EXPECT_EQ(FilesBeside(), 0u);
}

TEST_F(Compile, BeyondTheLimitOnSizesOfFilesIsAnErrorWithAMessage) {
  CommandInput input;
  input.file_size_limit = 2000;
  const CommandResult result = RunCompile({"--schema", schema_, "-o", compiled_}, input);
  EXPECT_EQ(result.exit_status, 4) << result.err;
  EXPECT_TRUE(Contains(result.err, "File too large")) << result.err;
  EXPECT_EQ(fs::file_size(compiled_), 0u) << "as it was";
  EXPECT_EQ(FilesBeside(), 0u);
  const fs::path folder = fs::path(schema_).parent_path() / "limited_cache";
  input.file_size_limit = 500;
  const std::string good = WriteTestFile("limited.json", R"({"a":"xyz"})");
  const CommandResult cached =
      RunMaskloom({"check", "--schema", schema_, "--cache", folder.string(), good}, input);
  EXPECT_EQ(cached.exit_status, 0) << cached.err;
  EXPECT_TRUE(Contains(cached.err, "the cache cannot be written")) << cached.err;
  fs::remove_all(folder);
}

TEST_F(Compile, RemovesWhatAKilledOneLeft) {
  const pid_t dead = ::fork();
  if (dead == 0) ::_exit(0);
  ::waitpid(dead, nullptr, 0);
  const std::string left = compiled_ + ".part-" + std::to_string(dead) + "-0";
  std::ofstream(left) << "half";
  fs::last_write_time(left, fs::file_time_type::clock::now() - std::chrono::minutes(5));
  ASSERT_EQ(RunCompile({"--regex", "a+", "-o", compiled_}).exit_status, 0);
  EXPECT_FALSE(fs::exists(left));
}

}  // namespace
}  // namespace maskloom
