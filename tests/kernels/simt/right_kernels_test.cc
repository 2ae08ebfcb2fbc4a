// Right kernels give right results and no finding.
#include "tests/kernels/simt/right_kernels.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <numeric>
#include <vector>

#include "kernels/simt/findings.h"
#include "kernels/simt/number_types.h"
#include "kernels/simt/runtime_api.h"
#include "tests/kernels/simt/device_array.h"

namespace simt {
namespace {

using right_kernels::kLaneResults;

std::vector<float> Rising(size_t count) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), 0.0f);
  return values;
}

class SimtRightKernels : public testing::Test {
 protected:
  void SetUp() override {
    SetChecks(Checks::Full());
    ResetDevice();
  }
  void TearDown() override {
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    for (const Finding& finding : TakeFindings()) ADD_FAILURE() << Describe(finding);
    SetChecks(Checks::Full());
  }
};

TEST_F(SimtRightKernels, RowsAreSummed) {
  const int kRows = 3, kColumns = 4096;
  DeviceArray<float> in(std::vector<float>(kRows * kColumns, 1.0f));
  DeviceArray<float> out(kRows);
  right_kernels::LaunchSumRows(in.data(), out.data(), kRows, kColumns);
  EXPECT_EQ(out.Read(), std::vector<float>(kRows, kColumns));
}

TEST_F(SimtRightKernels, ATileIsTransposed) {
  DeviceArray<float> in(Rising(1024));
  DeviceArray<float> out(1024);
  right_kernels::LaunchTranspose(in.data(), out.data(), true);
  std::vector<float> result = out.Read();
  for (int i = 0; i < 1024; ++i) EXPECT_EQ(result[i], static_cast<float>(i % 32 * 32 + i / 32));
}

TEST_F(SimtRightKernels, AHistogramIsCounted) {
  std::vector<int> bins(64);
  for (int i = 0; i < 64; ++i) bins[i] = i * i % 8;
  DeviceArray<int> in(bins);
  DeviceArray<int> counts(std::vector<int>(8, 100));
  right_kernels::LaunchHistogram(in.data(), counts.data());
  std::vector<int> expected(8, 100);
  for (int bin : bins) ++expected[bin];
  EXPECT_EQ(counts.Read(), expected);
}

// Also twice in a row, with the counter that the first launch leaves.
TEST_F(SimtRightKernels, TheLastBlockSumsInAnyOrder) {
  const int kBlocks = 70;
  DeviceArray<float> in(Rising(kBlocks * 32));
  DeviceArray<float> parts(kBlocks);
  DeviceArray<float> sum(1);
  DeviceArray<unsigned> arrived(std::vector<unsigned>{0});
  for (uint64_t seed = 1; seed < 20; ++seed) {
    Checks checks = Checks::Full();
    checks.seed = seed;
    SetChecks(checks);
    right_kernels::LaunchLastBlockSums(in.data(), parts.data(), arrived.data(), sum.data(),
                                       kBlocks);
    EXPECT_EQ(sum.Read()[0], kBlocks * 32.0f * (kBlocks * 32 - 1) / 2);
    EXPECT_EQ(arrived.Read()[0], 0u);
  }
}

TEST_F(SimtRightKernels, LanesExchangeBehindAWarpBarrier) {
  std::vector<int> values(64);
  std::iota(values.begin(), values.end(), 0);
  DeviceArray<int> in(values);
  DeviceArray<int> out(64);
  right_kernels::LaunchWarpExchange(in.data(), out.data());
  std::vector<int> result = out.Read();
  for (int i = 0; i < 64; ++i) EXPECT_EQ(result[i], i / 32 * 32 + 31 - (i % 32 ^ 1) + 1);
}

TEST_F(SimtRightKernels, BarriersCountAndVote) {
  DeviceArray<int> out(3);
  right_kernels::LaunchBarrierVotes(40, out.data());
  EXPECT_EQ(out.Read(), (std::vector<int>{40, 0, 1}));
  right_kernels::LaunchBarrierVotes(96, out.data());
  EXPECT_EQ(out.Read(), (std::vector<int>{96, 1, 1}));
  right_kernels::LaunchBarrierVotes(0, out.data());
  EXPECT_EQ(out.Read(), (std::vector<int>{0, 0, 0}));
}

TEST_F(SimtRightKernels, LanesShuffleVoteAndReduce) {
  DeviceArray<int> out(32 * kLaneResults);
  right_kernels::LaunchLaneFunctions(out.data());
  std::vector<int> result = out.Read();
  unsigned ors = 0, xors = 0;
  for (int lane = 0; lane < 32; ++lane) {
    ors |= 1u << (lane % 5);
    xors ^= 1u << (lane % 30);
  }
  for (int lane = 0; lane < 32; ++lane) {
    const int* row = &result[static_cast<size_t>(lane) * kLaneResults];
    EXPECT_EQ(row[0], 5);
    EXPECT_EQ(row[1], lane / 8 * 8 + 1);
    EXPECT_EQ(row[2], lane < 3 ? lane : lane - 3);
    EXPECT_EQ(row[3], lane % 16 >= 13 ? lane : lane + 3);
    EXPECT_EQ(row[4], lane ^ 9);
    EXPECT_EQ(row[5], static_cast<int>(1000000007LL * (lane ^ 1) % 1009));
    EXPECT_EQ(static_cast<unsigned>(row[6]), 0x49249249u);
    EXPECT_EQ(row[7], 3);
    EXPECT_EQ(static_cast<unsigned>(row[8]), 0x11111111u << (lane % 4));
    EXPECT_EQ(row[9], 31 * 16);
    EXPECT_EQ(row[10], -40 * 100 + 31);
    EXPECT_EQ(static_cast<unsigned>(row[11]), ors + xors * 64);
    EXPECT_EQ(row[12], lane < 10 ? 10 : 22);
    EXPECT_EQ(row[13], lane >= 4 && lane < 9 ? 0x1F0 : 0);
  }
}

TEST_F(SimtRightKernels, AtomicsReturnWhatWasThere) {
  std::vector<int> words{100, 101, 102, 103, 104, 105, 106, 107, 108, 109};
  DeviceArray<int> on_device(words);
  DeviceArray<unsigned> unsigned_words(std::vector<unsigned>{9, 9, 0, 9});
  DeviceArray<int> returned(14);
  right_kernels::LaunchAtomics(on_device.data(), unsigned_words.data(), returned.data());
  EXPECT_EQ(on_device.Read(),
            (std::vector<int>{105, 96, -3, 300, 77, 1, 106, 107 & 12, 108 | 16, 109 ^ 255}));
  EXPECT_EQ(unsigned_words.Read(), (std::vector<unsigned>{0, 10, 9, 8}));
  EXPECT_EQ(returned.Read(),
            (std::vector<int>{100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 9, 9, 0, 9}));
}

TEST_F(SimtRightKernels, AsyncCopiesArriveWhenWaitedFor) {
  DeviceArray<float> in(Rising(7 * 128));
  DeviceArray<float> out(7 * 128);
  right_kernels::LaunchAsyncCopies(in.data(), out.data(), 7);
  EXPECT_EQ(out.Read(), Rising(7 * 128));
}

TEST_F(SimtRightKernels, ShortNumbersWiden) {
  std::vector<uint16_t> halves{0x3C00, 0xC000, 0x0001, 0x7C00}, bfloats{0x3F80, 0xC000, 1, 0x7F80};
  std::vector<uint8_t> fp8s{0x38, 0xC0, 0x01, 0x7E};
  DeviceArray<uint16_t> half_array(halves), bfloat_array(bfloats);
  DeviceArray<uint8_t> fp8_array(fp8s);
  DeviceArray<float> out(16);
  right_kernels::LaunchWiden(half_array.data(), bfloat_array.data(), fp8_array.data(), out.data(),
                             4);
  std::vector<float> result = out.Read();
  const float kInfinity = std::bit_cast<float>(0x7F800000);
  const float kExpected[] = {1, -2, 0x1p-24f, kInfinity, 1,   -2, 0x1p-133f, kInfinity,
                             1, -2, 0x1p-9f,  448,       0.5, -2, 0x1p-16f};
  for (int i = 0; i < 15; ++i) EXPECT_EQ(result[i], kExpected[i]) << i;
  EXPECT_NE(result[15], result[15]);
}

TEST_F(SimtRightKernels, PointersInMemoryAndFieldsAreFollowed) {
  std::vector<right_kernels::Pair> pairs{{1, 1.5f}, {2, 2.5f}, {3, 3.5f}, {4, 4.5f}};
  DeviceArray<right_kernels::Pair> first(pairs), second(pairs);
  DeviceArray<right_kernels::Pair*> table(
      std::vector<right_kernels::Pair*>{first.data() + 3, second.data(), second.data() + 1});
  DeviceArray<float> sum(1);
  right_kernels::LaunchFollowTable(table.data(), 3, sum.data());
  EXPECT_EQ(sum.Read()[0], 8.5f);
  right_kernels::LaunchRaiseFirst(first.data());
  std::vector<right_kernels::Pair> raised = first.Read();
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(raised[i].first, i + 2);
    EXPECT_EQ(raised[i].second, pairs[i].second);
  }
}

TEST_F(SimtRightKernels, BlocksAndThreadsAreNumbered) {
  DeviceArray<int> out(12 * 30);
  right_kernels::LaunchNumber(out.data());
  std::vector<int> result = out.Read();
  for (int i = 0; i < 12 * 30; ++i) EXPECT_EQ(result[i], i / 30 * 1000 + i % 30);
}

TEST_F(SimtRightKernels, NeighboursInAWordDoNotRace) {
  DeviceArray<unsigned char> bytes(64);
  DeviceArray<unsigned short> halves(64);
  right_kernels::LaunchNeighbours(bytes.data(), halves.data());
  EXPECT_EQ(bytes.Read()[63], 63);
  EXPECT_EQ(halves.Read()[63], 63);
}

}  // namespace
}  // namespace simt
