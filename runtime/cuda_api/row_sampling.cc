#include "runtime/cuda_api/row_sampling.h"

#include <map>
#include <string>

#include "runtime/sampler/sampling_options.h"

namespace maskloom::cuda_api {
namespace {

using kernels::TokenAdjustment;
using Table = std::map<uint32_t, TokenAdjustment>;

TokenAdjustment& EntryOf(Table* table, uint32_t token) {
  return table->try_emplace(token, TokenAdjustment{token, 0, 0, 0.0f}).first->second;
}

Status CheckTokens(const char* name, const uint32_t* tokens, size_t count, uint32_t vocab) {
  if (tokens == nullptr && count > 0) {
    return Status(StatusCode::kInvalidArgument, std::string(name) + " is NULL");
  }
  for (size_t i = 0; i < count; ++i) {
    if (tokens[i] < vocab) continue;
    return Status(StatusCode::kInvalidArgument,
                  std::string(name) + " has token " + std::to_string(tokens[i]) +
                      "; the vocabulary has " + std::to_string(vocab));
  }
  return Status::Ok();
}

Status Check(const maskloom_cuda_sampling& sampling, SamplingOptions* options, uint32_t vocab) {
  if (sampling.biases == nullptr && sampling.bias_count > 0) {
    return Status(StatusCode::kInvalidArgument, "biases is NULL");
  }
  options->temperature = sampling.temperature;
  options->top_k = sampling.top_k;
  options->top_p = sampling.top_p;
  options->min_p = sampling.min_p;
  options->repetition_penalty = sampling.repetition_penalty;
  options->frequency_penalty = sampling.frequency_penalty;
  options->presence_penalty = sampling.presence_penalty;
  options->seed = sampling.seed;
  for (size_t i = 0; i < sampling.bias_count; ++i) {
    options->bias.push_back({sampling.biases[i].token, sampling.biases[i].bias});
  }
  Status status = ValidateSamplingOptions(*options, vocab);
  if (status.ok()) status = CheckTokens("prompt", sampling.prompt, sampling.prompt_count, vocab);
  if (status.ok()) status = CheckTokens("output", sampling.output, sampling.output_count, vocab);
  return status;
}

}  // namespace

Result<RowSampling> ReadSampling(const maskloom_cuda_sampling& sampling, uint32_t vocab,
                                 uint32_t max_adjustments) {
  SamplingOptions options;
  const Status status = Check(sampling, &options, vocab);
  if (!status.ok()) return status;
  kernels::SampleSettings settings = SettingsOf(options);
  settings.position = sampling.position;
  settings.outputs = (sampling.wants_logprob != 0 ? kernels::kOutputLogprobs : 0u) |
                     (sampling.wants_entropy != 0 ? kernels::kOutputEntropy : 0u) |
                     (sampling.wants_raw != 0 ? kernels::kOutputRaw : 0u);
  settings.top_count = sampling.top_tokens;
  Table table;
  for (const LogitBias& bias : options.bias) EntryOf(&table, bias.token_id).bias = bias.bias;
  const bool repetition = settings.repetition_penalty != 1.0f;
  const bool penalties =
      repetition || settings.frequency_penalty != 0.0f || settings.presence_penalty != 0.0f;
  for (size_t i = 0; repetition && i < sampling.prompt_count; ++i) {
    EntryOf(&table, sampling.prompt[i]).in_prompt = 1;
  }
  for (size_t i = 0; penalties && i < sampling.output_count; ++i) {
    ++EntryOf(&table, sampling.output[i]).output_count;
  }
  if (table.size() > max_adjustments) {
    return Status(StatusCode::kResourceLimit,
                  "the row has biases or counts for " + std::to_string(table.size()) +
                      " tokens; max_adjustments is " + std::to_string(max_adjustments));
  }
  RowSampling read;
  read.request = kernels::cuda::MakeRowRequest(settings);
  for (const auto& [token, entry] : table) read.adjustments.push_back(entry);
  return read;
}

}  // namespace maskloom::cuda_api
