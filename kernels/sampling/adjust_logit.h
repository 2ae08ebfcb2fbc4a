// A logit after bias and penalties; the same on host and device.
#pragma once

#include "kernels/sampling/exact_math.h"
#include "kernels/sampling/sample_row.h"

namespace maskloom::kernels {

struct Penalties {
  float repetition;
  float frequency;
  float presence;
};

inline Penalties PenaltiesOf(const SampleSettings& settings) {
  return {settings.repetition_penalty, settings.frequency_penalty, settings.presence_penalty};
}

// Returns 1 / temperature, 1 when greedy.
inline float TemperatureScale(const SampleSettings& settings) {
  return settings.temperature == 0.0f ? 1.0f : 1.0f / settings.temperature;
}

// Returns logit `x` after bias and penalties. NaN may come out.
MASKLOOM_DEVICE static inline float AdjustLogit(float x, const TokenAdjustment& adjustment,
                                                const Penalties& penalties) {
  x += adjustment.bias;
  if (adjustment.in_prompt != 0 || adjustment.output_count != 0) {
    x = x > 0.0f ? x / penalties.repetition : x * penalties.repetition;
  }
  if (adjustment.output_count != 0) {
    x -= static_cast<float>(adjustment.output_count) * penalties.frequency + penalties.presence;
  }
  return x;
}

// Returns the value of a logit that bias and penalties have adjusted; -infinity for NaN.
MASKLOOM_DEVICE static inline float ScaleLogit(float x, float scale) {
  const float y = x * scale;
  return y == y ? y : -__builtin_inff();
}

}  // namespace maskloom::kernels
