#include "tests/kernels/simt/cuda_numbers.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <cstring>

namespace cuda_numbers {
namespace {

template <class To, class From>
To Cast(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(static_cast<void*>(&to), &from, sizeof(To));
  return to;
}

}  // namespace

uint16_t ToHalf(float value) { return Cast<uint16_t>(__float2half_rn(value)); }
float FromHalf(uint16_t bits) { return __half2float(Cast<__half>(bits)); }
uint16_t ToBfloat(float value) { return Cast<uint16_t>(__float2bfloat16_rn(value)); }
float FromBfloat(uint16_t bits) { return __bfloat162float(Cast<__nv_bfloat16>(bits)); }
uint8_t ToE4m3(float value) { return __nv_fp8_e4m3(value).__x; }
float FromE4m3(uint8_t bits) { return static_cast<float>(Cast<__nv_fp8_e4m3>(bits)); }
uint8_t ToE5m2(float value) { return __nv_fp8_e5m2(value).__x; }
float FromE5m2(uint8_t bits) { return static_cast<float>(Cast<__nv_fp8_e5m2>(bits)); }

}  // namespace cuda_numbers
