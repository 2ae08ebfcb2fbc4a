#include "runtime/cli/generate_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "runtime/cli/json_number.h"
#include "runtime/cli/json_reader.h"

namespace maskloom::cli {
namespace {

double ToUs(uint64_t ns) { return static_cast<double>(ns) / 1e3; }
double ToMs(uint64_t ns) { return static_cast<double>(ns) / 1e6; }

double Rate(size_t tokens, uint64_t ns) {
  return ns == 0 ? 0 : static_cast<double>(tokens) * 1e9 / static_cast<double>(ns);
}

std::string Percentiles(std::vector<uint64_t> times) {
  std::sort(times.begin(), times.end());
  auto at = [&times](double share) {
    size_t rank = static_cast<size_t>(std::ceil(share * static_cast<double>(times.size())));
    return ToUs(times[std::max<size_t>(rank, 1) - 1]);
  };
  return fmt::format("p50 {:.2f} µs, p99 {:.2f} µs, max {:.2f} µs", at(0.5), at(0.99),
                     ToUs(times.back()));
}

}  // namespace

std::string TraceLine(size_t index, const TokenRecord& record, std::string_view token_bytes) {
  const SampleResult& sample = record.sample;
  std::string line = fmt::format("{{\"index\":{},\"id\":{},\"bytes\":\"", index, record.id);
  AppendHex(token_bytes, &line);
  return line + fmt::format(
                    "\",\"allowed\":{},\"base\":{},\"exceptions\":{},\"entropy\":{},"
                    "\"logprob_before_mask\":{},\"logprob_after_mask\":{},\"removed_mass\":{},"
                    "\"mask_us\":{:.3f},\"forward_us\":{:.3f},\"sample_us\":{:.3f}}}\n",
                    sample.allowed_count, record.mask.base, record.mask.exceptions,
                    JsonNumber(sample.entropy_bits), JsonNumber(sample.raw_logprob),
                    JsonNumber(sample.masked_logprob), JsonNumber(sample.removed_mass),
                    ToUs(record.mask_ns), ToUs(record.forward_ns), ToUs(record.sample_ns));
}

void GenerateStats::AddPrefill(uint64_t ns, size_t tokens) {
  prefill_ns_ += ns;
  prompt_tokens_ = tokens;
}

void GenerateStats::AddLastMask(const TokenRecord& record) {
  if (record.mask_ns > 0) mask_ns_.push_back(record.mask_ns);
}

void GenerateStats::AddToken(const TokenRecord& record) {
  ++tokens_;
  forced_ += record.forced;
  forward_ns_ += record.forward_ns;
  sample_ns_ += record.sample_ns;
  AddLastMask(record);
  if (record.accept_ns > 0) accept_ns_.push_back(record.accept_ns);
}

std::string GenerateStats::ToString(uint64_t total_ns) const {
  uint64_t wall_ns = total_ns - std::min(total_ns, prefill_ns_);
  std::string text =
      fmt::format("prompt            {} tokens in {:.1f} ms ({:.1f} tokens/s)\n", prompt_tokens_,
                  ToMs(prefill_ns_), Rate(prompt_tokens_, prefill_ns_));
  text += fmt::format("text              {} tokens in {:.1f} ms ({:.1f} tokens/s)\n", tokens_,
                      ToMs(wall_ns), Rate(tokens_, wall_ns));
  if (!mask_ns_.empty()) {
    text += fmt::format(
        "forced            {} of {} tokens ({:.1f} %) chosen without logits\n", forced_, tokens_,
        tokens_ == 0 ? 0.0 : 100.0 * static_cast<double>(forced_) / static_cast<double>(tokens_));
    text += fmt::format("time to first mask {:.1f} µs (compile {:.1f}, mask {:.1f})\n",
                        ToUs(compile_ns_ + mask_ns_[0]), ToUs(compile_ns_), ToUs(mask_ns_[0]));
    text += fmt::format("time per mask     {}\n", Percentiles(mask_ns_));
    if (!accept_ns_.empty()) {
      text += fmt::format("time per accept   {}\n", Percentiles(accept_ns_));
    }
  }
  text += fmt::format("forward passes    {:.1f} ms, sampling {:.1f} ms\n", ToMs(forward_ns_),
                      ToMs(sample_ns_));
  return text;
}

}  // namespace maskloom::cli
