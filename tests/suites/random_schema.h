// Schemas made by chance: few keys, small bounds, everything that is enforced in every combination.
#pragma once

#include <random>
#include <string>

namespace maskloom::suites {

// Returns a schema that uses only enforced keywords; it may be unsatisfiable. Its keys, constants
// and patterns can be spelled with TinyBytes(), though not every value it allows.
std::string RandomSchema(std::mt19937_64* random);

}  // namespace maskloom::suites
