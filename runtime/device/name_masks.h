// Which tokens may come at a key of an object that takes no other keys, by the names that it has
// not seen: what lists by names (kernels/steps/named_list.h) are made from.
//
// Such a key may be read if its name was not seen; and then the text can be finished whatever was
// seen besides, as all keys that are still required may come. So a token that does not leave the
// member whose key it reads may come if and only if some name that it can spell was not seen, which
// is so if it may come where that name is the only one left:
//
//   may come(not seen)  ==  some n of `not seen` with may come({n})
//
// One that goes on behind the member also asks what is left: for a comma something must be, for the
// closing bracket nothing that is required. In the first case it may not come where its own name
// is the only one left; in the second it may come there, and not where all are left, unless
// nothing else is required. So where the equation holds for all names, it holds for any of them,
// given that no token reads two keys; else there is no list.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "compiler/compiled_grammar.h"
#include "compiler/frame.h"
#include "compiler/vocabulary.h"
#include "kernels/steps/step_row.h"
#include "runtime/device/frame_registers.h"

namespace maskloom {

// Not thread-safe.
class NameMasks {
 public:
  struct Id {
    TokenId id;
    uint64_t names;  // that it can spell, a bit each
  };

  // Finds them for `item`, whose frame has `registers`, which must belong to the word that it
  // makes. `visit` is called with it for each set of names that is looked at. Returns false where
  // there is no list. Cost: a mask for each name.
  bool Find(const CompiledGrammar& grammar, const FrameRegisters& frames,
            const kernels::WordRegisters& registers, const Item& item,
            const std::function<void(Items)>& visit);

  // Tokens that may come whatever the names, and the others, both ascending by id.
  std::span<const uint32_t> always() const { return always_; }
  std::span<const Id> ids() const { return ids_; }

 private:
  // Adds `name` to all tokens that may come at `item`. Returns how many these are.
  size_t AddNames(const CompiledGrammar& grammar, const Item& item, uint64_t name);

  std::vector<uint64_t> names_;  // by token; all 0 between calls of Find
  std::vector<uint32_t> touched_;
  std::vector<uint32_t> always_;
  std::vector<Id> ids_;
};

}  // namespace maskloom
