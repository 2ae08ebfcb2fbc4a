// What `maskloom generate` tells beside the text: trace lines and statistics.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/engine/generate_loop.h"

namespace maskloom::cli {

// One JSON line of --trace, with its line break. `index` counts the tokens of the text from 0.
std::string TraceLine(size_t index, const TokenRecord& record, std::string_view token_bytes);

// Gathers times over a text.
class GenerateStats {
 public:
  void AddCompile(uint64_t ns) { compile_ns_ = ns; }
  void AddPrefill(uint64_t ns, size_t tokens);
  void AddToken(const TokenRecord& record);
  // The mask that only showed that the text is finished.
  void AddLastMask(const TokenRecord& record);

  // Several lines for a person. `total_ns`: of prompt and text together.
  std::string ToString(uint64_t total_ns) const;

 private:
  uint64_t compile_ns_ = 0;
  uint64_t prefill_ns_ = 0;
  size_t prompt_tokens_ = 0;
  size_t tokens_ = 0;
  size_t forced_ = 0;
  uint64_t forward_ns_ = 0;
  uint64_t sample_ns_ = 0;
  std::vector<uint64_t> mask_ns_;  // empty without a grammar
  std::vector<uint64_t> accept_ns_;
};

}  // namespace maskloom::cli
