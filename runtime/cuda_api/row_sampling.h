// A row's sampling settings as the caller gives them, checked, as the kernels read them.
#pragma once

#include <vector>

#include "grammar/base/status.h"
#include "kernels/cuda/logits.h"
#include "kernels/sampling/sample_row.h"
#include "runtime/cuda_api/maskloom_cuda.h"

namespace maskloom::cuda_api {

struct RowSampling {
  kernels::cuda::RowRequest request;                  // without a place of adjustments, and grammar
  std::vector<kernels::TokenAdjustment> adjustments;  // ascending by id
};

// On error: kInvalidArgument naming the setting, the value given and the values allowed;
// kResourceLimit where there are more adjustments than `max_adjustments`.
Result<RowSampling> ReadSampling(const maskloom_cuda_sampling& sampling, uint32_t vocab,
                                 uint32_t max_adjustments);

}  // namespace maskloom::cuda_api
