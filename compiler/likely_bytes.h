// What models are likely to write next, by bytes: for searches that go ahead of them.
#pragma once

#include <bitset>
#include <cstdint>

#include "compiler/frame.h"
#include "compiler/machine.h"

namespace maskloom {

// Returns bytes that stand for all that may follow `items`: where any text may, one letter, the
// quote and the backslash do, with the letters of declared names.
std::bitset<256> LikelyBytes(const Machine& machine, Items items);

// Of `next`, which follows `items` by `byte`: a weight among its siblings. 1, but for what models
// rarely write.
double ByteWeight(const Machine& machine, Items items, uint8_t byte, Items next);

}  // namespace maskloom
