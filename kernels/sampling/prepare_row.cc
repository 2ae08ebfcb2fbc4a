// Checks the arguments and turns a row into adjusted values.
#include "kernels/sampling/prepare_row.h"

#include <cmath>

namespace maskloom::kernels {
namespace {

constexpr float kMinusInfinity = -__builtin_inff();
// Masks that allow less than 1 / kListShare of the vocabulary are gathered.
constexpr uint32_t kListShare = 8;

size_t ArrayBytes(uint32_t vocab, size_t element_bytes) {
  return (static_cast<size_t>(vocab) * element_bytes + 63) / 64 * 64;
}

bool IsAllowed(const uint32_t* mask, uint32_t id) {
  return mask == nullptr || ((mask[id >> 5] >> (id & 31)) & 1u) != 0;
}

float Finish(float x, float scale) {
  const float y = x * scale;
  return y == y ? y : kMinusInfinity;
}

PreparedRow PrepareList(const SampleRow& row, const SampleSettings& settings,
                        const Scratch& scratch) {
  uint32_t count = 0;
  if (row.ids != nullptr) {
    for (uint32_t i = 0; i < row.count; ++i) {
      if (!IsAllowed(row.mask, row.ids[i])) continue;
      scratch.ids[count] = row.ids[i];
      scratch.values[count++] = row.logits[i];
    }
  } else {
    for (uint32_t first = 0; first < row.vocab; first += 32) {
      uint32_t word = row.mask[first >> 5];
      if (row.vocab - first < 32) word &= (1u << (row.vocab - first)) - 1;
      for (; word != 0; word &= word - 1) {
        const uint32_t id = first + static_cast<uint32_t>(__builtin_ctz(word));
        scratch.ids[count] = id;
        scratch.values[count++] = row.logits[id];
      }
    }
  }
  const float scale = TemperatureScale(settings);
  const TokenAdjustment* entry = row.adjustments;
  const TokenAdjustment* end = entry + row.adjustment_count;
  const bool search = count < row.adjustment_count / 16;
  for (uint32_t i = 0; i < count; ++i) {
    size_t left = static_cast<size_t>(end - entry);
    while (left > 0 && entry->id < scratch.ids[i]) {
      const size_t half = search ? left / 2 : 0;
      if (entry[half].id < scratch.ids[i]) {
        entry += half + 1;
        left -= half + 1;
      } else {
        left = half;
      }
    }
    const bool found = entry != end && entry->id == scratch.ids[i];
    const float x = scratch.values[i];
    scratch.values[i] = Finish(found ? AdjustLogit(x, *entry, settings) : x, scale);
  }
  return {scratch.values, scratch.ids, count, count};
}

}  // namespace

size_t SampleScratchBytes(uint32_t vocab) {
  return 4 * ArrayBytes(vocab, sizeof(float)) + ArrayBytes(vocab, sizeof(Candidate));
}

Scratch DivideScratch(void* memory, uint32_t vocab) {
  char* at = static_cast<char*>(memory);
  const size_t bytes = ArrayBytes(vocab, sizeof(float));
  Scratch scratch;
  scratch.values = reinterpret_cast<float*>(at);
  scratch.kept_values = reinterpret_cast<float*>(at + bytes);
  scratch.ids = reinterpret_cast<uint32_t*>(at + 2 * bytes);
  scratch.indices = reinterpret_cast<uint32_t*>(at + 3 * bytes);
  scratch.candidates = reinterpret_cast<Candidate*>(at + 4 * bytes);
  return scratch;
}

SampleStatus CheckArguments(const SampleRow& row, const SampleSettings& settings,
                            const SampleBuffers& buffers) {
  constexpr SampleStatus kBad = SampleStatus::kInvalidArgument;
  if (row.vocab == 0 || row.vocab > kMaxVocabulary) return kBad;
  if (row.logits == nullptr && row.count != 0) return kBad;
  if (row.ids == nullptr ? row.count != row.vocab : row.count > row.vocab) return kBad;
  if (row.ids != nullptr) {
    if ((settings.outputs & kOutputRaw) != 0) return kBad;
    for (uint32_t i = 0; i < row.count; ++i) {
      if (row.ids[i] >= row.vocab || (i > 0 && row.ids[i] <= row.ids[i - 1])) return kBad;
    }
  }
  if (row.adjustment_count != 0 && row.adjustments == nullptr) return kBad;
  for (uint32_t i = 0; i < row.adjustment_count; ++i) {
    const TokenAdjustment& entry = row.adjustments[i];
    if (entry.id >= row.vocab || std::isnan(entry.bias)) return kBad;
    if (i > 0 && entry.id <= row.adjustments[i - 1].id) return kBad;
  }
  const float t = settings.temperature;
  if (!(t == 0.0f || (t >= kMinTemperature && t <= kMaxTemperature))) return kBad;
  if (!(settings.top_p >= 0.0 && settings.top_p <= 1.0)) return kBad;
  if (!(settings.min_p >= 0.0 && settings.min_p <= 1.0)) return kBad;
  if (!(settings.repetition_penalty > 0.0f) || !std::isfinite(settings.repetition_penalty)) {
    return kBad;
  }
  if (!std::isfinite(settings.frequency_penalty) || !std::isfinite(settings.presence_penalty)) {
    return kBad;
  }
  if (settings.top_count > kMaxTopTokens) return kBad;
  if (settings.top_count != 0 && buffers.top == nullptr) return kBad;
  return buffers.scratch == nullptr ? kBad : SampleStatus::kOk;
}

float AdjustLogit(float x, const TokenAdjustment& adjustment, const SampleSettings& settings) {
  x += adjustment.bias;
  if (adjustment.in_prompt != 0 || adjustment.output_count != 0) {
    const float r = settings.repetition_penalty;
    x = x > 0.0f ? x / r : x * r;
  }
  if (adjustment.output_count != 0) {
    x -= static_cast<float>(adjustment.output_count) * settings.frequency_penalty +
         settings.presence_penalty;
  }
  return x;
}

PreparedRow PrepareRow(const RowOps& ops, const SampleRow& row, const SampleSettings& settings,
                       const Scratch& scratch) {
  if (row.ids != nullptr) return PrepareList(row, settings, scratch);
  const uint32_t allowed = row.mask == nullptr ? row.vocab : ops.count_allowed(row.mask, row.vocab);
  if (allowed < row.vocab / kListShare) return PrepareList(row, settings, scratch);
  const float scale = TemperatureScale(settings);
  ops.scale_masked(row.logits, row.mask, row.vocab, scale, scratch.values);
  for (uint32_t i = 0; i < row.adjustment_count; ++i) {
    const TokenAdjustment& entry = row.adjustments[i];
    if (!IsAllowed(row.mask, entry.id)) continue;
    scratch.values[entry.id] = Finish(AdjustLogit(row.logits[entry.id], entry, settings), scale);
  }
  return {scratch.values, nullptr, row.vocab, allowed};
}

}  // namespace maskloom::kernels
