// Percentiles of measurements, by nearest rank.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace maskloom::cli {

struct Percentiles {
  std::string name;
  size_t count = 0;
  double p50 = 0, p90 = 0, p99 = 0, p999 = 0, p9999 = 0, max = 0;

  // One line of a table, and the head of such tables.
  std::string ToText() const;
  static std::string TextHead(const std::string& title);
  // A JSON object.
  std::string ToJson() const;
};

// Returns the element of `sorted` at the nearest rank of `share`. Requires: it is not empty.
double AtRank(const std::vector<double>& sorted, double share);

// All zero where `values` is empty.
Percentiles PercentilesOf(std::string name, std::vector<double> values);

}  // namespace maskloom::cli
