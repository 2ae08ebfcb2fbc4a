// One sampling step over one row of logits: the definition that every backend follows.
//
// Order: mask -> bias -> repetition -> frequency and presence -> temperature -> top-k -> top-p ->
// min-p -> renormalise -> choose. In detail, for token i with logit x:
//
//   x NaN                 counts as -infinity: allowed, but never chosen
//   bias                  x += bias
//   repetition r          if i is in prompt or output: x = x > 0 ? x / r : x * r
//   frequency f, pres. s  if i is in the output c > 0 times: x -= c * f + s
//   temperature T         y = x * (1 / T); T = 0 is greedy: y = x, the largest y is taken
//
// Tokens are ordered by descending y, ties to the lower id; a filter keeps a prefix of that order:
//
//   top-k                 the first k (0: all)
//   top-p                 the smallest prefix whose mass is at least p of the mass that top-k left,
//                         and at least one token (1: all)
//   min-p                 those with y - y_max >= ln(min_p), the same as a probability of at least
//                         min_p times the largest (0: all)
//
// The choice is the largest y + Gumbel noise among those kept (philox.h), ties to the lower id,
// which draws from the renormalised distribution. Where y_max > 2^21, +infinity included, the first
// token in the order is taken without noise. Masses are exact integers (mass.h). Arithmetic is in
// single precision with one rounding for each operation above; all backends choose the same token.
//
// A row without an allowed token, or whose allowed logits are all -infinity or NaN, is a status,
// never a token. Asking for more outputs never changes the token.
#pragma once

#include <cstddef>
#include <cstdint>

namespace maskloom::kernels {

enum class SampleStatus : int32_t {
  kOk = 0,
  kEmptyMask = 1,        // no token is allowed
  kNoFiniteLogit = 2,    // every allowed logit is NaN or -infinity
  kInvalidArgument = 3,  // settings, sizes or orders are outside what is documented
};

inline constexpr uint32_t kMaxVocabulary = 1u << 22;
inline constexpr float kMinTemperature = 1e-4f;
inline constexpr float kMaxTemperature = 1e4f;
inline constexpr uint32_t kMaxTopTokens = 1024;

// What one token of the sparse table carries: counts for penalties, and a bias.
struct TokenAdjustment {
  uint32_t id;
  uint32_t output_count;  // occurrences in the output so far
  uint32_t in_prompt;     // 1 where the prompt holds the token
  float bias;             // added to the logit; not NaN
};

// The row: logits of the whole vocabulary, or gathered logits of a short list of ids.
struct SampleRow {
  const float* logits;         // [count]
  const uint32_t* ids;         // null: count == vocab, logits[i] is of id i; else ascending
  uint32_t count;              // logits given
  uint32_t vocab;              // ids are below; at most kMaxVocabulary
  const uint32_t* mask;        // bit (id % 32) of word id / 32 set: allowed; null: all given
  const uint32_t* exceptions;  // ids whose bit of `mask` counts flipped, ascending; null when none
  uint32_t exception_count;
  const TokenAdjustment* adjustments;  // ascending by id; null when none
  uint32_t adjustment_count;
};

// Bits of SampleSettings::outputs.
enum SampleOutput : uint32_t {
  kOutputLogprobs = 1,  // logprob, masked_logprob, masked_logsumexp
  kOutputEntropy = 2,   // entropy_bits (and what kOutputLogprobs gives)
  kOutputRaw = 4,       // raw_*, removed_mass; needs the whole row (ids null)
};

struct SampleSettings {
  float temperature = 1.0f;         // 0, or [kMinTemperature, kMaxTemperature]
  uint32_t top_k = 0;               // 0: off
  double top_p = 1.0;               // [0, 1]; 1: off
  double min_p = 0.0;               // [0, 1]; 0: off
  float repetition_penalty = 1.0f;  // > 0, finite; 1: off
  float frequency_penalty = 0.0f;   // finite
  float presence_penalty = 0.0f;    // finite
  uint64_t seed = 0;                // of the request
  uint64_t position = 0;            // of the token being chosen, in its sequence
  uint32_t outputs = kOutputLogprobs;
  uint32_t top_count = 0;  // entries wanted in SampleBuffers::top, at most kMaxTopTokens
};

// An entry of the list of most probable tokens, before the filters.
struct TopToken {
  uint32_t id;
  float logprob;  // masked_logprob of this token
};

// Memory of the caller.
struct SampleBuffers {
  void* scratch;  // SampleScratchBytes(vocab) bytes, 64-byte aligned
  TopToken* top;  // [settings.top_count], null when 0
};

// Natural logarithms throughout. Fields not asked for are 0.
struct SampleResult {
  uint32_t token = UINT32_MAX;  // UINT32_MAX unless kOk
  uint32_t allowed_count = 0;   // tokens inside the mask
  uint32_t kept_count = 0;      // tokens that the filters left; 1 when taken without noise
  uint32_t top_filled = 0;      // entries written to SampleBuffers::top
  float logprob = 0;            // in the distribution chosen from; 0 when taken without noise
  float masked_logprob = 0;    // after mask, penalties, temperature (1 when greedy), before filters
  float masked_logsumexp = 0;  // of y over the allowed tokens
  float entropy_bits = 0;      // of the same distribution as masked_logprob
  float raw_logprob = 0;       // of the token in the model's own distribution over the whole row
  float raw_logsumexp = 0;     // of the logits as given, over the whole row
  float removed_mass = 0;      // probability that the model gave to tokens outside the mask
};

// Returns the size of the scratch memory that one row of `vocab` tokens needs.
size_t SampleScratchBytes(uint32_t vocab);

// Chooses a token: the form used by default, the widest instruction set that the processor has.
// Returns kOk and fills `result`; otherwise sets no token.
// Cost: with a mask of few tokens, its words and only the allowed logits; else one pass over the
// row when greedy, another where probabilities are asked for or noise is drawn, and no sort. Slices
// of the row that the mask closes are not read. Allocates nothing. Thread safety: any thread,
// scratch of its own. Measured by bench_logits.
SampleStatus ChooseToken(const SampleRow& row, const SampleSettings& settings,
                         const SampleBuffers& buffers, SampleResult* result) noexcept;

// Chooses the same token by sorting the whole row: the judge. Allocates; for tests.
SampleStatus ChooseTokenReference(const SampleRow& row, const SampleSettings& settings,
                                  const SampleBuffers& buffers, SampleResult* result);

}  // namespace maskloom::kernels
