#include "runtime/engine/generate_loop.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <utility>

namespace maskloom {
namespace {

constexpr size_t kPrefillTokens = 256;  // of one call of Prefill

uint64_t NowNs() {
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                   std::chrono::steady_clock::now().time_since_epoch())
                                   .count());
}

// Returns a mask of all ids that mean something, or nothing when all do.
std::vector<uint32_t> MaskOfUsedIds(const Vocabulary& vocabulary, uint32_t row_size) {
  std::vector<uint32_t> mask((row_size + 31) / 32, 0);
  bool all_used = vocabulary.size() == row_size;
  for (TokenId id = 0; id < vocabulary.size(); ++id) {
    if (vocabulary.kind(id) == TokenKind::kUnused) {
      all_used = false;
    } else {
      mask[id / 32] |= 1u << (id % 32);
    }
  }
  if (all_used) mask.clear();
  return mask;
}

}  // namespace

GenerateLoop::GenerateLoop(LanguageModel* model, const GenerateOptions& options, Sampler sampler)
    : model_(model), options_(options), sampler_(std::move(sampler)) {}

Result<std::unique_ptr<GenerateLoop>> GenerateLoop::Create(
    LanguageModel* model, std::shared_ptr<const CompiledGrammar> grammar,
    std::span<const TokenId> prompt, const GenerateOptions& options) {
  size_t context = model->forward_pass().context_length();
  if (prompt.empty()) return Status(StatusCode::kInvalidArgument, "the prompt has no tokens");
  if (prompt.size() >= context) {
    return Status(StatusCode::kInvalidArgument, "the prompt has " + std::to_string(prompt.size()) +
                                                    " tokens, but the model's context holds " +
                                                    std::to_string(context) +
                                                    ", the answer included; shorten the prompt");
  }
  Result<Sampler> sampler = Sampler::Create(options.sampling, model->row_size());
  if (!sampler.ok()) return sampler.status();
  std::unique_ptr<GenerateLoop> loop(new GenerateLoop(model, options, std::move(*sampler)));
  auto cache = model->forward_pass().MakeCache();
  if (!cache.ok()) return cache.status();
  loop->cache_ = std::move(*cache);

  size_t room = context - prompt.size();
  loop->context_bound_ = room < options.max_tokens;
  loop->max_tokens_ = loop->context_bound_ ? static_cast<uint32_t>(room) : options.max_tokens;
  if (Status status = loop->sampler_.Begin(prompt, loop->max_tokens_); !status.ok()) return status;
  SampleReport report;
  report.logprobs = report.entropy = report.raw = options.full_rows;
  if (Status status = loop->sampler_.SetReport(report); !status.ok()) return status;

  loop->prompt_.assign(prompt.begin(), prompt.end());
  loop->logits_.resize(model->row_size());
  loop->allowed_.reserve(options.gather_limit);
  loop->rows_.reserve(options.gather_limit);
  if (grammar != nullptr) {
    loop->mask_.resize((model->row_size() + 31) / 32);
    loop->matcher_.emplace(std::move(grammar));
  } else {
    loop->mask_ = MaskOfUsedIds(model->tokenizer().vocabulary(), model->row_size());
  }
  return loop;
}

Result<bool> GenerateLoop::Prefill() {
  size_t count = std::min(kPrefillTokens, prompt_.size() - prefilled_);
  if (count > 0) {
    Status status =
        model_->forward_pass().Forward(std::span(prompt_).subspan(prefilled_, count), cache_.get());
    if (!status.ok()) return status;
    prefilled_ += count;
  }
  return prefilled_ == prompt_.size();
}

bool GenerateLoop::IsComplete() const {
  if (reason_ == FinishReason::kEndToken || reason_ == FinishReason::kComplete) return true;
  return matcher_.has_value() && matcher_->IsAccepting();
}

void GenerateLoop::CollectAllowed() {
  allowed_.clear();
  for (size_t word = 0; word < mask_.size(); ++word) {
    for (uint32_t bits = mask_[word]; bits != 0; bits &= bits - 1) {
      allowed_.push_back(static_cast<uint32_t>(word * 32) +
                         static_cast<uint32_t>(std::countr_zero(bits)));
    }
  }
}

bool GenerateLoop::FillMask(TokenRecord* record) {
  uint64_t begin = NowNs();
  record->mask = matcher_->FillMaskWithInfo(mask_.data());
  record->mask_ns = NowNs() - begin;
  const Vocabulary& vocabulary = model_->tokenizer().vocabulary();
  if (record->mask.allowed_count > vocabulary.end_tokens().size()) return false;
  return std::all_of(mask_.begin(), mask_.end(), [&, word = uint32_t{0}](uint32_t bits) mutable {
    for (; bits != 0; bits &= bits - 1) {
      if (!vocabulary.IsEndToken(word * 32 + static_cast<uint32_t>(std::countr_zero(bits)))) {
        return false;
      }
    }
    ++word;
    return true;
  });
}

Status GenerateLoop::ComputeHidden() {
  if (pending_.empty()) return Status::Ok();
  Status status = model_->forward_pass().Forward(pending_, cache_.get());
  pending_.clear();
  return status;
}

Status GenerateLoop::ChooseAmongFew(TokenRecord* record) {
  uint64_t begin = NowNs();
  if (Status status = ComputeHidden(); !status.ok()) return status;
  rows_.assign(allowed_.begin(), allowed_.end());
  Status status = model_->forward_pass().LogitsFor(0, rows_, logits_.data());
  if (!status.ok()) return status;
  uint64_t computed = NowNs();
  record->forward_ns = computed - begin;
  auto sample = sampler_.SampleGathered(allowed_, std::span(logits_).first(allowed_.size()),
                                        prompt_.size() + token_count_);
  if (!sample.ok()) return sample.status();
  record->sample = *sample;
  record->sample_ns = NowNs() - computed;
  return Status::Ok();
}

Status GenerateLoop::Choose(TokenRecord* record) {
  if (matcher_ && !options_.full_rows && record->mask.allowed_count <= options_.gather_limit) {
    CollectAllowed();
    if (allowed_.size() == 1) {
      record->forced = true;
      record->sample.token = allowed_[0];
      return Status::Ok();
    }
    return ChooseAmongFew(record);
  }
  uint64_t begin = NowNs();
  if (Status status = ComputeHidden(); !status.ok()) return status;
  if (Status status = model_->forward_pass().Logits(0, 1, logits_.data()); !status.ok()) {
    return status;
  }
  uint64_t computed = NowNs();
  record->forward_ns = computed - begin;
  auto sample = sampler_.Sample(logits_, mask_, prompt_.size() + token_count_);
  if (!sample.ok()) return sample.status();
  record->sample = *sample;
  record->sample_ns = NowNs() - computed;
  return Status::Ok();
}

Result<bool> GenerateLoop::Next(TokenRecord* record) {
  *record = TokenRecord();
  if (reason_ != FinishReason::kNotFinished) return false;
  if (matcher_ && FillMask(record)) {
    reason_ = FinishReason::kComplete;
    return false;
  }
  if (token_count_ == max_tokens_) {
    reason_ = context_bound_ ? FinishReason::kContextFull : FinishReason::kMaxTokens;
    return false;
  }
  if (Status status = Choose(record); !status.ok()) {
    reason_ = FinishReason::kFailed;
    return Status(StatusCode::kInvalidModel,
                  "token " + std::to_string(token_count_) + ": " + status.message());
  }
  const Vocabulary& vocabulary = model_->tokenizer().vocabulary();
  record->id = record->sample.token;
  record->is_end = vocabulary.IsEndToken(record->id);
  if (record->id < vocabulary.size() && vocabulary.kind(record->id) == TokenKind::kNormal) {
    record->bytes = vocabulary.bytes(record->id);
  }
  if (matcher_) {
    uint64_t begin = NowNs();
    bool taken = matcher_->Accept(record->id);
    record->accept_ns = NowNs() - begin;
    if (!taken) {
      reason_ = FinishReason::kFailed;
      return Status(StatusCode::kInternal, "the mask allowed token " + std::to_string(record->id) +
                                               " but the matcher refused it");
    }
  }
  sampler_.Accept(record->id);
  pending_.push_back(static_cast<int32_t>(record->id));
  ++token_count_;
  if (record->is_end) reason_ = FinishReason::kEndToken;
  return true;
}

}  // namespace maskloom
