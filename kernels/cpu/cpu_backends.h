// The x86 vector backends; internal to kernels/. Each may be called only where its instructions
// are.
#pragma once

#include "kernels/kernels.h"

namespace maskloom::kernels {

const Backend& Avx2Backend();
const Backend& Avx512Backend();

}  // namespace maskloom::kernels
