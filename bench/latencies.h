// Latencies of single calls, and their percentiles as counters of a benchmark.
#pragma once

#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdint>
#include <vector>

namespace maskloom::bench {

class Latencies {
 public:
  using Clock = std::chrono::steady_clock;

  void Add(Clock::time_point begin, Clock::time_point end) {
    ns_.push_back(static_cast<uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(end - begin).count()));
  }
  // Sum of what was added, in seconds.
  double TotalSeconds() const;
  size_t size() const { return ns_.size(); }
  void Append(const Latencies& other) { ns_.insert(ns_.end(), other.ns_.begin(), other.ns_.end()); }

  // Sets counters p50_us, p90_us, p99_us, p999_us and max_us. The clock's own cost, about 30 ns, is
  // in each figure.
  void Report(benchmark::State* state) const;

 private:
  std::vector<uint64_t> ns_;
};

}  // namespace maskloom::bench
