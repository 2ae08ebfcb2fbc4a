// Parses ECMA-262 regular expressions (with `u` semantics: code points) into expressions.
#pragma once

#include <string>
#include <string_view>

#include "grammar/base/expr.h"
#include "grammar/base/status.h"

namespace maskloom {

// Parses `pattern` into `pool`. Groups do not capture, laziness does not matter, `.` is any code
// point but a line terminator, \s and \d and \w are ECMA's. Counted repeats stay kRepeat,
// look-arounds and word boundaries become kLook.
// The syntax is wider than that of the `u` flag, see ecma_parser.cc; `widened`, if not null, gets
// what is not valid under the flag and how it was read, for messages; empty if all is valid.
// On error: kInvalidDefinition with offset and caret; kUnsupported naming back-references that are
// not regular, or flags; kResourceLimit for nesting or size beyond the budget.
Result<ExprId> ParseEcmaRegex(std::string_view pattern, ExprPool* pool,
                              std::string* widened = nullptr);

}  // namespace maskloom
