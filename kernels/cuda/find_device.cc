#include "kernels/cuda/find_device.h"

#include <cuda_runtime_api.h>

namespace maskloom::kernels::cuda {
namespace {

// Code for sm_80 runs on sm_86, not on sm_90: the minor version alone may be larger.
bool HasCodeFor(int architecture) {
  for (const int built : {MASKLOOM_CUDA_ARCHITECTURES}) {
    if (built / 10 == architecture / 10 && built <= architecture) return true;
  }
  return false;
}

std::string WhyNone(cudaError_t error) {
  int driver = 0;
  if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0) {
    return "the NVIDIA driver is not installed";
  }
  return std::string("CUDA says: ") + cudaGetErrorString(error);
}

}  // namespace

FoundDevice FindDevice() {
  FoundDevice found;
  int count = 0;
  cudaDeviceProp properties;
  cudaError_t error = cudaGetDeviceCount(&count);
  if (error == cudaSuccess && count == 0) error = cudaErrorNoDevice;
  if (error == cudaSuccess) error = cudaGetDeviceProperties(&properties, 0);
  if (error == cudaSuccess) error = cudaFree(nullptr);  // starts it
  if (error != cudaSuccess) {
    found.missing = WhyNone(error);
    return found;
  }
  found.name = properties.name;
  found.architecture = properties.major * 10 + properties.minor;
  found.multiprocessors = properties.multiProcessorCount;
  found.cache_bytes = static_cast<size_t>(properties.l2CacheSize);
  if (!HasCodeFor(found.architecture)) {
    found.missing =
        "this build has no code for " + found.name + ", sm_" + std::to_string(found.architecture) +
        "; configure it with -DMASKLOOM_CUDA_ARCHITECTURES=" + std::to_string(found.architecture);
  }
  return found;
}

}  // namespace maskloom::kernels::cuda
