// From logits on the device to tokens on the device: the sampling step of kernels/sampling over a
// batch, in its semantics and with its tokens (sample_row.h).
//
// Bytes: the logits that the masks allow and the masks, once; where a row filters, tiles of 2,048
// tokens that reach its cut a second time; rows that report entropy, raw probabilities or the most
// probable tokens once more. A split of a row leaves about 100 bytes, with top-k or top-p up to
// 1.6 kB more. logits.cu has the algorithm.
//
// A launch neither allocates nor waits, and can be captured in a graph.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/sampling/sample_row.h"

namespace maskloom::kernels::cuda {

enum class LogitType : uint32_t { kF32, kF16, kBf16 };

// Names of bases that are no rows: all tokens allowed, and none.
inline constexpr uint32_t kOpenBase = UINT32_MAX;
inline constexpr uint32_t kClosedBase = UINT32_MAX - 1;

// The mask and the sparse table of one row: which base, and parts of the batch's lists.
struct RowLists {
  uint32_t base;  // row of LogitsBatch::bases, kOpenBase or kClosedBase
  uint32_t exception_begin;
  uint32_t exception_count;  // ids whose bit counts flipped, ascending
  uint32_t adjustment_begin;
  uint32_t adjustment_count;  // ascending by id
};

inline constexpr uint32_t kMostTops = 256;

// What one row asks for, as it lies on the device.
struct RowRequest {
  uint64_t seed;
  uint64_t position;
  double top_p;
  float scale;      // 1 / temperature
  float min_p_log;  // least y - y_max that stays; -infinity: off
  float repetition;
  float frequency;
  float presence;
  uint32_t top_k;
  uint32_t is_greedy;
  uint32_t wants_logprobs;
  uint32_t wants_entropy;
  uint32_t wants_raw;
  uint32_t top_count;  // at most kMostTops
  RowLists lists;
};

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
  uint32_t vocab;                      // at most kMaxVocabulary
  size_t stride;                       // elements; rows that start at 16 bytes are read fastest
  const uint32_t* bases;               // rows of (vocab + 31) / 32 words
  const RowRequest* rows;              // [batch]
  const uint32_t* exceptions;          // of all rows
  const TokenAdjustment* adjustments;  // of all rows
  RowChoice* choices;                  // [batch]
  void* workspace;                     // LogitsWorkspaceBytes; zeroed once, before the first launch
  bool filters;                        // whether some row has top-k, top-p or min-p
  RowReport* reports;                  // [batch]; null where no row asks for any
  TopToken* tops;                      // row r has its top_count entries at r * kMostTops
};

// Returns the request of a row. Requires: settings that CheckArguments accepts.
RowRequest MakeRowRequest(const SampleSettings& settings, const RowLists& lists);

// Returns the bytes of workspace that a batch of this size needs.
size_t LogitsWorkspaceBytes(uint32_t batch, uint32_t vocab);

// Queues the choice of a token for each row on `stream` (a cudaStream_t).
// Returns 0, or the error of the launch (a cudaError_t).
int LaunchChooseTokens(const LogitsBatch& batch, void* stream);

}  // namespace maskloom::kernels::cuda
