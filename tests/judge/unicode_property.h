// Unicode general categories and scripts, for \p{..}.
#pragma once

#include <optional>
#include <string>

#include "tests/judge/code_points.h"

namespace maskloom::judge {

// The code points of the property as ECMA-262 spells it: "L", "Lu", "Letter", "gc=Lu",
// "Script=Greek", "sc=Grek", "ASCII", "Any", "Alphabetic" and the like. nullopt when not known.
// Source: the tables inside RE2 (general categories and scripts).
std::optional<CodePoints> UnicodeProperty(const std::string& name);

}  // namespace maskloom::judge
