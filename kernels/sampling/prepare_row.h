// From the caller's row to adjusted values: mask, penalties, bias and temperature applied.
//
// A row comes out in one of two shapes. A mask that allows at least an eighth of the vocabulary
// gives one value for each id, -infinity where the token is not allowed. A shorter mask, or
// gathered logits, gives a list of ids with their values, and only these logits are read.
#pragma once

#include "kernels/sampling/row_ops.h"
#include "kernels/sampling/sample_row.h"

namespace maskloom::kernels {

// A token that a filter looks at.
struct Candidate {
  float value;
  uint32_t index;  // in the prepared row, so ascending with the id
  uint32_t mantissa;
  int32_t shift;  // mass is mantissa << shift; negative: 0
};

// The scratch memory of one row, each array [vocab].
struct Scratch {
  float* values;
  float* kept_values;
  uint32_t* ids;
  uint32_t* indices;
  Candidate* candidates;
};

struct PreparedRow {
  float* values;        // [count], no NaN
  const uint32_t* ids;  // [count] ascending, or null where the index is the id
  uint32_t count;
  uint32_t allowed_count;
};

// Returns the arrays inside SampleScratchBytes(vocab) bytes at `memory`.
Scratch DivideScratch(void* memory, uint32_t vocab);

// Returns kOk, or kInvalidArgument where something is outside what sample_row.h documents.
SampleStatus CheckArguments(const SampleRow& row, const SampleSettings& settings,
                            const SampleBuffers& buffers);

// Returns 1 / temperature, 1 when greedy.
inline float TemperatureScale(const SampleSettings& settings) {
  return settings.temperature == 0.0f ? 1.0f : 1.0f / settings.temperature;
}

// Returns logit `x` after bias and penalties. NaN may come out.
float AdjustLogit(float x, const TokenAdjustment& adjustment, const SampleSettings& settings);

// Applies mask, penalties, bias and temperature. Requires: CheckArguments gave kOk.
PreparedRow PrepareRow(const RowOps& ops, const SampleRow& row, const SampleSettings& settings,
                       const Scratch& scratch);

// ChooseToken by a given form of the passes.
SampleStatus ChooseTokenWith(const RowOps& ops, const SampleRow& row,
                             const SampleSettings& settings, const SampleBuffers& buffers,
                             SampleResult* result) noexcept;

}  // namespace maskloom::kernels
