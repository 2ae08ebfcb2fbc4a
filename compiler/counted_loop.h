// Automata that count characters of one set, as loops with a length.
//
// `[a-z]{1,200}` has a state for each count, and where the set is the letters of all scripts each
// has hundreds of edges. A string with that automaton is one of any length over the set, with
// bounds on the length, for which a count in its frame serves.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "grammar/base/text_automaton.h"

namespace maskloom {

struct CountedLoop {
  std::shared_ptr<const TextAutomaton> loop;  // of one state
  uint64_t min = 0;                           // code points
  std::optional<uint64_t> max;
};

// Returns what `automaton` is as a loop, if all its texts are those of one set of characters that
// have certain lengths without a gap, and it has more than one state. Cost: linear.
std::optional<CountedLoop> AsCountedLoop(const TextAutomaton& automaton);

}  // namespace maskloom
