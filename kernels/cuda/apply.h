// The mask alone, for engines that keep their own sampler: logits that are not allowed become
// -infinity, in place.
//
// Bytes: masks are read once, the logits that they close are written; nothing else is read or
// written. Rows that are open cost nothing.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/cuda/logits.h"
#include "kernels/steps/row_mask.h"

namespace maskloom::kernels::cuda {

struct ApplyBatch {
  void* logits;  // row r begins at element r * stride
  LogitType type;
  uint32_t batch;
  uint32_t vocab;  // logits of a row; at most kMaxVocabulary
  size_t stride;   // elements; rows that start at 16 bytes are written fastest
  BatchMasks masks;
};

inline namespace SIMT_WORLD {

// Queues the masking of all rows on `stream` (a cudaStream_t). Neither allocates nor waits; can be
// captured in a graph.
// Returns 0, or the error of the launch (a cudaError_t).
int LaunchApplyMasks(const ApplyBatch& batch, void* stream);

}  // namespace SIMT_WORLD

}  // namespace maskloom::kernels::cuda
