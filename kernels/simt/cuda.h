// What a kernel's source includes: CUDA itself under nvcc, else the stand-in that runs it here.
// README.md says what may be used.
#pragma once

#ifdef __CUDACC__
#include "kernels/simt/on_device.h"
#else
#include "kernels/simt/on_stand_in.h"
#endif
