// The rows kernels as the stand-in runs them.
#include "kernels/cuda/rows.cu"
