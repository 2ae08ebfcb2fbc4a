// The sets of code points that `\p{..}` names.
#pragma once

#include <optional>
#include <string_view>

#include "grammar/base/code_point_set.h"

namespace maskloom {

// Returns the set of `name=value` (General_Category, Script, Script_Extensions), or, where `value`
// is empty, of a general category or binary property `name`; nothing if there is none. Names and
// aliases are those of ECMA-262, case matters. Cost: linear in the ranges of the set.
// Source: ECMA-262 (2024), 22.2.2.9 and tables 67 to 70; Unicode 15.0.
std::optional<CodePointSet> FindUnicodeProperty(std::string_view name, std::string_view value);

}  // namespace maskloom
