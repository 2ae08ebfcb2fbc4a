// Exact decimals: parsing, normal form, order, printing.
#include "grammar/base/decimal.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace maskloom {
namespace {

Decimal Value(const std::string& text) {
  std::optional<Decimal> value = Decimal::Parse(text);
  EXPECT_TRUE(value) << text;
  return value.value_or(Decimal());
}

TEST(Decimal, ParsesJsonNumbersOnly) {
  for (const char* text : {"0", "-0", "12", "1.50", "1e5", "1E+5", "-0.1e-05"}) {
    EXPECT_TRUE(Decimal::Parse(text)) << text;
  }
  for (const char* text : {"", "-", "+1", "01", "1.", ".5", "1e", "1e-", "1 ", "1x", "0x1"}) {
    EXPECT_FALSE(Decimal::Parse(text)) << text;
  }
}

TEST(Decimal, EqualValuesAreEqual) {
  EXPECT_EQ(Value("10"), Value("1e1"));
  EXPECT_EQ(Value("10.00"), Value("1000e-2"));
  EXPECT_EQ(Value("-0.0e7"), Value("0"));
  EXPECT_FALSE(Value("-0").negative());
  EXPECT_EQ(Value("0.1"), Decimal::FromParts(false, "0100", 1));
  EXPECT_EQ(Value("-9223372036854775808"), Decimal::FromInteger(INT64_MIN));
  EXPECT_EQ(Value("-5").Negated(), Value("5"));
  EXPECT_EQ(Value("0").Negated(), Value("0"));
}

TEST(Decimal, ExponentsBeyond32BitsAreRefused) {
  EXPECT_TRUE(Decimal::Parse("1e2147483000"));
  EXPECT_FALSE(Decimal::Parse("1e2147483648"));
  EXPECT_FALSE(Decimal::Parse("1e-99999999999999999999999"));
  EXPECT_EQ(Value("0e99999999999999999999999"), Decimal());
}

TEST(Decimal, KnowsIntegers) {
  for (const char* text : {"0", "7", "1e3", "1.5e1", "100e-2"}) {
    EXPECT_TRUE(Value(text).IsInteger()) << text;
  }
  for (const char* text : {"0.5", "1.25e1", "1e-1"}) {
    EXPECT_FALSE(Value(text).IsInteger()) << text;
  }
}

TEST(Decimal, OrdersAsIntegersDo) {
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    int a = static_cast<int>(random() % 2001) - 1000;
    int b = static_cast<int>(random() % 2001) - 1000;
    // The same scale on both sides, written differently.
    Decimal left = Value(std::to_string(a) + "e-2");
    Decimal right = Value(std::to_string(b * 100) + "e-4");
    EXPECT_EQ(left <=> right, a <=> b) << a << " " << b;
    EXPECT_EQ(left == right, a == b);
  }
}

TEST(Decimal, PrintsWhatParsesBack) {
  EXPECT_EQ(Value("1500").ToString(), "1500");
  EXPECT_EQ(Value("-12.340").ToString(), "-12.34");
  EXPECT_EQ(Value("1e-3").ToString(), "0.001");
  EXPECT_EQ(Value("15e299").ToString(), "1.5e300");
  EXPECT_EQ(Value("0").ToString(), "0");
  for (const char* text : {"1e-400", "123456789.987654321", "-7e77", "1e20", "1e22", "0.25"}) {
    EXPECT_EQ(Value(Value(text).ToString()), Value(text)) << text;
  }
}

}  // namespace
}  // namespace maskloom
