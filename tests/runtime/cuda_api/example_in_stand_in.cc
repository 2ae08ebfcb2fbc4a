// The example for engine authors, its own source, compiled for the stand-in.
#define main RunTwoSchemas
#include "runtime/cuda_api/examples/two_schemas.c"
