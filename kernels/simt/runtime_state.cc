#include "kernels/simt/runtime_state.h"

#include <algorithm>
#include <utility>

#include "kernels/simt/stand_in_state.h"

namespace simt {

Runtime& TheRuntime() {
  static auto* runtime = new Runtime;
  return *runtime;
}

cudaError_t Return(cudaError_t error) {
  if (error != cudaSuccess) TheRuntime().last_error = error;
  return error;
}

Stream& Of(cudaStream_t stream) {
  return stream == nullptr ? TheRuntime().default_stream : *stream;
}

bool IsKnown(cudaStream_t stream) {
  const auto& streams = TheRuntime().streams;
  return stream == nullptr || std::any_of(streams.begin(), streams.end(),
                                          [&](const auto& known) { return known.get() == stream; });
}

bool IsAnyCapturing() {
  const auto& streams = TheRuntime().streams;
  return std::any_of(streams.begin(), streams.end(),
                     [](const auto& stream) { return stream->capture != nullptr; });
}

cudaError_t RefuseInCapture() {
  for (const auto& stream : TheRuntime().streams) {
    if (stream->capture != nullptr) stream->capture->is_invalid = true;
  }
  return Return(cudaErrorStreamCaptureUnsupported);
}

void RunOne(Stream* stream) {
  Operation operation = std::move(stream->queue.front());
  stream->queue.pop_front();
  cudaError_t error = operation();
  if (error != cudaSuccess) TheRuntime().async_error = error;
}

void Drain(Stream* stream) {
  while (!stream->queue.empty()) RunOne(stream);
}

void DrainAll() {
  Runtime& runtime = TheRuntime();
  std::vector<Stream*> busy;
  while (true) {
    busy.clear();
    if (!runtime.default_stream.queue.empty()) busy.push_back(&runtime.default_stream);
    for (const auto& stream : runtime.streams) {
      if (!stream->queue.empty()) busy.push_back(stream.get());
    }
    if (busy.empty()) return;
    RunOne(busy[runtime.random() % busy.size()]);
  }
}

cudaError_t TakeAsyncError() {
  return Return(std::exchange(TheRuntime().async_error, cudaSuccess));
}

namespace {

// The default stream and the blocking ones wait for each other.
void OrderWithDefaultStream(Stream* stream) {
  Runtime& runtime = TheRuntime();
  if (stream != &runtime.default_stream) {
    if (stream->is_blocking) Drain(&runtime.default_stream);
    return;
  }
  for (const auto& other : runtime.streams) {
    if (other->is_blocking) Drain(other.get());
  }
}

}  // namespace

cudaError_t Enqueue(cudaStream_t stream, Operation operation) {
  if (!IsKnown(stream)) return Return(cudaErrorInvalidResourceHandle);
  Stream& queue = Of(stream);
  if (queue.capture != nullptr) {
    if (queue.capture->is_invalid) return Return(cudaErrorStreamCaptureInvalidated);
    queue.capture->operations.push_back(std::move(operation));
    return cudaSuccess;
  }
  if (stream == nullptr && IsAnyCapturing()) return RefuseInCapture();
  OrderWithDefaultStream(&queue);
  queue.queue.push_back(std::move(operation));
  return cudaSuccess;
}

std::lock_guard<std::recursive_mutex> Lock() {
  return std::lock_guard<std::recursive_mutex>(State().mutex);
}

const char* cudaGetErrorName(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return "cudaSuccess";
    case cudaErrorInvalidValue:
      return "cudaErrorInvalidValue";
    case cudaErrorMemoryAllocation:
      return "cudaErrorMemoryAllocation";
    case cudaErrorInvalidConfiguration:
      return "cudaErrorInvalidConfiguration";
    case cudaErrorInsufficientDriver:
      return "cudaErrorInsufficientDriver";
    case cudaErrorNoDevice:
      return "cudaErrorNoDevice";
    case cudaErrorInvalidDevice:
      return "cudaErrorInvalidDevice";
    case cudaErrorInvalidResourceHandle:
      return "cudaErrorInvalidResourceHandle";
    case cudaErrorIllegalState:
      return "cudaErrorIllegalState";
    case cudaErrorNotReady:
      return "cudaErrorNotReady";
    case cudaErrorLaunchFailure:
      return "cudaErrorLaunchFailure";
    case cudaErrorStreamCaptureUnsupported:
      return "cudaErrorStreamCaptureUnsupported";
    case cudaErrorStreamCaptureInvalidated:
      return "cudaErrorStreamCaptureInvalidated";
    case cudaErrorStreamCaptureUnjoined:
      return "cudaErrorStreamCaptureUnjoined";
  }
  return "unrecognized error code";
}

const char* cudaGetErrorString(cudaError_t error) { return cudaGetErrorName(error); }

cudaError_t cudaGetLastError() {
  auto lock = Lock();
  return std::exchange(TheRuntime().last_error, cudaSuccess);
}

cudaError_t cudaPeekAtLastError() {
  auto lock = Lock();
  return TheRuntime().last_error;
}

}  // namespace simt
