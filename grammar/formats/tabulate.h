// Automata from recognisers: a step function, run on every state that it reaches.
//
// Some languages are easier to say as a reader with a few registers than as an expression: what an
// open quantifier has counted, which group is open, whether a label has run from right to left. As
// long as the registers hold few values, all their states can be listed.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "grammar/base/code_point_set.h"
#include "grammar/base/text_automaton.h"

namespace maskloom {

struct Recogniser {
  static constexpr uint64_t kRejected = ~uint64_t{0};

  // Disjoint; the code points of a symbol are alike to the recogniser, others are rejected.
  std::vector<CodePointSet> symbols;
  uint64_t start = 0;
  // Sets (*row)[i] to the state behind `state` and symbol i, or kRejected. `row` has an element for
  // each symbol.
  std::function<void(uint64_t state, std::vector<uint64_t>* row)> step;
  std::function<bool(uint64_t state)> accepts;
  // No two states that are reached are alike, and each leads to acceptance: minimisation is
  // skipped.
  bool is_minimal = false;
};

// Returns the minimal automaton of what `recogniser` accepts. Requires: it reaches few states.
// Cost: a step for each state and symbol, and minimisation.
TextAutomaton Tabulate(const Recogniser& recogniser);

}  // namespace maskloom
