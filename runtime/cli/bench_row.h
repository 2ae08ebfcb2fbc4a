// What `bench masks` knows of one file, and how it stands in the result file.
//
// A result file is JSON lines that other engines' harnesses write too: headers, and one row a file.
// Engine, file, status, message, compile_us, ttfm_us, tbm_us and tests are theirs as well; the rest
// is optional in it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/base/status.h"

namespace maskloom::cli {

// What is reported of one file.
struct MaskBenchRow {
  struct Test {
    bool valid = false;
    bool accepted = false;
    size_t tokens = 0;  // accepted ones
    size_t masks = 0;   // of tbm_us; equal to `tokens` or one more
  };

  std::string file;
  std::string status;  // "ok", "refused", "timeout", "crash" or "unreadable"
  std::string message;
  double compile_us = -1;  // -1: unknown
  double ttfm_us = -1;
  std::vector<double> tbm_us;  // fill and accept, one a mask
  // By mask the letter of its state's kind (state_kind.h), a capital where the fill made a mask.
  std::string kinds;
  std::vector<Test> tests;
  size_t masks_made = 0;
  // On the same walks once more, where every state was met before: all fills, and of each kSample
  // steps one accept, mask as base and exceptions, rollback of a token, fork with its end.
  std::vector<double> seen_us, accept_us, view_us, rollback_us, fork_us;
  double stolen_us = 0;
  size_t mem_bytes = 0;

  static constexpr size_t kSample = 4;

  std::string ToJson() const;
};

// A mask that was among the slowest, timed again: the file compiled anew and walked to it. Or,
// where `kind` is 0, the first mask of a file with its compilation.
struct RetimedMask {
  std::string file;
  size_t test = 0;
  size_t token = 0;  // the mask before this token of the test
  size_t byte = 0;   // where that begins in the text
  char kind = 0;
  std::string base;  // what the mask's row is
  uint32_t exceptions = 0;
  uint32_t allowed = 0;
  size_t items = 0;        // of the state
  std::vector<double> us;  // in the order of measurement

  double best_us() const;
  // As a header line, which readers of result files that do not know it skip.
  std::string ToJson() const;
};

struct MaskBenchResults {
  std::string engine;
  std::string header;  // the first header line
  std::vector<MaskBenchRow> rows;
  std::vector<RetimedMask> retimed;
};

// Reads a result file of any engine. A later row of the same file replaces an earlier one.
// On error: kIo, for a line that is none of a result file naming it.
Result<MaskBenchResults> ReadMaskBenchResults(const std::string& path);
// Does so for who needs rows: kIo also where there are none.
Result<MaskBenchResults> ReadMaskBenchRows(const std::string& path);

// Returns the number of `member` in a JSON object, or `fallback` where it is missing.
double NumberMember(std::string_view object, std::string_view member, double fallback);
// Returns the text of `member` in a JSON object; "" where it is missing.
std::string TextMember(std::string_view object, std::string_view member);

}  // namespace maskloom::cli
