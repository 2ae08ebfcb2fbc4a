#include "runtime/sampler/sampler.h"

#include <algorithm>

namespace maskloom {
namespace {

constexpr size_t kScratchAlignment = 64;

using kernels::TokenAdjustment;

bool IdLess(const TokenAdjustment& entry, uint32_t id) { return entry.id < id; }

Status WrongSize(const char* what, size_t given, size_t wanted) {
  return Status(StatusCode::kInvalidArgument, std::string(what) + " has " + std::to_string(given) +
                                                  " entries; expected " + std::to_string(wanted));
}

Status FromKernel(kernels::SampleStatus status) {
  switch (status) {
    case kernels::SampleStatus::kOk:
      return Status::Ok();
    case kernels::SampleStatus::kEmptyMask:
      return Status(StatusCode::kUnsatisfiable, "the mask allows no token");
    case kernels::SampleStatus::kNoFiniteLogit:
      return Status(
          StatusCode::kUnsatisfiable,
          "every allowed token has a logit of NaN or -infinity (from the model, or banned "
          "by a bias)");
    case kernels::SampleStatus::kInvalidArgument:
      return Status(StatusCode::kInvalidArgument,
                    "gathered ids must ascend and be inside the vocabulary");
  }
  return Status(StatusCode::kInternal, "unknown status of the sampling kernel");
}

}  // namespace

Result<Sampler> Sampler::Create(const SamplingOptions& options, uint32_t vocab_size) {
  if (vocab_size == 0 || vocab_size > kernels::kMaxVocabulary) {
    return Status(StatusCode::kInvalidArgument, "vocabulary has " + std::to_string(vocab_size) +
                                                    " tokens; allowed: 1 to " +
                                                    std::to_string(kernels::kMaxVocabulary));
  }
  const Status status = ValidateSamplingOptions(options, vocab_size);
  if (!status.ok()) return status;
  return Sampler(options, vocab_size);
}

Sampler::Sampler(const SamplingOptions& options, uint32_t vocab_size)
    : options_(options),
      vocab_size_(vocab_size),
      has_penalties_(options.repetition_penalty != 1.0 || options.frequency_penalty != 0.0 ||
                     options.presence_penalty != 0.0),
      settings_(SettingsOf(options)),
      scratch_(kernels::SampleScratchBytes(vocab_size) + kScratchAlignment) {
  for (const LogitBias& entry : options.bias) bias_.push_back({entry.token_id, 0, 0, entry.bias});
  std::sort(bias_.begin(), bias_.end(),
            [](const TokenAdjustment& a, const TokenAdjustment& b) { return a.id < b.id; });
  entries_ = bias_;
}

Status Sampler::Begin(std::span<const uint32_t> prompt, size_t max_output_count) {
  entries_ = bias_;
  output_.clear();
  output_count_ = 0;
  for (uint32_t token : prompt) {
    if (token < vocab_size_) continue;
    return Status(StatusCode::kInvalidArgument, "prompt has token " + std::to_string(token) +
                                                    "; the vocabulary has " +
                                                    std::to_string(vocab_size_));
  }
  if (!has_penalties_) return Status::Ok();
  std::vector<uint32_t> seen(prompt.begin(), prompt.end());
  std::sort(seen.begin(), seen.end());
  seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
  entries_.reserve(std::min<size_t>(vocab_size_, bias_.size() + seen.size() + max_output_count));
  output_.reserve(max_output_count);
  for (uint32_t token : seen) entries_.push_back({token, 0, 1, 0.0f});
  std::sort(entries_.begin(), entries_.end(),
            [](const TokenAdjustment& a, const TokenAdjustment& b) { return a.id < b.id; });
  // A token with a bias that the prompt holds too now has two entries side by side: join them.
  size_t kept = 0;
  for (const TokenAdjustment& entry : entries_) {
    if (kept > 0 && entries_[kept - 1].id == entry.id) {
      entries_[kept - 1].in_prompt |= entry.in_prompt;
      entries_[kept - 1].bias += entry.bias;
    } else {
      entries_[kept++] = entry;
    }
  }
  entries_.resize(kept);
  return Status::Ok();
}

TokenAdjustment& Sampler::EntryOf(uint32_t token) {
  auto at = std::lower_bound(entries_.begin(), entries_.end(), token, IdLess);
  if (at == entries_.end() || at->id != token) at = entries_.insert(at, {token, 0, 0, 0.0f});
  return *at;
}

void Sampler::Accept(uint32_t token) noexcept {
  ++output_count_;
  if (!has_penalties_) return;
  output_.push_back(token);
  ++EntryOf(token).output_count;
}

Status Sampler::Rollback(size_t count) {
  if (count > output_count_) {
    return Status(StatusCode::kInvalidArgument,
                  "rollback of " + std::to_string(count) +
                      " tokens; accepted so far: " + std::to_string(output_count_));
  }
  output_count_ -= count;
  if (!has_penalties_) return Status::Ok();
  for (; count > 0; --count) {
    --EntryOf(output_.back()).output_count;
    output_.pop_back();
  }
  return Status::Ok();
}

Status Sampler::SetReport(const SampleReport& report) {
  if (report.top_count > kernels::kMaxTopTokens) {
    return Status(StatusCode::kInvalidArgument, "top_count is " + std::to_string(report.top_count) +
                                                    "; allowed: 0 to " +
                                                    std::to_string(kernels::kMaxTopTokens));
  }
  settings_.outputs = (report.logprobs ? kernels::kOutputLogprobs : 0u) |
                      (report.entropy ? kernels::kOutputEntropy : 0u) |
                      (report.raw ? kernels::kOutputRaw : 0u);
  settings_.top_count = report.top_count;
  top_.resize(report.top_count);
  top_filled_ = 0;
  return Status::Ok();
}

Result<SampleResult> Sampler::Sample(std::span<const float> logits, std::span<const uint32_t> mask,
                                     uint64_t position) {
  if (logits.size() != vocab_size_) return WrongSize("logits", logits.size(), vocab_size_);
  const size_t words = (static_cast<size_t>(vocab_size_) + 31) / 32;
  if (!mask.empty() && mask.size() < words) return WrongSize("mask", mask.size(), words);
  kernels::SampleRow row = {};
  row.logits = logits.data();
  row.count = vocab_size_;
  row.mask = mask.empty() ? nullptr : mask.data();
  return Run(row, position);
}

Result<SampleResult> Sampler::SampleGathered(std::span<const uint32_t> ids,
                                             std::span<const float> logits, uint64_t position) {
  if (logits.size() != ids.size()) return WrongSize("logits", logits.size(), ids.size());
  if (ids.empty()) return FromKernel(kernels::SampleStatus::kEmptyMask);
  if (ids.size() > vocab_size_) return WrongSize("ids", ids.size(), vocab_size_);
  if ((settings_.outputs & kernels::kOutputRaw) != 0) {
    return Status(StatusCode::kInvalidArgument,
                  "raw probabilities need the logits of the whole vocabulary");
  }
  kernels::SampleRow row = {};
  row.logits = logits.data();
  row.ids = ids.data();
  row.count = static_cast<uint32_t>(ids.size());
  return Run(row, position);
}

Result<SampleResult> Sampler::Run(const kernels::SampleRow& given, uint64_t position) {
  kernels::SampleRow row = given;
  row.vocab = vocab_size_;
  row.adjustments = entries_.empty() ? nullptr : entries_.data();
  row.adjustment_count = static_cast<uint32_t>(entries_.size());
  settings_.position = position;
  const size_t past = reinterpret_cast<uintptr_t>(scratch_.data()) % kScratchAlignment;
  const kernels::SampleBuffers buffers = {
      scratch_.data() + (past == 0 ? 0 : kScratchAlignment - past),
      top_.empty() ? nullptr : top_.data()};
  SampleResult result;
  const kernels::SampleStatus status = kernels::ChooseToken(row, settings_, buffers, &result);
  top_filled_ = result.top_filled;
  if (status != kernels::SampleStatus::kOk) return FromKernel(status);
  return result;
}

}  // namespace maskloom
