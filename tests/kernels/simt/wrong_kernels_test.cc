// Every wrong kernel is found out: the fault, what is said of it, and the line.
#include "tests/kernels/simt/wrong_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "kernels/simt/findings.h"
#include "kernels/simt/runtime_api.h"
#include "tests/kernels/simt/device_array.h"

namespace simt {
namespace {

using wrong_kernels::AllWrongKernels;
using wrong_kernels::kCount;
using wrong_kernels::WrongKernel;

// The compiler may know the file by a path of its own.
std::string LineOf(const std::string& path, unsigned number) {
  std::ifstream file(MASKLOOM_SOURCE_ROOT "/" + path.substr(path.rfind("tests/kernels/simt/")));
  std::string line;
  for (unsigned i = 0; i < number; ++i) std::getline(file, line);
  return line;
}

class SimtWrongKernels : public testing::TestWithParam<WrongKernel> {
 protected:
  // Launches the kernel once and returns what was found.
  std::vector<Finding> Run(Checks checks) {
    DeviceArray<float> floats(std::vector<float>(kCount, 0.0f));
    DeviceArray<float> fresh(kCount);
    DeviceArray<int> ints(std::vector<int>(kCount, 0));
    DeviceArray<unsigned> words(std::vector<unsigned>(kCount, 0u));
    float of_host[kCount] = {};
    float* freed = nullptr;
    EXPECT_EQ(cudaMalloc(&freed, kCount * sizeof(float)), cudaSuccess);
    wrong_kernels::Memory memory{.floats = floats.data(),
                                 .fresh = fresh.data(),
                                 .ints = ints.data(),
                                 .words = words.data(),
                                 .of_host = of_host,
                                 .freed = freed};
    checks.most_accesses = 10000;
    SetChecks(checks);
    ResetDevice();
    // The memory is still there when the launch is queued, and no more when it runs.
    EXPECT_EQ(cudaFreeAsync(freed, nullptr), cudaSuccess);
    GetParam().launch(memory);
    cudaDeviceSynchronize();
    cudaGetLastError();
    SetChecks(Checks::Full());
    return TakeFindings();
  }

  static bool IsRight(const Finding& finding) {
    return Name(finding.fault) == std::string(GetParam().fault) &&
           finding.text.find(GetParam().text) != std::string::npos;
  }
};

TEST_P(SimtWrongKernels, IsFoundOut) {
  std::vector<Finding> findings = Run(Checks::Full());
  bool is_found = false;
  for (const Finding& finding : findings) {
    is_found = is_found || IsRight(finding);
    std::string line = LineOf(finding.file, finding.line);
    bool is_marked =
        line.find("// wrong") != std::string::npos || line.find("WRONG(") != std::string::npos;
    EXPECT_TRUE(is_marked) << Describe(finding) << "\n  names the line " << line;
    if (finding.fault != Fault::kLaunch) {
      EXPECT_EQ(finding.kernel, GetParam().name);
    }
  }
  EXPECT_TRUE(is_found) << "expected " << GetParam().fault << ": " << GetParam().text;
  if (!is_found) {
    for (const Finding& finding : findings) ADD_FAILURE() << Describe(finding);
  }
}

TEST_P(SimtWrongKernels, IsFoundOutInAnyOrderOfBlocks) {
  for (uint64_t seed = 2; seed < 6; ++seed) {
    Checks checks = Checks::Full();
    checks.seed = seed;
    std::vector<Finding> findings = Run(checks);
    EXPECT_TRUE(std::any_of(findings.begin(), findings.end(), IsRight)) << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(All, SimtWrongKernels, testing::ValuesIn(AllWrongKernels()),
                         [](const auto& info) {
                           return std::to_string(info.index) + "_" + info.param.name;
                         });

}  // namespace
}  // namespace simt
