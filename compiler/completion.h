// Short texts: of a whole definition, and from any configuration to its end.
//
// Completions follow the costs that admission proved, and where arrays compare their items a search
// for what is left to write to get less, so they always end; they are witnesses, not always the
// shortest texts. Every byte is spellable.
#pragma once

#include <string>

#include "compiler/frame.h"
#include "compiler/machine.h"

namespace maskloom {

// Returns a short text of the whole definition. Requires: it has one.
std::string ShortText(const Machine& machine);

// Returns bytes that complete the text from `item`, white space as sparse as the style allows.
std::string CompletionFrom(const Machine& machine, const Item& item);

}  // namespace maskloom
