#include "runtime/cli/json_number.h"

#include <fmt/format.h>

#include <cmath>

namespace maskloom::cli {

std::string JsonNumber(float value) {
  return std::isfinite(value) ? fmt::format("{}", value) : "null";
}

std::string JsonNumber(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : "null";
}

}  // namespace maskloom::cli
