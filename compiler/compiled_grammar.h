// A grammar compiled for one vocabulary: immutable to its users, shared by any number of matchers.
#pragma once

#include <cstddef>
#include <memory>

#include "compiler/vocabulary_index.h"
#include "grammar/base/status.h"
#include "grammar/ir.h"

namespace maskloom {

class GrammarReader;
class GrammarWriter;
class Machine;
class MaskCache;
class MaskCompletion;

struct CompileLimits {
  // Of masks that are kept, in bytes; what a grammar's matchers need again and again should fit.
  size_t mask_cache_bytes = size_t{256} << 20;
};

// Masks are built on first use and kept. Thread safety: any number of matchers on any threads.
class CompiledGrammar {
 public:
  // Admission: reads the whole grammar, proves that it has a text which the vocabulary can spell,
  // and prunes what cannot be completed.
  // On error: kUnsatisfiable naming what cannot be spelled or completed; kResourceLimit.
  static Result<std::shared_ptr<const CompiledGrammar>> Create(
      Grammar grammar, std::shared_ptr<const VocabularyIndex> vocabulary,
      const CompileLimits& limits = {});
  ~CompiledGrammar();

  // Reads a grammar from a file; see grammar_file.h. Whether all of it was there the archive says.
  static std::shared_ptr<const CompiledGrammar> Read(
      GrammarReader& archive, std::shared_ptr<const VocabularyIndex> vocabulary,
      const CompileLimits& limits);
  void Write(GrammarWriter& archive) const;

  // The definition; of a grammar from a file only style and numbers are there.
  const Grammar& grammar() const;
  const VocabularyIndex& vocabulary() const { return *vocabulary_; }
  const std::shared_ptr<const VocabularyIndex>& shared_vocabulary() const { return vocabulary_; }
  // Approximate bytes held, cached masks included.
  size_t MemoryBytes() const;

  const Machine& machine() const { return *machine_; }
  MaskCache& masks() const { return *masks_; }
  // Makes masks ahead.
  MaskCompletion& completion() const { return *completion_; }

 private:
  CompiledGrammar();
  void Assemble(std::shared_ptr<const VocabularyIndex> vocabulary, std::unique_ptr<Machine> machine,
                const CompileLimits& limits);

  std::shared_ptr<const void> file_;  // in which some of what follows lies; may be null
  std::shared_ptr<const VocabularyIndex> vocabulary_;
  std::unique_ptr<Machine> machine_;
  std::unique_ptr<MaskCache> masks_;
  std::unique_ptr<MaskCompletion> completion_;
};

}  // namespace maskloom
