// What waits to be explored, by what explores configurations best first (mask_completion.h, and the
// steps of rows in runtime/device): a heap in a vector, with the least costly at its top.
//
// A `Waiting` has a cost and configurations of one store; `operator<` says that it costs more.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "compiler/configuration_store.h"

namespace maskloom {

template <class Waiting>
void PushWaiting(std::vector<Waiting>* heap, const Waiting& one) {
  heap->push_back(one);
  std::push_heap(heap->begin(), heap->end());
}

// Takes the least costly out. Requires: there is one.
template <class Waiting>
Waiting PopWaiting(std::vector<Waiting>* heap) {
  std::pop_heap(heap->begin(), heap->end());
  const Waiting least = heap->back();
  heap->pop_back();
  return least;
}

// Forgets the half that costs more: of one, that.
template <class Waiting>
void ForgetCostlyHalf(std::vector<Waiting>* heap) {
  const auto half = heap->begin() + static_cast<std::ptrdiff_t>(heap->size() / 2);
  std::nth_element(heap->begin(), half, heap->end(),
                   [](const Waiting& a, const Waiting& b) { return a.cost < b.cost; });
  heap->erase(half, heap->end());
  std::make_heap(heap->begin(), heap->end());
}

// Leaves in `store` the configurations of what waits. `visit(&one, see)` calls `see` with a pointer
// to each place in `one` that names a configuration, none of which is null.
template <class Waiting, class Visit>
void CompactWaiting(ConfigurationStore* store, std::vector<Waiting>* heap, const Visit& visit) {
  std::vector<const Configuration*> kept;
  kept.reserve(heap->size());
  for (Waiting& one : *heap) {
    visit(&one, [&](const Configuration** place) { kept.push_back(*place); });
  }
  store->Compact(kept);
  auto next = kept.begin();
  for (Waiting& one : *heap) {
    visit(&one, [&](const Configuration** place) { *place = *next++; });
  }
}

}  // namespace maskloom
