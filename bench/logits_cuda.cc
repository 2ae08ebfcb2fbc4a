// Times the logits kernel, and masks applied in place, on a device.
//
// A step follows the other in a captured graph, each over another copy of the logits, so many that
// none is found in the device's cache; masks, settings and workspace are the same and stay there.
// Events around the graph give the time of its steps. Requires: SIMT_ON_DEVICE.
#include <algorithm>
#include <chrono>

#include "bench/logits_backends.h"
#include "bench/logits_device.h"
#include "kernels/cuda/find_device.h"

namespace maskloom::bench {
namespace {

constexpr size_t kMostCopies = 2048;
constexpr size_t kLeastSteps = 8;
constexpr size_t kLeastTurns = 20;

// Keeps the first error of CUDA's calls.
class Errors {
 public:
  bool Ok(int error) {
    if (first_ == 0) first_ = error;
    return error == 0;
  }
  std::string text() const {
    return first_ == 0 ? "" : simt::cudaGetErrorString(static_cast<simt::cudaError_t>(first_));
  }

 private:
  int first_ = 0;
};

// A graph of steps, one behind the other, and what times it.
class TimedSteps {
 public:
  // `launch` queues a step over the logits that it is given.
  template <class Launch>
  TimedSteps(const DeviceLogits& device, size_t copies, Launch launch, Errors* errors)
      : errors_(errors), steps_(std::max(copies, kLeastSteps)), copies_(Copies(device, copies)) {
    const size_t stride = device.stored().size();
    if (copies_.As<char>() == nullptr) errors->Ok(simt::cudaErrorMemoryAllocation);
    errors->Ok(simt::cudaStreamCreate(&stream_));
    errors->Ok(simt::cudaEventCreate(&begin_));
    errors->Ok(simt::cudaEventCreate(&end_));
    errors->Ok(simt::cudaStreamBeginCapture(stream_, simt::cudaStreamCaptureModeGlobal));
    for (size_t i = 0; i < steps_; ++i) {
      errors->Ok(launch(copies_.As<char>() + i % copies * stride, stream_));
    }
    errors->Ok(simt::cudaStreamEndCapture(stream_, &graph_));
    errors->Ok(simt::cudaGraphInstantiate(&exec_, graph_, 0));
  }
  ~TimedSteps() {
    simt::cudaGraphExecDestroy(exec_);
    simt::cudaGraphDestroy(graph_);
    simt::cudaEventDestroy(begin_);
    simt::cudaEventDestroy(end_);
    simt::cudaStreamDestroy(stream_);
  }
  TimedSteps(const TimedSteps&) = delete;
  TimedSteps& operator=(const TimedSteps&) = delete;

  // Returns the time of one step in microseconds; 0 after an error.
  double Turn() {
    float milliseconds = 0;
    errors_->Ok(simt::cudaEventRecord(begin_, stream_));
    errors_->Ok(simt::cudaGraphLaunch(exec_, stream_));
    errors_->Ok(simt::cudaEventRecord(end_, stream_));
    errors_->Ok(simt::cudaEventSynchronize(end_));
    errors_->Ok(simt::cudaEventElapsedTime(&milliseconds, begin_, end_));
    return 1000.0 * static_cast<double>(milliseconds) / static_cast<double>(steps_);
  }

 private:
  static DeviceMemory Copies(const DeviceLogits& device, size_t copies) {
    std::vector<char> all;
    all.reserve(copies * device.stored().size());
    for (size_t i = 0; i < copies; ++i) {
      all.insert(all.end(), device.stored().begin(), device.stored().end());
    }
    return DeviceMemory(all);
  }

  Errors* errors_;
  size_t steps_;
  DeviceMemory copies_;
  simt::cudaStream_t stream_ = nullptr;
  simt::cudaEvent_t begin_ = nullptr, end_ = nullptr;
  simt::cudaGraph_t graph_ = nullptr;
  simt::cudaGraphExec_t exec_ = nullptr;
};

double MedianTurn(TimedSteps* steps, const Errors& errors, double seconds) {
  using Clock = std::chrono::steady_clock;
  steps->Turn();  // caches and clocks
  std::vector<double> turns;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  while (errors.text().empty() && (turns.size() < kLeastTurns || Clock::now() < end)) {
    turns.push_back(steps->Turn());
  }
  if (turns.empty()) return 0;
  std::sort(turns.begin(), turns.end());
  return turns[turns.size() / 2];
}

// Runs one step, looks at its answer, and times many.
template <class Launch, class IsRight>
Measured MeasureSteps(const DeviceLogits& device, double seconds, Launch launch, IsRight is_right) {
  static const kernels::cuda::FoundDevice found = kernels::cuda::FindDevice();
  Measured measured;
  Errors errors;
  errors.Ok(device.HasMemory() ? launch(device.logits(), nullptr)
                               : static_cast<int>(simt::cudaErrorMemoryAllocation));
  errors.Ok(simt::cudaDeviceSynchronize());
  measured.error = errors.text();
  measured.is_right = measured.error.empty() && is_right();
  if (!measured.is_right) return measured;
  const size_t bytes = device.stored().size();
  const size_t copies = std::min(2 * found.cache_bytes / bytes + 1, kMostCopies);
  TimedSteps steps(device, copies, launch, &errors);
  measured.us = MedianTurn(&steps, errors, seconds);
  measured.error = errors.text();
  return measured;
}

}  // namespace

Measured MeasureOnDevice(const LogitsRows& rows, const kernels::SampleSettings& settings,
                         Dtype dtype, double seconds) {
  const DeviceLogits device(rows, settings, dtype);
  kernels::cuda::LogitsBatch batch = device.Batch();
  const auto launch = [&batch](void* logits, simt::cudaStream_t stream) {
    batch.logits = logits;
    return LaunchChooseTokens(batch, stream);
  };
  return MeasureSteps(device, seconds, launch, [&] { return device.AreRight(device.Choices()); });
}

Measured MeasureApplyOnDevice(const LogitsRows& rows, Dtype dtype, double seconds) {
  const DeviceLogits device(rows, {}, dtype);
  kernels::cuda::ApplyBatch batch = device.Apply();
  const auto launch = [&batch](void* logits, simt::cudaStream_t stream) {
    batch.logits = logits;
    return LaunchApplyMasks(batch, stream);
  };
  return MeasureSteps(device, seconds, launch, [&] { return device.IsApplied(); });
}

}  // namespace maskloom::bench
