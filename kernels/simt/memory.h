// Memory as kernels see it: regions with bounds, a record of which bytes were written, and shadows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "kernels/simt/race_shadow.h"
#include "kernels/simt/traffic.h"

namespace simt {

// What a thread has made visible to other blocks: it, and threads of its block behind a barrier.
struct Release {
  uint32_t block, thread;
  uint32_t own_phase;                // its own accesses until then
  uint32_t atomic_phase;             // the atomic that releases, which has a phase of its own
  uint32_t barrier_phase;            // accesses of its whole block before then
  uint32_t lane_phases[kWarpLanes];  // accesses of the lanes of its warp until then
};
using ReleaseList = std::vector<Release>;

// One allocation, or the shared memory of a block's array.
class Region {
 public:
  // Requires: the memory outlives the region or Free() is called.
  Region(std::byte* begin, size_t bytes, Space space);

  std::byte* begin() const { return begin_; }
  std::byte* end() const { return begin_ + bytes_; }
  size_t bytes() const { return bytes_; }
  Space space() const { return space_; }
  bool is_freed() const { return is_freed_; }
  void Free() { is_freed_ = true; }

  void SetInitialised(size_t offset, size_t bytes, bool value);
  bool IsInitialised(size_t offset, size_t bytes) const;
  // Takes over from `source` which of `bytes` bytes are initialised.
  void CopyInitialised(size_t offset, const Region& source, size_t source_offset, size_t bytes);

  RaceShadow& races() { return races_; }
  // What atomics at `offset` have released; never null.
  std::shared_ptr<ReleaseList>& Releases(size_t offset);
  // A plain write at `offset` ends what was released there.
  void EndReleases(size_t offset);

  // Returns whether launch `launch` touches this sector for the first time in this way.
  bool TouchSector(size_t sector, bool is_write, uint32_t launch);

 private:
  std::byte* begin_;
  size_t bytes_;
  Space space_;
  bool is_freed_ = false;
  std::vector<uint8_t> initialised_;  // one a byte
  RaceShadow races_;
  std::unordered_map<size_t, std::shared_ptr<ReleaseList>> releases_;
  std::vector<uint32_t> touched_[2];  // by reads, by writes: last launch, one a sector
};

// Returns the region of device-accessible memory that holds `address`, or nullptr.
Region* FindRegion(const void* address);

// Makes device or pinned memory; its contents are arbitrary. Returns nullptr when there is none.
void* Allocate(size_t bytes, Space space);
// Ends an allocation that began at `address`. Returns false if there is none of this space.
bool Deallocate(void* address, Space space);

}  // namespace simt
