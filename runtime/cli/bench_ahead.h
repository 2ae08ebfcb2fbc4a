// `maskloom bench ahead`: are masks there when a decoder comes for them?
#pragma once

#include <string>
#include <vector>

namespace maskloom::cli {

struct AheadBenchOptions {
  std::string tokenizer;
  std::vector<std::string> files;
  unsigned pace_us = 5000;    // of decoding, per token
  unsigned limit_ms = 10000;  // for a grammar to be completed
};

// Runs the bench and prints what it found. Returns an exit status: kExitFile where a file cannot be
// read, kExitRefused where no schema compiles.
int RunAheadBench(const AheadBenchOptions& options);

}  // namespace maskloom::cli
