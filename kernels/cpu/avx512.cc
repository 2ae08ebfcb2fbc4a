// The AVX-512 backend: integer products through VNNI, on 256-bit registers.
#include <immintrin.h>

#include "kernels/cpu/cpu_backends.h"

namespace maskloom::kernels {
namespace {

struct Avx512 {
  // Returns 8 sums of 4 products of unsigned with signed bytes.
  static inline __m256i DotU8S8(__m256i unsigned_bytes, __m256i signed_bytes) {
    return _mm256_dpbusd_epi32(_mm256_setzero_si256(), unsigned_bytes, signed_bytes);
  }
};

}  // namespace
}  // namespace maskloom::kernels

#include "kernels/cpu/vector_kernels.h"

namespace maskloom::kernels {

const Backend& Avx512Backend() {
  static constexpr Backend kBackend = VectorKernels<Avx512>::MakeBackend("avx512");
  return kBackend;
}

}  // namespace maskloom::kernels
