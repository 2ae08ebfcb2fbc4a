// Where arrays that compare their items need not: no value that was seen can come again soon.
//
// Following the text of an item costs a walk ten times what it costs otherwise, and nearly always
// in vain: what was read of the item already differs from all values seen, or there are none. Then
// a token can be refused for an equal value only if it holds a whole item, or begins one behind
// another; such tokens are few, and are read again with care. All others are walked as if items
// were not compared, if values of the arrays around never run out.
#pragma once

#include <string_view>

#include "compiler/frame.h"
#include "compiler/machine.h"

namespace maskloom {

// May `item` be walked so? Cost: linear in the values seen and the text of the item.
bool IsApartFromSeen(const Machine& machine, const Item& item);

// May a token with `bytes` hold an item of an array whole, or begin one behind a comma with more
// than its first byte? May say yes where it could not.
bool MayHoldItem(std::string_view bytes);

}  // namespace maskloom
