#include "compiler/compiled_grammar.h"

#include "compiler/machine.h"
#include "compiler/mask_cache.h"
#include "compiler/mask_completion.h"

namespace maskloom {

CompiledGrammar::CompiledGrammar() = default;
CompiledGrammar::~CompiledGrammar() = default;

Result<std::shared_ptr<const CompiledGrammar>> CompiledGrammar::Create(
    Grammar grammar, std::shared_ptr<const VocabularyIndex> vocabulary,
    const CompileLimits& limits) {
  auto machine = Machine::Create(std::move(grammar), *vocabulary);
  if (!machine.ok()) return machine.status();
  std::shared_ptr<CompiledGrammar> compiled(new CompiledGrammar());
  compiled->vocabulary_ = std::move(vocabulary);
  compiled->machine_ = std::move(*machine);
  compiled->masks_ = std::make_unique<MaskCache>(*compiled->machine_, *compiled->vocabulary_,
                                                 limits.mask_cache_bytes);
  compiled->completion_ = std::make_unique<MaskCompletion>(
      *compiled->machine_, *compiled->vocabulary_, compiled->masks_.get());
  return std::shared_ptr<const CompiledGrammar>(std::move(compiled));
}

const Grammar& CompiledGrammar::grammar() const { return machine_->grammar(); }

size_t CompiledGrammar::MemoryBytes() const {
  return machine_->MemoryBytes() + masks_->MemoryBytes() + completion_->MemoryBytes();
}

}  // namespace maskloom
