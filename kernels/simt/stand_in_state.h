// What the stand-in of a process holds: allocations, findings, counts. Used by its own files.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "kernels/simt/block.h"
#include "kernels/simt/findings.h"
#include "kernels/simt/memory.h"
#include "kernels/simt/traffic.h"

namespace simt {

struct StandInState {
  std::recursive_mutex mutex;  // held by every call of the host
  Checks checks;
  uint32_t launch_number = 0;
  uint32_t phase = 0;  // between launches; see RaceShadow
  std::vector<Finding> findings;
  std::map<std::string, Traffic> traffic;
  CopyTraffic copies;
  // Allocations by their first address. Freed ones stay known, so that their use is seen.
  std::map<const std::byte*, std::unique_ptr<Region>> regions;
  std::vector<std::unique_ptr<Region>> freed;
};

// Returns the one state of the process. It is never destroyed.
StandInState& State();

}  // namespace simt
