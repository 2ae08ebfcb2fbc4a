// Whether a device is here that runs the kernels of this build.
#pragma once

#include <cstddef>
#include <string>

namespace maskloom::kernels::cuda {

// What CUDA says of a device.
struct FoundDevice {
  std::string missing;  // why it cannot be used, behind "no CUDA device: "; empty where it can
  int number = 0;
  std::string name;
  int architecture = 0;  // 90 for sm_90
  int multiprocessors = 0;
  size_t cache_bytes = 0;  // second level
};

// Looks for a device, by its number or (-1) the one that is current, and for code that this build
// has for it. Leaves current what was. Cost: starts CUDA, up to seconds.
FoundDevice FindDevice(int device = -1);

}  // namespace maskloom::kernels::cuda
