#include "tests/kernels/simt/wrong_kernels.cu"
