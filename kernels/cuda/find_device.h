// Whether there is a device here that runs the kernels of this build.
#pragma once

#include <cstddef>
#include <string>

namespace maskloom::kernels::cuda {

// What CUDA says of its first device.
struct FoundDevice {
  std::string missing;  // why there is none, as half a sentence; empty where there is one
  std::string name;
  int architecture = 0;  // 90 for sm_90
  int multiprocessors = 0;
  size_t cache_bytes = 0;  // second level
};

// Looks for a device and for code that this build has for it. Cost: starts CUDA, up to seconds.
FoundDevice FindDevice();

}  // namespace maskloom::kernels::cuda
