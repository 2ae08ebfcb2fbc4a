// Skips all tests of a program that runs kernels on a device, and says why, where there is none.
#include <gtest/gtest.h>

#include "kernels/cuda/find_device.h"

namespace maskloom::kernels::cuda {
namespace {

class NeedsDevice : public testing::Environment {
 public:
  void SetUp() override {
    const FoundDevice device = FindDevice();
    if (!device.missing.empty()) GTEST_SKIP() << "no CUDA device: " << device.missing;
    std::cout << "CUDA device: " << device.name << ", sm_" << device.architecture << "\n";
  }
};

const testing::Environment* const kNeedsDevice = testing::AddGlobalTestEnvironment(new NeedsDevice);

}  // namespace
}  // namespace maskloom::kernels::cuda
