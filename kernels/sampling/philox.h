// Counter-based noise: what a token draws depends on (seed, position, token id) and nothing else,
// so the choice is the same whatever the batch, slot, split, thread or order of work.
//
// Philox4x32-10 turns a 128-bit counter and a 64-bit key into four 32-bit words. Here
//   key     = seed
//   counter = (token id / 4, position low, position high, purpose)
// and a token takes word (token id mod 4): four neighbours share one block.
//
// A Gumbel variable is -ln(E) with E exponential. From a word u, W = (u + 1/2) / 2^32 and
// E = -ln(1 - W). Large noise comes from small W, where 1 - W would round away; the rounding error
// of the subtraction is therefore carried along (ln(V + d) = ln V + d / V), which keeps all 32 bits
// of resolution where winners are decided. Noise lies in (-3.2, 22.9); since -ln(1 - W) >= W, it is
// at most -ln W, which needs no logarithm to bound (GumbelBound).
//
// Source: Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
#pragma once

#include "kernels/sampling/exact_math.h"

namespace maskloom::kernels {

inline constexpr uint32_t kPhiloxMul0 = 0xD2511F53u;
inline constexpr uint32_t kPhiloxMul1 = 0xCD9E8D57u;
inline constexpr uint32_t kPhiloxWeyl0 = 0x9E3779B9u;
inline constexpr uint32_t kPhiloxWeyl1 = 0xBB67AE85u;

// What the noise is for: the last counter word, so that uses never share noise.
enum class NoisePurpose : uint32_t { kSample = 0 };

// An upper bound of every Gumbel variable drawn here.
inline constexpr float kMaxGumbel = 22.9f;

// Seed of the request and position of the token being chosen.
struct NoiseKey {
  uint64_t seed;
  uint64_t position;
};

struct PhiloxBlock {
  uint32_t word[4];
};

// Returns the Philox4x32-10 block of `counter` under the key (key0, key1). Cost: 20 wide products.
MASKLOOM_DEVICE static inline PhiloxBlock Philox4x32(PhiloxBlock counter, uint32_t key0,
                                                     uint32_t key1) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t product0 = static_cast<uint64_t>(kPhiloxMul0) * counter.word[0];
    const uint64_t product1 = static_cast<uint64_t>(kPhiloxMul1) * counter.word[2];
    counter = {{static_cast<uint32_t>(product1 >> 32) ^ counter.word[1] ^ key0,
                static_cast<uint32_t>(product1),
                static_cast<uint32_t>(product0 >> 32) ^ counter.word[3] ^ key1,
                static_cast<uint32_t>(product0)}};
    key0 += kPhiloxWeyl0;
    key1 += kPhiloxWeyl1;
  }
  return counter;
}

// Returns the random words of the tokens 4 * group .. 4 * group + 3.
MASKLOOM_DEVICE static inline PhiloxBlock GroupNoise(const NoiseKey& key, uint32_t group) {
  const PhiloxBlock counter = {{group, static_cast<uint32_t>(key.position),
                                static_cast<uint32_t>(key.position >> 32),
                                static_cast<uint32_t>(NoisePurpose::kSample)}};
  return Philox4x32(counter, static_cast<uint32_t>(key.seed),
                    static_cast<uint32_t>(key.seed >> 32));
}

// Returns the 32 random bits of token `id`.
MASKLOOM_DEVICE static inline uint32_t TokenNoise(const NoiseKey& key, uint32_t id) {
  return GroupNoise(key, id >> 2).word[id & 3];
}

// Returns the standard Gumbel variable of the random word `u`, decreasing in `u`.
MASKLOOM_DEVICE static inline float GumbelFromBits(uint32_t u) {
  constexpr float kScale = 1.0f / 4294967296.0f;
  float exponential;
  if (u < 0x80000000u) {
    const float w = (static_cast<float>(static_cast<int32_t>(u)) + 0.5f) * kScale;
    const float v = 1.0f - w;
    const float lost = (1.0f - v) - w;
    exponential = -(ExactLog(v) + lost / v);
  } else {
    const float v = (static_cast<float>(static_cast<int32_t>(~u)) + 0.5f) * kScale;
    exponential = -ExactLog(v);
  }
  return -ExactLog(exponential);
}

// Returns a bound that GumbelFromBits(u) never exceeds, at most ln2 + 0.01 above -ln W.
MASKLOOM_DEVICE static inline float GumbelBound(uint32_t u) {
  const uint32_t top = u >> 8;
  if (top == 0) return kMaxGumbel;
  const int32_t log2_top = static_cast<int32_t>(FloatBits(static_cast<float>(top)) >> 23) - 127;
  return static_cast<float>(24 - log2_top) * 0.6931472f + 0.01f;
}

// Returns the score whose largest value wins. Requires: y not NaN.
MASKLOOM_DEVICE static inline float GumbelScore(const NoiseKey& key, uint32_t id, float y) {
  return ClampLogit(y) + GumbelFromBits(TokenNoise(key, id));
}

}  // namespace maskloom::kernels
