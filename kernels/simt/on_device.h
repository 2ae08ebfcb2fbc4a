// A kernel's source under nvcc: CUDA's headers, and the stand-in's words as plain pointers.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_pipeline_primitives.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <type_traits>

#include "kernels/simt/world.h"

namespace simt {

template <class T>
using Global = T*;
template <class T>
using Shared = T*;

template <class U, class T>
__host__ __device__ __forceinline__ U* As(T* pointer) {
  static_assert(std::is_const_v<U> || !std::is_const_v<T>, "As() does not cast const away");
  return reinterpret_cast<U*>(pointer);
}

template <class T>
__host__ __device__ __forceinline__ T* Within(T* pointer, size_t) {
  return pointer;
}

template <class T, class S, class Field>
__host__ __device__ __forceinline__ auto Member(T* pointer, Field S::*field) {
  return &(pointer->*field);
}

template <class T>
__device__ __forceinline__ T* DynamicShared() {
  extern __shared__ __align__(16) unsigned char simt_dynamic_shared[];
  return reinterpret_cast<T*>(simt_dynamic_shared);
}

}  // namespace simt

#define SIMT_RESTRICT __restrict__
#define SIMT_SHARED(type, name, count) __shared__ __align__(16) type name[count]
#define SIMT_LAUNCH_BOUNDS(threads) static_cast<void>(0)
#define SIMT_LAUNCH(kernel, grid, block, dynamic_shared_bytes, stream, ...) \
  kernel<<<(grid), (block), (dynamic_shared_bytes), (stream)>>>(__VA_ARGS__)
