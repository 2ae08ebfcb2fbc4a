// What runs the cases of bench_logits.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "bench/logits_cases.h"

namespace maskloom::bench {

enum class Dtype { kF32, kF16, kBf16 };

inline size_t BytesOf(Dtype dtype) { return dtype == Dtype::kF32 ? 4 : 2; }

// What a backend says of a case.
struct Measured {
  bool is_right = false;  // all tokens are those of the judge
  uint64_t bytes = 0;     // moved between the chip and its memory; 0: not measured
  double us = 0;          // time of the batch; 0: not measured
  std::string error;      // of the device; empty: none
  std::map<std::string, uint64_t> kernel_bytes;  // the bytes by kernel
};

// Samples the rows one after another on one thread, for so many seconds; `us` is the least time.
Measured MeasureOnCpu(const LogitsRows& rows, const kernels::SampleSettings& settings,
                      double seconds);

// Runs the batch once in the stand-in, checks off, and counts its bytes.
Measured MeasureInStandIn(const LogitsRows& rows, const kernels::SampleSettings& settings,
                          Dtype dtype);

// Applies the masks in place once in the stand-in, and counts its bytes.
Measured MeasureApply(const LogitsRows& rows, Dtype dtype);

// Runs the batch on the first CUDA device, for so many seconds; `us` is the median time.
// Requires: FindDevice finds one.
Measured MeasureOnDevice(const LogitsRows& rows, const kernels::SampleSettings& settings,
                         Dtype dtype, double seconds);

// Does the same with masks applied in place.
Measured MeasureApplyOnDevice(const LogitsRows& rows, Dtype dtype, double seconds);

// Runs the usual pipeline of separate kernels once over the batch, from bf16, and counts its bytes.
Measured MeasureUsualPipeline(const LogitsRows& rows, const kernels::SampleSettings& settings);

}  // namespace maskloom::bench
