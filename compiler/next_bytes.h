// Which bytes may follow, told quickly: so that walks need not try every child of a wide node.
#pragma once

#include <bitset>

#include "compiler/categories.h"
#include "compiler/frame.h"
#include "compiler/machine.h"

namespace maskloom {

// Adds the bytes that may follow `item`, and perhaps some that may not.
void AddNextBytes(const Machine& machine, const Item& item, std::bitset<256>* bytes);
// Adds those with which names go on from `state`, in JSON, escaped or not.
void AddNameBytes(const NameTrie& names, uint32_t state, std::bitset<256>* bytes);
// Takes JSON's white space out of `bytes`.
void RemoveSpace(std::bitset<256>* bytes);
// The categories of `bytes`.
CategorySet CategoriesOf(const std::bitset<256>& bytes);

}  // namespace maskloom
