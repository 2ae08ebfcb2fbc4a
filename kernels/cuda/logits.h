// From logits on the device to tokens on the device: the sampling step of kernels/sampling over a
// batch, in its semantics and with its tokens (sample_row.h).
//
// Bytes: the logits that the masks allow and the masks, once; where a row filters, tiles of 2,048
// tokens that reach its cut a second time; rows that report entropy, raw probabilities or the most
// probable tokens once more. A split of a row leaves about 100 bytes, with top-k or top-p up to
// 1.6 kB more. Rows whose mask is lists of at most 256 ids are gathered by one block, which leaves
// nothing. A table of penalties is read once. logits.cu has the algorithm.
//
// A launch neither allocates nor waits, and can be captured in a graph.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/sampling/sample_row.h"
#include "kernels/simt/world.h"
#include "kernels/steps/row_mask.h"

namespace maskloom::kernels::cuda {

enum class LogitType : uint32_t { kF32, kF16, kBf16 };

inline constexpr uint32_t kMostTops = 256;

inline constexpr uint32_t kNoGrammar = UINT32_MAX;

// What one row asks for, as it lies on the device: sent when a text begins. Its mask comes apart
// from it, with every step.
struct RowRequest {
  uint64_t seed;
  uint64_t position;  // LaunchAdvanceRows counts it (rows.h)
  double top_p;
  float scale;      // 1 / temperature
  float min_p_log;  // least y - y_max that stays; -infinity: off
  float repetition;
  float frequency;
  float presence;
  uint32_t top_k;
  uint32_t adjustment_begin;  // in LogitsBatch::adjustments
  uint32_t adjustment_count;  // ascending by id
  uint32_t grammar;           // of the row's tables (rows.h), or kNoGrammar
  uint16_t top_count;         // at most kMostTops
  uint16_t is_greedy : 1;
  uint16_t wants_logprobs : 1;
  uint16_t wants_entropy : 1;
  uint16_t wants_raw : 1;
};
static_assert(sizeof(RowRequest) == 64);  // two sectors of memory

// What comes out of one row.
struct RowChoice {
  SampleStatus status;
  uint32_t token;  // UINT32_MAX unless kOk
  uint32_t allowed_count;
  uint32_t kept_count;
  float logprob;           // as in SampleResult; 0 unless asked for
  float masked_logprob;    // the same
  float masked_logsumexp;  // the same
};

// What a row reports on request; fields that it did not ask for are 0. As in SampleResult.
struct RowReport {
  float entropy_bits;
  float raw_logprob;
  float raw_logsumexp;
  float removed_mass;
  uint32_t top_filled;
};

// A batch; all pointers are of the device.
struct LogitsBatch {
  const void* logits;  // row r begins at element r * stride
  LogitType type;
  uint32_t batch;
  uint32_t vocab;  // at most kMaxVocabulary
  size_t stride;   // elements; rows that start at 16 bytes are read fastest
  BatchMasks masks;
  const RowRequest* requests;          // [batch]
  const TokenAdjustment* adjustments;  // of all rows
  RowChoice* choices;                  // [batch]
  void* workspace;                     // LogitsWorkspaceBytes; zeroed once, before the first launch
  bool filters;                        // whether some row has top-k, top-p or min-p
  RowReport* reports;                  // [batch]; null where no row asks for any
  TopToken* tops;                      // row r has its top_count entries at r * kMostTops
};

inline namespace SIMT_WORLD {

// Returns the request of a row without adjustments and grammar. Requires: settings that
// CheckArguments accepts.
RowRequest MakeRowRequest(const SampleSettings& settings);

// Returns the bytes of workspace that batches of this size and of any smaller one need.
size_t LogitsWorkspaceBytes(uint32_t batch, uint32_t vocab);
// Returns how many bytes at the head of the workspace must be zero before a launch whose batch is
// not that of the launch before.
size_t LogitsCounterBytes(uint32_t batch);

// Queues the choice of a token for each row on `stream` (a cudaStream_t).
// Returns 0, or the error of the launch (a cudaError_t).
int LaunchChooseTokens(const LogitsBatch& batch, void* stream);

}  // namespace SIMT_WORLD

}  // namespace maskloom::kernels::cuda
