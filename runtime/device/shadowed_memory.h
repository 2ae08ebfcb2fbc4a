// Device memory that is written again and again with nearly the same: only what differs is copied.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <vector>

#include "runtime/device/device_memory.h"

namespace maskloom {

// Keeps what it copied and compares by pieces of kPieceBytes. Not thread-safe.
class ShadowedMemory final : public DeviceMemory {
 public:
  static constexpr size_t kPieceBytes = 1024;

  // `memory` must outlive this.
  explicit ShadowedMemory(DeviceMemory* memory) : memory_(*memory) {}

  void* Allocate(size_t bytes) override;
  // Requires: `to` lies in what Allocate returned. Cost: a comparison, and copies of the pieces
  // that differ, neighbours as one.
  void Copy(void* to, const void* from, size_t bytes) override;

  // Bytes that were copied.
  uint64_t copied_bytes() const { return copied_bytes_; }

 private:
  struct Block {
    size_t bytes = 0;
    std::unique_ptr<std::byte[]> copy;
    std::vector<bool> is_known;  // by piece: what the device has is in `copy`
  };

  DeviceMemory& memory_;
  std::map<const std::byte*, Block> blocks_;  // by where they begin
  uint64_t copied_bytes_ = 0;
};

}  // namespace maskloom
