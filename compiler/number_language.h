// What a prefix of a JSON number still has to say about the number's value.
//
// A number is -? digits [. digits] [e sign? digits]. Conditions look at its value, which is both
//     0.s1 s2 s3 ... * 10^(point + E)       (s1 != 0, E the exponent as written, 0 if none)
//     S * 10^(E - f)                        (S all digits as an integer, f of them in the fraction)
// so once the mantissa is read, each condition says only which E are allowed: an interval for
// bounds, "at least L" for a divisor, "less than L" for a divisor to avoid, single points for exact
// or excluded values. Before that, the facts of a prefix are: how the digits so far compare with
// those of each bound, how far the point is from the bound's (together a threshold for E), which
// of the listed values go on with these digits, for each divisor S modulo it and L, and the digits
// left in the budget. Facts that can no longer matter are cleared, so that equal futures share one
// state: with bounds [10, 99], the prefixes 2, 3, 4 are one state.
//
// Example: upper bound 31.4 = 0.314 * 10^2. Prefix "3": one digit matched, point 1, threshold
// 2 - 1 = 1: an exponent below 1 is fine whatever follows, 1 is fine if the digits stay at or
// below 0.314, more is too much. Prefix "4": decided, E <= 0. Prefix "2": decided, E <= 1.
//
// Divisors (grammar/base/divisor.h): let M = rest * p^k, p = 2 or 5, be the divisor without its
// powers of ten, 10^ten. The exponent supplies 2s and 5s, but nothing else, so S * 10^(E - f) is a
// multiple if and only if rest divides S and E >= L. With t zeros at the end of S and g factors p,
// at most k, in S without these zeros, L = f - t + ten + k - g. Both can be kept up digit by digit:
// S modulo M tells g at every digit but 0, and a 0 moves L by its place alone. Integers are the
// case M = 1, ten = 0: L = f - t.
//
// Liveness is exact arithmetic, not search; see number_liveness.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "grammar/base/decimal.h"
#include "grammar/base/divisor.h"
#include "grammar/base/natural.h"
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

  // Returns how many of `left` digits are left behind one more.
  static int64_t CountDown(int64_t left) { return left >= kNoLimit ? left : left - 1; }
  // Returns 10^digits - 1, or no limit beyond ten digits.
  static int64_t LargestOf(int64_t digits);

  // Returns the policy with room to write `value`; with `spelling` kPlain, without fraction and
  // exponent.
  NumberPolicy WidenedFor(const Decimal& value, NumberNode::Spelling spelling) const;
  // Returns the policy with room for every value of one_of that satisfies `node`.
  NumberPolicy WidenedForValues(const NumberNode& node) const;
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
  uint32_t progress = 0;     // what the digits mean for the divisors; 0: nothing yet
  uint32_t first_value = 0;  // listed values that go on with the digits so far: [first, last)
  uint32_t last_value = 0;
  int64_t matched = 0;        // digits so far, at most those of the longest of these values
  int64_t point = 0;          // see the file comment; kept for listed values only
  int64_t exponent = 0;       // digits of the exponent so far
  uint32_t exponent_set = 0;  // which exponents are allowed; 0: all

  bool operator==(const NumberFacts&) const = default;
  size_t Hash() const;
};

// The facts of prefixes of numbers that satisfy one node. Not thread safe: Step interns sets.
class NumberLanguage {
 public:
  // On error: kResourceLimit for bounds, values or divisors of more than kMaxDigits digits, common
  // multiples of divisors included.
  static Result<NumberLanguage> Create(const NumberNode& node, const NumberPolicy& policy);
  static constexpr size_t kMaxDigits = 2000;

  NumberFacts Start() const { return {}; }
  // Returns the facts behind `byte`, or nothing if no number goes on so or its value is plainly
  // out. What is returned may still be without a completion: see Live.
  std::optional<NumberFacts> Step(const NumberFacts& facts, uint8_t byte);
  // Is the text so far a number that satisfies the node?
  bool Accepting(const NumberFacts& facts) const;
  // Is there a completion? Exact. Cost: a few operations on numbers with the digits of bounds and
  // divisors as a rule; at worst one such test for each place between those of divisors. Budgets
  // of digits do not matter.
  bool Live(const NumberFacts& facts);
  // Returns a short completion (not always a shortest). Requires: Live(facts).
  std::string Complete(const NumberFacts& facts);
  // Returns the distinct values of the completions of `prefix`, ascending, or nothing if there are
  // more than `limit`. Requires: `facts` are those of `prefix`, and are live.
  // Cost: linear in `limit`, plus that of Live.
  std::optional<std::vector<Decimal>> Values(const NumberFacts& facts, std::string_view prefix,
                                             size_t limit);

  // Returns some of these values, at most `count`: those at powers where few digits are to be
  // tried.
  std::vector<Decimal> SomeValues(const NumberFacts& facts, std::string_view prefix,
                                  size_t count) const;

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
    // Listed values but 0, ordered by digits, then exponent: the only ones allowed if exact_, else
    // excluded ones.
    std::vector<Bound> values;
    bool operator==(const SignCase& other) const;
  };
  struct Interval {
    int64_t first;
    int64_t last;  // inclusive
    auto operator<=>(const Interval&) const = default;
  };
  using ExponentSet = std::vector<Interval>;  // sorted, disjoint
  // What the digits so far mean for one divisor.
  struct Progress {
    Natural remainder;     // S modulo the divisor's modulus
    int64_t exponent = 0;  // L of the file comment; kNoLimit if `rest` does not divide S
    bool operator==(const Progress&) const = default;
  };
  using ProgressList = std::vector<Progress>;  // parallel to divisors_
  struct HashProgress {
    size_t operator()(const ProgressList& list) const;
  };
  struct Room;
  struct Slice;
  struct Found;
  // What can be written at one power.
  struct Choices {
    enum class Kind : uint8_t {
      kNone,
      kFew,    // to be tried: `count` digits
      kAmple,  // surely as many as were asked for, of at most `count` digits
    };
    Kind kind = Kind::kNone;
    int64_t count = 0;
  };
  static constexpr int64_t kNoPower = int64_t{1} << 60;

  NumberLanguage();
  Status AddDivisors(const NumberNode& node);
  Status AddConditions(const NumberNode& node);
  const SignCase& CaseOf(const NumberFacts& facts) const { return signs_[facts.negative ? 1 : 0]; }
  bool IsFree(const SignCase& sign) const;
  bool IsExcluding(const SignCase& sign) const { return !exact_ && !sign.values.empty(); }
  bool AddDigit(int digit, NumberFacts* facts);
  bool NarrowValues(int digit, NumberFacts* facts) const;
  void StartSignificant(int64_t point, NumberFacts* facts) const;
  void Canonicalize(NumberFacts* facts);
  std::optional<NumberFacts> StepFirstDigit(bool negative, int digit);

  // number_multiples.cc
  void AddDigitToProgress(int digit, NumberFacts* facts);
  void CanonicalizeProgress(const Interval& reach, NumberFacts* facts);
  uint32_t InternProgress(ProgressList list);
  const Progress& ProgressOf(const NumberFacts& facts, size_t divisor) const {
    return progress_[facts.progress][divisor];
  }

  // number_exponents.cc
  std::optional<NumberFacts> StepExponent(const NumberFacts& facts);
  std::optional<NumberFacts> StepExponentSign(const NumberFacts& facts, bool negative);
  std::optional<NumberFacts> StepExponentDigit(const NumberFacts& facts, int digit);
  // Exponents for which the mantissa read so far makes an allowed value.
  ExponentSet Exponents(const NumberFacts& facts) const;
  uint32_t InternSet(ExponentSet set, const ExponentSet& all);
  static ExponentSet IntersectSets(const ExponentSet& a, const ExponentSet& b);
  // Exponents that begin with the digits of `value` and have up to `digits_left` more.
  static ExponentSet Continuations(int64_t value, int64_t digits_left);
  static bool Contains(const ExponentSet& set, int64_t exponent);
  std::string CompleteExponent(const NumberFacts& facts) const;

  // number_liveness.cc
  Room RoomOf(const NumberFacts& facts) const;
  NumberFacts Significant(const NumberFacts& facts) const;
  bool MantissaLive(const NumberFacts& facts) const;
  bool IsReachable(const Bound& value, const NumberFacts& facts, const Room& room) const;
  // Finds digits to write, or only finds out whether there are any; the digits are empty then.
  std::optional<Found> FindAny(const NumberFacts& now, const Room& room, bool only_whether) const;
  bool HasListed(const NumberFacts& now, int64_t power) const;
  int64_t UsefulDigits(const NumberFacts& now, int64_t power, size_t wanted) const;
  std::optional<Slice> SliceAt(const NumberFacts& now, int64_t power, int64_t count) const;
  std::vector<Natural> Solve(const NumberFacts& now, const Slice& slice, size_t limit) const;

  // number_powers.cc
  int64_t Available(const NumberFacts& now, const Room& room, int64_t power) const;
  bool IsTooCoarse(const NumberFacts& now, int64_t power, int64_t available) const;
  int64_t AmpleDigits(const NumberFacts& now, size_t wanted) const;
  // Are there `wanted` solutions at `power`? Requires: it is within the room.
  Choices ChoicesAt(const NumberFacts& now, const Room& room, int64_t power, size_t wanted) const;
  // Are there surely more than `limit` solutions at the powers from `first` to `last`, counted by
  // what bounds and the divisor leave? May say no where there are.
  bool HasMoreThan(const NumberFacts& now, const Room& room, int64_t first, int64_t last,
                   size_t limit) const;
  // The first power, from `first` on, with digits for kAmple where bounds ask nothing of them.
  // Where that one is no such power, none is.
  int64_t FirstAmplePower(const NumberFacts& now, const Room& room, int64_t first,
                          size_t wanted) const;
  // Where nothing can be written at `power`: the next one at which that may be otherwise.
  int64_t NextPower(const NumberFacts& now, const Room& room, int64_t power) const;

  // number_values.cc
  std::string CompleteMantissa(const NumberFacts& facts) const;
  std::string Spell(const Found& found, const NumberFacts& facts, const Room& room) const;
  // Returns whether they are no more than `limit`. `only_some`: appends up to `limit` of them,
  // those that are soon told.
  bool AppendMantissaValues(const NumberFacts& facts, std::string_view prefix, size_t limit,
                            bool only_some, std::vector<Decimal>* values) const;
  bool AppendExponentValues(const NumberFacts& facts, std::string_view prefix, size_t limit,
                            std::vector<Decimal>* values) const;

  NumberPolicy policy_;
  NumberNode::Spelling spelling_ = NumberNode::Spelling::kAny;
  int64_t largest_exponent_ = 0;
  bool exact_ = false;        // one_of is given
  bool signs_alike_ = false;  // both signs have the same conditions
  SignCase signs_[2];         // positive, negative

  bool has_required_ = false;      // divisors_[0] must divide; all others must not
  std::vector<Divisor> divisors_;  // empty if exact_
  // At places below this one no divisor to avoid divides every number that is otherwise allowed.
  int64_t finest_place_ = NumberPolicy::kNoLimit;
  int64_t slack_ = 0;  // so many digits more than the bounds have are surely enough

  std::vector<ExponentSet> sets_;
  std::map<ExponentSet, uint32_t> set_ids_;
  std::vector<ProgressList> progress_;
  std::unordered_map<ProgressList, uint32_t, HashProgress> progress_ids_;
};

}  // namespace maskloom
