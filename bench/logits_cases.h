// The cases of bench_logits: rows as a model would give them, masks, and settings of the sampler.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/sampling/sample_row.h"

namespace maskloom::bench {

// How the logits are spread: kTrained has a few that stand out, kFlat none.
enum class Spread { kTrained, kFlat };

struct LogitsCase {
  uint32_t vocab;
  uint32_t batch;
  std::string mask;     // "none", "dense" (a string's tokens), "short" (64 tokens), "list" (the
                        // same, their ids in place of bits, where the backend takes them)
  std::string filters;  // "greedy", "none", "top_k", "top_p", "min_p" or "all"
};

// The rows of one case and what the sampler needs beside them.
struct LogitsRows {
  uint32_t vocab = 0;
  std::vector<std::vector<float>> logits;
  std::vector<uint32_t> mask;  // one for all rows; empty: none
  bool is_listed = false;      // a device is given the ids of the mask
  std::vector<kernels::TokenAdjustment> adjustments;

  // Returns row `i` as the kernels take it.
  kernels::SampleRow View(size_t i) const;
};

// Returns every mask with every filter for the vocabularies and batches given.
std::vector<LogitsCase> AllLogitsCases(const std::vector<uint32_t>& vocabs,
                                       const std::vector<uint32_t>& batches);

// Makes the rows of a case, without adjustments; the same for all of its vocabulary, batch and
// mask.
LogitsRows MakeRows(const LogitsCase& what, Spread spread);

// Gives the rows the adjustments of a case.
void SetAdjustments(const LogitsCase& what, LogitsRows* rows);

// Returns the settings of a case; "all" has penalties too.
kernels::SampleSettings SettingsOf(const LogitsCase& what);

// Returns the ids that the mask allows.
std::vector<uint32_t> ListOf(const LogitsRows& rows);

// Returns every mask that closes a token, for the vocabularies and batches given; `filters` is
// "apply".
std::vector<LogitsCase> AllApplyCases(const std::vector<uint32_t>& vocabs,
                                      const std::vector<uint32_t>& batches);

// Returns the bytes that applying masks in place cannot avoid: the mask, and the sectors that hold
// closed logits, once.
uint64_t ApplyFloorBytes(const LogitsCase& what, const LogitsRows& rows, size_t element_bytes);

// Returns the bytes that cannot be avoided: the mask, and the allowed logits of `element_bytes`,
// once. Memory is read in sectors of 32 bytes: one that holds an allowed logit counts whole. The
// table of penalties is left out: few of its entries are of allowed tokens.
uint64_t FloorBytes(const LogitsCase& what, const LogitsRows& rows, size_t element_bytes);

// Returns the bytes of the rows' tables of penalties, once.
uint64_t TableBytes(const LogitsCase& what, const LogitsRows& rows);

}  // namespace maskloom::bench
