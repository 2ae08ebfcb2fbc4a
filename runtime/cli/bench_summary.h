// What a result file of `bench masks` says in all: outcomes, percentiles, the worst masks.
//
// Where a slow mask or a slow start was timed again, the best of its times counts: what only a
// processor that was busy elsewhere explains is no property of a mask.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "runtime/cli/bench_percentiles.h"
#include "runtime/cli/bench_row.h"
#include "runtime/cli/mask_bench.h"

namespace maskloom::cli {

struct BenchSummary {
  std::map<std::string, size_t> outcomes;  // files by status
  size_t valid_rejected = 0;               // texts
  size_t invalid_accepted = 0;
  size_t masks_made = 0;
  std::vector<Percentiles> figures;   // microseconds of compilation, masks and calls
  std::vector<Percentiles> memory;    // KiB of a compiled grammar with all masks of its texts
  std::vector<Percentiles> kinds;     // cold masks by kind of state
  std::vector<Percentiles> families;  // cold masks by family, which files' names begin with
  std::vector<RetimedMask> worst;     // masks, worst first, ten at most

  std::string ToText() const;
  // A header line of a result file.
  std::string ToJson() const;
};

BenchSummary Summarize(const MaskBenchResults& results);

// Returns what to time again: of the masks those above p99.9 and at least the 50 slowest, of the
// times to the first mask those above p99 and at least the ten slowest. `paths` are those of the
// files that were run; of files of one name the last counts.
std::vector<RetimeRequest> SelectWorst(const MaskBenchResults& results,
                                       const std::vector<std::string>& paths);

}  // namespace maskloom::cli
