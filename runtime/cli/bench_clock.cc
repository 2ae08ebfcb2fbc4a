#include "runtime/cli/bench_clock.h"

#include <time.h>

#include <algorithm>
#include <vector>

namespace maskloom::cli {
namespace {

constexpr int64_t kStolenLimitNs = 500000;

int64_t ReadClock(clockid_t clock) {
  timespec now;
  ::clock_gettime(clock, &now);
  return now.tv_sec * int64_t{1000000000} + now.tv_nsec;
}

}  // namespace

int64_t WallNs() { return ReadClock(CLOCK_MONOTONIC); }
int64_t CpuNs() { return ReadClock(CLOCK_PROCESS_CPUTIME_ID); }

double ClockOverheadUs() {
  std::vector<int64_t> times(20001);
  for (int64_t& time : times) {
    int64_t begin = WallNs();
    time = WallNs() - begin;
  }
  std::nth_element(times.begin(), times.begin() + 10000, times.end());
  return static_cast<double>(times[10000]) / 1000;
}

double Stopwatch::SettleUs(int64_t wall_ns, int64_t cpu_begin_ns) {
  if (wall_ns >= kStolenLimitNs) {
    int64_t used = CpuNs() - cpu_begin_ns;
    if (wall_ns - used >= kStolenLimitNs) {
      stolen_ns_ += wall_ns - used;
      wall_ns = used;
    }
  }
  return static_cast<double>(wall_ns) / 1000;
}

}  // namespace maskloom::cli
