// What a prefix of a JSON number still has to say about the number's value.
//
// A number is -? digits [. digits] [e sign? digits]. Bounds look at its value
//     0.s1 s2 s3 ... * 10^(point + E)       (s1 != 0, E the exponent as written, 0 if none)
// so once the mantissa is read, a bound, an exact value or integrality each say only which E are
// allowed: an interval for bounds and integrality, single points for exact values. Before that,
// the facts of a prefix are: how the digits so far compare with those of each bound, how far the
// point is from the bound's (together a threshold for E), which exact values go on with these
// digits, the trailing zeros (an integer needs E >= `least_exponent`), and the digits left in the
// budget. Facts that can no longer matter are cleared, so that equal futures share one state:
// with bounds [10, 99], the prefixes 2, 3, 4 are one state.
//
// Example: upper bound 31.4 = 0.314 * 10^2. Prefix "3": one digit matched, point 1, threshold
// 2 - 1 = 1: an exponent below 1 is fine whatever follows, 1 is fine if the digits stay at or
// below 0.314, more is too much. Prefix "4": decided, E <= 0. Prefix "2": decided, E <= 1.
//
// Liveness is exact arithmetic, not search: Live() picks the fewest further digits that bring the
// mantissa between the bounds at each E that could matter (at most three cases).
//
// A further condition on the value, such as a divisor, adds its facts (a remainder) to
// NumberFacts and its condition to Exponents() and Live(); nothing else depends on the fields.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "grammar/base/decimal.h"
#include "grammar/base/status.h"
#include "grammar/ir.h"

namespace maskloom {

// Most digits that each part of a number may have; leading zeros of an exponent count.
struct NumberPolicy {
  static constexpr int64_t kNoLimit = int64_t{1} << 40;

  int64_t integer_digits = kNoLimit;
  int64_t fraction_digits = kNoLimit;
  int64_t exponent_digits = kNoLimit;
  bool operator==(const NumberPolicy&) const = default;

  // Returns the policy, raised where `node` needs it: every value of one_of gets room to be
  // written. Bounds are left to WidenedForBounds.
  NumberPolicy WidenedForValues(const NumberNode& node) const;
  // Returns the policy with room for a number between the bounds of `node`, if there is one: one
  // digit more than the longest bound has, and the exponents of both.
  NumberPolicy WidenedForBounds(const NumberNode& node) const;
};

enum class NumberPhase : uint8_t {
  kStart,
  kMinus,
  kZero,     // the integer part is "0"
  kInteger,  // inside an integer part that starts with 1-9
  kPoint,
  kFraction,
  kExponent,  // behind e or E
  kExponentSign,
  kExponentDigits,
};

// Invariant: facts are canonical, that is, fields that cannot matter any more hold their default.
struct NumberFacts {
  // The digits so far against those of a bound. Undecided (matched >= 0): `matched` digits are
  // equal, and E == threshold is where the digits decide. Decided (-1): E >= threshold (lower
  // bound) or E <= threshold (upper bound) is all that is asked.
  struct Against {
    int64_t matched = -1;
    int64_t threshold = 0;
    auto Fields() const { return std::tie(matched, threshold); }
    bool operator==(const Against&) const = default;
  };

  NumberPhase phase = NumberPhase::kStart;
  bool negative = false;
  bool nonzero = false;         // a digit 1-9 was read
  int64_t digits_left = 0;      // in the part that is being read
  int64_t fraction_digits = 0;  // digits behind the point so far
  Against lower;                // against the bounds of the magnitude
  Against upper;
  int64_t least_exponent = 0;  // what integrality asks of E
  uint32_t first_value = 0;    // exact values that go on with the digits so far: [first, last)
  uint32_t last_value = 0;
  int64_t matched = 0;        // digits so far, at most those of the longest of these values
  int64_t point = 0;          // see the file comment; kept for exact values only
  int64_t exponent = 0;       // digits of the exponent so far
  uint32_t exponent_set = 0;  // which exponents are allowed; 0: all

  bool operator==(const NumberFacts&) const = default;
  size_t Hash() const;
};

// The facts of prefixes of numbers that satisfy one node. Not thread safe: Step interns sets.
class NumberLanguage {
 public:
  // On error: kResourceLimit for bounds or values of more than kMaxDigits digits.
  static Result<NumberLanguage> Create(const NumberNode& node, const NumberPolicy& policy);
  static constexpr size_t kMaxDigits = 2000;

  NumberFacts Start() const { return {}; }
  // Returns the facts behind `byte`, or nothing if no number goes on so or its value is plainly
  // out. What is returned may still be without a completion: see Live.
  std::optional<NumberFacts> Step(const NumberFacts& facts, uint8_t byte);
  // Is the text so far a number that satisfies the node?
  bool Accepting(const NumberFacts& facts) const;
  // Is there a completion? Exact. Cost: linear in the digits of the bounds as a rule.
  bool Live(const NumberFacts& facts);

 private:
  struct Bound {
    std::string digits;
    int64_t exponent = 0;
    bool exclusive = false;
  };
  // Conditions on numbers of one sign, as conditions on their magnitude.
  struct SignCase {
    bool zero = false;     // is 0 allowed
    bool nonzero = false;  // may anything else be
    std::optional<Bound> lower;
    std::optional<Bound> upper;
    std::vector<Bound> values;  // exact values but 0, ordered by digits, then exponent
    bool operator==(const SignCase& other) const;
  };
  struct Interval {
    int64_t first;
    int64_t last;  // inclusive
    auto operator<=>(const Interval&) const = default;
  };
  using ExponentSet = std::vector<Interval>;  // sorted, disjoint
  struct Room;

  NumberLanguage() = default;
  const SignCase& CaseOf(const NumberFacts& facts) const { return signs_[facts.negative ? 1 : 0]; }
  bool IsPlain(const SignCase& sign) const;
  bool AddDigit(int digit, NumberFacts* facts) const;
  bool NarrowValues(int digit, NumberFacts* facts) const;
  void StartSignificant(int64_t point, NumberFacts* facts) const;
  void Canonicalize(NumberFacts* facts) const;
  std::optional<NumberFacts> StepFirstDigit(bool negative, int digit) const;
  std::optional<NumberFacts> StepExponent(const NumberFacts& facts);
  std::optional<NumberFacts> StepExponentSign(const NumberFacts& facts, bool negative);
  std::optional<NumberFacts> StepExponentDigit(const NumberFacts& facts, int digit);

  // Exponents for which the mantissa read so far makes an allowed value.
  ExponentSet Exponents(const NumberFacts& facts) const;
  uint32_t InternSet(ExponentSet set, const ExponentSet& all);
  static ExponentSet IntersectSets(const ExponentSet& a, const ExponentSet& b);
  // Exponents that begin with the digits of `value` and have up to `digits_left` more.
  static ExponentSet Continuations(int64_t value, int64_t digits_left);

  Room RoomOf(const NumberFacts& facts) const;
  bool MantissaLive(const NumberFacts& facts) const;
  bool ValuesLive(const NumberFacts& facts, const Room& room) const;
  bool BoundsLive(const NumberFacts& facts, const Room& room) const;
  std::optional<int64_t> FewestDigits(const NumberFacts& facts, int64_t exponent,
                                      int64_t least) const;

  NumberPolicy policy_;
  int64_t largest_exponent_ = 0;
  bool integer_ = false;
  bool exact_ = false;        // one_of is given
  bool signs_alike_ = false;  // both signs have the same conditions
  SignCase signs_[2];         // positive, negative
  std::vector<ExponentSet> sets_;
  std::map<ExponentSet, uint32_t> set_ids_;
};

}  // namespace maskloom
