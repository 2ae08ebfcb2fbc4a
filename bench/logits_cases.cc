#include "bench/logits_cases.h"

#include <algorithm>
#include <random>

namespace maskloom::bench {
namespace {

constexpr uint32_t kShortMask = 64;
constexpr uint32_t kStandingOut = 40;

std::vector<float> MakeLogits(uint32_t vocab, Spread spread, std::mt19937_64* random) {
  std::normal_distribution<float> bulk(0.0f, 2.5f);
  std::exponential_distribution<float> above(0.5f);
  std::vector<float> logits(vocab);
  for (float& x : logits) x = bulk(*random);
  if (spread == Spread::kFlat) return logits;
  for (uint32_t i = 0; i < kStandingOut; ++i) logits[(*random)() % vocab] = 9.0f + above(*random);
  return logits;
}

std::vector<uint32_t> MakeMask(const std::string& kind, uint32_t vocab, std::mt19937_64* random) {
  if (kind == "none") return {};
  std::vector<uint32_t> mask((vocab + 31) / 32, 0);
  if (kind == "short" || kind == "list") {
    for (uint32_t i = 0; i < kShortMask; ++i) {
      const uint32_t id = static_cast<uint32_t>((*random)() % vocab);
      mask[id / 32] |= 1u << (id % 32);
    }
    return mask;
  }
  for (uint32_t id = 0; id < vocab; ++id) {  // most tokens, as inside a string
    if ((*random)() % 16 != 0) mask[id / 32] |= 1u << (id % 32);
  }
  return mask;
}

constexpr size_t kSectorBytes = 32;

bool IsAllowed(const LogitsRows& rows, uint32_t id) {
  return rows.mask.empty() || ((rows.mask[id / 32] >> (id % 32)) & 1u) != 0;
}

// How many sectors of a row hold a logit that is allowed, or one that is not.
uint64_t SectorsOf(const LogitsRows& rows, size_t element_bytes, bool allowed) {
  const uint32_t in_sector = static_cast<uint32_t>(kSectorBytes / element_bytes);
  uint64_t sectors = 0;
  for (uint32_t first = 0; first < rows.vocab; first += in_sector) {
    bool any = false;
    for (uint32_t id = first; id < std::min(first + in_sector, rows.vocab); ++id) {
      any = any || IsAllowed(rows, id) == allowed;
    }
    sectors += any ? 1 : 0;
  }
  return sectors;
}

uint64_t MaskBytes(const LogitsRows& rows) {
  return (rows.is_listed ? ListOf(rows).size() : rows.mask.size()) * sizeof(uint32_t);
}

}  // namespace

kernels::SampleRow LogitsRows::View(size_t i) const {
  kernels::SampleRow row = {};
  row.logits = logits[i].data();
  row.count = vocab;
  row.vocab = vocab;
  row.mask = mask.empty() ? nullptr : mask.data();
  row.adjustments = adjustments.empty() ? nullptr : adjustments.data();
  row.adjustment_count = static_cast<uint32_t>(adjustments.size());
  return row;
}

std::vector<LogitsCase> AllLogitsCases(const std::vector<uint32_t>& vocabs,
                                       const std::vector<uint32_t>& batches) {
  std::vector<LogitsCase> cases;
  for (uint32_t vocab : vocabs) {
    for (uint32_t batch : batches) {
      for (const char* mask : {"none", "dense", "short", "list"}) {
        for (const char* filters : {"greedy", "none", "top_k", "top_p", "min_p", "all"}) {
          cases.push_back({vocab, batch, mask, filters});
        }
      }
    }
  }
  return cases;
}

std::vector<LogitsCase> AllApplyCases(const std::vector<uint32_t>& vocabs,
                                      const std::vector<uint32_t>& batches) {
  std::vector<LogitsCase> cases;
  for (uint32_t vocab : vocabs) {
    for (uint32_t batch : batches) {
      for (const char* mask : {"dense", "short", "list"})
        cases.push_back({vocab, batch, mask, "apply"});
    }
  }
  return cases;
}

LogitsRows MakeRows(const LogitsCase& what, Spread spread) {
  std::mt19937_64 random(what.vocab);
  LogitsRows rows;
  rows.is_listed = what.mask == "list";
  rows.vocab = what.vocab;
  rows.mask = MakeMask(what.mask, what.vocab, &random);
  for (uint32_t i = 0; i < what.batch; ++i) {
    rows.logits.push_back(MakeLogits(what.vocab, spread, &random));
  }
  return rows;
}

void SetAdjustments(const LogitsCase& what, LogitsRows* rows) {
  rows->adjustments.clear();
  if (what.filters != "all") return;
  const uint32_t step = std::max(what.vocab / 200, 1u);
  for (uint32_t id = 7; id < what.vocab; id += step) {
    rows->adjustments.push_back({id, id % 3, id % 2, 0.0f});
  }
}

kernels::SampleSettings SettingsOf(const LogitsCase& what) {
  kernels::SampleSettings settings;
  settings.outputs = 0;
  settings.seed = 1;
  const bool all = what.filters == "all";
  settings.temperature = what.filters == "greedy" ? 0.0f : 0.8f;
  if (all || what.filters == "top_k") settings.top_k = 50;
  if (all || what.filters == "top_p") settings.top_p = 0.95;
  if (all || what.filters == "min_p") settings.min_p = 0.05;
  if (all) {
    settings.repetition_penalty = 1.1f;
    settings.frequency_penalty = 0.2f;
    settings.presence_penalty = 0.1f;
  }
  return settings;
}

std::vector<uint32_t> ListOf(const LogitsRows& rows) {
  std::vector<uint32_t> ids;
  for (uint32_t id = 0; id < rows.vocab; ++id) {
    if (IsAllowed(rows, id)) ids.push_back(id);
  }
  return ids;
}

uint64_t FloorBytes(const LogitsCase& what, const LogitsRows& rows, size_t element_bytes) {
  return (SectorsOf(rows, element_bytes, true) * kSectorBytes + MaskBytes(rows)) * what.batch;
}

uint64_t ApplyFloorBytes(const LogitsCase& what, const LogitsRows& rows, size_t element_bytes) {
  return (SectorsOf(rows, element_bytes, false) * kSectorBytes + MaskBytes(rows)) * what.batch;
}

uint64_t TableBytes(const LogitsCase& what, const LogitsRows& rows) {
  return rows.adjustments.size() * sizeof(rows.adjustments[0]) * what.batch;
}

}  // namespace maskloom::bench
