// Result files of several engines side by side.
#pragma once

#include <string>
#include <vector>

#include "runtime/cli/bench_row.h"

namespace maskloom::cli {

// Sets engines side by side, as a table in Markdown: outcomes on the files that all of them ran,
// times on those that all of them compiled. All times are first measurements, the same for every
// engine, and include each harness's own cost of a call.
// Requires: `engines` is not empty.
std::string CompareEngines(const std::vector<const MaskBenchResults*>& engines);

}  // namespace maskloom::cli
