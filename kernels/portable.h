// What lets one header be read by the C++ compiler, by nvcc, and by a stand-in that runs device code.
#pragma once

#if defined(__CUDACC__)
#define MASKLOOM_DEVICE __host__ __device__
#else
#define MASKLOOM_DEVICE
#endif
