// Cuts an automaton down to what a vocabulary can complete.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "compiler/text_coding.h"
#include "grammar/base/text_automaton.h"

namespace maskloom {

struct SpelledAutomaton {
  // Edges to states from which spellable code points lead to acceptance; null if the start is none.
  std::shared_ptr<const TextAutomaton> automaton;
  // Of these only the spellable code points: what can be written from any state.
  std::shared_ptr<const TextAutomaton> spelled;
};

// States keep their numbers; those that cannot be completed stay behind without edges. Where all
// can be spelled and completed both results are `automaton` itself. Requires: no calls.
SpelledAutomaton CutToSpelling(const std::shared_ptr<const TextAutomaton>& automaton,
                               const Spelling& spelling);

// Lengths of shortest accepted texts by state, kUnreachable where there is none.
inline constexpr uint32_t kUnreachable = 0xFFFFFFFF;
std::vector<uint32_t> DistancesToAccept(const TextAutomaton& automaton);

// Numbers of accepted texts by state; kUnreachable where there are infinitely many or more than
// `limit`.
std::vector<uint32_t> CountAccepted(const TextAutomaton& automaton, uint32_t limit);

}  // namespace maskloom
