// Exact decimal numbers of any size: JSON numbers without floating point.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace maskloom {

// The value sign * 0.d1 d2 d3... * 10^exponent with d1 != 0 and the last digit != 0;
// zero has no digits, exponent 0 and no sign (-0 equals 0).
class Decimal {
 public:
  Decimal() = default;  // zero
  // Parses a JSON number (RFC 8259). Returns nothing if `text` is not one or its exponent does not
  // fit 32 bits after normalisation.
  static std::optional<Decimal> Parse(std::string_view text);
  static Decimal FromInteger(int64_t value);
  // `digits` may have leading and trailing zeros; the value is 0.digits * 10^exponent.
  static Decimal FromParts(bool negative, std::string_view digits, int64_t exponent);

  bool negative() const { return negative_; }
  const std::string& digits() const { return digits_; }
  int64_t exponent() const { return exponent_; }
  bool IsZero() const { return digits_.empty(); }
  bool IsInteger() const { return static_cast<int64_t>(digits_.size()) <= exponent_ || IsZero(); }
  Decimal Negated() const;

  // Prints the value as a JSON number: plain where short, else with an exponent.
  std::string ToString() const;

  bool operator==(const Decimal&) const = default;
  std::strong_ordering operator<=>(const Decimal& other) const;

  template <typename Archive, typename Self>
  static void Describe(Archive& archive, Self& self) {
    archive.Value(self.negative_);
    archive.Text(self.digits_);
    archive.Value(self.exponent_);
  }

 private:
  bool negative_ = false;
  std::string digits_;  // characters '0'..'9'
  int64_t exponent_ = 0;
};

}  // namespace maskloom
