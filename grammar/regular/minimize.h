// Minimisation and canonical numbering of deterministic automata.
#pragma once

#include "grammar/base/text_automaton.h"

namespace maskloom {

// Returns the minimal, trimmed, canonical automaton of the language (and labels) of `raw`, whose
// start is state 0. Requires: `raw` keeps invariant 2 of TextAutomaton; its calls, if any, are
// sorted by expr. Cost: O(m log n) for m edges and n states.
TextAutomaton Minimize(const TextAutomaton& raw);

// Returns `raw` with start `start`, its reachable states numbered breadth-first and touching edges
// of one target joined. Requires: every state can reach an accepting one.
TextAutomaton NumberBreadthFirst(const TextAutomaton& raw, uint32_t start);

}  // namespace maskloom
