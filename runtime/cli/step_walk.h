// Texts followed by tables and by the matcher at once, which are compared at every token.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "compiler/vocabulary.h"
#include "runtime/device/mask_pool.h"
#include "runtime/device/step_table.h"
#include "runtime/matcher.h"

namespace maskloom::cli {

struct StepTally {
  size_t steps = 0;
  size_t alone = 0;     // those that needed no host: mask and step were known
  size_t no_state = 0;  // those in states that tables cannot say
  size_t no_mask = 0, no_step = 0;
  std::map<char, size_t> kinds;  // of states in which the host was needed
};

// What rows send where the host follows them, by row and step.
struct StepBytes {
  std::vector<double> sent, uploaded;
};

// One grammar with its tables, and a matcher beside a row. Where the tables do not know a step or a
// mask, the host teaches them, and the row goes on from where the matcher is.
class StepWalk {
 public:
  // `pool` must outlive this.
  StepWalk(std::shared_ptr<const CompiledGrammar> grammar,
           std::shared_ptr<const TextTokens> text_tokens, MaskPool* pool,
           const StepTableLimits& limits);

  StepTable& table() { return table_; }
  // Follows a text from the start until a token is not allowed. `bytes` may be null. Returns "", or
  // what was wrong: a mask, or a state that is not the matcher's.
  std::string Follow(std::span<const TokenId> tokens, StepTally* tally, StepBytes* bytes);
  // The same way by each of the two, as far as the tables know it, without comparing. Adds the
  // nanoseconds; returns the number of steps.
  size_t Time(std::span<const TokenId> tokens, double* table_ns, double* matcher_ns);

 private:
  std::string Step(TokenId token, StepTally* tally, bool* over);
  bool IsRow(const kernels::RowMask& mask);
  void CountBytes(StepBytes* bytes);

  StepTable table_;
  MaskPool& pool_;
  Matcher matcher_;
  kernels::RowState state_;
  std::vector<uint32_t> row_, other_;
  std::array<uint32_t, kernels::kMostListIds> ids_;  // of a mask by names
};

}  // namespace maskloom::cli
