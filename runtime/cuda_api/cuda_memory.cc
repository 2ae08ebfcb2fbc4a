#include "runtime/cuda_api/cuda_memory.h"

#include <algorithm>
#include <cstring>

namespace maskloom::cuda_api {

CudaMemory::~CudaMemory() {
  while (!marks_.empty()) Reclaim(true);
  for (const cudaEvent_t event : events_) cudaEventDestroy(event);
  for (void* block : device_blocks_) cudaFree(block);
  for (void* block : pinned_blocks_) cudaFreeHost(block);
}

cudaError_t CudaMemory::Open(size_t ring_bytes) {
  ring_bytes_ = ring_bytes / kAlignment * kAlignment;
  ring_ = static_cast<std::byte*>(AllocatePinned(ring_bytes_));
  for (size_t i = 0; i < kMostMarks; ++i) {
    cudaEvent_t event = nullptr;
    const cudaError_t error = cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    Keep(error);
    if (error == cudaSuccess) events_.push_back(event);
  }
  return TakeError();
}

void* CudaMemory::Allocate(size_t bytes) {
  void* block = nullptr;
  const cudaError_t error = cudaMalloc(&block, bytes);
  Keep(error);
  if (error != cudaSuccess) return nullptr;
  device_blocks_.push_back(block);
  return block;
}

void* CudaMemory::TryAllocate(size_t bytes) {
  const cudaError_t before = error_;
  void* block = Allocate(bytes);
  error_ = before;
  return block;
}

void* CudaMemory::AllocatePinned(size_t bytes) {
  void* block = nullptr;
  const cudaError_t error = cudaMallocHost(&block, bytes);
  Keep(error);
  if (error != cudaSuccess) return nullptr;
  pinned_blocks_.push_back(block);
  return block;
}

void CudaMemory::Copy(void* to, const void* from, size_t bytes) {
  auto* target = static_cast<std::byte*>(to);
  const auto* source = static_cast<const std::byte*>(from);
  copied_bytes_ += bytes;
  while (bytes > 0) {
    const size_t piece = std::min(bytes, ring_bytes_ / 2);
    std::byte* staged = Stage(piece);
    std::memcpy(staged, source, piece);
    Keep(cudaMemcpyAsync(target, staged, piece, cudaMemcpyHostToDevice, stream_));
    target += piece;
    source += piece;
    bytes -= piece;
  }
}

std::byte* CudaMemory::Stage(size_t bytes) {
  const size_t size = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  const size_t left = ring_bytes_ - head_ % ring_bytes_;
  if (left < size) head_ += left;
  if (head_ + size - tail_ > ring_bytes_) Reclaim(false);
  while (head_ + size - tail_ > ring_bytes_) {
    if (!AddMark() && marks_.empty()) tail_ = head_;  // the device has failed: nothing is under way
    ++wait_count_;
    Reclaim(true);
  }
  std::byte* staged = ring_ + head_ % ring_bytes_;
  head_ += size;
  return staged;
}

void CudaMemory::EndBurst() {
  Reclaim(false);
  // Without an event to spare the next burst's mark stands for this one, too.
  AddMark();
}

bool CudaMemory::AddMark() {
  const uint64_t marked = marks_.empty() ? tail_ : marks_.back().end;
  if (events_.empty() || head_ == marked) return false;
  const cudaError_t error = cudaEventRecord(events_.back(), stream_);
  Keep(error);
  if (error != cudaSuccess) return false;
  marks_.push_back({events_.back(), head_});
  events_.pop_back();
  return true;
}

void CudaMemory::Reclaim(bool waits) {
  while (!marks_.empty()) {
    const Mark mark = marks_.front();
    const cudaError_t error = waits ? cudaEventSynchronize(mark.event) : cudaEventQuery(mark.event);
    if (error == cudaErrorNotReady) {
      cudaGetLastError();
      return;
    }
    // What failed will not happen any more.
    Keep(error);
    waits = false;
    tail_ = mark.end;
    events_.push_back(mark.event);
    marks_.pop_front();
  }
}

void CudaMemory::Keep(cudaError_t error) {
  if (error == cudaSuccess) return;
  cudaGetLastError();  // else the next launch would be blamed
  if (error_ == cudaSuccess) error_ = error;
}

cudaError_t CudaMemory::TakeError() {
  const cudaError_t error = error_;
  error_ = cudaSuccess;
  return error;
}

}  // namespace maskloom::cuda_api
