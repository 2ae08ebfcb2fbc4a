// Copies through the ring of pinned memory: what arrives is what was given, in order, whatever the
// caller does with its bytes; they wait only where the ring is full of what is under way.
#include "runtime/cuda_api/cuda_memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "tests/kernels/cuda/checks.h"

namespace maskloom::cuda_api {
namespace {

constexpr size_t kRing = 1u << 16;

class CudaMemoryTest : public ::testing::Test {
 protected:
  CudaMemoryTest() {
    EXPECT_EQ(memory_.Open(kRing), cudaSuccess);
    EXPECT_EQ(cudaStreamCreate(&stream_), cudaSuccess);
    memory_.SetStream(stream_);
    block_ = static_cast<std::byte*>(memory_.Allocate(kBlock));
    wanted_.resize(kBlock);
    memory_.Copy(block_, wanted_.data(), kBlock);
    Settle();
  }
  ~CudaMemoryTest() override {
    Settle();
    EXPECT_EQ(memory_.TakeError(), cudaSuccess);
    EXPECT_EQ(cudaStreamDestroy(stream_), cudaSuccess);
    kernels::cuda::ExpectNoFindings();
  }

  static constexpr size_t kBlock = 1u << 17;

  void Settle() {
    memory_.EndBurst();
    EXPECT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
  }
  // Copies `bytes` bytes made up to somewhere, and spoils them.
  void CopyAny(size_t bytes) {
    std::vector<std::byte> given(bytes);
    for (std::byte& byte : given) byte = std::byte(random_() % 256);
    const size_t at = random_() % (kBlock - bytes + 1);
    memory_.Copy(block_ + at, given.data(), bytes);
    std::copy(given.begin(), given.end(), wanted_.begin() + static_cast<ptrdiff_t>(at));
    std::fill(given.begin(), given.end(), std::byte{0xEE});
  }
  void ExpectWanted() {
    Settle();
    std::vector<std::byte> there(kBlock);
    EXPECT_EQ(cudaMemcpy(there.data(), block_, kBlock, cudaMemcpyDeviceToHost), cudaSuccess);
    EXPECT_EQ(there, wanted_);
  }

  CudaMemory memory_;
  cudaStream_t stream_ = nullptr;
  std::byte* block_ = nullptr;
  std::vector<std::byte> wanted_;
  std::mt19937_64 random_{1};
};

TEST_F(CudaMemoryTest, BurstsThatAreOverLeaveRoom) {
  const uint64_t before = memory_.wait_count();
  for (int burst = 0; burst < 200; ++burst) {
    for (int i = 0; i < 8; ++i) CopyAny(1 + random_() % 3000);
    if (burst % 7 == 0) ExpectWanted();
    Settle();
  }
  EXPECT_EQ(memory_.wait_count(), before);
  ExpectWanted();
}

TEST_F(CudaMemoryTest, CopiesWaitWhereTheRingIsFull) {
  const uint64_t before = memory_.wait_count();
  const uint64_t copied = memory_.copied_bytes();
  for (int i = 0; i < 40; ++i) CopyAny(5000);
  EXPECT_GT(memory_.wait_count(), before);
  EXPECT_EQ(memory_.copied_bytes(), copied + 40 * 5000);
  ExpectWanted();
}

TEST_F(CudaMemoryTest, MoreBurstsThanEventsAndMoreBytesThanTheRing) {
  for (int burst = 0; burst < 300; ++burst) {
    CopyAny(1 + random_() % 100);
    memory_.EndBurst();
  }
  ExpectWanted();
  CopyAny(kBlock);
  CopyAny(kRing);
  CopyAny(kRing / 2);
  ExpectWanted();
}

TEST_F(CudaMemoryTest, WhatFailsIsToldOnce) {
  std::byte byte{};
  memory_.Copy(block_ + kBlock, &byte, 1);
  EXPECT_NE(memory_.TakeError(), cudaSuccess);
  EXPECT_EQ(memory_.TakeError(), cudaSuccess);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

}  // namespace
}  // namespace maskloom::cuda_api
