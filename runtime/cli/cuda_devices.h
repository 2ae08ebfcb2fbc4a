// Whether the NVIDIA driver of this machine has a device, asked without linking it.
#pragma once

#include <string>

namespace maskloom::cli {

// Returns why there is no CUDA device, as half a sentence; empty where there is one.
// Cost: loads and starts the driver, up to seconds.
std::string WhyNoCudaDevice();

}  // namespace maskloom::cli
