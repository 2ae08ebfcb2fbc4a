// One file of MaskBench: its answers checked, then timed: compilation, the first mask, and every
// mask along its texts.
//
// Method, the same as that of the other engines' harness: texts are spelled as Python spells them
// and tokenised outside the timing; each schema is compiled once, cold, and its caches live for its
// file; per token the mask is filled, the token's bit looked at (untimed), the token accepted. A
// text is accepted if every token was, and an end token's bit is set in one more mask, untimed.
// Where another process ran in between, see Stopwatch.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "compiler/vocabulary_index.h"
#include "grammar/base/status.h"
#include "runtime/cli/bench_case.h"
#include "runtime/cli/bench_row.h"

namespace maskloom::cli {

// Where a run stands, readable from another process.
struct MaskBenchStage {
  volatile bool walking = false;
  volatile double compile_us = -1;
};

// What stays the same over the files.
struct MaskBenchSetup {
  CutText cut;
  std::shared_ptr<const VocabularyIndex> vocabulary;
  MaskBenchStage* stage = nullptr;
};

// Checks the answers for the file at `path`: each text is accepted if and only if it is said to be
// valid, a mask has the bit of the next token if and only if that is accepted, and the mask as base
// and exceptions is the row. Returns "", or the first wrong answer. A schema that is refused has
// none.
// On error: as ReadBenchCase.
Result<std::string> CheckMaskBench(const std::string& path, const MaskBenchSetup& setup);

// Times the file at `path`. On error: as ReadBenchCase.
Result<MaskBenchRow> TimeMaskBench(const std::string& path, const MaskBenchSetup& setup);

// What to time again of a file.
struct RetimeRequest {
  std::string path;
  std::vector<RetimedMask> masks;  // ascending by test and token; `us` holds the first measurement
  std::vector<double> first_us;    // the time to the first mask; empty: not wanted
};

// Compiles and walks the file twice more, each time from nothing, and completes the request: times,
// and of each mask where it stands and what it is made of.
// On error: as ReadBenchCase; kInternal where the file went another way than before.
Status RetimeMaskBench(const MaskBenchSetup& setup, RetimeRequest* request);

}  // namespace maskloom::cli
