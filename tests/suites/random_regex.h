// Regular expressions made by chance, over few letters.
#pragma once

#include <random>
#include <string>

namespace maskloom::suites {

// Returns a regular expression with groups, choices, classes and counted repeats.
std::string RandomRegex(std::mt19937_64* random);

}  // namespace maskloom::suites
