// The logits kernel as the stand-in runs it.
#include "kernels/cuda/logits.cu"
