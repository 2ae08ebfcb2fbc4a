// The part of CUDA's runtime that the host's side of kernels needs: memory, streams, events,
// graphs.
//
// A stream is a queue of what was asked for. Nothing of it happens before somebody waits: a host
// that reads a result without waiting reads what was there before, every time. Streams that are
// waited for together go on in an order that the seed decides, step by step.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "kernels/simt/block.h"
#include "kernels/simt/site.h"
#include "kernels/simt/vector_types.h"

namespace simt {

enum cudaError_t {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorMemoryAllocation = 2,
  cudaErrorInvalidConfiguration = 9,
  cudaErrorInsufficientDriver = 35,
  cudaErrorNoDevice = 100,
  cudaErrorInvalidDevice = 101,
  cudaErrorInvalidResourceHandle = 400,
  cudaErrorNotReady = 600,
  cudaErrorLaunchFailure = 719,
  cudaErrorStreamCaptureUnsupported = 900,
  cudaErrorStreamCaptureInvalidated = 901,
  cudaErrorStreamCaptureUnjoined = 904,
  cudaErrorIllegalState = 401,
};

enum cudaMemcpyKind {
  cudaMemcpyHostToHost,
  cudaMemcpyHostToDevice,
  cudaMemcpyDeviceToHost,
  cudaMemcpyDeviceToDevice,
  cudaMemcpyDefault,
};
enum cudaStreamCaptureMode {
  cudaStreamCaptureModeGlobal,
  cudaStreamCaptureModeThreadLocal,
  cudaStreamCaptureModeRelaxed,
};
enum cudaStreamCaptureStatus {
  cudaStreamCaptureStatusNone,
  cudaStreamCaptureStatusActive,
  cudaStreamCaptureStatusInvalidated,
};
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize = 8 };
enum cudaDeviceAttr {
  cudaDevAttrMultiProcessorCount = 16,
  cudaDevAttrComputeCapabilityMajor = 75,
  cudaDevAttrComputeCapabilityMinor = 76,
  cudaDevAttrMaxSharedMemoryPerBlockOptin = 97,
};

inline constexpr unsigned cudaStreamDefault = 0, cudaStreamNonBlocking = 1;
inline constexpr unsigned cudaEventDefault = 0, cudaEventDisableTiming = 2;
inline constexpr unsigned cudaHostAllocDefault = 0;

// What every device has, as far as anyone asks.
inline constexpr int kMultiprocessors = 132;
inline constexpr int kCacheBytes = 50 << 20;
inline constexpr size_t kMostSharedBytes = 227 << 10;
struct cudaDeviceProp {
  char name[256];
  int major, minor;
  int multiProcessorCount;
  int l2CacheSize;
};

struct Stream;
struct Event;
struct Graph;
struct GraphExec;
using cudaStream_t = Stream*;
using cudaEvent_t = Event*;
using cudaGraph_t = Graph*;
using cudaGraphExec_t = GraphExec*;
using cudaHostFn_t = void (*)(void* data);

const char* cudaGetErrorName(cudaError_t error);
const char* cudaGetErrorString(cudaError_t error);
// The last error that a call returned or a launch met; reading it forgets it.
cudaError_t cudaGetLastError();
cudaError_t cudaPeekAtLastError();

cudaError_t cudaGetDeviceCount(int* count);
cudaError_t cudaGetDevice(int* device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device);
cudaError_t cudaDriverGetVersion(int* version);  // 0: none is installed
cudaError_t cudaDeviceSynchronize();

cudaError_t MallocBytes(void** pointer, size_t bytes, Space space);
template <class T>
cudaError_t cudaMalloc(T** pointer, size_t bytes) {
  return MallocBytes(reinterpret_cast<void**>(pointer), bytes, Space::kGlobal);
}
template <class T>
cudaError_t cudaMallocAsync(T** pointer, size_t bytes, cudaStream_t) {
  return cudaMalloc(pointer, bytes);
}
template <class T>
cudaError_t cudaMallocHost(T** pointer, size_t bytes) {
  return MallocBytes(reinterpret_cast<void**>(pointer), bytes, Space::kPinned);
}
template <class T>
cudaError_t cudaHostAlloc(T** pointer, size_t bytes, unsigned) {
  return cudaMallocHost(pointer, bytes);
}
cudaError_t cudaFree(void* pointer);
cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream);
cudaError_t cudaFreeHost(void* pointer);

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream = nullptr);
cudaError_t cudaMemset(void* to, int value, size_t bytes);
cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t stream = nullptr);

cudaError_t cudaStreamCreate(cudaStream_t* stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags = 0);
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data);

cudaError_t cudaEventCreate(cudaEvent_t* event);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = nullptr);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end);

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph);
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph,
                                 unsigned long long flags = 0);
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);

cudaError_t SetFunctionAttribute(const void* kernel, cudaFuncAttribute attribute, int value);
template <class... P>
cudaError_t cudaFuncSetAttribute(void (*kernel)(P...), cudaFuncAttribute attribute, int value) {
  return SetFunctionAttribute(reinterpret_cast<const void*>(kernel), attribute, value);
}

// How many blocks, of how many threads, with how much dynamic shared memory, on which stream.
struct LaunchShape {
  dim3 grid, block;
  size_t dynamic_shared_bytes = 0;
  cudaStream_t stream = nullptr;

  LaunchShape(dim3 blocks, dim3 threads, size_t shared_bytes, cudaStream_t queue)
      : grid(blocks), block(threads), dynamic_shared_bytes(shared_bytes), stream(queue) {}
};

// Queues a launch of `body`, what one thread does.
void QueueLaunch(const char* name, const void* kernel, const LaunchShape& shape,
                 std::function<void()> body, Site site);

// Queues a launch; arguments are converted now.
template <class... P, class... A>
void LaunchKernel(const char* name, void (*kernel)(P...), const LaunchShape& shape, Site site,
                  A&&... arguments) {
  static_assert(sizeof...(P) == sizeof...(A), "a launch needs each argument of its kernel");
  static_assert(!(std::is_pointer_v<P> || ...), "kernels take Global<T>, not T*");
  static_assert(!(std::is_reference_v<P> || ...), "kernels take their parameters by value");
  std::tuple<P...> parameters(static_cast<P>(arguments)...);
  QueueLaunch(
      name, reinterpret_cast<const void*>(kernel), shape,
      [kernel, parameters] { std::apply(kernel, parameters); }, site);
}

// Reports that a block has more threads than its kernel is made for.
void CheckLaunchBounds(unsigned threads, Site site);

// What is said to be here. All devices are the one stand-in, whose memory they share.
struct Devices {
  struct Capability {
    int major = 9, minor = 0;
  };
  std::vector<Capability> capabilities = {{}};
  int driver_version = 13000;  // 0: none, and no devices
};
// Lets the host find other devices than the one of capability 9.0; device 0 is current then.
void SetDevices(const Devices& devices);
// Chooses what later launches check.
void SetChecks(const Checks& checks);
// Waits for all that runs, and forgets findings and counts.
void ResetDevice();

}  // namespace simt
