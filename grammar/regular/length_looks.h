// Look-aheads that only say how long the whole text is.
#pragma once

#include <cstdint>
#include <optional>

#include "grammar/base/expr.h"

namespace maskloom {

struct LengthLooks {
  ExprId expr;  // matches the same texts among those with a length within the bounds
  uint64_t min_length;
  uint64_t max_length;
};

// Takes the bounds out of look-aheads at the begin of `expr` such as `^(?=.{1,253}$)`, which are
// left as `^(?=.*$)`. A search for `expr` finds the texts that a search for the result finds and
// whose length, in code points, is within the bounds. Returns nothing where there is no such
// look-ahead, or where bounds contradict each other. Cost: linear in the top-level parts of `expr`.
std::optional<LengthLooks> TakeLengthLooks(ExprId expr, ExprPool* pool);

}  // namespace maskloom
