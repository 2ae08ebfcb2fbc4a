// CUDA's small functions, against their definitions.
#include "kernels/simt/intrinsics.h"

#include <gtest/gtest.h>

#include <limits>

namespace simt {
namespace {

TEST(SimtIntrinsics, CountAndFindBits) {
  EXPECT_EQ(__popc(0xF0F00001u), 9);
  EXPECT_EQ(__popcll(0xFFFFFFFF00000001ull), 33);
  EXPECT_EQ(__ffs(0), 0);
  EXPECT_EQ(__ffs(8), 4);
  EXPECT_EQ(__ffsll(1ll << 40), 41);
  EXPECT_EQ(__clz(0), 32);
  EXPECT_EQ(__clz(1), 31);
  EXPECT_EQ(__clzll(1), 63);
  EXPECT_EQ(__brev(1u), 0x80000000u);
  EXPECT_EQ(__brevll(2ull), 0x4000000000000000ull);
}

TEST(SimtIntrinsics, UpperHalvesOfProducts) {
  EXPECT_EQ(__umulhi(0xFFFFFFFFu, 0xFFFFFFFFu), 0xFFFFFFFEu);
  EXPECT_EQ(__mulhi(-1, 1), -1);
  EXPECT_EQ(__umul64hi(~0ull, ~0ull), ~0ull - 1);
}

TEST(SimtIntrinsics, ShiftAndChooseBytes) {
  EXPECT_EQ(__funnelshift_l(0x80000001u, 0x12345678u, 4), 0x23456788u);
  EXPECT_EQ(__funnelshift_r(0x80000001u, 0x12345678u, 4), 0x88000000u);
  EXPECT_EQ(__funnelshift_l(1u, 2u, 0), 2u);
  EXPECT_EQ(__byte_perm(0x33221100u, 0x77665544u, 0x7531), 0x77553311u);
  EXPECT_EQ(__byte_perm(0x00008000u, 0, 0x0009), 0x000000FFu);
}

TEST(SimtIntrinsics, RoundToIntegers) {
  EXPECT_EQ(__float2int_rn(2.5f), 2);
  EXPECT_EQ(__float2int_rn(3.5f), 4);
  EXPECT_EQ(__float2int_rz(-2.9f), -2);
  EXPECT_EQ(__float2int_rd(-2.1f), -3);
  EXPECT_EQ(__float2int_rn(1e20f), std::numeric_limits<int>::max());
  EXPECT_EQ(__float2uint_rn(-1.0f), 0u);
  EXPECT_EQ(__float2int_rn(std::numeric_limits<float>::quiet_NaN()), 0);
}

TEST(SimtIntrinsics, MinAndMaxPassOverNaN) {
  float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(max(nan, 1.0f), 1.0f);
  EXPECT_EQ(min(1.0f, nan), 1.0f);
  EXPECT_EQ(max(2, 3), 3);
}

}  // namespace
}  // namespace simt
