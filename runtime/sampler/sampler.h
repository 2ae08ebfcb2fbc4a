// Chooses tokens for one sequence: options, the counts that penalties need, and scratch memory
// around kernels/sampling/sample_row.h.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "grammar/base/status.h"
#include "kernels/sampling/sample_row.h"
#include "runtime/sampler/sampling_options.h"

namespace maskloom {

using kernels::SampleResult;
using kernels::TopToken;

// What to report beside the token. Never changes the token.
struct SampleReport {
  bool logprobs = true;  // of the token; they cost a look at every allowed logit's exponential
  bool entropy = false;
  bool raw = false;        // the model's own distribution and the mass that the mask removed
  uint32_t top_count = 0;  // most probable tokens after the mask, at most kernels::kMaxTopTokens
};

// Invariants
//   1. The token depends only on logits, mask, options, the tokens told to Begin and Accept, and
//      position: not on the report asked for, on threads, or on earlier calls of Sample.
//   2. Penalties count each accepted token until Rollback takes it back.
//   3. After Begin, no call allocates until more tokens are accepted than Begin was told.
// Thread safety: one thread at a time; different samplers are independent.
class Sampler {
 public:
  // Makes a sampler for a vocabulary of `vocab_size` tokens.
  // On error: kInvalidArgument naming the option, the value given and the values allowed.
  static Result<Sampler> Create(const SamplingOptions& options, uint32_t vocab_size);

  // Starts a sequence: forgets all tokens and counts those of `prompt` as seen.
  // `max_output_count` is how many tokens memory is set aside for.
  // On error: kInvalidArgument where an id is outside the vocabulary; the sequence is then empty.
  Status Begin(std::span<const uint32_t> prompt, size_t max_output_count);

  // Counts `token` as the next one of the output. Cost: O(log n), O(n) for a token not seen before,
  // with n different tokens so far; nothing when no penalty is set.
  // Requires: token below the vocabulary's size.
  void Accept(uint32_t token) noexcept;

  // Takes back the last `count` accepted tokens.
  // On error: kInvalidArgument where fewer were accepted; nothing changes.
  Status Rollback(size_t count);

  // Chooses a token from `logits`, one for each id. `mask` has bit (id % 32) of word id / 32 set
  // for each allowed token, and is empty to allow all. `position` is that of the new token in its
  // sequence: the same seed and position always draw the same noise. Returns the token and what
  // the report asks for. On error: kInvalidArgument for wrong sizes;
  // kUnsatisfiable where the mask is empty or every allowed logit is NaN or -infinity.
  Result<SampleResult> Sample(std::span<const float> logits, std::span<const uint32_t> mask,
                              uint64_t position);

  // The same where only some logits were computed: logits[i] is of ids[i], ids ascending. Tokens
  // that are not listed are not allowed. The choice equals Sample's with a mask of these ids. On
  // error: as Sample; kInvalidArgument also where the report asks for raw.
  Result<SampleResult> SampleGathered(std::span<const uint32_t> ids, std::span<const float> logits,
                                      uint64_t position);

  // Sets what later calls report.
  // On error: kInvalidArgument where top_count is more than kernels::kMaxTopTokens.
  Status SetReport(const SampleReport& report);

  // The most probable tokens of the last call, most probable first; at most top_count.
  std::span<const TopToken> top() const { return {top_.data(), top_filled_}; }

  const SamplingOptions& options() const { return options_; }
  uint32_t vocab_size() const { return vocab_size_; }
  size_t output_count() const { return output_count_; }

 private:
  Sampler(const SamplingOptions& options, uint32_t vocab_size);

  // The entry of `token`, added with no counts where there is none.
  kernels::TokenAdjustment& EntryOf(uint32_t token);
  Result<SampleResult> Run(const kernels::SampleRow& row, uint64_t position);

  SamplingOptions options_;
  uint32_t vocab_size_ = 0;
  bool has_penalties_ = false;
  kernels::SampleSettings settings_;
  std::vector<kernels::TokenAdjustment> bias_;     // ascending by id
  std::vector<kernels::TokenAdjustment> entries_;  // bias and counts, ascending by id
  std::vector<uint32_t> output_;  // accepted tokens, kept where penalties need them
  size_t output_count_ = 0;
  std::vector<unsigned char> scratch_;
  std::vector<TopToken> top_;
  size_t top_filled_ = 0;
};

}  // namespace maskloom
