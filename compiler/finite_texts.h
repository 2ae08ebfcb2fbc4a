// The texts that an automaton accepts, one at a time, where it accepts finitely many.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "grammar/base/text_automaton.h"

namespace maskloom {

// Tells the last first, in the order of code points: lists of names are mostly taken in order, so
// the last are those that an array of distinct items has not seen yet.
class FiniteTexts {
 public:
  // `begin`: what was read up to `state`, in UTF-8. Requires: only finitely many texts are accepted
  // from `state` on, and from every state behind it at least one. `automaton` outlives this.
  FiniteTexts(const TextAutomaton& automaton, uint32_t state, std::string begin)
      : automaton_(automaton), text_(std::move(begin)) {
    Enter(state);
  }

  // Returns the next text in UTF-8, valid until the next call, or null behind the last. Cost:
  // linear in the text, allocations aside.
  const std::string* Next();

 private:
  // A state on the way, of whose edges the first `edges` are left.
  struct Level {
    uint32_t state;
    uint32_t edges;
    uint32_t taken;  // code points of the last of them
    size_t size;     // of the text up to here
  };

  void Enter(uint32_t state) {
    levels_.push_back(
        {state, static_cast<uint32_t>(automaton_.EdgesOf(state).size()), 0, text_.size()});
  }

  const TextAutomaton& automaton_;
  std::string text_;
  std::vector<Level> levels_;
};

}  // namespace maskloom
