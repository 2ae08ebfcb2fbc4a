// Decides whether a JSON value satisfies a value node of the IR, straight from the definitions in
// grammar/ir.h: no automaton of text, no registers.
#pragma once

#include <string_view>

#include "grammar/ir.h"

namespace maskloom {

// Does the JSON text `instance` satisfy the root of `grammar`? Requires: a well-formed instance.
bool SatisfiesIr(const Grammar& grammar, std::string_view instance);

}  // namespace maskloom
