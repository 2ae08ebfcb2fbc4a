// States of an automaton that no short text tells apart.
//
// Where a pattern counts, such as `(\S+\s+){0,99}\S+`, it has a state for each count, and far from
// its bounds these differ in long texts only. So do their masks: one that was made for such a state
// serves another but for the tokens that are longer than what both have in common.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>

#include "grammar/base/text_automaton.h"

namespace maskloom {

// What was found of a grammar's automata, remembered. Thread safety: any thread.
class SiblingStates {
 public:
  // A state that stands for another, and for how many code points they agree: on texts of no more
  // than these both live or both die, and on shorter ones both may end or neither.
  struct Sibling {
    uint32_t state = 0;
    uint32_t reach = 0;
  };

  SiblingStates();
  ~SiblingStates();

  // Returns the state of `automaton`, which must outlive this, that stands for `state`: one that
  // was asked for before and agrees with it for `least` code points or more, else itself, from now
  // on and with any reach. A state that stands for others stands for itself. Agreement on `most`
  // code points counts as any reach. Cost: some microseconds the first time.
  Sibling Find(const TextAutomaton& automaton, uint32_t state, uint32_t least, uint32_t most);

 private:
  class Known;

  std::mutex mutex_;
  std::unique_ptr<Known> known_;
};

}  // namespace maskloom
