// Conversions by CUDA's own headers, as plain numbers; in a file of their own, since the headers
// have the names that the stand-in has.
#pragma once

#include <cstdint>

namespace cuda_numbers {

uint16_t ToHalf(float value);
float FromHalf(uint16_t bits);
uint16_t ToBfloat(float value);
float FromBfloat(uint16_t bits);
uint8_t ToE4m3(float value);
float FromE4m3(uint8_t bits);
uint8_t ToE5m2(float value);
float FromE5m2(uint8_t bits);

}  // namespace cuda_numbers
