// Right kernels give right results and no finding, and their traffic is what a hand counts.
#include "tests/kernels/simt/right_kernels.cu"

#include <gtest/gtest.h>

#include <vector>

#include "tests/kernels/simt/device_array.h"

namespace simt {
namespace {

TEST(SimtRightKernels, SumRowsReadsEachFloatOnce) {
  const int kRows = 3, kColumns = 4096;
  DeviceArray<float> in(std::vector<float>(kRows * kColumns, 1.0f));
  DeviceArray<float> out(kRows);
  ResetDevice();
  EXPECT_EQ(right_kernels::LaunchSumRows(in.data(), out.data(), kRows, kColumns, nullptr),
            cudaSuccess);
  EXPECT_EQ(out.Read(), std::vector<float>(kRows, kColumns));
  EXPECT_EQ(TakeFindings().size(), 0u);
  Traffic traffic = TakeTraffic()["SumRows<128>"];
  EXPECT_EQ(traffic.launches, 1u);
  EXPECT_EQ(traffic.global_read_bytes, uint64_t{kRows} * kColumns * 4);
  EXPECT_EQ(traffic.global_read_sectors, uint64_t{kRows} * kColumns * 4 / 32);
  EXPECT_EQ(traffic.unique_read_sectors, traffic.global_read_sectors);
  EXPECT_EQ(traffic.global_write_bytes, uint64_t{kRows} * 4);
  EXPECT_EQ(traffic.global_write_sectors, uint64_t{kRows});        // one of each block
  EXPECT_EQ(traffic.shared_write_bytes, uint64_t{kRows} * 4 * 4);  // a sum of each warp
  EXPECT_EQ(traffic.shared_read_bytes, uint64_t{kRows} * 4 * 4);
  EXPECT_EQ(traffic.shared_passes, uint64_t{kRows} * 8);
  EXPECT_EQ(traffic.bank_conflicts, 0u);
  EXPECT_EQ(traffic.barriers, uint64_t{kRows});
}

}  // namespace
}  // namespace simt
