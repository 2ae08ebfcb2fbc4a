// `maskloom bench masks`: answers checked, masks timed, the worst timed again, all of it summed up.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace maskloom::cli {

struct MasksBenchOptions {
  std::string tokenizer;
  std::string out;
  std::string list;
  std::string root;
  std::vector<std::string> files;
  unsigned timeout_s = 30;
  std::optional<uint64_t> shuffle;   // seed of the order of the files
  bool check = true;                 // the answers, before anything is timed
  bool retime = true;                // the worst masks
  std::vector<std::string> compare;  // result files of other engines
};

// Runs the bench. Rows go to `out`, the summary to stderr. Returns an exit status: kExitRejected
// where an answer is wrong.
int RunMasksBench(const MasksBenchOptions& options);

// Prints to stdout what the result file `path` says in all, and what `compare` say beside it.
// Returns an exit status.
int ReportMasksBench(const std::string& path, const std::vector<std::string>& compare);

}  // namespace maskloom::cli
