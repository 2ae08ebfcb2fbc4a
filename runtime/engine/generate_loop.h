// The loop that writes a text: mask, logits, choice, accept; one token a call.
//
// What the mask saves is taken: where one token is allowed, no logits are computed; where few are,
// only their rows of the output matrix are multiplied. Tokens that were chosen without logits wait,
// and the next forward pass runs them together, which costs little more than one. None of this
// changes the text.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "compiler/compiled_grammar.h"
#include "grammar/base/status.h"
#include "runtime/engine/language_model.h"
#include "runtime/matcher.h"
#include "runtime/sampler/sampler.h"

namespace maskloom {

struct GenerateOptions {
  SamplingOptions sampling;
  // Most tokens of the text; the context may allow fewer.
  uint32_t max_tokens = 512;
  // Compute whole rows, also where the mask would save them, and report log-probabilities, entropy
  // and the mass that the mask removed. The text stays the same.
  bool full_rows = false;
  // With at most so many allowed tokens only their logits are computed.
  uint32_t gather_limit = 512;
};

enum class FinishReason {
  kNotFinished,
  kEndToken,     // an end token was chosen
  kComplete,     // the grammar allows nothing but the end
  kMaxTokens,    // max_tokens were written; the text may be incomplete
  kContextFull,  // the model has no position left; the text may be incomplete
  kFailed,       // Next() returned an error
};

// One token, and what it took. Times in nanoseconds.
struct TokenRecord {
  TokenId id = 0;
  std::string_view bytes;  // empty for end tokens and other control tokens
  bool is_end = false;
  bool forced = false;  // chosen without logits, as the only token allowed
  MaskInfo mask;        // zeros without a grammar
  SampleResult sample;  // for forced tokens only `token`; probabilities only with full_rows
  uint64_t mask_ns = 0;
  uint64_t forward_ns = 0;  // forward pass and logits
  uint64_t sample_ns = 0;
  uint64_t accept_ns = 0;  // of the matcher
};

// Invariant: with a grammar, the text so far can always be completed.
// Thread safety: one thread at a time.
class GenerateLoop {
 public:
  // Prepares one text. `model` must outlive the loop. `grammar` may be null: free text, until an
  // end token. Requires: the grammar was compiled for model->VocabularyForGrammars().
  // On error: kInvalidArgument for a sampling option, an empty prompt, one that does not fit the
  // context; kResourceLimit.
  static Result<std::unique_ptr<GenerateLoop>> Create(
      LanguageModel* model, std::shared_ptr<const CompiledGrammar> grammar,
      std::span<const TokenId> prompt, const GenerateOptions& options);

  // Runs a further piece of the prompt. Returns true once all of it has run.
  // On error: kInvalidModel.
  Result<bool> Prefill();

  // Writes one token. Returns false when the text is finished instead; see finish_reason().
  // Requires: Prefill() has returned true.
  // On error: kInvalidModel when the model leaves nothing that can be chosen.
  Result<bool> Next(TokenRecord* record);

  FinishReason finish_reason() const { return reason_; }
  // Is the text complete: a text of the grammar, or ended by the model?
  bool IsComplete() const;
  // Bytes of a short completion of the text, for messages. Requires: a grammar.
  std::string Completion() const { return matcher_->Completion(); }
  size_t prompt_count() const { return prompt_.size(); }
  size_t token_count() const { return token_count_; }

 private:
  GenerateLoop(LanguageModel* model, const GenerateOptions& options, Sampler sampler);

  // Fills mask_; returns true when nothing but the end is allowed.
  bool FillMask(TokenRecord* record);
  Status ComputeHidden();
  Status Choose(TokenRecord* record);
  Status ChooseAmongFew(TokenRecord* record);
  void CollectAllowed();

  LanguageModel* model_;
  GenerateOptions options_;
  std::optional<Matcher> matcher_;
  Sampler sampler_;
  std::unique_ptr<KvCache> cache_;
  std::vector<int32_t> prompt_;
  std::vector<int32_t> pending_;  // tokens that no forward pass has seen
  size_t prefilled_ = 0;
  size_t token_count_ = 0;
  uint32_t max_tokens_ = 0;
  bool context_bound_ = false;  // max_tokens_ is what the context leaves
  FinishReason reason_ = FinishReason::kNotFinished;
  std::vector<uint32_t> mask_;     // with a grammar, or where some ids are unused; else empty
  std::vector<float> logits_;      // row_size()
  std::vector<uint32_t> allowed_;  // ids, ascending, of a short mask
  std::vector<int32_t> rows_;      // the same ids as rows of the output matrix
};

}  // namespace maskloom
