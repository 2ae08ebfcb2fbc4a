// Natural numbers and divisibility: identities on random numbers of every size, and 128-bit
// arithmetic as the judge for small ones.
#include "grammar/base/natural.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "grammar/base/divisor.h"

namespace maskloom {
namespace {

class NaturalTest : public testing::Test {
 protected:
  // Often with long runs of 0 or 9 bits, where carries and estimates go wrong.
  Natural Random(int limbs) {
    Natural number;
    for (int i = 0; i < limbs; ++i) {
      uint64_t limb = random_() & 0xFFFFFFFF;
      if (random_() % 3 == 0) limb = random_() % 2 == 0 ? 0 : 0xFFFFFFFF;
      number = number * Natural(uint64_t{1} << 32) + limb;
    }
    return number;
  }
  int Below(int n) { return static_cast<int>(random_() % static_cast<uint64_t>(n)); }

  std::mt19937_64 random_{5};
};

TEST_F(NaturalTest, QuotientAndRemainderMakeTheDividend) {
  for (int i = 0; i < 20000; ++i) {
    const Natural a = Random(Below(12));
    const Natural b = Random(1 + Below(8)) + 1;
    const Natural rest = a % b;
    EXPECT_LT(rest, b);
    EXPECT_EQ(a / b * b + rest, a);
    EXPECT_EQ(a + b - b, a);
    EXPECT_EQ((a + 1) * (a + b), a * a + a * b + a + b);
  }
}

TEST_F(NaturalTest, DigitsReadBack) {
  for (int i = 0; i < 2000; ++i) {
    const Natural a = Random(Below(12));
    const Natural b = Random(1 + Below(4)) + 1;
    EXPECT_EQ(Natural::FromDigits(a.Digits()), a);
    EXPECT_EQ(Natural::FromDigits("000" + a.Digits()), a);
    EXPECT_EQ(Natural::Remainder(a.Digits(), b), a % b);
  }
  EXPECT_EQ(Natural::PowerOfTen(50).Digits(), "1" + std::string(50, '0'));
  EXPECT_EQ(Natural().Digits(), "");
  EXPECT_EQ((Natural::Power(2, 128) - 1).Digits(), "340282366920938463463374607431768211455");
}

TEST_F(NaturalTest, GreatestCommonDivisorsDivide) {
  for (int i = 0; i < 2000; ++i) {
    const Natural shared = Random(1 + Below(3)) + 1;
    const Natural a = shared * (Random(Below(4)) + 1);
    const Natural b = shared * (Random(Below(4)) + 1);
    const Natural common = GreatestCommonDivisor(a, b);
    EXPECT_TRUE((common % shared).IsZero());
    EXPECT_TRUE((a % common).IsZero() && (b % common).IsZero());
    EXPECT_TRUE(GreatestCommonDivisor(a / common, b / common).IsOne());
  }
}

Decimal Value(const std::string& text) { return Decimal::Parse(text).value(); }

TEST(Divisor, KnowsMultiplesHoweverSpelled) {
  const auto check = [](const char* value, const char* divisor) {
    return IsMultipleOf(Value(value), Value(divisor));
  };
  EXPECT_TRUE(check("0.07", "0.01"));
  EXPECT_TRUE(check("19.99", "0.01"));
  EXPECT_FALSE(check("0.075", "0.01"));
  EXPECT_TRUE(check("1e2", "10"));
  EXPECT_TRUE(check("-4.5", "1.5"));
  EXPECT_FALSE(check("35", "1.5"));
  EXPECT_TRUE(check("0", "123456789.123"));
  EXPECT_TRUE(check("12391239123", "1e-8"));
  EXPECT_TRUE(check("1e308", "0.123456789e-300") == false);
  EXPECT_TRUE(check("1e2000000000", "1024"));
  EXPECT_FALSE(check("1e-2000000000", "1024"));
  EXPECT_FALSE(check("1e2000000000", "3"));
  EXPECT_TRUE(check("370370367.369", "123456789.123"));
  EXPECT_TRUE(check("3e-400", "1e-401"));
}

TEST(Divisor, AgreesWithIntegersOnARandomScale) {
  std::mt19937 random(3);
  for (int i = 0; i < 50000; ++i) {
    const int a = static_cast<int>(random() % 4000);
    const int b = 1 + static_cast<int>(random() % 200);
    const int shift = static_cast<int>(random() % 7) - 3;
    const auto scaled = [&](int n, int zeros) {
      const std::string digits = std::to_string(n) + std::string(static_cast<size_t>(zeros), '0');
      return Decimal::FromParts(false, digits, static_cast<int64_t>(digits.size()) + shift - zeros);
    };
    ASSERT_EQ(IsMultipleOf(scaled(a, i % 3), scaled(b, i % 2)), a % b == 0) << a << " " << b;
  }
}

TEST(Divisor, LeastCommonMultipleIsDividedByBothAndIsLeast) {
  std::mt19937 random(4);
  for (int i = 0; i < 5000; ++i) {
    const auto number = [&] {
      return Decimal::FromParts(false, std::to_string(1 + random() % 3000),
                                static_cast<int>(random() % 8) - 4);
    };
    const Decimal a = number();
    const Decimal b = number();
    const auto multiple = LeastCommonMultiple(a, b);
    ASSERT_TRUE(multiple);
    EXPECT_TRUE(IsMultipleOf(*multiple, a) && IsMultipleOf(*multiple, b));
    // Divided by any prime it is no longer a multiple of both.
    for (uint64_t prime : {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53}) {
      const Natural digits = Natural::FromDigits(multiple->digits()) * 1000;
      if (!(digits % prime).IsZero()) continue;
      const std::string less = (digits / prime).Digits();
      const Decimal part = Decimal::FromParts(
          false, less,
          multiple->exponent() - static_cast<int64_t>(digits.Digits().size() - less.size()));
      EXPECT_FALSE(IsMultipleOf(part, a) && IsMultipleOf(part, b))
          << a.ToString() << " " << b.ToString() << " " << part.ToString();
    }
  }
  EXPECT_EQ(LeastCommonMultiple(Value("0.4"), Value("0.6")), Value("1.2"));
  EXPECT_EQ(LeastCommonMultiple(Value("1"), Value("0.01")), Value("1"));
  EXPECT_EQ(LeastCommonMultiple(Value("1e-100"), Value("3")), Value("3"));
  EXPECT_EQ(LeastCommonMultiple(Value("1e2000000000"), Value("2")), Value("1e2000000000"));
  EXPECT_FALSE(LeastCommonMultiple(Value(std::string(1500, '7')), Value(std::string(1499, '9'))));
}

}  // namespace
}  // namespace maskloom
