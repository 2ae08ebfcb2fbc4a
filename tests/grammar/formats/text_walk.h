// Random texts of an automaton, and random changes to texts.
#pragma once

#include <cstdint>
#include <random>
#include <string>

#include "grammar/base/text_automaton.h"

namespace maskloom {

class TextWalk {
 public:
  TextWalk(const TextAutomaton& automaton, uint32_t seed);

  // Returns a text that the automaton accepts: a walk that turns towards acceptance after a random
  // number of steps.
  std::u32string Next();
  // Returns `text` with one code point left out, doubled, exchanged or replaced.
  std::u32string Mutate(std::u32string text);

 private:
  uint32_t Below(size_t bound) { return static_cast<uint32_t>(random_() % bound); }

  const TextAutomaton& automaton_;
  std::vector<uint32_t> distances_;  // to acceptance, by state
  std::mt19937 random_;
};

}  // namespace maskloom
