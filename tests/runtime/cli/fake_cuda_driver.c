// Stands in for libcuda.so.1: as many devices as FAKE_CUDA_DEVICES says; no value: it does not
// start.
#include <stdlib.h>

int cuInit(unsigned flags) {
  (void)flags;
  return getenv("FAKE_CUDA_DEVICES") == NULL ? 100 : 0;
}

int cuDeviceGetCount(int* count) {
  *count = atoi(getenv("FAKE_CUDA_DEVICES"));
  return 0;
}
