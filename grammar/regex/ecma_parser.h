// Parses ECMA-262 regular expressions (with `u` semantics: code points) into expressions.
#pragma once

#include <string_view>

#include "grammar/base/expr.h"
#include "grammar/base/status.h"

namespace maskloom {

// Parses `pattern` into `pool`. Groups do not capture, laziness does not matter, `.` is any code
// point but a line terminator, \s and \d and \w are ECMA's. Counted repeats stay kRepeat.
// On error: kInvalidDefinition with offset and caret; kUnsupported naming look-around, `\p{..}`,
// word boundaries or back-references; kResourceLimit for nesting or size beyond the budget.
Result<ExprId> ParseEcmaRegex(std::string_view pattern, ExprPool* pool);

}  // namespace maskloom
