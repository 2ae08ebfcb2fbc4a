// What the host is told of devices and their driver.
#include <cstdio>

#include "kernels/simt/runtime_state.h"

namespace simt {
namespace {

// Returns why nothing can be asked of devices, if so.
cudaError_t WhyNone() {
  const Devices& devices = TheRuntime().devices;
  if (devices.driver_version == 0) return Return(cudaErrorInsufficientDriver);
  return devices.capabilities.empty() ? Return(cudaErrorNoDevice) : cudaSuccess;
}

// The same of `device`.
cudaError_t WhyNot(int device) {
  if (const cudaError_t error = WhyNone(); error != cudaSuccess) return error;
  const bool is_there =
      device >= 0 && static_cast<size_t>(device) < TheRuntime().devices.capabilities.size();
  return is_there ? cudaSuccess : Return(cudaErrorInvalidDevice);
}

}  // namespace

void SetDevices(const Devices& devices) {
  auto lock = Lock();
  TheRuntime().devices = devices;
  TheRuntime().current_device = 0;
}

cudaError_t cudaDriverGetVersion(int* version) {
  auto lock = Lock();
  *version = TheRuntime().devices.driver_version;
  return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int* count) {
  auto lock = Lock();
  *count = 0;
  if (const cudaError_t error = WhyNone(); error != cudaSuccess) return error;
  *count = static_cast<int>(TheRuntime().devices.capabilities.size());
  return cudaSuccess;
}

cudaError_t cudaGetDevice(int* device) {
  auto lock = Lock();
  if (const cudaError_t error = WhyNone(); error != cudaSuccess) return error;
  *device = TheRuntime().current_device;
  return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) {
  auto lock = Lock();
  if (const cudaError_t error = WhyNot(device); error != cudaSuccess) return error;
  TheRuntime().current_device = device;
  return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  auto lock = Lock();
  if (const cudaError_t error = WhyNot(device); error != cudaSuccess) return error;
  const auto [major, minor] = TheRuntime().devices.capabilities[static_cast<size_t>(device)];
  *properties = {"", major, minor, kMultiprocessors, kCacheBytes};
  std::snprintf(properties->name, sizeof(properties->name), "stand-in %d", device);
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  auto lock = Lock();
  if (const cudaError_t error = WhyNot(device); error != cudaSuccess) return error;
  const auto [major, minor] = TheRuntime().devices.capabilities[static_cast<size_t>(device)];
  switch (attribute) {
    case cudaDevAttrMultiProcessorCount:
      *value = kMultiprocessors;
      return cudaSuccess;
    case cudaDevAttrComputeCapabilityMajor:
      *value = major;
      return cudaSuccess;
    case cudaDevAttrComputeCapabilityMinor:
      *value = minor;
      return cudaSuccess;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      *value = static_cast<int>(kMostSharedBytes);
      return cudaSuccess;
  }
  return Return(cudaErrorInvalidValue);
}

}  // namespace simt
