// A kernel's source as C++: CUDA's names, as far as the stand-in has them.
#pragma once

#include "kernels/simt/async_copy.h"
#include "kernels/simt/atomics.h"
#include "kernels/simt/block.h"
#include "kernels/simt/collectives.h"
#include "kernels/simt/findings.h"
#include "kernels/simt/intrinsics.h"
#include "kernels/simt/number_types.h"
#include "kernels/simt/pointer.h"
#include "kernels/simt/runtime_api.h"
#include "kernels/simt/traffic.h"
#include "kernels/simt/vector_types.h"
#include "kernels/simt/world.h"

// CUDA's names stand in the global namespace. Only a kernel's source includes this header.
using namespace simt;  // NOLINT(google-build-using-namespace)
using half = simt::__half;
using nv_bfloat16 = simt::__nv_bfloat16;

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __align__(bytes) alignas(bytes)
#define __constant__
#define __grid_constant__

#define SIMT_RESTRICT
// The tag is one object per declaration, also in each instance of a template.
#define SIMT_SHARED(type, name, count)                          \
  const ::simt::Shared<type> name = ::simt::StaticShared<type>( \
      [] {                                                      \
        static const char tag = 0;                              \
        return &tag;                                            \
      }(),                                                      \
      (count), ::simt::Site::Here())
#define SIMT_LAUNCH_BOUNDS(threads) ::simt::CheckLaunchBounds((threads), ::simt::Site::Here())
#define SIMT_LAUNCH(kernel, grid, block, dynamic_shared_bytes, stream, ...)                    \
  ::simt::LaunchKernel(#kernel, kernel,                                                        \
                       ::simt::LaunchShape((grid), (block), (dynamic_shared_bytes), (stream)), \
                       ::simt::Site::Here() __VA_OPT__(, ) __VA_ARGS__)
