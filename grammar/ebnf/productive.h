// Which rules of a grammar can produce a finite text.
#pragma once

#include <vector>

#include "grammar/ir.h"

namespace maskloom {

// Returns, by rule, whether some finite text matches it. Cost: linear in the expressions.
std::vector<bool> FindProductiveRules(const Grammar& grammar);

}  // namespace maskloom
