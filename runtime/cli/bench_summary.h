// A table for a person from the JSON lines of `bench masks`.
#pragma once

#include <string>

#include "grammar/base/status.h"

namespace maskloom::cli {

// Reads a result file and returns outcomes and percentiles (nearest rank), in several lines.
// On error: kIo or kInvalidArgument.
Result<std::string> SummarizeMaskBench(const std::string& path);

}  // namespace maskloom::cli
