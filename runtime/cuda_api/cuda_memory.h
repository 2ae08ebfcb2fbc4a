// Device memory as the core asks for it: room, and copies through pinned memory in the order of a
// stream.
//
// What is copied is put into a ring of pinned memory first, so that the copy itself runs beside the
// host and the caller may change its bytes at once. A part of the ring is free again when the event
// behind its copies has happened; a copy waits only where the ring is full of such that have not.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "runtime/device/device_memory.h"

namespace maskloom::cuda_api {

// Not thread-safe. The device that is current when it is made must be current in every call.
class CudaMemory final : public DeviceMemory {
 public:
  CudaMemory() = default;
  // Waits for copies, and frees what Allocate gave.
  ~CudaMemory() override;
  CudaMemory(const CudaMemory&) = delete;
  CudaMemory& operator=(const CudaMemory&) = delete;

  // Asks for the ring. Requires: at least 64 bytes. On error: what the driver says.
  [[nodiscard]] cudaError_t Open(size_t ring_bytes);

  // Copies are submitted to `stream` from now on. Streams that are used one after the other must be
  // ordered by the caller.
  void SetStream(cudaStream_t stream) { stream_ = stream; }

  // On error: null; the driver's error is kept.
  void* Allocate(size_t bytes) override;
  // The same for callers that can do without: of an error, nothing is kept.
  void* TryAllocate(size_t bytes);
  // Room for `count` values on the device, each of them `value`. On error: as Allocate.
  template <class T>
  T* Fill(size_t count, const T& value) {
    T* array = static_cast<T*>(Allocate(count * sizeof(T)));
    if (array == nullptr) return nullptr;
    const std::vector<T> values(count, value);
    Copy(array, values.data(), count * sizeof(T));
    return array;
  }
  // Pinned memory of the host that kernels can write, until this ends. On error: as Allocate.
  void* AllocatePinned(size_t bytes);
  // Of any size; more than the ring holds goes in pieces.
  void Copy(void* to, const void* from, size_t bytes) override;
  // Lets the ring know that a burst of copies is over, so that its part is free in time.
  void EndBurst();

  // Returns the first error since the last call, which is forgotten.
  [[nodiscard]] cudaError_t TakeError();

  uint64_t copied_bytes() const { return copied_bytes_; }
  // How often a copy had to wait.
  uint64_t wait_count() const { return wait_count_; }

 private:
  static constexpr size_t kMostMarks = 32;
  static constexpr size_t kAlignment = 16;
  // Copies up to `end` are done when the event has happened.
  struct Mark {
    cudaEvent_t event;
    uint64_t end;
  };

  // Returns `bytes` bytes of the ring. Requires: no more than half of it.
  std::byte* Stage(size_t bytes);
  // Frees what marks say is done; `waits`: at least the oldest of them.
  void Reclaim(bool waits);
  bool AddMark();
  void Keep(cudaError_t error);

  cudaStream_t stream_ = nullptr;
  std::byte* ring_ = nullptr;
  size_t ring_bytes_ = 0;
  // Places count on: the ring has them modulo its size. From tail_ to head_ it is in use.
  uint64_t head_ = 0, tail_ = 0;
  std::deque<Mark> marks_;
  std::vector<cudaEvent_t> events_;  // that no mark has
  std::vector<void*> device_blocks_, pinned_blocks_;
  cudaError_t error_ = cudaSuccess;
  uint64_t copied_bytes_ = 0;
  uint64_t wait_count_ = 0;
};

}  // namespace maskloom::cuda_api
