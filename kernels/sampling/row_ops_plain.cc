// The passes over values in ordinary C++: what every other form must equal bit for bit. Also the
// choice among the forms.
#include <cstdlib>
#include <cstring>

#include "kernels/sampling/mass.h"
#include "kernels/sampling/row_ops.h"

namespace maskloom::kernels {
namespace {

constexpr float kMinusInfinity = -__builtin_inff();

uint32_t CountBits(const uint32_t* mask, uint32_t count) {
  uint32_t allowed = 0;
  for (uint32_t w = 0; w < count / 32; ++w) {
    allowed += static_cast<uint32_t>(__builtin_popcount(mask[w]));
  }
  if (count % 32 != 0) {
    const uint32_t last = mask[count / 32] & ((1u << (count % 32)) - 1);
    allowed += static_cast<uint32_t>(__builtin_popcount(last));
  }
  return allowed;
}

uint32_t CountSlices(const uint32_t* mask, uint32_t vocab, uint16_t* counts) {
  uint32_t allowed = 0;
  for (uint32_t first = 0; first < vocab; first += kSliceTokens) {
    const uint32_t count = vocab - first < kSliceTokens ? vocab - first : kSliceTokens;
    const uint32_t in_slice = CountBits(mask + first / 32, count);
    counts[first / kSliceTokens] = static_cast<uint16_t>(in_slice);
    allowed += in_slice;
  }
  return allowed;
}

float ScaleMasked(const float* logits, const uint32_t* mask, uint32_t count, float scale,
                  float* values) {
  float largest = kMinusInfinity;
  for (uint32_t i = 0; i < count; ++i) {
    const bool allowed = mask == nullptr || ((mask[i >> 5] >> (i & 31)) & 1u) != 0;
    const float y = allowed ? logits[i] * scale : kMinusInfinity;
    values[i] = y == y ? y : kMinusInfinity;
    largest = values[i] > largest ? values[i] : largest;
  }
  return largest;
}

MaxAt FindMax(const float* values, uint32_t count) {
  MaxAt best = {kMinusInfinity, count};
  for (uint32_t i = 0; i < count; ++i) {
    if (values[i] > best.value) best = {values[i], i};
  }
  return best;
}

Mass SumMasses(const float* values, uint32_t count, int32_t base) {
  Mass sum = 0;
  for (uint32_t i = 0; i < count; ++i) sum += MassOf(values[i], base);
  return sum;
}

void AddEntropy(const float* values, uint32_t count, float max, uint64_t* sums) {
  const float top = ClampLogit(max);
  for (uint32_t i = 0; i < count; ++i) AddEntropyTerm(values[i], top, sums);
}

uint32_t Collect(const float* values, uint32_t count, Band band, float* out) {
  uint32_t found = 0;
  for (uint32_t i = 0; i < count; ++i) {
    out[found] = values[i];
    found += values[i] >= band.low && values[i] <= band.high ? 1 : 0;
  }
  return found;
}

uint32_t Partition(float* values, uint32_t count, float pivot, float* high) {
  uint32_t moved = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const float value = values[i];
    values[i - moved] = value;
    high[moved] = value;
    moved += value >= pivot ? 1 : 0;
  }
  return moved;
}

uint32_t KeepFrom(float* values, uint32_t count, float low, uint32_t* ties) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < count; ++i) {
    bool keep = values[i] > low;
    if (values[i] == low && *ties > 0) {
      --*ties;
      keep = true;
    }
    if (!keep) values[i] = kMinusInfinity;
    kept += keep ? 1 : 0;
  }
  return kept;
}

void BestScoreOf(const float* values, const SliceIds& ids, uint32_t count, const NoiseKey& key,
                 BestScore* best) {
  for (uint32_t i = 0; i < count; ++i) {
    OfferToken(key, ids.list == nullptr ? ids.first + i : ids.list[i], values[i], best);
  }
}

const RowOps& ChooseRowOps() {
  const char* forced = std::getenv("MASKLOOM_KERNELS");
  if (forced != nullptr && FindRowOps(forced) != nullptr) return *FindRowOps(forced);
  if (Avx512RowOps() != nullptr) return *Avx512RowOps();
  return Avx2RowOps() != nullptr ? *Avx2RowOps() : PlainRowOps();
}

}  // namespace

const RowOps& PlainRowOps() {
  static constexpr RowOps kOps = {"plain",    CountSlices, ScaleMasked, FindMax,  SumMasses,
                                  AddEntropy, Collect,     Partition,   KeepFrom, BestScoreOf};
  return kOps;
}

const RowOps* FindRowOps(const char* name) {
  if (std::strcmp(name, "plain") == 0 || std::strcmp(name, "reference") == 0) return &PlainRowOps();
  if (std::strcmp(name, "avx2") == 0) return Avx2RowOps();
  return std::strcmp(name, "avx512") == 0 ? Avx512RowOps() : nullptr;
}

const RowOps& DefaultRowOps() {
  static const RowOps& ops = ChooseRowOps();
  return ops;
}

}  // namespace maskloom::kernels
