// Parses grammars in `::=` notation (GBNF and the EBNF dialect of serving engines) into the IR.
//
//   root   ::= "[" item ("," item)* "]"      # literals, groups, * + ?
//   item   ::= [0-9]{1,3} | word             # classes, counts {m} {m,} {m,n} {,n}
//   word   ::= [^\n"]+                       # `.` is any code point
//            | "\u00e9\x21"                  # a rule goes on until the next `name ::=`
//
// An alternative may be empty. Names are letters, digits, `_`, `-` and `.` inside. Escapes are
// \n \t \r \xHH \uHHHH \UHHHHHHHH (code points; two \u that make a surrogate pair are one) and a
// backslash before punctuation.
#pragma once

#include <string>
#include <string_view>

#include "grammar/base/status.h"
#include "grammar/ir.h"

namespace maskloom {

struct EbnfOptions {
  std::string root_rule = "root";
  // Literals may also be written 'so'; GBNF proper knows only double quotes.
  bool single_quotes = true;
};

// Documented budgets of a grammar's text.
inline constexpr size_t kMaxEbnfBytes = size_t{16} << 20;
inline constexpr size_t kMaxEbnfDepth = 1000;  // nested groups

// Returns a grammar whose rules stand in the order in which their names first appear.
// On error: kInvalidDefinition with line, column and caret (syntax, undefined or repeated rule, a
// rule without a finite text), kUnsupported naming special tokens or look-ahead, kResourceLimit
// beyond the budgets. Cost: linear.
Result<Grammar> ParseEbnf(std::string_view text, const EbnfOptions& options = {});

// A stand-alone regular expression: the whole text must match. On error: as ParseEcmaRegex.
Result<Grammar> ParseRegexGrammar(std::string_view pattern);

}  // namespace maskloom
