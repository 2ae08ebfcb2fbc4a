// The logs of rows as the stand-in runs them.
#include "kernels/cuda/log_rows.cu"
