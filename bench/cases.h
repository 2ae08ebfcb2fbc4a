// What is measured: schemas of schemas/, each with a text as a model would write it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace maskloom::bench {

struct Case {
  std::string_view schema;  // file name in schemas/, without .json
  std::string_view text;    // valid under it
};

// All cases. They differ in what their states are like: free strings, patterns, big enums, numbers,
// unions, recursion, undeclared keys.
const std::vector<Case>& Cases();

// Returns the text of schemas/NAME.json; "" if it cannot be read.
std::string ReadSchema(std::string_view name);

}  // namespace maskloom::bench
