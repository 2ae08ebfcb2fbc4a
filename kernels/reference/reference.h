// The plain backend; internal to kernels/.
#pragma once

#include "kernels/kernels.h"

namespace maskloom::kernels {

// Returns the backend that is written to be read; it runs everywhere.
const Backend& ReferenceBackend();

}  // namespace maskloom::kernels
