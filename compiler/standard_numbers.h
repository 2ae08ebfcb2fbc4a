// Automata of the numbers that most grammars have, explored once a vocabulary.
//
// Making a state of a number's automaton takes some tenths of a microsecond, and the mask of a state
// meets dozens of new ones. The first states of numbers without conditions are the same in every
// grammar, so grammars take theirs from a model (NumberAutomaton::From) and make only what lies
// beyond it.
#pragma once

#include <bitset>
#include <cstdint>
#include <memory>

#include "compiler/number_automaton.h"
#include "grammar/base/status.h"
#include "grammar/ir.h"

namespace maskloom {

// Immutable. Thread safety: any thread.
class StandardNumbers {
 public:
  // Completions may use `spellable` bytes. Cost: some milliseconds.
  explicit StandardNumbers(const std::bitset<256>& spellable);

  // Returns the automaton of `node`, from a model where there is one. The rest as
  // NumberAutomaton::Create, for the bytes given to the constructor.
  Result<std::unique_ptr<NumberAutomaton>> Make(const NumberNode& node, uint32_t max_digits) const;
  const std::bitset<256>& spellable() const { return spellable_; }
  size_t MemoryBytes() const;

 private:
  using Model = std::shared_ptr<const NumberAutomaton>;
  Model Explored(const NumberNode& node) const;

  const std::bitset<256> spellable_;
  const Model number_, integer_;  // null where no such number can be spelled
};

// Is `node` a number, or an integer, without conditions on its value and its spelling?
bool IsFreeNumber(const NumberNode& node);

}  // namespace maskloom
