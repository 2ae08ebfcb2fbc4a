// bench_logits as a script would run it: a line of JSON a case, and a clear end where it cannot
// answer.
#include <gtest/gtest.h>

#include <regex>
#include <string>
#include <vector>

#include "tests/bench/run_bench.h"

namespace maskloom {
namespace {

// What a line looks like, with patterns of its measured fields.
std::string LineOf(const std::string& backend, const std::string& dtype, const std::string& bytes,
                   const std::string& us) {
  return R"re(\{"backend":")re" + backend + R"re(","vocab":100,"batch":2,"dtype":")re" + dtype +
         R"re(","mask":"(none|dense|short|list)","filters":"(greedy|none|top_k|top_p|min_p|all)",)re" +
         R"re("bytes":)re" + bytes + R"re(,"floor_bytes":[0-9]+,"ratio":)re" +
         (bytes == "null" ? "null" : "[0-9.]+") + R"re(,"us":)re" + us +
         R"re(,"table_bytes":[0-9]+\})re";
}

void ExpectLines(const Answer& answer, const std::string& pattern) {
  EXPECT_EQ(answer.exit_status, 0) << answer.out;
  const std::vector<std::string> lines = answer.JsonLines();
  EXPECT_EQ(lines.size(), 24u) << answer.out;  // four masks, six settings
  for (const std::string& line : lines) {
    EXPECT_TRUE(std::regex_match(line, std::regex(pattern))) << line << "\n" << pattern;
  }
}

constexpr char kSmall[] = "--vocab 100 --batch 2 --seconds 0.0001 --json";

TEST(BenchLogits, TimesEveryCaseOnTheCpu) {
  const Answer answer = RunBench(std::string("--backend cpu ") + kSmall);
  ExpectLines(answer, LineOf("cpu", "f32", "null", "[0-9.]+"));
}

TEST(BenchLogits, CountsEveryCaseInTheStandIn) {
  const Answer answer = RunBench(std::string("--backend simt --dtype bf16 ") + kSmall);
  if (answer.exit_status == kCannotRun) GTEST_SKIP() << answer.out;
  ExpectLines(answer, LineOf("simt", "bf16", "[0-9]+", "null"));
}

TEST(BenchLogits, KernelsAddUpToTheirCase) {
  const Answer answer =
      RunBench(std::string("--backend simt --by-kernel --report --case dense/all ") + kSmall);
  if (answer.exit_status == kCannotRun) GTEST_SKIP() << answer.out;
  uint64_t whole = 0, parts = 0;
  for (const std::string& line : answer.JsonLines()) {
    std::smatch bytes;
    ASSERT_TRUE(std::regex_search(line, bytes, std::regex(R"re("bytes":([0-9]+))re"))) << line;
    const bool of_kernel = line.find("\"kernel\":") != std::string::npos;
    (of_kernel ? parts : whole) += std::stoull(bytes[1]);
  }
  EXPECT_GT(whole, 0u) << answer.out;
  EXPECT_EQ(whole, parts) << answer.out;
}

TEST(BenchLogits, RunsOnADeviceOrSaysWhyThereIsNone) {
  const Answer answer = RunBench(std::string("--backend cuda --dtype bf16 ") + kSmall);
  if (answer.exit_status == 0) {
    ExpectLines(answer, LineOf("cuda", "bf16", "null", "[0-9.]+"));
    return;
  }
  EXPECT_EQ(answer.exit_status, kCannotRun) << answer.out;
  EXPECT_TRUE(std::regex_match(answer.out, std::regex("bench_logits: no CUDA device: .+\n")))
      << answer.out;
}

TEST(BenchLogits, OptionsThatDoNotFitAreNamed) {
  const Answer usual = RunBench("--backend cpu --usual");
  EXPECT_EQ(usual.exit_status, 1);
  EXPECT_NE(usual.out.find("--usual needs --backend simt"), std::string::npos) << usual.out;
  const Answer dtype = RunBench("--backend cpu --dtype bf16");
  EXPECT_EQ(dtype.exit_status, 1);
  EXPECT_NE(dtype.out.find("the CPU takes f32"), std::string::npos) << dtype.out;
}

}  // namespace
}  // namespace maskloom
