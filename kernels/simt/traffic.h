// Counts what kernels move: bytes, sectors of 32 bytes, and bank conflicts.
//
// A GPU serves the lanes of a warp together: what they access in one instruction costs as many
// transactions as there are different sectors of global memory, and in shared memory as many
// passes as the busiest of 32 banks has different words. Fibers run one lane after another, so each
// lane keeps a log; when all lanes of a warp stand still, the k-th access of one site by each of
// them are taken as one instruction. That is exact where lanes run through a loop alike, and where
// some of them leave it early.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "kernels/simt/site.h"

namespace simt {

inline constexpr unsigned kWarpLanes = 32;
inline constexpr unsigned kSectorBytes = 32;

enum class AccessKind : uint8_t { kLoad, kStore, kAtomic, kBlockAtomic };
enum class Space : uint8_t { kGlobal, kShared, kPinned };

// What one launch, or many, have moved. Bytes are what lanes asked for; sectors are what a warp's
// instruction touches; unique sectors are counted once a launch, as if a cache held all of them.
struct Traffic {
  uint64_t launches = 0;
  uint64_t global_read_bytes = 0, global_write_bytes = 0, global_atomic_bytes = 0;
  uint64_t global_read_sectors = 0, global_write_sectors = 0, global_atomic_sectors = 0;
  uint64_t global_read_requests = 0, global_write_requests = 0, global_atomic_requests = 0;
  uint64_t unique_read_sectors = 0, unique_write_sectors = 0;
  uint64_t pinned_read_bytes = 0, pinned_write_bytes = 0;  // of the host, over the bus
  uint64_t shared_read_bytes = 0, shared_write_bytes = 0, shared_atomic_bytes = 0;
  uint64_t shared_passes = 0;   // over the banks, all kinds of access together
  uint64_t bank_conflicts = 0;  // passes beyond those that the width of the accesses needs
  uint64_t barriers = 0;        // of blocks

  // Bytes between the chip and its memory, if nothing is cached: all global sectors.
  uint64_t moved_bytes() const {
    return kSectorBytes * (global_read_sectors + global_write_sectors + global_atomic_sectors);
  }
  // The same if everything is cached within a launch.
  uint64_t unique_bytes() const {
    return kSectorBytes * (unique_read_sectors + unique_write_sectors);
  }
  Traffic& operator+=(const Traffic& other);
};

// What was copied and set by the host's calls.
struct CopyTraffic {
  uint64_t host_to_device_bytes = 0, device_to_host_bytes = 0, device_to_device_bytes = 0;
  uint64_t set_bytes = 0;
  uint64_t copies = 0;
};

// Returns what each kernel has moved since the last call and forgets it.
std::map<std::string, Traffic> TakeTraffic();
CopyTraffic TakeCopyTraffic();

// One access of one lane.
struct LoggedAccess {
  Site site;
  uint64_t address : 48;
  uint64_t bytes : 10;
  uint64_t kind : 2;
  uint64_t space : 2;
};
static_assert(sizeof(LoggedAccess) == 16);

// The accesses of the lanes of a warp since all of them stood still.
class WarpLog {
 public:
  // A lane stands still when its log is this long, so that logs are bounded.
  static constexpr size_t kMostLogged = 4096;

  // Returns whether the log of `lane` is full.
  bool Add(unsigned lane, const LoggedAccess& access) {
    logs_[lane].push_back(access);
    return logs_[lane].size() >= kMostLogged;
  }
  // Groups the accesses into instructions, counts them and empties the logs.
  void CountInto(Traffic* traffic);

 private:
  // Accesses of different lanes in one instruction.
  struct Instruction {
    std::array<LoggedAccess, kWarpLanes> accesses;
    std::array<uint8_t, kWarpLanes> lanes;
    unsigned count = 0;
  };
  struct SiteGroups {
    std::vector<uint32_t> instructions;  // index by occurrence
    uint32_t seen_by_lane = 0;           // occurrences in the lane that is read
    unsigned lane = 0;
  };

  size_t AlikeUntil() const;
  void Group(size_t from);
  void Count(const Instruction& instruction, Traffic* traffic);
  void CountGlobal(const Instruction& instruction, Traffic* traffic);
  static void CountShared(const Instruction& instruction, Traffic* traffic);

  std::array<std::vector<LoggedAccess>, kWarpLanes> logs_;
  std::vector<Instruction> instructions_;
  uint32_t used_ = 0;  // of instructions_
  std::unordered_map<uintptr_t, SiteGroups> sites_;
};

}  // namespace simt
