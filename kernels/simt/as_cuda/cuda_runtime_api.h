// The stand-in under the name of CUDA's header, for code of the host that includes that one: put
// this folder before CUDA's among the include folders. C sources are compiled as C++ then.
#pragma once

#include "kernels/simt/runtime_api.h"

using namespace simt;  // NOLINT(google-build-using-namespace)
