// The kernel that applies masks as the stand-in runs it.
#include "kernels/cuda/apply.cu"
