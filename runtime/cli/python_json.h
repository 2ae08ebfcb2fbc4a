// JSON spelled as Python's json.dumps(value, ensure_ascii=False) spells it, which is how MaskBench
// texts are made.
#pragma once

#include <string>
#include <string_view>

#include "grammar/base/status.h"

namespace maskloom::cli {

// Returns `text`, one JSON document, with ", " and ": " between tokens, integers as they stand,
// other numbers as Python's repr of the nearest double (1e5 becomes 100000.0, 1e400 Infinity), and
// only the escapes that JSON demands. Members keep their order; repeated keys are kept.
// On error: kInvalidArgument for malformed JSON or half a surrogate pair.
Result<std::string> PythonJson(std::string_view text);

// Returns Python's repr of `value`.
std::string PythonFloat(double value);

}  // namespace maskloom::cli
