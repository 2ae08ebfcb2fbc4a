// Parses ECMA-262 regular expressions (with `u` semantics: code points) into expressions.
#pragma once

#include <string_view>

#include "grammar/base/expr.h"
#include "grammar/base/status.h"

namespace maskloom {

// Parses `pattern` into `pool`. Groups do not capture, laziness does not matter, `.` is any code
// point but a line terminator, \s and \d and \w are ECMA's. Counted repeats stay kRepeat,
// look-arounds and word boundaries become kLook.
// On error: kInvalidDefinition with offset and caret; kUnsupported naming back-references that are
// not regular, or flags; kResourceLimit for nesting or size beyond the budget.
Result<ExprId> ParseEcmaRegex(std::string_view pattern, ExprPool* pool);

}  // namespace maskloom
