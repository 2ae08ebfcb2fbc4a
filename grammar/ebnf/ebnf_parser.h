// Parses grammars in `::=` notation (GBNF and the EBNF dialect of serving engines) into the IR.
#pragma once

#include <string>
#include <string_view>

#include "grammar/base/status.h"
#include "grammar/ir.h"

namespace maskloom {

struct EbnfOptions {
  std::string root_rule = "root";
};

// On error: kInvalidDefinition with line, column and caret (syntax, undefined or repeated rule, a
// rule without a finite text), kUnsupported, kResourceLimit.
Result<Grammar> ParseEbnf(std::string_view text, const EbnfOptions& options = {});

// A stand-alone regular expression: the whole text must match. On error: as ParseEcmaRegex.
Result<Grammar> ParseRegexGrammar(std::string_view pattern);

}  // namespace maskloom
