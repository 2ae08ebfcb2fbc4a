// What kind of place a matcher is in, for statistics of masks.
#pragma once

#include <span>
#include <string>

#include "compiler/mask.h"
#include "runtime/matcher.h"

namespace maskloom::cli {

struct StateKind {
  char letter;  // lower case
  const char* name;
};

// All kinds.
std::span<const StateKind> StateKinds();

// Returns the letter of the kind that the state of `matcher` has; where it has several items, that
// of the first. Requires: it is not terminated.
char StateKindOf(const Matcher& matcher);

// Returns the name of the kind with this letter, of either case; "" if there is none.
const char* StateKindName(char letter);

// Returns what the row of `mask` is: none, one that is shared, or one of its own, which holds what
// a walk found token by token.
const char* BaseKindName(const ItemMask& mask);

}  // namespace maskloom::cli
