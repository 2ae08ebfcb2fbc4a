// Holds a text against a grammar, and explains to a person where it fails.
#pragma once

#include <bitset>
#include <cstddef>
#include <string>
#include <string_view>

#include "runtime/matcher.h"

namespace maskloom::cli {

// Does the whole text match? Resets the matcher first.
bool Matches(std::string_view text, Matcher* matcher);

// Returns several lines: the byte offset, line and column of the first byte that cannot stand where
// it does (or that the text ends too early), the line with a caret, and what was expected there.
// Requires: Matches(text, matcher) was false. Resets the matcher first.
std::string ExplainMismatch(const std::string& text, Matcher* matcher);

// Returns the bytes readably: characters in quotes, runs of characters as ranges, names for blanks,
// numbers for bytes beyond ASCII; "nothing" for none.
std::string DescribeBytes(const std::bitset<256>& bytes);

}  // namespace maskloom::cli
