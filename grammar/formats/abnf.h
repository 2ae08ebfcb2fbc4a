// Reads grammars in the notation of the RFCs, ABNF, into expressions.
//
// Formats are defined by RFCs, so their source is the RFC's own text and can be compared with it
// line by line. What is read is RFC 5234 with RFC 7405: rules, `/`, concatenation, `*`, `n*m`,
// groups, options, "text" in any case, %s"text" in this case, %x, %d, comments. Left out are
// prose values and `=/`. Recursion is an error: the languages are regular.
#pragma once

#include <map>
#include <string_view>
#include <utility>

#include "grammar/base/code_point_set.h"
#include "grammar/base/expr.h"
#include "grammar/base/status.h"

namespace maskloom {

// Sets of code points that an ABNF text may name like rules.
using AbnfClasses = std::map<std::string_view, CodePointSet, std::less<>>;

// Returns the expression of rule `root` of `text`, built into `pool`. Rules end where the next line
// that begins in column 1 begins; ALPHA, DIGIT, HEXDIG and DQUOTE are known.
// On error: kInvalidDefinition with offset and caret.
Result<ExprId> ReadAbnf(std::string_view text, std::string_view root, const AbnfClasses& classes,
                        ExprPool* pool);

}  // namespace maskloom
