// What kernels move is what a hand counts: bytes, sectors, passes over the banks.
#include "kernels/simt/traffic.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kernels/simt/runtime_api.h"
#include "tests/kernels/simt/device_array.h"
#include "tests/kernels/simt/right_kernels.h"

namespace simt {
namespace {

using right_kernels::Access;

class SimtTraffic : public testing::TestWithParam<bool> {
 protected:
  // Counts are the same with all checks and without.
  void SetUp() override {
    SetChecks(GetParam() ? Checks::Full() : Checks::Counting());
    ResetDevice();
  }
  void TearDown() override { SetChecks(Checks::Full()); }

  static Traffic TrafficOf(const std::string& kernel) {
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    return TakeTraffic()[kernel];
  }

  Traffic Read(Access access) {
    right_kernels::LaunchRead(access, in_.data(), out_.data());
    Traffic traffic = TrafficOf("Read");
    EXPECT_EQ(traffic.global_read_requests, 1u);
    EXPECT_EQ(traffic.global_write_requests, 1u);
    EXPECT_EQ(traffic.global_write_bytes, 128u);
    EXPECT_EQ(traffic.global_write_sectors, 4u);
    return traffic;
  }

  DeviceArray<float> in_{std::vector<float>(1024, 1.0f)};
  DeviceArray<float> out_{1024};
};

TEST_P(SimtTraffic, SectorsOfAWarp) {
  const struct {
    Access access;
    uint64_t bytes, sectors;
  } kCases[] = {
      {Access::kEachItsFloat, 128, 4}, {Access::kEveryOther, 128, 8},
      {Access::kEveryEighth, 128, 32}, {Access::kShiftedByOne, 128, 5},
      {Access::kAllTheSame, 128, 1},   {Access::kEachItsByte, 32, 1},
      {Access::kFourEach, 512, 16},    {Access::kBackwards, 128, 4},
  };
  for (const auto& one : kCases) {
    Traffic traffic = Read(one.access);
    EXPECT_EQ(traffic.global_read_bytes, one.bytes);
    EXPECT_EQ(traffic.global_read_sectors, one.sectors);
    EXPECT_EQ(traffic.unique_read_sectors, one.sectors);
    EXPECT_EQ(traffic.moved_bytes(), 32 * (one.sectors + 4));
  }
}

TEST_P(SimtTraffic, SumRowsReadsEachFloatOnce) {
  const uint64_t kRows = 3, kColumns = 4096;
  DeviceArray<float> in(std::vector<float>(kRows * kColumns, 1.0f));
  right_kernels::LaunchSumRows(in.data(), out_.data(), kRows, kColumns);
  Traffic traffic = TrafficOf("SumRows<128>");
  EXPECT_EQ(traffic.launches, 1u);
  EXPECT_EQ(traffic.global_read_bytes, kRows * kColumns * 4);
  EXPECT_EQ(traffic.global_read_sectors, kRows * kColumns * 4 / 32);
  EXPECT_EQ(traffic.unique_read_sectors, traffic.global_read_sectors);
  EXPECT_EQ(traffic.global_write_bytes, kRows * 4);
  EXPECT_EQ(traffic.global_write_sectors, kRows);  // by each block
  EXPECT_EQ(traffic.unique_write_sectors, 1u);
  EXPECT_EQ(traffic.shared_write_bytes, kRows * 4 * 4);  // a sum of each warp
  EXPECT_EQ(traffic.shared_read_bytes, kRows * 4 * 4);
  EXPECT_EQ(traffic.shared_passes, kRows * 8);
  EXPECT_EQ(traffic.bank_conflicts, 0u);
  EXPECT_EQ(traffic.barriers, kRows);
}

// 32 rows are written without conflicts; a column of rows of 32 floats lies in one bank.
TEST_P(SimtTraffic, BankConflictsOfATransposedTile) {
  right_kernels::LaunchTranspose(in_.data(), out_.data(), false);
  Traffic plain = TrafficOf("Transpose<32>");
  EXPECT_EQ(plain.shared_passes, 32u + 32 * 32);
  EXPECT_EQ(plain.bank_conflicts, 32u * 31);
  EXPECT_EQ(plain.shared_read_bytes, 4096u);
  EXPECT_EQ(plain.global_read_sectors, 128u);
  right_kernels::LaunchTranspose(in_.data(), out_.data(), true);
  Traffic padded = TrafficOf("Transpose<33>");
  EXPECT_EQ(padded.shared_passes, 64u);
  EXPECT_EQ(padded.bank_conflicts, 0u);
}

// Vectors of 8 and 16 bytes go by half and quarter warps, and have no conflict of their own.
TEST_P(SimtTraffic, SharedVectorsTakeAsManyPassesAsTheyAreWide) {
  for (int width : {1, 2, 4}) {
    right_kernels::LaunchSharedVectors(width, out_.data());
    Traffic traffic = TrafficOf("SharedVectors<float" + std::to_string(width) + ">");
    EXPECT_EQ(traffic.shared_write_bytes, 128u * static_cast<unsigned>(width));
    EXPECT_EQ(traffic.shared_passes, 2u * static_cast<unsigned>(width));
    EXPECT_EQ(traffic.bank_conflicts, 0u);
  }
}

// Of the j-th read lanes j to 31 are left, which touch the last 4 - j / 8 sectors of a row.
TEST_P(SimtTraffic, LanesThatLeaveALoopEarly) {
  right_kernels::LaunchUnevenLoops(in_.data(), out_.data());
  Traffic traffic = TrafficOf("UnevenLoops");
  EXPECT_EQ(traffic.global_read_requests, 32u);
  EXPECT_EQ(traffic.global_read_bytes, 4u * 32 * 33 / 2);
  EXPECT_EQ(traffic.global_read_sectors, 8u * (4 + 3 + 2 + 1));
}

TEST_P(SimtTraffic, BranchesAreInstructionsOfTheirOwn) {
  right_kernels::LaunchBranches(in_.data(), in_.data() + 32, out_.data());
  Traffic traffic = TrafficOf("Branches");
  EXPECT_EQ(traffic.global_read_requests, 2u);
  EXPECT_EQ(traffic.global_read_bytes, 128u);
  EXPECT_EQ(traffic.global_read_sectors, 8u);
}

// Atomics on one word wait for each other.
TEST_P(SimtTraffic, AtomicsOnFewWords) {
  DeviceArray<int> counts(std::vector<int>(8, 0));
  DeviceArray<int> bins(std::vector<int>(64, 3));
  right_kernels::LaunchHistogram(bins.data(), counts.data());
  Traffic traffic = TrafficOf("Histogram");
  EXPECT_EQ(traffic.shared_atomic_bytes, 256u);
  EXPECT_EQ(traffic.shared_passes, 1u + 2 * 32 + 1);
  EXPECT_EQ(traffic.bank_conflicts, 2u * 31);
  EXPECT_EQ(traffic.global_atomic_requests, 1u);
  EXPECT_EQ(traffic.global_atomic_bytes, 32u);
  EXPECT_EQ(traffic.global_atomic_sectors, 1u);
  EXPECT_EQ(traffic.unique_read_sectors, 8u + 1);  // bins, and counts
  EXPECT_EQ(traffic.unique_write_sectors, 1u);
}

// More accesses than a log holds.
TEST_P(SimtTraffic, LongLoopsAreCountedInParts) {
  const int kRounds = 3 * static_cast<int>(WarpLog::kMostLogged) + 17;
  DeviceArray<float> in(std::vector<float>(static_cast<size_t>(kRounds) * 32, 1.0f));
  right_kernels::LaunchLongLoop(in.data(), out_.data(), kRounds);
  Traffic traffic = TrafficOf("LongLoop");
  EXPECT_EQ(traffic.global_read_requests, static_cast<uint64_t>(kRounds));
  EXPECT_EQ(traffic.global_read_sectors, uint64_t{4} * kRounds);
}

TEST_P(SimtTraffic, AsyncCopiesAreReadAndStoredOnce) {
  right_kernels::LaunchAsyncCopies(in_.data(), out_.data(), 8);
  Traffic traffic = TrafficOf("AsyncCopies");
  EXPECT_EQ(traffic.global_read_bytes, 4096u);
  EXPECT_EQ(traffic.global_read_sectors, 128u);
  EXPECT_EQ(traffic.shared_write_bytes, 4096u);
  EXPECT_EQ(traffic.shared_read_bytes, 4096u);
  EXPECT_EQ(traffic.global_write_sectors, 128u);
}

TEST_P(SimtTraffic, CopiesOfTheHostAreCounted) {
  TakeCopyTraffic();
  std::vector<float> values(100, 1.0f);
  ASSERT_EQ(cudaMemcpy(in_.data(), values.data(), 400, cudaMemcpyHostToDevice), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(out_.data(), in_.data(), 100, cudaMemcpyDeviceToDevice), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(values.data(), in_.data(), 200, cudaMemcpyDeviceToHost), cudaSuccess);
  ASSERT_EQ(cudaMemset(in_.data(), 0, 64), cudaSuccess);
  CopyTraffic copies = TakeCopyTraffic();
  EXPECT_EQ(copies.copies, 3u);
  EXPECT_EQ(copies.host_to_device_bytes, 400u);
  EXPECT_EQ(copies.device_to_device_bytes, 100u);
  EXPECT_EQ(copies.device_to_host_bytes, 200u);
  EXPECT_EQ(copies.set_bytes, 64u);
}

INSTANTIATE_TEST_SUITE_P(Checks, SimtTraffic, testing::Bool(),
                         [](const auto& info) { return info.param ? "Full" : "Counting"; });

}  // namespace
}  // namespace simt
