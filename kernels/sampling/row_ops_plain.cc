// The passes over a row in ordinary C++: what every other form must equal bit for bit.
#include "kernels/sampling/mass.h"
#include "kernels/sampling/row_ops.h"

namespace maskloom::kernels {
namespace {

constexpr float kMinusInfinity = -__builtin_inff();

uint32_t CountAllowed(const uint32_t* mask, uint32_t count) {
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

void ScaleMasked(const float* logits, const uint32_t* mask, uint32_t count, float scale,
                 float* values) {
  for (uint32_t i = 0; i < count; ++i) {
    const bool allowed = mask == nullptr || ((mask[i >> 5] >> (i & 31)) & 1u) != 0;
    const float y = logits[i] * scale;
    values[i] = allowed && y == y ? y : kMinusInfinity;
  }
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
  for (uint32_t i = 0; i < count; ++i) {
    if (values[i] == kMinusInfinity) continue;
    const float distance = top - ClampLogit(values[i]);
    const ExpParts parts = SplitExp(-distance);
    if (parts.exponent < kEntropyLeastExponent) continue;
    const float weight = FloatFromBits((parts.mantissa & 0x7fffffu) |
                                       static_cast<uint32_t>(parts.exponent + 127) << 23);
    const float term = weight * distance;
    if (term >= kEntropySmall) {
      sums[0] += static_cast<uint32_t>(static_cast<int32_t>(term * kEntropyScaleLarge + 0.5f));
    } else {
      sums[1] += static_cast<uint32_t>(static_cast<int32_t>(term * kEntropyScaleSmall + 0.5f));
    }
  }
}

uint32_t Collect(const float* values, uint32_t count, Band band, uint32_t* indices) {
  uint32_t found = 0;
  for (uint32_t i = 0; i < count; ++i) {
    indices[found] = i;
    found += values[i] >= band.low && values[i] < band.high ? 1 : 0;
  }
  return found;
}

void BestScoreOf(const float* values, const uint32_t* ids, uint32_t count, const NoiseKey& key,
                 BestScore* best) {
  for (uint32_t i = 0; i < count; ++i) {
    OfferToken(key, ids == nullptr ? i : ids[i], values[i], best);
  }
}

}  // namespace

const RowOps& PlainRowOps() {
  static constexpr RowOps kOps = {"plain",   CountAllowed, ScaleMasked, FindMax,
                                  SumMasses, AddEntropy,   Collect,     BestScoreOf};
  return kOps;
}

const RowOps& DefaultRowOps() {
  static const RowOps& ops = Avx2RowOps() != nullptr ? *Avx2RowOps() : PlainRowOps();
  return ops;
}

}  // namespace maskloom::kernels
