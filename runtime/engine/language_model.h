// A model file opened as a whole: tokenizer, vocabulary and weights that fit each other.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "compiler/vocabulary_index.h"
#include "grammar/base/status.h"
#include "runtime/model/forward_pass.h"
#include "runtime/tokenizer/tokenizer.h"

namespace maskloom {

// Invariant: every id of the tokenizer is a row of the model's output matrix.
// Thread safety: one thread at a time, since the forward pass has buffers of its own.
class LanguageModel {
 public:
  // Opens the GGUF file at `path`.
  // On error: kIo; kInvalidModel for a damaged file or a tokenizer that does not fit the weights;
  // kUnsupported for an architecture or a tokenizer that is not read.
  static Result<std::unique_ptr<LanguageModel>> Open(const std::string& path,
                                                     const ForwardOptions& options = {});

  const Tokenizer& tokenizer() const { return *tokenizer_; }
  ForwardPass& forward_pass() { return *forward_pass_; }
  // Logits in a row; masks cover as many ids.
  uint32_t row_size() const { return static_cast<uint32_t>(forward_pass_->vocab_size()); }

  // Returns the vocabulary as grammars are compiled for, with rows of row_size() ids.
  // On error: as Vocabulary::Create. Cost: builds it at the first call.
  Result<std::shared_ptr<const VocabularyIndex>> VocabularyForGrammars();

 private:
  LanguageModel() = default;

  std::shared_ptr<const Tokenizer> tokenizer_;
  std::unique_ptr<ForwardPass> forward_pass_;
  std::shared_ptr<const VocabularyIndex> vocabulary_;
};

}  // namespace maskloom
