// Random rows, masks and settings for the sampling tests, and one call that owns its buffers.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "kernels/sampling/row_slices.h"
#include "kernels/sampling/sample_row.h"

namespace maskloom::kernels {

// A row with everything that it points to.
struct OwnedRow {
  uint32_t vocab = 0;
  std::vector<float> logits;
  std::vector<uint32_t> ids;   // empty: whole row
  std::vector<uint32_t> mask;  // empty: none
  std::vector<uint32_t> exceptions;
  std::vector<TokenAdjustment> adjustments;

  SampleRow View() const {
    SampleRow row = {};
    row.logits = logits.data();
    row.ids = ids.empty() ? nullptr : ids.data();
    row.count = static_cast<uint32_t>(logits.size());
    row.vocab = vocab;
    row.mask = mask.empty() ? nullptr : mask.data();
    row.exceptions = exceptions.empty() ? nullptr : exceptions.data();
    row.exception_count = static_cast<uint32_t>(exceptions.size());
    row.adjustments = adjustments.empty() ? nullptr : adjustments.data();
    row.adjustment_count = static_cast<uint32_t>(adjustments.size());
    return row;
  }
};

struct Outcome {
  SampleStatus status = SampleStatus::kOk;
  SampleResult result;
  std::vector<TopToken> top;
};

enum class Form { kReference, kPlain, kAvx2, kAvx512, kDefault };

// Every form but the judge that this processor runs.
inline std::vector<Form> FormsHere() {
  std::vector<Form> forms = {Form::kPlain, Form::kDefault};
  if (Avx2RowOps() != nullptr) forms.push_back(Form::kAvx2);
  if (Avx512RowOps() != nullptr) forms.push_back(Form::kAvx512);
  return forms;
}

// Chooses a token with buffers of its own.
inline Outcome Choose(Form form, const OwnedRow& row, const SampleSettings& settings) {
  Outcome outcome;
  struct alignas(64) Line {
    char bytes[64];
  };
  std::vector<Line> scratch(SampleScratchBytes(row.vocab) / sizeof(Line) + 1);
  outcome.top.resize(settings.top_count);
  const SampleBuffers buffers = {scratch.data(), outcome.top.data()};
  const SampleRow view = row.View();
  switch (form) {
    case Form::kReference:
      outcome.status = ChooseTokenReference(view, settings, buffers, &outcome.result);
      break;
    case Form::kPlain:
      outcome.status = ChooseTokenWith(PlainRowOps(), view, settings, buffers, &outcome.result);
      break;
    case Form::kAvx2:
      outcome.status = ChooseTokenWith(*Avx2RowOps(), view, settings, buffers, &outcome.result);
      break;
    case Form::kAvx512:
      outcome.status = ChooseTokenWith(*Avx512RowOps(), view, settings, buffers, &outcome.result);
      break;
    case Form::kDefault:
      outcome.status = ChooseToken(view, settings, buffers, &outcome.result);
      break;
  }
  outcome.top.resize(outcome.result.top_filled);
  return outcome;
}

class RowMaker {
 public:
  explicit RowMaker(uint64_t seed) : random_(seed) {}

  uint32_t Below(uint32_t n) { return static_cast<uint32_t>(random_() % n); }
  float Uniform(float low, float high) {
    return std::uniform_real_distribution<float>(low, high)(random_);
  }

  // A row of one of several shapes: trained-like, flat, tied, wide, with special values, all below
  // what counts as the least, on both sides of the limits.
  OwnedRow Row(uint32_t vocab) {
    OwnedRow row;
    row.vocab = vocab;
    row.logits.resize(vocab);
    const uint32_t shape = Below(8);
    std::normal_distribution<float> normal(0.0f, shape == 1 ? 0.1f : 4.0f);
    for (float& x : row.logits) {
      x = normal(random_);
      if (shape == 2) x = std::round(x);
      if (shape == 3) x *= 30.0f;
      if (shape == 4 && Below(4) == 0) x = -std::numeric_limits<float>::infinity();
      if (shape == 4 && Below(16) == 0) x = std::numeric_limits<float>::quiet_NaN();
      if (shape == 5) x = 7.0f;
      if (shape == 6) x -= 1.5f * kLogitLimit;
      if (shape == 7) x *= kLogitLimit;
    }
    return row;
  }

  void Mask(OwnedRow* row) {
    row->mask.assign((row->vocab + 31) / 32, 0);
    const uint32_t density = 1 + Below(64);
    const bool in_runs = Below(3) == 0;
    for (uint32_t i = 0; i < row->vocab; ++i) {
      const uint32_t draw = in_runs ? (i / 97 * 2654435761u) >> 26 : Below(64);
      if (draw % 64 < density % (1 + Below(64))) row->mask[i / 32] |= 1u << (i % 32);
    }
    row->mask.back() |= 0x80000000u;  // beyond the vocabulary unless it is a multiple of 32
  }

  // Flips a few bits of the mask, or closes a few tokens where there is none.
  void Except(OwnedRow* row) {
    for (uint32_t id = Below(9); id < row->vocab; id += 1 + Below(1 + row->vocab / 10)) {
      row->exceptions.push_back(id);
    }
  }

  void Adjust(OwnedRow* row) {
    for (uint32_t id = Below(5); id < row->vocab; id += 1 + Below(1 + row->vocab / 20)) {
      row->adjustments.push_back(
          {id, Below(3), Below(2), Below(2) == 0 ? 0.0f : Uniform(-3.0f, 3.0f)});
    }
  }

  // Turns a whole row into a gathered one that holds a subset of the ids.
  void Gather(OwnedRow* row) {
    std::vector<float> logits;
    for (uint32_t i = 0; i < row->vocab; ++i) {
      if (Below(3) != 0 && i + 1 != row->vocab) continue;
      row->ids.push_back(i);
      logits.push_back(row->logits[i]);
    }
    row->logits = logits;
  }

  SampleSettings Settings() {
    SampleSettings settings;
    const float temperatures[] = {0.0f, 0.0001f, 0.3f, 0.7f, 1.0f, 1.5f, 100.0f};
    settings.temperature = temperatures[Below(7)];
    if (Below(2) == 0) settings.top_k = 1 + Below(Below(2) == 0 ? 5 : 400);
    if (Below(2) == 0) settings.top_p = Below(101) / 100.0;
    if (Below(2) == 0) settings.min_p = Below(3) == 0 ? Below(101) / 100.0 : Below(100) / 1000.0;
    if (Below(2) == 0) settings.repetition_penalty = Uniform(0.8f, 1.5f);
    if (Below(2) == 0) settings.frequency_penalty = Uniform(-1.0f, 1.0f);
    if (Below(2) == 0) settings.presence_penalty = Uniform(-1.0f, 1.0f);
    settings.seed = random_();
    settings.position = random_() >> Below(64);
    settings.outputs = Below(8);
    settings.top_count = Below(3) == 0 ? 1 + Below(30) : 0;
    return settings;
  }

 private:
  std::mt19937_64 random_;
};

}  // namespace maskloom::kernels
