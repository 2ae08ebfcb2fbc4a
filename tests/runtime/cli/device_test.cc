// `maskloom generate --device`: what a person reads who asks for a device, before anything is
// loaded.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include "tests/runtime/cli/run_command.h"

namespace maskloom {
namespace {

constexpr int kUsage = 3;

// Asks for a device of the driver in tests/runtime/cli/fake_cuda_driver.c.
CommandResult GenerateOnCuda(std::vector<std::string> environment) {
  environment.push_back("LD_LIBRARY_PATH=" MASKLOOM_FAKE_DRIVER_FOLDER);
  CommandInput input;
  input.environment = environment;
  return RunMaskloom({"generate", "--device", "cuda", "--model", "none.gguf"}, input);
}

TEST(GenerateDevice, SaysThatTheDriverIsMissing) {
  if (void* driver = ::dlopen("libcuda.so.1", RTLD_NOW)) {
    ::dlclose(driver);
    GTEST_SKIP() << "the NVIDIA driver is installed here";
  }
  const CommandResult result = RunMaskloom({"generate", "--device", "cuda"});
  EXPECT_EQ(result.exit_status, kUsage);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err,
            "maskloom: --device cuda: there is no CUDA device: the NVIDIA driver (libcuda.so.1) is "
            "not installed. Without --device the model runs on the CPU\n");
}

TEST(GenerateDevice, SaysWhyTheDriverHasNone) {
  const CommandResult stopped = GenerateOnCuda({});
  EXPECT_EQ(stopped.exit_status, kUsage);
  EXPECT_NE(stopped.err.find("the NVIDIA driver does not start (error 100)"), std::string::npos)
      << stopped.err;
  const CommandResult empty = GenerateOnCuda({"FAKE_CUDA_DEVICES=0"});
  EXPECT_EQ(empty.exit_status, kUsage);
  EXPECT_NE(empty.err.find("the NVIDIA driver shows no device"), std::string::npos) << empty.err;
}

TEST(GenerateDevice, DoesNotPretendToRunTheModelOnADevice) {
  const CommandResult result = GenerateOnCuda({"FAKE_CUDA_DEVICES=1"});
  EXPECT_EQ(result.exit_status, kUsage);
  EXPECT_EQ(
      result.err,
      "maskloom: --device cuda: this version runs models on the CPU alone; on CUDA devices it "
      "chooses tokens for engines that bring their own logits (docs/gpu.md). Without --device "
      "the model runs on the CPU\n");
}

TEST(GenerateDevice, TheCpuIsTheDefaultAndOthersAreRefused) {
  for (const char* device : {"cpu", ""}) {
    std::vector<std::string> arguments = {"generate", "--model", "none.gguf"};
    if (*device != 0) arguments.insert(arguments.end(), {"--device", device});
    const CommandResult result = RunMaskloom(arguments);
    EXPECT_EQ(result.exit_status, 4) << result.err;  // only the model is missing
    EXPECT_NE(result.err.find("none.gguf"), std::string::npos) << result.err;
  }
  EXPECT_EQ(RunMaskloom({"generate", "--device", "tpu"}).exit_status, kUsage);
}

}  // namespace
}  // namespace maskloom
