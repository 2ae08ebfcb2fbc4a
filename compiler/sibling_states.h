// States of an automaton that few texts tell apart.
//
// Where a pattern counts, such as `(\S+\s+){0,99}\S+`, it has a state for each count, and far from
// its bounds these differ only in texts that are long, or that go to and fro between words and what
// stands between them. So do their masks: one that was made for such a state serves another but for
// the tokens that do so more than both have in common.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>

#include "grammar/base/text_automaton.h"

namespace maskloom {

// What was found of a grammar's automata, remembered. Thread safety: any thread.
class SiblingStates {
 public:
  static constexpr uint32_t kAnyReach = 0xFFFFFFFF;

  // How far two states agree: on texts of no more than so many code points, or of no more runs of
  // characters of one kind (KindOf) than this, both live or both die, and on those that are
  // shorter, or have fewer runs, both may end or neither.
  struct Reach {
    uint32_t code_points = kAnyReach;
    uint32_t runs = kAnyReach;
  };
  // A state that stands for another.
  struct Sibling {
    uint32_t state = 0;
    Reach reach = {};
  };

  SiblingStates();
  ~SiblingStates();

  // Returns the state of `automaton`, which must outlive this, that stands for `state`: one that
  // was asked for before and agrees with it as far as `least` says in one way or the other, else
  // itself, from now on and with any reach. A state that stands for others stands for itself. No
  // more runs than `most` has are looked at; agreement on as many code points as it has counts as
  // any reach. Cost: some microseconds the first time.
  Sibling Find(const TextAutomaton& automaton, uint32_t state, const Reach& least,
               const Reach& most);

 private:
  class Known;

  std::mutex mutex_;
  std::unique_ptr<Known> known_;
};

}  // namespace maskloom
