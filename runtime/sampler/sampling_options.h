// What a caller sets about sampling, and the checks that say what is wrong with it.
#pragma once

#include <cstdint>
#include <vector>

#include "grammar/base/status.h"
#include "kernels/sampling/sample_row.h"

namespace maskloom {

// A value added to the logit of one token; -infinity bans it.
struct LogitBias {
  uint32_t token_id = 0;
  float bias = 0.0f;
};

// Applied in this order: bias, repetition, frequency and presence, temperature, top-k, top-p,
// min-p. kernels/sampling/sample_row.h has the exact meaning of each.
struct SamplingOptions {
  double temperature = 1.0;         // 0: greedy; else 0.0001 to 10000
  uint32_t top_k = 0;               // 0: off
  double top_p = 1.0;               // 0 to 1; 1: off
  double min_p = 0.0;               // 0 to 1; 0: off
  double repetition_penalty = 1.0;  // above 0; 1: off; for tokens of prompt and output
  double frequency_penalty = 0.0;   // times the count of the token in the output
  double presence_penalty = 0.0;    // once for a token of the output
  uint64_t seed = 0;
  std::vector<LogitBias> bias;  // each token at most once
};

// Returns Ok, or kInvalidArgument naming the first option that is out of range, the value given and
// the values allowed. `vocab_size` bounds the ids of biases.
Status ValidateSamplingOptions(const SamplingOptions& options, uint32_t vocab_size);

// Returns what a sampling step is told of `options`, which are valid: all but the biases.
kernels::SampleSettings SettingsOf(const SamplingOptions& options);

}  // namespace maskloom
