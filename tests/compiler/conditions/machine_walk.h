// A configuration of a compiled grammar with its mask, for tests below the runtime.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/arena.h"
#include "compiler/compiled_grammar.h"
#include "compiler/stepper.h"

namespace maskloom::conditions {

class MachineWalk {
 public:
  explicit MachineWalk(std::shared_ptr<const CompiledGrammar> grammar);

  // Would `bytes` be taken?
  bool Allows(std::string_view bytes);
  // Takes `bytes`; returns whether they could be taken.
  bool Take(std::string_view bytes);
  bool IsAccepting() const;
  // Bit i: the mask allows token i.
  std::vector<bool> Mask() const;
  // A completion from each item.
  std::vector<std::string> Completions() const;
  size_t item_count() const { return items_.size(); }

 private:
  std::shared_ptr<const CompiledGrammar> grammar_;
  Arena arena_;
  Stepper stepper_;
  std::vector<Item> items_;
};

}  // namespace maskloom::conditions
