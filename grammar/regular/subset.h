// Determinisation of NFAs by the subset construction.
#pragma once

#include "grammar/base/status.h"
#include "grammar/base/text_automaton.h"
#include "grammar/regular/nfa.h"

namespace maskloom {

// Returns a deterministic automaton of the texts that `nfa` matches: labels are 0 and 1, calls are
// sorted by expr; it is neither trimmed nor minimal. On error: kResourceLimit beyond `max_states`
// states or work in proportion. Cost: exponential in the worst case, within the budget.
Result<TextAutomaton> Determinize(const Nfa& nfa, MatchMode mode, uint32_t max_states);

}  // namespace maskloom
