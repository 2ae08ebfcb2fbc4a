// One deliberately wrong kernel for each thing that the stand-in must find out.
#pragma once

#include <vector>

namespace wrong_kernels {

// What the kernels work on; on the device.
struct Memory {
  float* floats;    // kCount, zero
  float* fresh;     // kCount, never written
  int* ints;        // kCount, zero
  unsigned* words;  // kCount, zero
  float* of_host;   // not on the device
  float* freed;     // no more on the device
};
inline constexpr int kCount = 256;

struct WrongKernel {
  const char* name;
  const char* fault;  // as simt::Name() calls it
  const char* text;   // part of what the finding says
  void (*launch)(const Memory& memory);
};

const std::vector<WrongKernel>& AllWrongKernels();

}  // namespace wrong_kernels
