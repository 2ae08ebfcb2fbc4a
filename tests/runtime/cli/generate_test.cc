// `maskloom generate` and `maskloom score` on the real model, where it is at hand.
#include <gtest/gtest.h>
#include <signal.h>
#include <time.h>

#include <algorithm>

#include "tests/runtime/cli/run_command.h"
#include "tests/support/shared_data.h"

namespace maskloom {
namespace {

constexpr char kPerson[] =
    R"({"type":"object","properties":{"name":{"type":"string","maxLength":20},)"
    R"("age":{"type":"integer","minimum":0,"maximum":120}},"required":["name","age"],)"
    R"("additionalProperties":false})";

bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

size_t CountLines(const std::string& text) {
  return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
}

class ModelTest : public testing::Test {
 protected:
  void SetUp() override {
    std::optional<std::string> path = ModelPath();
    if (!path) GTEST_SKIP() << "the model file is not at hand; ./quickstart.sh fetches it";
    model_ = *path;
  }

  CommandResult Generate(std::vector<std::string> arguments, CommandInput input = {}) {
    arguments.insert(arguments.begin(), {"generate", "--model", model_});
    return RunMaskloom(arguments, input);
  }

  std::string model_;
};

TEST_F(ModelTest, GeneratedTextMatchesTheSchema) {
  std::string schema = WriteTestFile("person.json", kPerson);
  CommandResult result = Generate({"--schema", schema, "--stats", "--max-tokens", "200"});
  ASSERT_EQ(result.exit_status, 0) << result.err;
  std::string text = WriteTestFile("answer.json", result.out);
  EXPECT_EQ(RunMaskloom({"check", "--schema", schema, "--trim", text}).out, "accepted\n")
      << result.out;
  for (const char* figure : {"tokens/s", "time to first mask", "time per mask", "forced"}) {
    EXPECT_TRUE(Contains(result.err, figure)) << result.err;
  }
}

TEST_F(ModelTest, TraceHasOneLineATokenAndDoesNotChangeTheText) {
  std::string schema = WriteTestFile("person.json", kPerson);
  std::string trace = WriteTestFile("trace.jsonl", "");
  std::vector<std::string> arguments = {"--schema", schema, "--seed", "7", "--max-tokens", "200"};
  CommandResult plain = Generate(arguments);
  arguments.insert(arguments.end(), {"--trace", trace});
  CommandResult traced = Generate(arguments);
  EXPECT_EQ(plain.out, traced.out);
  std::string lines = ReadTestFile(trace);
  EXPECT_GT(CountLines(lines), 5u);
  for (const char* key : {"\"id\":", "\"bytes\":\"", "\"allowed\":", "\"base\":", "\"exceptions\":",
                          "\"entropy\":", "\"removed_mass\":", "\"mask_us\":", "\"forward_us\":"}) {
    EXPECT_TRUE(Contains(lines, key)) << key;
  }
}

TEST_F(ModelTest, MasksMadeAheadAndCachesDoNotChangeTheText) {
  std::string schema = WriteTestFile("person.json", kPerson);
  std::string cache = schema.substr(0, schema.find_last_of('/')) + "/generate_cache";
  std::string compiled = WriteTestFile("person.grammar", "");
  std::vector<std::string> source = {"--schema", schema};
  std::vector<std::string> arguments = {"--seed",       "7",  "--prompt", "A sailor.",
                                        "--max-tokens", "200"};
  const auto generate = [&](std::vector<std::string> more) {
    more.insert(more.end(), source.begin(), source.end());
    more.insert(more.end(), arguments.begin(), arguments.end());
    CommandResult result = Generate(more);
    EXPECT_EQ(result.exit_status, 0) << result.err;
    return result.out;
  };
  const std::string plain = generate({});
  EXPECT_EQ(generate({"--ahead"}), plain);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(generate({"--ahead", "--cache", cache}), plain);
  ASSERT_EQ(
      RunMaskloom({"compile", "--schema", schema, "--model", model_, "-o", compiled}).exit_status,
      0);
  source = {"--compiled", compiled};
  EXPECT_EQ(generate({}), plain);
  EXPECT_EQ(generate({"--ahead"}), plain);
  EXPECT_EQ(Generate({"--ahead", "--prompt", "x"}).exit_status, 3);
}

TEST_F(ModelTest, MaxTokensExitsWith5AndKeepsWhatWasWritten) {
  CommandResult result = Generate({"--regex", "[a-z]{100}", "--max-tokens", "3"});
  EXPECT_EQ(result.exit_status, 5) << result.err;
  EXPECT_GT(result.out.size(), 3u);
  EXPECT_TRUE(Contains(result.err, "--max-tokens is reached")) << result.err;
}

TEST_F(ModelTest, FullDiskBehindTraceExitsWith4AndKeepsTheText) {
  CommandResult result =
      Generate({"--regex", "[a-z]{100}", "--max-tokens", "30", "--trace", "/dev/full"});
  EXPECT_EQ(result.exit_status, 4);
  EXPECT_TRUE(Contains(result.err, "cannot write to /dev/full")) << result.err;
  EXPECT_GT(result.out.size(), 1u);
}

TEST_F(ModelTest, InterruptExitsWith130AndEndsTheLine) {
  CommandInput input;
  input.while_running = [](int pid, const std::string& out) {
    timespec pause = {0, 20000000};
    for (int i = 0; i < 3000 && ReadTestFile(out).size() < 5; ++i) ::nanosleep(&pause, nullptr);
    ::kill(pid, SIGINT);
  };
  CommandResult result = Generate({"--regex", "[a-z ]{6000}", "--max-tokens", "7000"}, input);
  EXPECT_EQ(result.exit_status, 130) << result.err;
  EXPECT_TRUE(Contains(result.err, "interrupted after")) << result.err;
  EXPECT_TRUE(result.out.ends_with('\n'));
}

TEST_F(ModelTest, FreeTextNeedsNoDefinition) {
  CommandResult result = Generate({"--prompt", "Say hello.", "--temperature", "0"});
  EXPECT_EQ(result.exit_status, 0) << result.err;
  EXPECT_GT(result.out.size(), 3u);
}

TEST_F(ModelTest, PromptBeyondTheContextIsRefused) {
  CommandInput input;
  for (int i = 0; i < 9000; ++i) input.text += "word ";
  CommandResult result = Generate({"--prompt", "-"}, input);
  EXPECT_EQ(result.exit_status, 3);
  EXPECT_TRUE(Contains(result.err, "the model's context holds 8192")) << result.err;
}

TEST_F(ModelTest, SamplingOptionsOutOfRangeAreNamed) {
  CommandResult result = Generate({"--regex", "a", "--top-p", "1.5"});
  EXPECT_EQ(result.exit_status, 3);
  EXPECT_TRUE(Contains(result.err, "top_p is 1.5")) << result.err;
}

TEST_F(ModelTest, ScoreHasALineATokenAndThePerplexity) {
  CommandResult result = RunMaskloom({"score", "--model", model_, "--top", "2", "Hello world"});
  EXPECT_EQ(result.exit_status, 0) << result.err;
  EXPECT_EQ(CountLines(result.out), 3u) << result.out;
  EXPECT_TRUE(
      result.out.starts_with(R"({"id":19556,"bytes":"48656c6c6f","logprob":null,"logsumexp":)"))
      << result.out;
  EXPECT_TRUE(Contains(result.out, "\"perplexity\":")) << result.out;
  EXPECT_EQ(RunMaskloom({"score", "--model", model_, "--ids", "19556,905"}).exit_status, 0);
}

}  // namespace
}  // namespace maskloom
