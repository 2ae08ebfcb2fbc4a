// Schemas made by chance whose branches ask about keys: chains of `if` and `then`, nested `else`,
// unions by a constant, keys that need others.
//
// A few keys have values of few kinds, so that conditions overlap, exclude each other and meet what
// stands beside them. What follows a condition requires keys, describes or forbids them, closes the
// object, or is another chain.
#pragma once

#include <random>
#include <string>

#include "tests/judge/schema_resources.h"

namespace maskloom::suites {

// Returns a schema of `draft`, which it names in `$schema`. It may be unsatisfiable.
std::string RandomChainSchema(judge::Draft draft, std::mt19937_64* random);

}  // namespace maskloom::suites
