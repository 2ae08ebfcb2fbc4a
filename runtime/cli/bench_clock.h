// Clocks of the benches, and what is taken out of a measurement.
#pragma once

#include <cstdint>

namespace maskloom::cli {

// Nanoseconds of a clock that never goes back, and of processor time that this process used.
int64_t WallNs();
int64_t CpuNs();

// Cost of one reading of the clock, in microseconds (median).
double ClockOverheadUs();

// Takes out of a measurement the time in which the processor ran something else: where the wall
// clock shows half a millisecond or more beyond the CPU time of the process, the CPU time is used
// and the difference counted as stolen.
class Stopwatch {
 public:
  // Returns, in microseconds, what `wall_ns` nanoseconds should count as. Requires: `cpu_begin_ns`
  // is CpuNs() from before they began, and they have only just ended.
  double SettleUs(int64_t wall_ns, int64_t cpu_begin_ns);
  double stolen_us() const { return static_cast<double>(stolen_ns_) / 1000; }

 private:
  int64_t stolen_ns_ = 0;
};

}  // namespace maskloom::cli
