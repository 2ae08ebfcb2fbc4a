// Numbers in JSON output.
#pragma once

#include <string>

namespace maskloom::cli {

// Returns the shortest text that reads back as the same float; "null" for values that are not
// finite.
std::string JsonNumber(float value);
std::string JsonNumber(double value);

}  // namespace maskloom::cli
