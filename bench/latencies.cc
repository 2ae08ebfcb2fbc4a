#include "bench/latencies.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace maskloom::bench {

double Latencies::TotalSeconds() const {
  return static_cast<double>(std::accumulate(ns_.begin(), ns_.end(), uint64_t{0})) * 1e-9;
}

void Latencies::Report(benchmark::State* state) const {
  if (ns_.empty()) return;
  std::vector<uint64_t> sorted = ns_;
  std::sort(sorted.begin(), sorted.end());
  auto at = [&sorted](double share) {
    auto rank = static_cast<size_t>(std::ceil(share * static_cast<double>(sorted.size())));
    return static_cast<double>(sorted[std::max<size_t>(rank, 1) - 1]) * 1e-3;
  };
  state->counters["p50_us"] = at(0.5);
  state->counters["p90_us"] = at(0.9);
  state->counters["p99_us"] = at(0.99);
  state->counters["p999_us"] = at(0.999);
  state->counters["max_us"] = at(1);
}

}  // namespace maskloom::bench
