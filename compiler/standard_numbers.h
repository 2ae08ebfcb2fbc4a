// Automata of the numbers that most grammars have, explored once a vocabulary.
//
// Making a state of a number's automaton takes some tenths of a microsecond, and the mask of a
// state meets dozens of new ones. Most numbers of schemas have no conditions, or are not negative,
// or count from one: for these there are models, with whose states grammars begin
// (NumberAutomaton::From), so that they make only what lies beyond.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

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
  // Any number, an integer, one without fraction and exponent; of each all, those from 0 on, and
  // those from 1 on.
  static constexpr size_t kKinds = 3;
  static constexpr size_t kBounds = 3;
  static NumberNode NodeOf(size_t model);
  // The number of the model of `node`, or none.
  static std::optional<size_t> ModelOf(const NumberNode& node);

  const std::bitset<256> spellable_;
  std::array<Model, kKinds * kBounds> models_;  // null where no such number can be spelled
};

// Is `node` a number, or an integer, without conditions on its value and its spelling?
bool IsFreeNumber(const NumberNode& node);

}  // namespace maskloom
