// Guards docs/gpu.md: a row of its first table is what the stand-in counts.
#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "tests/bench/run_bench.h"

namespace maskloom {
namespace {

// Returns the cells of the first line of docs/gpu.md that starts with `begin`.
std::vector<std::string> CellsOf(const std::string& begin) {
  std::ifstream document(MASKLOOM_SOURCE_ROOT "/docs/gpu.md");
  std::vector<std::string> cells;
  for (std::string line; std::getline(document, line);) {
    if (!line.starts_with(begin)) continue;
    std::istringstream text(line.substr(begin.size()));
    for (std::string cell; std::getline(text, cell, '|');) {
      if (cell.find_first_not_of(' ') != std::string::npos) cells.push_back(cell);
    }
    break;
  }
  return cells;
}

TEST(GpuDocument, SaysWhatTheStandInCounts) {
  const std::vector<std::string> written = CellsOf("| 49,152 × 1 |");
  const Answer answer = RunBench("--backend simt --dtype bf16 --vocab 49152 --batch 1 --json");
  if (answer.exit_status == kCannotRun) GTEST_SKIP() << answer.out;
  ASSERT_EQ(answer.exit_status, 0) << answer.out;
  std::vector<double> counted;
  for (const std::string& line : answer.JsonLines()) {
    std::smatch found;
    const std::regex dense(R"re("mask":"dense".*"ratio":([0-9.]+))re");
    if (std::regex_search(line, found, dense)) counted.push_back(std::stod(found[1]));
  }
  ASSERT_EQ(counted.size(), 6u) << answer.out;
  ASSERT_EQ(written.size(), counted.size());
  for (size_t i = 0; i < counted.size(); ++i) {
    EXPECT_NEAR(std::stod(written[i]), counted[i], 0.0051)
        << "docs/gpu.md is stale; it says how its tables are made";
  }
}

}  // namespace
}  // namespace maskloom
