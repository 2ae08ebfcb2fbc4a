// Streams are queues: nothing happens before somebody waits. Graphs refuse what cannot be captured.
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <vector>

#include "kernels/simt/findings.h"
#include "kernels/simt/runtime_api.h"
#include "tests/kernels/simt/device_array.h"
#include "tests/kernels/simt/right_kernels.h"

namespace simt {
namespace {

constexpr int kCount = 100;

class SimtRuntime : public testing::Test {
 protected:
  void SetUp() override {
    SetChecks(Checks::Full());
    ResetDevice();
    EXPECT_EQ(cudaStreamCreate(&stream_), cudaSuccess);
    EXPECT_EQ(cudaStreamCreateWithFlags(&other_, cudaStreamNonBlocking), cudaSuccess);
    EXPECT_EQ(cudaEventCreate(&event_), cudaSuccess);
    EXPECT_EQ(cudaMallocHost(&pinned_, kCount * sizeof(float)), cudaSuccess);
    std::fill(pinned_, pinned_ + kCount, 3.0f);
  }
  void TearDown() override {
    EXPECT_EQ(cudaStreamDestroy(stream_), cudaSuccess);
    EXPECT_EQ(cudaStreamDestroy(other_), cudaSuccess);
    EXPECT_EQ(cudaEventDestroy(event_), cudaSuccess);
    EXPECT_EQ(cudaFreeHost(pinned_), cudaSuccess);
    cudaGetLastError();
    for (const Finding& finding : TakeFindings()) ADD_FAILURE() << Describe(finding);
  }

  void Double(const DeviceArray<float>& in, const DeviceArray<float>& out, cudaStream_t stream) {
    right_kernels::LaunchDouble(in.data(), out.data(), kCount, 0, stream);
  }
  cudaError_t ReadBack(const DeviceArray<float>& from, cudaStream_t stream) {
    return cudaMemcpyAsync(pinned_, from.data(), kCount * sizeof(float), cudaMemcpyDeviceToHost,
                           stream);
  }

  cudaStream_t stream_ = nullptr, other_ = nullptr;
  cudaEvent_t event_ = nullptr;
  float* pinned_ = nullptr;
  DeviceArray<float> ones_{std::vector<float>(kCount, 1.0f)};
  DeviceArray<float> out_{kCount};
};

TEST_F(SimtRuntime, NothingHappensBeforeSomebodyWaits) {
  Double(ones_, out_, stream_);
  ASSERT_EQ(ReadBack(out_, stream_), cudaSuccess);
  EXPECT_EQ(pinned_[0], 3.0f);
  ASSERT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
  EXPECT_EQ(pinned_[0], 2.0f);
}

TEST_F(SimtRuntime, PinnedMemoryIsReadWhenTheCopyRuns) {
  ASSERT_EQ(cudaMemcpyAsync(ones_.data(), pinned_, 4, cudaMemcpyHostToDevice, stream_),
            cudaSuccess);
  pinned_[0] = 7;  // too early: the copy has not run
  ASSERT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
  EXPECT_EQ(ones_.Read()[0], 7.0f);
}

TEST_F(SimtRuntime, PageableMemoryIsReadAtOnce) {
  float value = 5;
  ASSERT_EQ(cudaMemcpyAsync(ones_.data(), &value, 4, cudaMemcpyHostToDevice, stream_), cudaSuccess);
  value = 6;
  ASSERT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
  EXPECT_EQ(ones_.Read()[0], 5.0f);
}

TEST_F(SimtRuntime, AnEventOrdersTwoStreams) {
  Double(ones_, out_, other_);
  ASSERT_EQ(cudaEventRecord(event_, other_), cudaSuccess);
  ASSERT_EQ(cudaStreamWaitEvent(stream_, event_), cudaSuccess);
  Double(out_, ones_, stream_);
  EXPECT_EQ(cudaEventQuery(event_), cudaErrorNotReady);
  ASSERT_EQ(ReadBack(ones_, stream_), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
  EXPECT_EQ(pinned_[0], 4.0f);
  EXPECT_EQ(cudaEventQuery(event_), cudaSuccess);
  ASSERT_EQ(cudaEventSynchronize(event_), cudaSuccess);
}

TEST_F(SimtRuntime, WithoutAnEventTheOtherStreamHasNotRun) {
  Double(ones_, out_, other_);
  ASSERT_EQ(ReadBack(out_, stream_), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
  EXPECT_NE(pinned_[0], 2.0f);
}

TEST_F(SimtRuntime, TheDefaultStreamWaitsForBlockingOnes) {
  Double(ones_, out_, stream_);
  EXPECT_EQ(out_.Read()[0], 2.0f);
}

TEST_F(SimtRuntime, QueriesSayReadyInTheEnd) {
  Double(ones_, out_, stream_);
  int queries = 0;
  while (cudaStreamQuery(stream_) == cudaErrorNotReady && queries < 1000) ++queries;
  EXPECT_GT(queries, 0);
  EXPECT_LT(queries, 1000);
}

TEST_F(SimtRuntime, TheHostIsCalledInOrder) {
  Double(ones_, out_, stream_);
  ASSERT_EQ(ReadBack(out_, stream_), cudaSuccess);
  auto raise = [](void* data) { static_cast<float*>(data)[0] += 1; };
  ASSERT_EQ(cudaLaunchHostFunc(stream_, raise, pinned_), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
  EXPECT_EQ(pinned_[0], 3.0f);
}

TEST_F(SimtRuntime, AGraphRunsAsOftenAsItIsLaunched) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  ASSERT_EQ(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), cudaSuccess);
  Double(ones_, out_, stream_);
  // Another stream is drawn in and joins again.
  ASSERT_EQ(cudaEventRecord(event_, stream_), cudaSuccess);
  ASSERT_EQ(cudaStreamWaitEvent(other_, event_), cudaSuccess);
  Double(out_, ones_, other_);
  ASSERT_EQ(cudaEventRecord(event_, other_), cudaSuccess);
  ASSERT_EQ(cudaStreamWaitEvent(stream_, event_), cudaSuccess);
  ASSERT_EQ(ReadBack(ones_, stream_), cudaSuccess);
  ASSERT_EQ(cudaStreamEndCapture(stream_, &graph), cudaSuccess);
  ASSERT_EQ(cudaGraphInstantiate(&exec, graph), cudaSuccess);
  ASSERT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
  EXPECT_EQ(pinned_[0], 3.0f);  // captured, not run
  for (float expected : {4.0f, 16.0f}) {
    ASSERT_EQ(cudaGraphLaunch(exec, stream_), cudaSuccess);
    ASSERT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
    EXPECT_EQ(pinned_[0], expected);
  }
  ASSERT_EQ(cudaGraphExecDestroy(exec), cudaSuccess);
}

// Each of these ends a capture with an error.
TEST_F(SimtRuntime, ACaptureRefuses) {
  float pageable = 0;
  float* made = nullptr;
  const std::pair<const char*, std::function<cudaError_t()>> kRefused[] = {
      {"a copy to pageable memory",
       [&] {
         return cudaMemcpyAsync(&pageable, ones_.data(), 4, cudaMemcpyDeviceToHost, stream_);
       }},
      {"a copy from pageable memory",
       [&] {
         return cudaMemcpyAsync(ones_.data(), &pageable, 4, cudaMemcpyHostToDevice, stream_);
       }},
      {"an allocation", [&] { return cudaMalloc(&made, 4); }},
      {"an end of an allocation", [&] { return cudaFree(nullptr); }},
      {"waiting for the stream", [&] { return cudaStreamSynchronize(stream_); }},
      {"waiting for the device", [&] { return cudaDeviceSynchronize(); }},
      {"asking the stream", [&] { return cudaStreamQuery(stream_); }},
      {"the default stream", [&] { return cudaMemsetAsync(ones_.data(), 0, 4, nullptr); }},
  };
  for (const auto& [name, call] : kRefused) {
    cudaGraph_t graph = nullptr;
    ASSERT_EQ(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal), cudaSuccess);
    EXPECT_EQ(call(), cudaErrorStreamCaptureUnsupported) << name;
    EXPECT_EQ(cudaStreamEndCapture(stream_, &graph), cudaErrorStreamCaptureInvalidated) << name;
    EXPECT_EQ(graph, nullptr);
  }
}

TEST_F(SimtRuntime, ACaptureMustBeJoined) {
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(event_, stream_), cudaSuccess);
  ASSERT_EQ(cudaStreamWaitEvent(other_, event_), cudaSuccess);
  Double(ones_, out_, other_);
  EXPECT_EQ(cudaStreamEndCapture(stream_, &graph), cudaErrorStreamCaptureUnjoined);
}

TEST_F(SimtRuntime, WrongCallsAreErrors) {
  float value = 0;
  EXPECT_EQ(cudaMemcpy(ones_.data(), &value, 4, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(ones_.data() + kCount - 1, pinned_, 8, cudaMemcpyHostToDevice),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemset(&value, 0, 4), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(&value), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(pinned_), cudaErrorInvalidValue);
  EXPECT_EQ(cudaPeekAtLastError(), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  float* none = nullptr;
  EXPECT_EQ(cudaMalloc(&none, size_t{1} << 60), cudaErrorMemoryAllocation);
  EXPECT_STREQ(cudaGetErrorName(cudaGetLastError()), "cudaErrorMemoryAllocation");
}

TEST_F(SimtRuntime, DevicesSayWhatTheyAreToldTo) {
  int value = 0;
  EXPECT_EQ(cudaDriverGetVersion(&value), cudaSuccess);
  EXPECT_GT(value, 0);
  SetDevices({{{9, 0}, {8, 6}}});
  EXPECT_EQ(cudaGetDeviceCount(&value), cudaSuccess);
  EXPECT_EQ(value, 2);
  cudaDeviceProp properties;
  EXPECT_EQ(cudaGetDeviceProperties(&properties, 1), cudaSuccess);
  EXPECT_EQ(properties.major * 10 + properties.minor, 86);
  EXPECT_EQ(cudaDeviceGetAttribute(&value, cudaDevAttrComputeCapabilityMinor, 1), cudaSuccess);
  EXPECT_EQ(value, 6);
  EXPECT_EQ(cudaSetDevice(1), cudaSuccess);
  EXPECT_EQ(cudaGetDevice(&value), cudaSuccess);
  EXPECT_EQ(value, 1);
  EXPECT_EQ(cudaSetDevice(2), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaGetDeviceProperties(&properties, -1), cudaErrorInvalidDevice);
  SetDevices({{}, 0});
  EXPECT_EQ(cudaGetDeviceCount(&value), cudaErrorInsufficientDriver);
  EXPECT_EQ(value, 0);
  SetDevices({});
}

TEST_F(SimtRuntime, ALaunchWithTooMuchSharedMemoryIsAnError) {
  right_kernels::LaunchDouble(ones_.data(), out_.data(), kCount, 64 << 10, nullptr);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidConfiguration);
  EXPECT_EQ(TakeFindings().size(), 1u);
}

// Kernels see pinned memory too; what they read there comes over the bus.
TEST_F(SimtRuntime, KernelsReadPinnedMemory) {
  right_kernels::LaunchDouble(pinned_, out_.data(), kCount, 0, nullptr);
  EXPECT_EQ(out_.Read(), std::vector<float>(kCount, 6.0f));
  Traffic traffic = TakeTraffic()["Double"];
  EXPECT_EQ(traffic.pinned_read_bytes, 4u * kCount);
  EXPECT_EQ(traffic.global_read_bytes, 0u);
}

TEST_F(SimtRuntime, CopiesCarryWhatIsInitialised) {
  DeviceArray<float> fresh(kCount);
  ASSERT_EQ(cudaMemcpy(out_.data(), fresh.data(), 4 * kCount, cudaMemcpyDeviceToDevice),
            cudaSuccess);
  Double(out_, ones_, nullptr);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  std::vector<Finding> findings = TakeFindings();
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].fault, Fault::kUninitialised);
  EXPECT_EQ(findings[0].count, static_cast<uint64_t>(kCount));
}

}  // namespace
}  // namespace simt
