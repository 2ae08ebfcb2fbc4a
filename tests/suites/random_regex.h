// Regular expressions made by chance, over few letters.
#pragma once

#include <random>
#include <string>

namespace maskloom::suites {

// Returns a regular expression with groups, choices, classes, counted repeats, look-arounds, word
// boundaries and Unicode properties, which some text matches as a whole.
std::string RandomRegex(std::mt19937_64* random);

}  // namespace maskloom::suites
