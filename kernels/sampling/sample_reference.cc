// The judge: the definition in sample_row.h done literally. Every token is adjusted, the row is
// sorted, each filter walks the sorted list, and every token that is left draws its noise. It
// shares with the other forms only the arithmetic that is part of the definition: AdjustLogit,
// masses and noise.
#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/sampling/mass.h"
#include "kernels/sampling/row_slices.h"

namespace maskloom::kernels {
namespace {

constexpr float kInfinity = __builtin_inff();

struct Token {
  uint32_t id;
  float value;
  Mass mass;
};

bool IsAllowed(const SampleRow& row, uint32_t id) {
  const bool given = row.mask == nullptr || ((row.mask[id / 32] >> (id % 32)) & 1u) != 0;
  const uint32_t* end = row.exceptions + row.exception_count;
  return given != (std::find(row.exceptions, end, id) != end);
}

// The allowed tokens with a value above -infinity, in the order of the filters.
std::vector<Token> OrderedTokens(const SampleRow& row, const SampleSettings& settings,
                                 uint32_t* allowed_count) {
  std::vector<Token> tokens;
  for (uint32_t i = 0; i < row.count; ++i) {
    const uint32_t id = row.ids == nullptr ? i : row.ids[i];
    if (!IsAllowed(row, id)) continue;
    ++*allowed_count;
    float x = row.logits[i];
    for (uint32_t a = 0; a < row.adjustment_count; ++a) {
      if (row.adjustments[a].id == id)
        x = AdjustLogit(x, row.adjustments[a], PenaltiesOf(settings));
    }
    const float y = x * TemperatureScale(settings);
    if (!std::isnan(y) && y != -kInfinity) tokens.push_back({id, y, 0});
  }
  std::sort(tokens.begin(), tokens.end(), [](const Token& a, const Token& b) {
    return a.value > b.value || (a.value == b.value && a.id < b.id);
  });
  return tokens;
}

Mass SumOf(const std::vector<Token>& tokens) {
  Mass sum = 0;
  for (const Token& token : tokens) sum += token.mass;
  return sum;
}

void ApplyFilters(const SampleSettings& settings, std::vector<Token>* tokens) {
  if (settings.top_k != 0 && tokens->size() > settings.top_k) tokens->resize(settings.top_k);
  if (settings.top_p < 1.0) {
    const Mass needed = NeededMass(SumOf(*tokens), settings.top_p);
    Mass sum = 0;
    size_t kept = 0;
    while (kept < tokens->size() && sum < needed) sum += (*tokens)[kept++].mass;
    tokens->resize(kept);
  }
  const float min_p = static_cast<float>(settings.min_p);
  if (std::isnormal(min_p)) {
    const float largest = tokens->front().value;
    while (tokens->back().value - largest < ExactLog(min_p)) tokens->pop_back();
  }
}

bool AnyFilter(const SampleSettings& settings, uint32_t allowed_count) {
  return (settings.top_k != 0 && settings.top_k < allowed_count) || settings.top_p < 1.0 ||
         std::isnormal(static_cast<float>(settings.min_p));
}

double EntropyBits(const std::vector<Token>& tokens, double log_total) {
  double nats = 0;
  for (const Token& token : tokens) {
    const double log_p = ClampLogit(token.value) - log_total;
    nats -= std::exp(log_p) * log_p;
  }
  return std::max(nats, 0.0) / std::log(2.0);
}

void ReportRaw(const SampleRow& row, SampleResult* result) {
  double largest = -kInfinity;
  for (uint32_t i = 0; i < row.vocab; ++i) {
    if (!std::isnan(row.logits[i])) largest = std::max<double>(largest, row.logits[i]);
  }
  result->raw_logsumexp = result->raw_logprob = -kInfinity;
  if (largest == -kInfinity) return;
  const double top = ClampLogit(static_cast<float>(largest));
  double inside = 0;
  double outside = 0;
  for (uint32_t i = 0; i < row.vocab; ++i) {
    if (std::isnan(row.logits[i]) || row.logits[i] == -kInfinity) continue;
    const double weight = std::exp(ClampLogit(row.logits[i]) - top);
    (IsAllowed(row, i) ? inside : outside) += weight;
  }
  const double log_total = std::log(inside + outside) + top;
  const float chosen = row.logits[result->token];
  result->raw_logsumexp = static_cast<float>(log_total);
  if (!std::isnan(chosen) && chosen != -kInfinity) {
    result->raw_logprob = static_cast<float>(ClampLogit(chosen) - log_total);
  }
  result->removed_mass = static_cast<float>(outside / (inside + outside));
}

}  // namespace

SampleStatus ChooseTokenReference(const SampleRow& row, const SampleSettings& settings,
                                  const SampleBuffers& buffers, SampleResult* result) {
  *result = SampleResult();
  const SampleStatus status = CheckArguments(row, settings, buffers);
  if (status != SampleStatus::kOk) return status;
  std::vector<Token> tokens = OrderedTokens(row, settings, &result->allowed_count);
  if (result->allowed_count == 0) return SampleStatus::kEmptyMask;
  if (tokens.empty()) return SampleStatus::kNoFiniteLogit;
  const int32_t base = MassBase(tokens.front().value);
  for (Token& token : tokens) token.mass = MassOf(token.value, base);
  const std::vector<Token> before = tokens;
  const double log_total = LogOfMass(SumOf(before), base);
  const bool noiseless = settings.temperature == 0.0f || tokens.front().value > kLogitLimit;

  Token chosen = tokens.front();
  result->kept_count = 1;
  if (!noiseless) {
    const bool filtered = AnyFilter(settings, result->allowed_count);
    ApplyFilters(settings, &tokens);
    result->kept_count = filtered ? static_cast<uint32_t>(tokens.size()) : result->allowed_count;
    const NoiseKey key = {settings.seed, settings.position};
    float best = -kInfinity;
    for (const Token& token : tokens) {
      const float score = GumbelScore(key, token.id, token.value);
      if (score > best || (score == best && token.id < chosen.id)) {
        best = score;
        chosen = token;
      }
    }
  }
  result->token = chosen.id;

  const uint32_t count = std::min<uint32_t>(settings.top_count, before.size());
  for (uint32_t i = 0; i < count; ++i) {
    buffers.top[i] = {before[i].id, static_cast<float>(ClampLogit(before[i].value) - log_total)};
  }
  result->top_filled = count;
  const bool wants_entropy = (settings.outputs & kOutputEntropy) != 0;
  if (wants_entropy || (settings.outputs & kOutputLogprobs) != 0 || settings.top_count != 0) {
    const double value = ClampLogit(chosen.value);
    result->masked_logsumexp = static_cast<float>(log_total);
    result->masked_logprob = static_cast<float>(value - log_total);
    if (!noiseless) result->logprob = static_cast<float>(value - LogOfMass(SumOf(tokens), base));
  }
  if (wants_entropy) result->entropy_bits = static_cast<float>(EntropyBits(before, log_total));
  if ((settings.outputs & kOutputRaw) != 0) ReportRaw(row, result);
  return SampleStatus::kOk;
}

}  // namespace maskloom::kernels
