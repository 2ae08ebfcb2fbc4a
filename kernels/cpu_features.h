// Which instruction sets this processor (and operating system) offers.
#pragma once

namespace maskloom::kernels {

struct CpuFeatures {
  bool avx2 = false;    // AVX2 with FMA and F16C
  bool avx512 = false;  // AVX-512 F, BW, VL, DQ
  bool avx512_vnni = false;
};

// Returns what was detected once at first use. Thread safety: any thread.
const CpuFeatures& DetectCpuFeatures();

}  // namespace maskloom::kernels
