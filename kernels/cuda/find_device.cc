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

// Reads how many devices there are, and which of them is meant.
cudaError_t Choose(int device, int* count, int* number) {
  cudaError_t error = cudaGetDeviceCount(count);
  if (error == cudaSuccess && *count == 0) error = cudaErrorNoDevice;
  *number = device;
  if (error == cudaSuccess && device == -1) error = cudaGetDevice(number);
  return error;
}

// Starts the device, and leaves current the one that was.
cudaError_t Start(int device) {
  int before = 0;
  cudaError_t error = cudaGetDevice(&before);
  if (error != cudaSuccess) return error;
  error = cudaSetDevice(device);
  if (error == cudaSuccess) error = cudaFree(nullptr);
  const cudaError_t back = before == device ? cudaSuccess : cudaSetDevice(before);
  return error != cudaSuccess ? error : back;
}

}  // namespace

FoundDevice FindDevice(int device) {
  FoundDevice found;
  int count = 0;
  cudaDeviceProp properties;
  cudaError_t error = Choose(device, &count, &found.number);
  if (error == cudaSuccess && (found.number < 0 || found.number >= count)) {
    found.missing =
        "number " + std::to_string(device) + " is none of 0 to " + std::to_string(count - 1);
    return found;
  }
  if (error == cudaSuccess) error = cudaGetDeviceProperties(&properties, found.number);
  if (error == cudaSuccess) error = Start(found.number);
  if (error != cudaSuccess) {
    cudaGetLastError();  // is told here, and not to the next who asks
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
