// Allocations and copies of the runtime.
#include <cstring>
#include <utility>
#include <vector>

#include "kernels/simt/runtime_state.h"
#include "kernels/simt/stand_in_state.h"

namespace simt {
namespace {

// A side of a copy.
struct Place {
  Region* region = nullptr;  // nullptr: pageable memory of the host
  size_t offset = 0;
  bool is_valid = true;

  bool IsDevice() const { return region != nullptr && region->space() == Space::kGlobal; }
};

Place FindPlace(const void* address, size_t bytes) {
  Place place{.region = FindRegion(address)};
  if (place.region == nullptr) return place;
  place.offset =
      static_cast<size_t>(static_cast<const std::byte*>(address) - place.region->begin());
  place.is_valid = bytes <= place.region->bytes() - place.offset;
  return place;
}

bool IsKindRight(const Place& to, const Place& from, cudaMemcpyKind kind) {
  if (kind == cudaMemcpyDefault) return true;
  bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  return to.IsDevice() == to_device && from.IsDevice() == from_device;
}

void CountCopy(const Place& to, const Place& from, size_t bytes) {
  CopyTraffic& copies = State().copies;
  ++copies.copies;
  if (to.IsDevice() && from.IsDevice()) copies.device_to_device_bytes += bytes;
  if (to.IsDevice() && !from.IsDevice()) copies.host_to_device_bytes += bytes;
  if (!to.IsDevice() && from.IsDevice()) copies.device_to_host_bytes += bytes;
}

// Copies now, and what is known of the bytes with them.
cudaError_t CopyNow(void* to, const void* from, size_t bytes) {
  Place target = FindPlace(to, bytes);
  Place source = FindPlace(from, bytes);
  if (!target.is_valid || !source.is_valid) return cudaErrorInvalidValue;
  std::memmove(to, from, bytes);
  CountCopy(target, source, bytes);
  if (target.region == nullptr) return cudaSuccess;
  if (source.region != nullptr) {
    target.region->CopyInitialised(target.offset, *source.region, source.offset, bytes);
  } else {
    target.region->SetInitialised(target.offset, bytes, true);
  }
  return cudaSuccess;
}

// A copy from pageable memory takes the bytes at once; one to it is waited for.
cudaError_t QueueCopy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                      cudaStream_t stream) {
  Place target = FindPlace(to, bytes);
  Place source = FindPlace(from, bytes);
  if (!target.is_valid || !source.is_valid || !IsKindRight(target, source, kind)) {
    return Return(cudaErrorInvalidValue);
  }
  if (bytes == 0) return cudaSuccess;
  bool is_pageable = target.region == nullptr || source.region == nullptr;
  if (is_pageable && IsKnown(stream) && Of(stream).capture != nullptr) return RefuseInCapture();
  if (source.region != nullptr) {
    cudaError_t error = Enqueue(stream, [=] { return CopyNow(to, from, bytes); });
    if (error != cudaSuccess || target.region != nullptr) return error;
    return cudaStreamSynchronize(stream);
  }
  auto bytes_from = static_cast<const std::byte*>(from);
  std::vector<std::byte> staged(bytes_from, bytes_from + bytes);
  return Enqueue(stream, [to, staged] { return CopyNow(to, staged.data(), staged.size()); });
}

}  // namespace

cudaError_t MallocBytes(void** pointer, size_t bytes, Space space) {
  auto lock = Lock();
  if (IsAnyCapturing()) return RefuseInCapture();
  *pointer = bytes == 0 ? nullptr : Allocate(bytes, space);
  return Return(bytes == 0 || *pointer != nullptr ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaFree(void* pointer) {
  auto lock = Lock();
  if (IsAnyCapturing()) return RefuseInCapture();
  DrainAll();
  if (pointer == nullptr) return TakeAsyncError();
  return Deallocate(pointer, Space::kGlobal) ? TakeAsyncError() : Return(cudaErrorInvalidValue);
}

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
  auto lock = Lock();
  if (IsKnown(stream) && Of(stream).capture != nullptr) return RefuseInCapture();
  return Enqueue(stream, [pointer] {
    return Deallocate(pointer, Space::kGlobal) ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaFreeHost(void* pointer) {
  auto lock = Lock();
  if (IsAnyCapturing()) return RefuseInCapture();
  DrainAll();
  if (pointer == nullptr) return TakeAsyncError();
  return Deallocate(pointer, Space::kPinned) ? TakeAsyncError() : Return(cudaErrorInvalidValue);
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  auto lock = Lock();
  return QueueCopy(to, from, bytes, kind, stream);
}

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  auto lock = Lock();
  if (IsAnyCapturing()) return RefuseInCapture();
  cudaError_t error = QueueCopy(to, from, bytes, kind, nullptr);
  return error != cudaSuccess ? error : cudaStreamSynchronize(nullptr);
}

cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t stream) {
  auto lock = Lock();
  Place target = FindPlace(to, bytes);
  if (target.region == nullptr || !target.is_valid) return Return(cudaErrorInvalidValue);
  return Enqueue(stream, [=] {
    Place now = FindPlace(to, bytes);
    if (now.region == nullptr || !now.is_valid) return cudaErrorInvalidValue;
    std::memset(to, value, bytes);
    now.region->SetInitialised(now.offset, bytes, true);
    State().copies.set_bytes += bytes;
    return cudaSuccess;
  });
}

cudaError_t cudaMemset(void* to, int value, size_t bytes) {
  auto lock = Lock();
  if (IsAnyCapturing()) return RefuseInCapture();
  cudaError_t error = cudaMemsetAsync(to, value, bytes, nullptr);
  return error != cudaSuccess ? error : cudaStreamSynchronize(nullptr);
}

}  // namespace simt
