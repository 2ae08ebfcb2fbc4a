// bench/device.sh with programs that stand in for those of a device: what it runs, writes and says.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace maskloom {
namespace {

namespace fs = std::filesystem;

constexpr char kPasses[] = "echo '[  PASSED  ] 4 tests.'";
constexpr char kFails[] = "echo '[  PASSED  ] 3 tests.'; echo '[  FAILED  ] 1 test'; exit 1";
constexpr char kAnswers[] = R"(echo '{"backend":"cuda","vocab":128256,"batch":1}')";
constexpr char kNoDevice[] = "echo 'bench_logits: no CUDA device: it is away' >&2; exit 77";

// A folder with programs of these scripts, and the results of one run over them.
class DeviceScript : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("maskloom-device-" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  void Write(const std::string& program, const std::string& script) {
    const fs::path path = folder_ / "build" / program;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << "#!/bin/sh\n" << script << "\n";
    fs::permissions(path, fs::perms::owner_all);
  }

  // Returns the exit status.
  int Run() {
    const std::string command = "MASKLOOM_DEVICE_BUILD=" + (folder_ / "build").string() +
                                " bash " MASKLOOM_SOURCE_ROOT "/bench/device.sh --no-build " +
                                (folder_ / "results").string() + " >" +
                                (folder_ / "said").string() + " 2>&1";
    const int status = std::system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  std::string Read(const std::string& name) {
    std::ostringstream text;
    text << std::ifstream(folder_ / name).rdbuf();
    return text.str();
  }

  fs::path folder_;
};

TEST_F(DeviceScript, WritesWhatTestsAndBenchesSay) {
  Write("bench/bench_logits", kAnswers);
  Write("tests/kernels/cuda/one_device_test", kPasses);
  Write("tests/runtime/cuda_api/another_device_test", kPasses);
  EXPECT_EQ(Run(), 0) << Read("said");
  const std::string summary = Read("results/summary.txt");
  for (const char* part : {"commit: ", "one_device_test: PASSED 4 tests, status 0",
                           "another_device_test: PASSED 4 tests, status 0",
                           "logits_cuda_bf16: 1 cases, status 0", "\"vocab\":128256"}) {
    EXPECT_NE(summary.find(part), std::string::npos) << part << "\n" << summary;
  }
  EXPECT_NE(Read("results/logits_cpu.jsonl"), "");
  EXPECT_NE(Read("said").find("all passed: yes"), std::string::npos) << Read("said");
}

TEST_F(DeviceScript, AFailedTestIsItsExitStatus) {
  Write("bench/bench_logits", kAnswers);
  Write("tests/kernels/cuda/one_device_test", kFails);
  Write("tests/runtime/cuda_api/another_device_test", kPasses);
  EXPECT_EQ(Run(), 1) << Read("said");
  EXPECT_NE(Read("results/summary.txt").find("PASSED 3 tests,FAILED 1 test, status 1"),
            std::string::npos)
      << Read("results/summary.txt");
}

TEST_F(DeviceScript, AFolderWithoutTestsIsNoSuccess) {
  Write("bench/bench_logits", kAnswers);
  Write("tests/kernels/cuda/one_device_test", kPasses);
  EXPECT_EQ(Run(), 1) << Read("said");
  EXPECT_NE(Read("results/summary.txt").find("runtime/cuda_api: no tests are built there"),
            std::string::npos)
      << Read("results/summary.txt");
}

TEST_F(DeviceScript, SaysThatThereIsNoDevice) {
  Write("bench/bench_logits", kNoDevice);
  EXPECT_EQ(Run(), 77) << Read("said");
  EXPECT_EQ(Read("results/summary.txt"), "device.sh: no CUDA device: it is away\n");
}

TEST_F(DeviceScript, NamesProgramsThatAreMissing) {
  EXPECT_EQ(Run(), 1) << Read("said");
  EXPECT_NE(Read("said").find("bench_logits is not there"), std::string::npos) << Read("said");
}

}  // namespace
}  // namespace maskloom
