// The short number types have the bits of CUDA's own headers, which convert on the host too.
#include "tests/kernels/simt/cuda_numbers.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>

#include "kernels/simt/number_types.h"

namespace simt {
namespace {

uint32_t Bits(float value) { return std::bit_cast<uint32_t>(value); }

// Compares all four conversions of one float.
void CompareRounding(uint32_t bits) {
  auto value = std::bit_cast<float>(bits);
  ASSERT_EQ(__half(value).bits, cuda_numbers::ToHalf(value)) << std::hex << bits;
  ASSERT_EQ(__nv_bfloat16(value).bits, cuda_numbers::ToBfloat(value)) << std::hex << bits;
  ASSERT_EQ(__nv_fp8_e4m3(value).__x, cuda_numbers::ToE4m3(value)) << std::hex << bits;
  ASSERT_EQ(__nv_fp8_e5m2(value).__x, cuda_numbers::ToE5m2(value)) << std::hex << bits;
}

TEST(SimtCudaNumbers, EveryShortNumberWidensAlike) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    auto half = static_cast<uint16_t>(bits);
    ASSERT_EQ(Bits(__ushort_as_half(half)), Bits(cuda_numbers::FromHalf(half))) << bits;
    ASSERT_EQ(Bits(__ushort_as_bfloat16(half)), Bits(cuda_numbers::FromBfloat(half))) << bits;
    if (bits >= 256) continue;
    auto byte = static_cast<uint8_t>(bits);
    auto e4m3 = static_cast<float>(std::bit_cast<__nv_fp8_e4m3>(byte));
    auto e5m2 = static_cast<float>(std::bit_cast<__nv_fp8_e5m2>(byte));
    ASSERT_EQ(Bits(e4m3), Bits(cuda_numbers::FromE4m3(byte))) << bits;
    ASSERT_EQ(Bits(e5m2), Bits(cuda_numbers::FromE5m2(byte))) << bits;
  }
}

// All numbers of 13 bits and sign, exponent and ties of every format, and one beside each.
TEST(SimtCudaNumbers, TiesAndTheirNeighboursRoundAlike) {
  for (uint64_t upper = 0; upper < 1u << 21; ++upper) {
    auto bits = static_cast<uint32_t>(upper << 11);
    CompareRounding(bits);
    CompareRounding(bits + 1);
    CompareRounding(bits - 1);
    if (HasFatalFailure()) return;
  }
}

TEST(SimtCudaNumbers, FloatsAllOverRoundAlike) {
  for (uint64_t bits = 0; bits < uint64_t{1} << 32; bits += 2039) {
    CompareRounding(static_cast<uint32_t>(bits));
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace simt
