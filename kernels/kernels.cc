// Choice of the backend, and sizes that every backend agrees on.
#include "kernels/kernels.h"

#include <cstdlib>
#include <cstring>

#include "kernels/cpu/cpu_backends.h"
#include "kernels/cpu_features.h"
#include "kernels/reference/reference.h"

namespace maskloom::kernels {
namespace {

// Returns what this processor can run, the widest first; unused places are nullptr.
struct Candidates {
  const Backend* backends[3] = {};
};

Candidates FindCandidates() {
  Candidates found;
  size_t count = 0;
#if defined(__x86_64__)
  if (DetectCpuFeatures().avx512_vnni) found.backends[count++] = &Avx512Backend();
  if (DetectCpuFeatures().avx2) found.backends[count++] = &Avx2Backend();
#endif
  found.backends[count++] = &ReferenceBackend();
  return found;
}

const Backend* ChooseBackend() {
  const char* forced = std::getenv("MASKLOOM_KERNELS");
  if (forced != nullptr && *forced != '\0') return FindBackend(forced);
  return FindCandidates().backends[0];
}

}  // namespace

size_t RowBytes(WeightType type, size_t columns) {
  switch (type) {
    case WeightType::kF32:
      return columns * 4;
    case WeightType::kF16:
      return columns * 2;
    case WeightType::kQ4_1:
      return columns / kBlockElements * 20;
    case WeightType::kQ8_0:
      return columns / kBlockElements * 34;
  }
  return 0;
}

const Backend* FindBackend(const char* name) {
  for (const Backend* backend : FindCandidates().backends) {
    if (backend != nullptr && std::strcmp(backend->name, name) == 0) return backend;
  }
  return nullptr;
}

const Backend* ActiveBackend() {
  static const Backend* const active = ChooseBackend();
  return active;
}

const char* AvailableBackends() {
#if defined(__x86_64__)
  if (DetectCpuFeatures().avx512_vnni) return "avx512, avx2, reference";
  if (DetectCpuFeatures().avx2) return "avx2, reference";
#endif
  return "reference";
}

}  // namespace maskloom::kernels
