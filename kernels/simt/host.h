// The host's calls in namespace simt for sources that serve both worlds: those of the stand-in, or,
// compiled with SIMT_ON_DEVICE, CUDA's own.
#pragma once

#ifndef SIMT_ON_DEVICE
#include "kernels/simt/runtime_api.h"
#else
#include <cuda_runtime.h>

namespace simt {

using ::cudaDeviceSynchronize;
using ::cudaError_t;
using ::cudaErrorMemoryAllocation;
using ::cudaEvent_t;
using ::cudaEventCreate;
using ::cudaEventDestroy;
using ::cudaEventElapsedTime;
using ::cudaEventRecord;
using ::cudaEventSynchronize;
using ::cudaFree;
using ::cudaFreeHost;
using ::cudaGetDeviceCount;
using ::cudaGetErrorString;
using ::cudaGetLastError;
using ::cudaGraph_t;
using ::cudaGraphDestroy;
using ::cudaGraphExec_t;
using ::cudaGraphExecDestroy;
using ::cudaGraphInstantiate;
using ::cudaGraphLaunch;
using ::cudaMalloc;
using ::cudaMallocHost;
using ::cudaMemcpy;
using ::cudaMemcpyAsync;
using ::cudaMemcpyDeviceToDevice;
using ::cudaMemcpyDeviceToHost;
using ::cudaMemcpyHostToDevice;
using ::cudaMemset;
using ::cudaMemsetAsync;
using ::cudaStream_t;
using ::cudaStreamBeginCapture;
using ::cudaStreamCaptureModeGlobal;
using ::cudaStreamCreate;
using ::cudaStreamDestroy;
using ::cudaStreamEndCapture;
using ::cudaStreamSynchronize;
using ::cudaSuccess;

}  // namespace simt
#endif
