// Memory beside the logits, and how it is written: all that the mask pool and the step tables ask
// of a device.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <vector>

namespace maskloom {

// Copies happen in the order in which they were submitted, and in that order with the kernels of
// the same stream. Not thread-safe.
class DeviceMemory {
 public:
  virtual ~DeviceMemory() = default;
  // Returns room for `bytes` bytes, aligned for any type, until this ends; null where there is
  // none.
  virtual void* Allocate(size_t bytes) = 0;
  // Copies behind all that was submitted before. `from` may be changed when this returns.
  virtual void Copy(void* to, const void* from, size_t bytes) = 0;
};

// The memory of this process: for kernels that run here.
class PlainMemory final : public DeviceMemory {
 public:
  void* Allocate(size_t bytes) override {
    blocks_.push_back(std::make_unique<std::byte[]>(bytes));
    return blocks_.back().get();
  }
  void Copy(void* to, const void* from, size_t bytes) override { std::memcpy(to, from, bytes); }

 private:
  std::vector<std::unique_ptr<std::byte[]>> blocks_;
};

}  // namespace maskloom
