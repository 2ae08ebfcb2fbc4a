// Checks what a caller of the sampling step gives, before anything is read.
#include <cmath>

#include "kernels/sampling/row_slices.h"

namespace maskloom::kernels {
namespace {

bool AscendBelow(const uint32_t* ids, uint32_t count, uint32_t limit) {
  for (uint32_t i = 0; i < count; ++i) {
    if (ids[i] >= limit || (i > 0 && ids[i] <= ids[i - 1])) return false;
  }
  return true;
}

bool IsRowSound(const SampleRow& row, const SampleSettings& settings) {
  if (row.vocab == 0 || row.vocab > kMaxVocabulary) return false;
  if (row.logits == nullptr && row.count != 0) return false;
  if (row.ids == nullptr ? row.count != row.vocab : row.count > row.vocab) return false;
  if (row.ids != nullptr && (settings.outputs & kOutputRaw) != 0) return false;
  if (row.ids != nullptr && !AscendBelow(row.ids, row.count, row.vocab)) return false;
  if (row.exception_count != 0 && row.exceptions == nullptr) return false;
  return AscendBelow(row.exceptions, row.exception_count, row.vocab);
}

bool AreAdjustmentsSound(const SampleRow& row) {
  if (row.adjustment_count != 0 && row.adjustments == nullptr) return false;
  for (uint32_t i = 0; i < row.adjustment_count; ++i) {
    const TokenAdjustment& entry = row.adjustments[i];
    if (entry.id >= row.vocab || std::isnan(entry.bias)) return false;
    if (i > 0 && entry.id <= row.adjustments[i - 1].id) return false;
  }
  return true;
}

bool AreSettingsSound(const SampleSettings& settings) {
  const float t = settings.temperature;
  return (t == 0.0f || (t >= kMinTemperature && t <= kMaxTemperature)) && settings.top_p >= 0.0 &&
         settings.top_p <= 1.0 && settings.min_p >= 0.0 && settings.min_p <= 1.0 &&
         settings.repetition_penalty > 0.0f && std::isfinite(settings.repetition_penalty) &&
         std::isfinite(settings.frequency_penalty) && std::isfinite(settings.presence_penalty) &&
         settings.top_count <= kMaxTopTokens;
}

}  // namespace

SampleStatus CheckArguments(const SampleRow& row, const SampleSettings& settings,
                            const SampleBuffers& buffers) {
  const bool sound = IsRowSound(row, settings) && AreAdjustmentsSound(row) &&
                     AreSettingsSound(settings) && buffers.scratch != nullptr &&
                     (settings.top_count == 0 || buffers.top != nullptr);
  return sound ? SampleStatus::kOk : SampleStatus::kInvalidArgument;
}

}  // namespace maskloom::kernels
