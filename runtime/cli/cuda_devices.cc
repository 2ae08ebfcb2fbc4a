#include "runtime/cli/cuda_devices.h"

#include <dlfcn.h>

namespace maskloom::cli {
namespace {

// Of the driver's interface, which is C and does not change.
using Init = int (*)(unsigned flags);
using CountDevices = int (*)(int* count);

}  // namespace

std::string WhyNoCudaDevice() {
  void* driver = ::dlopen("libcuda.so.1", RTLD_NOW);
  if (driver == nullptr) return "the NVIDIA driver (libcuda.so.1) is not installed";
  const auto init = reinterpret_cast<Init>(::dlsym(driver, "cuInit"));
  const auto count_devices = reinterpret_cast<CountDevices>(::dlsym(driver, "cuDeviceGetCount"));
  if (init == nullptr || count_devices == nullptr) return "libcuda.so.1 is not the NVIDIA driver";
  int count = 0;
  if (const int error = init(0); error != 0) {
    return "the NVIDIA driver does not start (error " + std::to_string(error) + ")";
  }
  if (count_devices(&count) != 0 || count == 0) return "the NVIDIA driver shows no device";
  return "";  // the driver stays: unloading one that was started is not safe
}

}  // namespace maskloom::cli
