// Determinisation of NFAs with look-arounds.
#pragma once

#include "grammar/base/status.h"
#include "grammar/base/text_automaton.h"
#include "grammar/regular/look_machines.h"

namespace maskloom {

// Returns a deterministic automaton of the texts that the whole of `machines` matches, neither
// trimmed nor minimal. On error: kResourceLimit beyond `max_states` states or work in proportion.
// Cost: doubly exponential in the worst case, within the budget; for one look-ahead at the begin,
// the product of its automaton and the rest's.
Result<TextAutomaton> DeterminizeLooks(const LookMachines& machines, MatchMode mode,
                                       uint32_t max_states);

}  // namespace maskloom
