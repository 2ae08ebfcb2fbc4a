// The automaton of a number node: made by admission or, in a grammar from a file, at its first use.
//
// Masks are cached under the numbers of states, which are given in the order in which states are
// met. A file therefore holds, for every state but the first, which byte led to it from which state
// before; whoever follows that list makes the same states with the same numbers.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "compiler/number_automaton.h"
#include "compiler/standard_numbers.h"
#include "grammar/base/flat_array.h"
#include "grammar/ir.h"

namespace maskloom {

// Thread safety: const calls from any thread.
class LazyNumber {
 public:
  LazyNumber() = default;
  explicit LazyNumber(std::unique_ptr<NumberAutomaton> made);
  // Requires: nobody else uses `other`.
  LazyNumber(LazyNumber&& other) noexcept { *this = std::move(other); }
  LazyNumber& operator=(LazyNumber&& other) noexcept;

  // Says of what the automaton is to be made once it is needed. Requires: read from a file; `node`
  // and `numbers` outlive this.
  void MakeFrom(const NumberNode* node, uint32_t max_digits, const StandardNumbers* numbers);

  // Cost: at the first use in a grammar from a file, that of making the states it had there.
  const NumberAutomaton& operator*() const {
    const NumberAutomaton* made = made_.load(std::memory_order_acquire);
    return made != nullptr ? *made : Make();
  }
  const NumberAutomaton* operator->() const { return &**this; }
  size_t MemoryBytes() const;

  template <typename Archive, typename Self>
  static void Describe(Archive& archive, Self& self) {
    if constexpr (std::is_const_v<Self>) {
      archive.Array(self.Origins());
    } else {
      self.blueprint_ = std::make_unique<Blueprint>();
      archive.Array(self.blueprint_->origins);
    }
  }

 private:
  struct Blueprint {
    FlatArray<NumberOrigin> origins;
    const NumberNode* node = nullptr;
    uint32_t max_digits = 0;
    const StandardNumbers* numbers = nullptr;
    std::once_flag once;
  };

  FlatArray<NumberOrigin> Origins() const;
  const NumberAutomaton& Make() const;

  std::unique_ptr<Blueprint> blueprint_;  // null: made_ is there from the start
  mutable std::unique_ptr<NumberAutomaton> owned_;
  mutable std::atomic<const NumberAutomaton*> made_{nullptr};
};

}  // namespace maskloom
