// Philox against published vectors, the shared exp and log against double precision, Gumbel noise.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>

#include "kernels/sampling/mass.h"
#include "kernels/sampling/philox.h"

namespace maskloom::kernels {
namespace {

void ExpectBlock(const PhiloxBlock& block, const PhiloxBlock& expected) {
  for (int i = 0; i < 4; ++i) EXPECT_EQ(block.word[i], expected.word[i]) << "word " << i;
}

TEST(Philox, GivesTheVectorsOfRandom123) {
  ExpectBlock(Philox4x32({{0, 0, 0, 0}}, 0, 0),
              {{0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u}});
  const uint32_t ones = 0xffffffffu;
  ExpectBlock(Philox4x32({{ones, ones, ones, ones}}, ones, ones),
              {{0x408f276du, 0x41c83b0eu, 0xa20bc7c6u, 0x6d5451fdu}});
  ExpectBlock(
      Philox4x32({{0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u}}, 0xa4093822u, 0x299f31d0u),
      {{0xd16cfe09u, 0x94fdccebu, 0x5001e420u, 0x24126ea1u}});
}

TEST(Philox, NoiseDependsOnSeedPositionAndTokenInEveryBit) {
  std::set<uint32_t> seen;
  size_t draws = 0;
  for (int bit = -1; bit < 64; ++bit) {
    const uint64_t flip = bit < 0 ? 0 : uint64_t{1} << bit;
    for (uint32_t id = 0; id < 8; ++id) {
      seen.insert(TokenNoise({flip, 0}, id));
      ++draws;
      if (bit < 0) continue;
      seen.insert(TokenNoise({0, flip}, id));
      ++draws;
    }
  }
  EXPECT_EQ(seen.size(), draws);
}

TEST(ExactMath, ExpIsWithinOnePartInTenMillion) {
  for (int i = -200000; i <= 200000; ++i) {
    const float y = static_cast<float>(i) * 0.01f;
    const ExpParts parts = SplitExp(y);
    ASSERT_GE(parts.mantissa, 1u << 23);
    ASSERT_LT(parts.mantissa, 1u << 24);
    const double log_value =
        std::log(static_cast<double>(parts.mantissa)) + (parts.exponent - 23) * std::log(2.0);
    ASSERT_NEAR(log_value, y, 1.5e-7) << y;
  }
}

TEST(ExactMath, ExpStaysDefinedForHugeAndInfiniteValues) {
  for (float y : {3e4f, 1e6f, 2097152.0f, 1e30f, __builtin_inff()}) {
    for (float sign : {1.0f, -1.0f}) {
      const ExpParts parts = SplitExp(sign * y);
      EXPECT_GE(parts.mantissa, 1u << 23);
      EXPECT_LT(parts.mantissa, 1u << 24);
      const double expected = sign * std::fmin(y, kLogitLimit) / std::log(2.0);
      EXPECT_NEAR(parts.exponent, expected, 1.5) << sign * y;
    }
  }
}

TEST(ExactMath, FmaByDoublesRoundsOnce) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 2000000; ++round) {
    // Exponents near each other, so that sums cancel, and half-way cases come up.
    const auto draw = [&random](uint32_t spread) {
      const uint32_t bits = static_cast<uint32_t>(random());
      const uint32_t exponent = 127 + (bits >> 8) % (2 * spread) - spread;
      const uint32_t mantissa = bits % 3 == 0 ? (bits & 0x7ff000u) : (bits >> 9);
      return FloatFromBits((bits & 0x80000000u) | exponent << 23 | (mantissa & 0x7fffffu));
    };
    const float a = draw(4), b = draw(4), c = draw(round % 2 == 0 ? 8 : 30);
    ASSERT_EQ(FloatBits(FmaByDoubles(a, b, c)), FloatBits(std::fma(a, b, c)))
        << a << " " << b << " " << c;
  }
  EXPECT_EQ(FmaByDoubles(3.0f, 5.0f, -15.0f), 0.0f);
  // 1 + 2^-24 + 2^-60: rounding to double first would lose the last and fall to even.
  EXPECT_EQ(FmaByDoubles(0x1p-30f, 0x1p-30f, 1.0f), 1.0f);
  EXPECT_EQ(FmaByDoubles(0x1.000002p0f, 0x1.000002p-24f, 1.0f), 0x1.000002p0f);
}

TEST(ExactMath, ExpIsTheSameWithAnInstructionForFma) {
  for (uint32_t bits = 0; bits < 0x4a000000u; bits += 2011) {
    for (uint32_t sign : {0u, 0x80000000u}) {
      const float y = FloatFromBits(bits | sign);
      const float n = std::fma(y, kLog2E, kRoundingMagic) - kRoundingMagic;
      const float r = std::fma(-n, kLn2Low, std::fma(-n, kLn2High, y));
      float p = kExp7;
      for (float term : {kExp6, kExp5, kExp4, kExp3, kExp2, 1.0f, 1.0f}) p = std::fma(p, r, term);
      ASSERT_EQ(SplitExp(y).mantissa, (FloatBits(p) & 0x7fffffu) | 0x800000u) << y;
    }
  }
}

TEST(ExactMath, LogIsWithinAFewUnitsOfTheLastPlace) {
  for (uint32_t bits = 0x00800000u; bits < 0x7f800000u; bits += 9973) {
    const float x = FloatFromBits(bits);
    const double expected = std::log(static_cast<double>(x));
    ASSERT_NEAR(ExactLog(x), expected, std::abs(expected) * 2e-7 + 1e-12) << x;
  }
  EXPECT_EQ(ExactLog(1.0f), 0.0f);
}

TEST(Gumbel, FollowsItsDefinitionDecreasesAndStaysBelowItsBounds) {
  float last = __builtin_inff();
  for (uint64_t step = 0; step < 400000; ++step) {
    // Dense near 0, where winners are, then all over the range.
    const uint32_t u =
        static_cast<uint32_t>(step < 100000 ? step : 100000 + (step - 100000) * 14316);
    const float noise = GumbelFromBits(u);
    const double w = (u + 0.5) / 4294967296.0;
    const double expected = -std::log(-std::log1p(-w));
    ASSERT_NEAR(noise, expected, 4e-6) << u;
    ASSERT_LE(noise, last + 2e-6f) << u;
    ASSERT_LT(noise, GumbelBound(u)) << u;
    ASSERT_LE(GumbelBound(u), kMaxGumbel);
    last = noise;
  }
  EXPECT_NEAR(GumbelFromBits(0xffffffffu), -std::log(33 * std::log(2.0)), 1e-5);
}

TEST(Mass, SumsAreExactInAnyGrouping) {
  const float values[] = {3.0f, 2.5f, -4.0f, -20.0f, -30.5f, 3.0f, 0.0f};
  const int32_t base = MassBase(3.0f);
  Mass forward = 0;
  Mass backward = 0;
  for (float y : values) forward += MassOf(y, base);
  for (int i = 6; i >= 0; --i) backward += MassOf(values[i], base);
  EXPECT_TRUE(forward == backward);
  double expected = 0;
  for (float y : values) expected += std::exp(static_cast<double>(y));
  EXPECT_NEAR(LogOfMass(forward, base), std::log(expected), 1e-7);
}

TEST(Mass, ConversionsAreThoseOfTheCompiler) {
  std::mt19937_64 random(6);
  for (int round = 0; round < 200000; ++round) {
    Mass mass = (static_cast<Mass>(random()) << 64 | random()) >> (random() % 128);
    if (round % 3 == 0) mass = (mass >> 54) << 54 | (round % 2);
    ASSERT_EQ(MassToDouble(mass), static_cast<double>(mass));
    const double below = static_cast<double>(mass >> 2) + 0.75;
    ASSERT_TRUE(MassFromDouble(below) == static_cast<Mass>(below));
    const double value = static_cast<double>(mass) * 1.25e-7 + 1e-3;
    ASSERT_NEAR(LogOfDouble(value), std::log(value), 1e-15 + 2e-15 * std::abs(std::log(value)));
  }
}

TEST(Mass, NeededMassOfEqualSharesIsWhole) {
  const Mass share = MassOf(1.0f, MassBase(1.0f));
  for (int tenths = 1; tenths <= 10; ++tenths) {
    const Mass needed = NeededMass(share * 10, tenths / 10.0);
    EXPECT_TRUE(needed <= share * tenths && needed > share * (tenths - 1)) << tenths;
  }
}

}  // namespace
}  // namespace maskloom::kernels
