#include "runtime/sampler/sampling_options.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "kernels/sampling/sample_row.h"

namespace maskloom {
namespace {

Status OutOfRange(const char* option, double value, const char* allowed) {
  char given[32] = "not a number";  // printed, it may have a sign
  if (!std::isnan(value)) std::snprintf(given, sizeof(given), "%g", value);
  return Status(StatusCode::kInvalidArgument,
                std::string(option) + " is " + given + "; allowed: " + allowed);
}

bool IsFraction(double value) { return value >= 0.0 && value <= 1.0; }

// Whether `value` is still finite once it is a float.
bool IsFiniteFloat(double value) { return std::isfinite(static_cast<float>(value)); }

Status ValidateBias(const std::vector<LogitBias>& bias, uint32_t vocab_size) {
  std::vector<uint32_t> ids;
  ids.reserve(bias.size());
  for (const LogitBias& entry : bias) {
    const std::string name = "bias of token " + std::to_string(entry.token_id);
    if (entry.token_id >= vocab_size) {
      return Status(StatusCode::kInvalidArgument,
                    name + ": no such token; the vocabulary has " + std::to_string(vocab_size));
    }
    if (std::isnan(entry.bias)) {
      return OutOfRange(name.c_str(), entry.bias, "any number, or -infinity to ban the token");
    }
    ids.push_back(entry.token_id);
  }
  std::sort(ids.begin(), ids.end());
  const auto twice = std::adjacent_find(ids.begin(), ids.end());
  if (twice != ids.end()) {
    return Status(StatusCode::kInvalidArgument,
                  "bias of token " + std::to_string(*twice) + " is given more than once");
  }
  return Status::Ok();
}

}  // namespace

Status ValidateSamplingOptions(const SamplingOptions& options, uint32_t vocab_size) {
  const auto temperature = static_cast<float>(options.temperature);
  if (!(options.temperature == 0.0 ||
        (temperature >= kernels::kMinTemperature && temperature <= kernels::kMaxTemperature))) {
    return OutOfRange("temperature", options.temperature, "0 (greedy), or 0.0001 to 10000");
  }
  if (!IsFraction(options.top_p)) return OutOfRange("top_p", options.top_p, "0 to 1 (1: off)");
  if (!IsFraction(options.min_p)) return OutOfRange("min_p", options.min_p, "0 to 1 (0: off)");
  if (!(static_cast<float>(options.repetition_penalty) > 0.0f) ||
      !IsFiniteFloat(options.repetition_penalty)) {
    return OutOfRange("repetition_penalty", options.repetition_penalty,
                      "any number above 0 (1: off)");
  }
  if (!IsFiniteFloat(options.frequency_penalty)) {
    return OutOfRange("frequency_penalty", options.frequency_penalty, "any number (0: off)");
  }
  if (!IsFiniteFloat(options.presence_penalty)) {
    return OutOfRange("presence_penalty", options.presence_penalty, "any number (0: off)");
  }
  return ValidateBias(options.bias, vocab_size);
}

kernels::SampleSettings SettingsOf(const SamplingOptions& options) {
  kernels::SampleSettings settings;
  settings.temperature = static_cast<float>(options.temperature);
  settings.top_k = options.top_k;
  settings.top_p = options.top_p;
  settings.min_p = options.min_p;
  settings.repetition_penalty = static_cast<float>(options.repetition_penalty);
  settings.frequency_penalty = static_cast<float>(options.frequency_penalty);
  settings.presence_penalty = static_cast<float>(options.presence_penalty);
  settings.seed = options.seed;
  return settings;
}

}  // namespace maskloom
