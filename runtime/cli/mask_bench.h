// One file of MaskBench, timed: compilation, the first mask, and every mask along its texts.
//
// Method, the same as that of the other engines' harness: texts are spelled as Python spells them
// and tokenised outside the timing; each schema is compiled once, cold, and its caches live for its
// file; per token the mask is filled, the token's bit looked at (untimed), the token accepted. A
// text is accepted if every token was, and an end token's bit is set in one more mask, untimed.
// Where the wall clock shows half a millisecond or more beyond the CPU time of the process, another
// process ran in between: the CPU time is used, and the difference counted as stolen.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "compiler/vocabulary_index.h"
#include "grammar/base/status.h"
#include "runtime/tokenizer/tokenizer.h"

namespace maskloom::cli {

// What is reported of one file; a row of the result file.
struct MaskBenchRow {
  struct Test {
    bool valid = false;
    bool accepted = false;
    size_t tokens = 0;  // accepted ones
  };

  std::string file;
  std::string status;  // "ok", "refused", "timeout" or "crash"
  std::string message;
  double compile_us = -1;  // -1: unknown
  double ttfm_us = -1;
  std::vector<double> tbm_us;   // fill and accept, one a mask
  std::vector<double> seen_us;  // fill in a state met in an earlier walk
  std::vector<Test> tests;
  double stolen_us = 0;
  size_t mem_bytes = 0;

  std::string ToJson() const;
};

// Where a run stands, readable from another process.
struct MaskBenchStage {
  volatile bool walking = false;
  volatile double compile_us = -1;
};

// What stays the same over the files.
struct MaskBenchSetup {
  std::shared_ptr<const Tokenizer> tokenizer;
  std::shared_ptr<const VocabularyIndex> vocabulary;
  MaskBenchStage* stage = nullptr;
};

// Runs the file at `path`.
// On error: kIo, or kInvalidArgument when it is no MaskBench file.
Result<MaskBenchRow> RunMaskBench(const std::string& path, const MaskBenchSetup& setup);

// Cost of one reading of the clock, in microseconds (median).
double ClockOverheadUs();

}  // namespace maskloom::cli
