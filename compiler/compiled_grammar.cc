#include "compiler/compiled_grammar.h"

#include "compiler/grammar_archive.h"
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
  compiled->Assemble(std::move(vocabulary), std::move(*machine), limits);
  return std::shared_ptr<const CompiledGrammar>(std::move(compiled));
}

void CompiledGrammar::Assemble(std::shared_ptr<const VocabularyIndex> vocabulary,
                               std::unique_ptr<Machine> machine, const CompileLimits& limits) {
  vocabulary_ = std::move(vocabulary);
  machine_ = std::move(machine);
  masks_ = std::make_unique<MaskCache>(*machine_, *vocabulary_, limits.mask_cache_bytes);
  completion_ = std::make_unique<MaskCompletion>(*machine_, *vocabulary_, masks_.get());
}

std::shared_ptr<const CompiledGrammar> CompiledGrammar::Read(
    GrammarReader& archive, std::shared_ptr<const VocabularyIndex> vocabulary,
    const CompileLimits& limits) {
  std::shared_ptr<CompiledGrammar> compiled(new CompiledGrammar());
  compiled->file_ = archive.keep();
  std::unique_ptr<Machine> machine = Machine::Read(archive, *vocabulary);
  compiled->Assemble(std::move(vocabulary), std::move(machine), limits);
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
  return machine_->MemoryBytes() + masks_->MemoryBytes() + completion_->MemoryBytes();
}

}  // namespace maskloom
