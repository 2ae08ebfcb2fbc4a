// What is reported beside a token, from exact sums; the same on host and device.
#pragma once

#include "kernels/sampling/mass.h"

namespace maskloom::kernels {

// Returns the entropy in bits of the distribution whose mass is `total`, that of its largest value
// `largest`, and whose terms are `sums` (RowOps::add_entropy). Requires: largest > 0.
MASKLOOM_DEVICE static inline float EntropyBits(Mass total, Mass largest, const uint64_t* sums) {
  const double moment = static_cast<double>(sums[0]) / 1073741824.0 +    // 2^30
                        static_cast<double>(sums[1]) / 4398046511104.0;  // 2^42
  const double relative = MassToDouble(total) / MassToDouble(largest);
  const double nats = LogOfDouble(relative) + moment / relative;
  return nats > 0.0 ? static_cast<float>(nats / 0.693147180559945309417) : 0.0f;
}

// Returns the logarithm of the probability of a value in a distribution; -infinity for -infinity.
MASKLOOM_DEVICE static inline float LogprobOf(float value, double log_total) {
  if (value == -__builtin_inff()) return value;
  return static_cast<float>(static_cast<double>(ClampLogit(value)) - log_total);
}

// Returns the share of `total` that is outside of `inside`.
MASKLOOM_DEVICE static inline float RemovedShare(Mass total, Mass inside) {
  return static_cast<float>(MassToDouble(total - inside) / MassToDouble(total));
}

}  // namespace maskloom::kernels
