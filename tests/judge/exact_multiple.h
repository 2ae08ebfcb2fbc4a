// `multipleOf` on exact decimals.
#pragma once

#include "tests/judge/number_prefix.h"

namespace maskloom::judge {

// Whether `value` / `divisor` is an integer. Requires: divisor > 0.
bool IsMultiple(const ExactDecimal& value, const ExactDecimal& divisor);

}  // namespace maskloom::judge
