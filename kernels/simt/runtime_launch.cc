// Launches of the runtime.
#include <utility>

#include "kernels/simt/findings.h"
#include "kernels/simt/runtime_state.h"
#include "kernels/simt/stand_in_state.h"

namespace simt {
namespace {

constexpr uint64_t kMostThreads = 1024;  // of a block

// Returns what is wrong with a launch; nullptr if nothing is.
const char* WhatIsWrong(const LaunchShape& shape, size_t most_shared_bytes) {
  const dim3& grid = shape.grid;
  const dim3& block = shape.block;
  if (grid.count() == 0 || block.count() == 0) return "a launch without blocks or threads";
  if (block.count() > kMostThreads || block.z > 64) return "more than 1,024 threads a block";
  if (grid.x > 0x7FFFFFFF || grid.y > 65535 || grid.z > 65535) return "a grid that is too large";
  if (shape.dynamic_shared_bytes > most_shared_bytes) {
    return "more dynamic shared memory than the kernel asked for (cudaFuncSetAttribute)";
  }
  return nullptr;
}

// "(Kernel<128>)" without the parentheses that a launch of a template needs.
std::string PlainName(std::string name) {
  if (name.size() > 2 && name.front() == '(' && name.back() == ')') {
    name = name.substr(1, name.size() - 2);
  }
  return name;
}

cudaError_t RunNow(Launch launch) {
  StandInState& state = State();
  launch.checks = state.checks;
  launch.number = ++state.launch_number;
  bool has_ended = ThisThreadsBlock().RunAll(&launch);
  launch.traffic.launches = 1;
  state.traffic[launch.kernel] += launch.traffic;
  return has_ended ? cudaSuccess : cudaErrorLaunchFailure;
}

}  // namespace

cudaError_t SetFunctionAttribute(const void* kernel, cudaFuncAttribute attribute, int value) {
  auto lock = Lock();
  bool is_possible = attribute == cudaFuncAttributeMaxDynamicSharedMemorySize && value >= 0 &&
                     static_cast<size_t>(value) <= kMostSharedBytes;
  if (!is_possible) return Return(cudaErrorInvalidValue);
  TheRuntime().most_shared_bytes[kernel] = static_cast<size_t>(value);
  return cudaSuccess;
}

void QueueLaunch(const char* name, const void* kernel, const LaunchShape& shape,
                 std::function<void()> body, Site site) {
  auto lock = Lock();
  const auto& asked = TheRuntime().most_shared_bytes;
  auto found = asked.find(kernel);
  size_t most_shared_bytes = found == asked.end() ? kMostStaticSharedBytes : found->second;
  if (const char* wrong = WhatIsWrong(shape, most_shared_bytes); wrong != nullptr) {
    Report(Fault::kLaunch, site, PlainName(name) + ": " + wrong);
    Return(cudaErrorInvalidConfiguration);
    return;
  }
  Launch launch;
  launch.kernel = PlainName(name);
  launch.grid = shape.grid;
  launch.block = shape.block;
  launch.dynamic_shared_bytes = shape.dynamic_shared_bytes;
  launch.max_shared_bytes = std::max(most_shared_bytes, kMostStaticSharedBytes);
  launch.body = std::move(body);
  Enqueue(shape.stream, [launch] { return RunNow(launch); });
}

void CheckLaunchBounds(unsigned threads, Site site) {
  if (dim3(current_lane->block().launch().block).count() <= threads) return;
  Report(Fault::kLaunch, site,
         "the block has more threads than the launch bounds, " + std::to_string(threads));
}

void ResetDevice() {
  auto lock = Lock();
  DrainAll();
  TheRuntime().last_error = TheRuntime().async_error = cudaSuccess;
  TakeFindings();
  TakeTraffic();
  TakeCopyTraffic();
}

}  // namespace simt
