// The AVX2 backend: integer products through maddubs and madd.
#include <immintrin.h>

#include "kernels/cpu/cpu_backends.h"

namespace maskloom::kernels {
namespace {

struct Avx2 {
  // Returns 8 sums of 4 products of unsigned with signed bytes. Requires: neighbouring pairs of
  // products sum to 16 bits, which |u8| <= 128 with |s8| <= 127 guarantees.
  static inline __m256i DotU8S8(__m256i unsigned_bytes, __m256i signed_bytes) {
    return _mm256_madd_epi16(_mm256_maddubs_epi16(unsigned_bytes, signed_bytes),
                             _mm256_set1_epi16(1));
  }
};

}  // namespace
}  // namespace maskloom::kernels

#include "kernels/cpu/vector_kernels.h"

namespace maskloom::kernels {

const Backend& Avx2Backend() {
  static constexpr Backend kBackend = VectorKernels<Avx2>::MakeBackend("avx2");
  return kBackend;
}

}  // namespace maskloom::kernels
