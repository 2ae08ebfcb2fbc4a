#include "compiler/compiled_grammar.h"

#include "compiler/grammar_archive.h"
#include "compiler/machine.h"
#include "compiler/mask_cache.h"

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
  return std::shared_ptr<const CompiledGrammar>(std::move(compiled));
}

std::shared_ptr<const CompiledGrammar> CompiledGrammar::Read(
    GrammarReader& archive, std::shared_ptr<const VocabularyIndex> vocabulary,
    const CompileLimits& limits) {
  std::shared_ptr<CompiledGrammar> compiled(new CompiledGrammar());
  compiled->file_ = archive.keep();
  compiled->vocabulary_ = std::move(vocabulary);
  compiled->machine_ = Machine::Read(archive, *compiled->vocabulary_);
  compiled->masks_ = std::make_unique<MaskCache>(*compiled->machine_, *compiled->vocabulary_,
                                                 limits.mask_cache_bytes);
  FrozenMasks masks;
  archive.Part(masks);
  compiled->masks_->UseFrozen(std::move(masks));
  return compiled;
}

void CompiledGrammar::Write(GrammarWriter& archive) const {
  // First the masks, so that the states of numbers in their keys are among those of the machine.
  const FrozenMasks masks = masks_->Freeze();
  machine_->Write(archive);
  archive.Part(masks);
}

const Grammar& CompiledGrammar::grammar() const { return machine_->grammar(); }

size_t CompiledGrammar::MemoryBytes() const {
  return machine_->MemoryBytes() + masks_->MemoryBytes();
}

}  // namespace maskloom
