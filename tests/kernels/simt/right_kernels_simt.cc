#include "tests/kernels/simt/right_kernels.cu"
