// Which devices batches are made on, and what is said of others. The stand-in plays them all.
#include <gtest/gtest.h>
#include <maskloom.h>
#include <maskloom_cuda.h>

#include <string>

#include "kernels/cuda/find_device.h"
#include "kernels/simt/runtime_api.h"

namespace maskloom {
namespace {

class CudaDevices : public ::testing::Test {
 protected:
  CudaDevices() { maskloom_vocabulary_bytes(&vocabulary_, nullptr); }
  ~CudaDevices() override {
    maskloom_vocabulary_free(vocabulary_);
    simt::SetDevices({});
    EXPECT_EQ(simt::cudaGetLastError(), simt::cudaSuccess);
  }

  // Returns what check_device says of `device`, which is what batch_create says; empty: all is
  // well. What FindDevice says is the same again.
  std::string Missing(int32_t device) {
    maskloom_error checked = {}, made = {};
    const maskloom_status status = maskloom_cuda_check_device(device, &checked);
    maskloom_cuda_options options;
    maskloom_cuda_options_init(&options);
    options.device = device;
    options.max_rows = 1;
    options.pool_bytes = options.table_bytes = options.staging_bytes = 1u << 20;
    maskloom_cuda_batch* batch = nullptr;
    EXPECT_EQ(maskloom_cuda_batch_create(vocabulary_, &options, &batch, &made), status);
    EXPECT_EQ(batch != nullptr, status == MASKLOOM_OK);
    maskloom_cuda_batch_free(batch);
    const std::string missing = kernels::cuda::FindDevice(device).missing;
    EXPECT_EQ(missing.empty(), status == MASKLOOM_OK);
    if (missing.empty()) return "";
    EXPECT_EQ(status, MASKLOOM_NO_DEVICE);
    EXPECT_STREQ(made.message, checked.message);
    EXPECT_EQ("no CUDA device: " + missing, checked.message);
    return checked.message;
  }

  maskloom_vocabulary* vocabulary_ = nullptr;
};

TEST_F(CudaDevices, ThatRunTheKernelsOfTheBuildAreFoundByAnyNumber) {
  simt::SetDevices({{{8, 0}, {8, 6}, {9, 0}, {10, 3}}});
  for (int32_t device = -1; device < 4; ++device) EXPECT_EQ(Missing(device), "") << device;
  EXPECT_EQ(kernels::cuda::FindDevice(1).architecture, 86);
  EXPECT_EQ(kernels::cuda::FindDevice(3).name, "stand-in 3");
}

TEST_F(CudaDevices, WithoutCodeInTheBuildAreRefused) {
  simt::SetDevices({{{9, 0}, {7, 5}, {12, 0}}});
  EXPECT_EQ(Missing(0), "");
  EXPECT_EQ(Missing(1),
            "no CUDA device: this build has no code for stand-in 1, sm_75; configure it with "
            "-DMASKLOOM_CUDA_ARCHITECTURES=75");
  EXPECT_NE(Missing(2).find("sm_120"), std::string::npos);
  // Without a number it is the one that is current, which stays so.
  EXPECT_EQ(Missing(-1), "");
  ASSERT_EQ(simt::cudaSetDevice(1), simt::cudaSuccess);
  EXPECT_NE(Missing(-1).find("sm_75"), std::string::npos);
  EXPECT_EQ(Missing(0), "");
  int current = -1;
  EXPECT_EQ(simt::cudaGetDevice(&current), simt::cudaSuccess);
  EXPECT_EQ(current, 1);
}

TEST_F(CudaDevices, ThatAreNotThereAreRefused) {
  simt::SetDevices({{{9, 0}, {9, 0}}});
  for (const int32_t device : {2, 7, -2}) {
    EXPECT_EQ(Missing(device),
              "no CUDA device: number " + std::to_string(device) + " is none of 0 to 1");
  }
  simt::SetDevices({{}, 13000});
  EXPECT_EQ(Missing(-1), "no CUDA device: CUDA says: cudaErrorNoDevice");
  simt::SetDevices({{}, 0});
  EXPECT_EQ(Missing(0), "no CUDA device: the NVIDIA driver is not installed");
}

}  // namespace
}  // namespace maskloom
