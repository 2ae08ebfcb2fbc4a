// `maskloom bench steps`: how many steps rows make by tables alone, and what a step sends.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "runtime/device/step_table.h"

namespace maskloom::cli {

struct StepsBenchOptions {
  std::string tokenizer;
  std::vector<std::string> files;
  std::string list, root;  // names of further files, and their folder
  AheadLimits ahead;       // before the first text
  StepTableLimits limits{.bytes = 64u << 20};
  size_t pool_bytes = 256u << 20;
};

// Runs the bench and prints what it found. Returns an exit status: that of a rejected text where a
// table was wrong.
int RunStepsBench(const StepsBenchOptions& options);

}  // namespace maskloom::cli
