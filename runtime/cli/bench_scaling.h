// `maskloom bench scaling`: one curve per parameter of a definition, from texts that grow in it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "compiler/vocabulary_index.h"
#include "grammar/base/status.h"
#include "runtime/cli/scaling_cases.h"

namespace maskloom::cli {

// What one case costs. Times are microseconds, each the best of three runs from nothing.
struct ScalingPoint {
  std::string curve;
  size_t x = 0;
  size_t tokens = 0;  // of the text
  size_t masks_made = 0;
  uint32_t most_allowed = 0;  // tokens in a mask
  double first_mask_us = 0;   // with compilation
  double mask_p50_us = 0;     // cold fills along the text
  double mask_max_us = 0;
  double seen_p50_us = 0;  // fills in states that were met before
  double seen_p99_us = 0;
  double accept_p50_us = 0;
  double accept_p99_us = 0;
  size_t memory_bytes = 0;  // grammar and masks

  std::string ToJson() const;
};

// Compiles the case and follows its text, three times. The answer is checked: every token is
// allowed, and the text may end at its end.
// On error: what the compiler says, or kInternal for a wrong answer.
Result<ScalingPoint> MeasureScaling(const ScalingCase& scaling_case,
                                    const std::shared_ptr<const VocabularyIndex>& vocabulary);

struct ScalingBenchOptions {
  std::vector<std::string> tokenizers;  // the first one serves all curves; empty: made-up ones
  std::vector<std::string> curves;      // names; empty: all
  std::string out;
};

// Runs the bench. Points go to `out` as JSON lines behind a header. Returns an exit status:
// kExitRejected where an answer is wrong.
int RunScalingBench(const ScalingBenchOptions& options);

}  // namespace maskloom::cli
