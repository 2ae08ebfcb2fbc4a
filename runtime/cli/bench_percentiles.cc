#include "runtime/cli/bench_percentiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "runtime/cli/json_reader.h"

namespace maskloom::cli {

std::string Percentiles::TextHead(const std::string& title) {
  return fmt::format("{:<28}{:>10}{:>10}{:>10}{:>10}{:>11}{:>11}{:>11}\n", title, "n", "p50", "p90",
                     "p99", "p99.9", "p99.99", "max");
}

std::string Percentiles::ToText() const {
  return fmt::format("{:<28}{:>10}{:>10.2f}{:>10.2f}{:>10.2f}{:>11.2f}{:>11.2f}{:>11.2f}\n", name,
                     count, p50, p90, p99, p999, p9999, max);
}

std::string Percentiles::ToJson() const {
  std::string line = "{\"name\":";
  AppendJsonString(name, &line);
  return line + fmt::format(
                    ",\"n\":{},\"p50\":{:.3f},\"p90\":{:.3f},\"p99\":{:.3f},\"p99.9\":{:.3f}"
                    ",\"p99.99\":{:.3f},\"max\":{:.3f}}}",
                    count, p50, p90, p99, p999, p9999, max);
}

double AtRank(const std::vector<double>& sorted, double share) {
  const auto rank = static_cast<size_t>(std::ceil(share * static_cast<double>(sorted.size())));
  return sorted[std::max<size_t>(rank, 1) - 1];
}

Percentiles PercentilesOf(std::string name, std::vector<double> values) {
  Percentiles result;
  result.name = std::move(name);
  result.count = values.size();
  if (values.empty()) return result;
  std::sort(values.begin(), values.end());
  result.p50 = AtRank(values, 0.5);
  result.p90 = AtRank(values, 0.9);
  result.p99 = AtRank(values, 0.99);
  result.p999 = AtRank(values, 0.999);
  result.p9999 = AtRank(values, 0.9999);
  result.max = values.back();
  return result;
}

}  // namespace maskloom::cli
