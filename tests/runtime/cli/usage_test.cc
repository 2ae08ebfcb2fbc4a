// Options, help, exit statuses and messages that need no model.
#include <gtest/gtest.h>

#include <fstream>

#include "tests/runtime/cli/run_command.h"

namespace maskloom {
namespace {

bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(CommandLine, WrongUsageExitsWith3AndPointsToHelp) {
  CommandResult none = RunMaskloom({});
  EXPECT_EQ(none.exit_status, 3);
  EXPECT_EQ(none.out, "");
  EXPECT_TRUE(Contains(none.err, "Try 'maskloom --help'")) << none.err;
  CommandResult word = RunMaskloom({"paint"});
  EXPECT_EQ(word.exit_status, 3);
  EXPECT_TRUE(Contains(word.err, "there is no command \"paint\"; the commands are generate"))
      << word.err;
  CommandResult unknown = RunMaskloom({"check", "--nonsense"});
  EXPECT_EQ(unknown.exit_status, 3);
  EXPECT_TRUE(Contains(unknown.err, "Try 'maskloom check --help'")) << unknown.err;
  CommandResult number = RunMaskloom({"generate", "--top-k", "many"});
  EXPECT_EQ(number.exit_status, 3);
  EXPECT_TRUE(Contains(number.err, "--top-k = many: not a number that this option takes"))
      << number.err;
  EXPECT_EQ(RunMaskloom({"check"}).exit_status, 3);
  EXPECT_EQ(RunMaskloom({"check", "--regex", "a", "--schema", "x"}).exit_status, 3);
  EXPECT_EQ(RunMaskloom({"tokenize"}).exit_status, 3);
  EXPECT_EQ(RunMaskloom({"index", "--tokenizer", "x"}).exit_status, 3);
  EXPECT_EQ(RunMaskloom({"bench", "masks"}).exit_status, 3);
  EXPECT_EQ(RunMaskloom({"check", "--regex", "a", "--batch", "x"}).exit_status, 3);
}

TEST(CommandLine, HelpTeachesWithExamplesOnStdout) {
  for (const std::vector<std::string>& command :
       std::vector<std::vector<std::string>>{{"generate"},
                                             {"check"},
                                             {"explain"},
                                             {"index"},
                                             {"tokenize"},
                                             {"score"},
                                             {"bench", "masks"},
                                             {}}) {
    std::vector<std::string> arguments = command;
    arguments.push_back("--help");
    CommandResult help = RunMaskloom(arguments);
    EXPECT_EQ(help.exit_status, 0);
    EXPECT_TRUE(Contains(help.out, "Examples:\n  maskloom ")) << help.out;
    EXPECT_TRUE(Contains(help.out, "Exit status")) << help.out;
    EXPECT_EQ(help.err, "");
  }
  EXPECT_EQ(RunMaskloom({"--version"}).out, "maskloom 0.1.0\n");
}

TEST(CommandLine, ModelsThatCannotBeReadExitWith4AndAreNamedOnce) {
  std::string path = ::testing::TempDir() + "version.gguf";
  std::ofstream(path, std::ios::binary)
      << std::string("GGUF\x09\0\0\0", 8) << std::string(64, '\0');
  for (const std::vector<std::string>& command :
       std::vector<std::vector<std::string>>{{"tokenize", "--model", path, "a"},
                                             {"check", "--regex", "a", "--model", path},
                                             {"generate", "--regex", "a", "--model", path},
                                             {"score", "--model", path, "a"}}) {
    CommandResult result = RunMaskloom(command);
    EXPECT_EQ(result.exit_status, 4) << result.err;
    EXPECT_TRUE(Contains(result.err, "GGUF version 9 is not read")) << result.err;
    EXPECT_EQ(result.err.find(path), result.err.rfind(path)) << result.err;
  }
}

TEST(CommandLine, StyleValuesAreCheckedByName) {
  CommandResult result = RunMaskloom({"check", "--regex", "a", "--whitespace", "indent=x"});
  EXPECT_EQ(result.exit_status, 3);
  EXPECT_TRUE(Contains(result.err, "allowed are flexible, compact, spaced, indent=N"))
      << result.err;
  EXPECT_EQ(RunMaskloom({"check", "--regex", "a", "--max-digits", "0"}).exit_status, 3);
  EXPECT_EQ(RunMaskloom({"check", "--regex", "a", "--key-order", "sorted"}).exit_status, 3);
}

TEST(CommandLine, FilesThatCannotBeReadExitWith4AndAreNamed) {
  CommandResult missing = RunMaskloom({"check", "--schema", "/nonexistent/schema.json"});
  EXPECT_EQ(missing.exit_status, 4);
  EXPECT_TRUE(Contains(missing.err, "/nonexistent/schema.json")) << missing.err;
  CommandResult folder = RunMaskloom({"check", "--schema", "/tmp"});
  EXPECT_EQ(folder.exit_status, 4);
  EXPECT_TRUE(Contains(folder.err, "it is a directory")) << folder.err;
  EXPECT_EQ(RunMaskloom({"check", "--regex", "a", "/nonexistent/text"}).exit_status, 4);
  EXPECT_EQ(RunMaskloom({"check", "--batch", "/nonexistent/batch"}).exit_status, 4);
}

TEST(CommandLine, MissingModelSaysHowToGetOne) {
  CommandInput input;
  input.environment = {"XDG_CACHE_HOME=/nonexistent", "MASKLOOM_MODEL="};
  for (const char* command : {"generate", "tokenize", "score"}) {
    std::vector<std::string> arguments = {command};
    if (std::string(command) != "generate") arguments.push_back("text");
    CommandResult result = RunMaskloom(arguments, input);
    EXPECT_EQ(result.exit_status, 4) << command;
    EXPECT_TRUE(Contains(result.err, "./quickstart.sh")) << result.err;
    EXPECT_TRUE(Contains(result.err, "--model")) << result.err;
  }
}

TEST(CommandLine, DamagedModelExitsWith4) {
  std::string path = WriteTestFile("damaged.gguf", std::string("GGUF\3\0\0\0\xFF\xFF", 10));
  CommandResult result = RunMaskloom({"generate", "--model", path});
  EXPECT_EQ(result.exit_status, 4);
  EXPECT_TRUE(Contains(result.err, "damaged.gguf")) << result.err;
}

TEST(CommandLine, FullDiskExitsWith4) {
  CommandInput input;
  input.stdout_path = "/dev/full";
  CommandResult result = RunMaskloom({"check", "--regex", "a"}, input);
  EXPECT_EQ(result.exit_status, 4);
  EXPECT_TRUE(Contains(result.err, "cannot write to standard output")) << result.err;
}

TEST(Tokenize, GivesIdsBytesAndTheWayBack) {
  std::string tokenizer = WriteTestFile("tokenizer.json", TinyTokenizerJson());
  std::vector<std::string> base = {"tokenize", "--tokenizer", tokenizer};
  auto run = [&](std::vector<std::string> more, const std::string& text = "") {
    more.insert(more.begin(), base.begin(), base.end());
    CommandInput input;
    input.text = text;
    return RunMaskloom(more, input);
  };
  EXPECT_EQ(run({"abtrue!"}).out, "256 259 33\n");
  EXPECT_EQ(run({"--json", "ab!"}).out, "{\"ids\":[256,33],\"bytes\":[\"6162\",\"21\"]}\n");
  EXPECT_EQ(run({"-"}, "true").out, "259\n");
  EXPECT_EQ(run({"--special", "a<|im_end|>"}).out, "97 260\n");
  EXPECT_EQ(run({"--decode", "256,259 33"}).out, "abtrue!");
  EXPECT_EQ(run({"--decode", "97,260"}).out, "a");
  EXPECT_EQ(run({"--special", "--decode", "97,260"}).out, "a<|im_end|>");
  CommandResult beyond = run({"--decode", "97,999"});
  EXPECT_EQ(beyond.exit_status, 3);
  EXPECT_TRUE(Contains(beyond.err, "999 is beyond the vocabulary")) << beyond.err;
  EXPECT_EQ(run({"--decode", "97,x"}).exit_status, 3);
}

}  // namespace
}  // namespace maskloom
