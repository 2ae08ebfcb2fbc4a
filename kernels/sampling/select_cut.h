// Finds where a filter cuts a list of values, without sorting it.
#pragma once

#include "kernels/sampling/mass.h"
#include "kernels/sampling/order.h"
#include "kernels/sampling/row_ops.h"

namespace maskloom::kernels {

// What a filter adds up along the descending order.
enum class Measure { kCount, kMass };

// The list that a selection works on; both arrays have room for kOverrun more.
struct WorkList {
  float* values;  // [count], destroyed
  float* spare;   // [count]
  uint32_t count;
};

// Returns the cut that keeps the smallest prefix of the descending order of `list` whose measure is
// at least `needed`; the cut that keeps all where the whole has less. Ties of the cut count from
// the first; which tokens they are is the caller's knowledge. `base` is that of the masses. Cost:
// passes over lists that about halve; the last 32 values are sorted.
Cut SelectCut(const RowOps& ops, Measure measure, WorkList list, int32_t base, Mass needed);

}  // namespace maskloom::kernels
