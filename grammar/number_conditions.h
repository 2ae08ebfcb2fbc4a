// What a number node says about values, apart from any spelling: judged and solved exactly.
#pragma once

#include <optional>
#include <string_view>

#include "grammar/base/decimal.h"
#include "grammar/base/status.h"
#include "grammar/ir.h"

namespace maskloom {

// Does `value`, in some spelling, satisfy every condition of `node`? (Under Spelling::kPlain only
// integers do; under kNotPlain every value can be spelled with a fraction or an exponent.)
// Cost: logarithmic in the lists of values, linear in divisors and digits.
bool Satisfies(const NumberNode& node, const Decimal& value);

// Is `text`, a JSON number, written without fraction and exponent?
bool IsPlainSpelling(std::string_view text);

// Returns the least number that every one of node.multiples_of divides, 1 among them if
// node.integer or the spelling is plain; nothing if there are no such conditions.
// On error: kResourceLimit if it has more than kMaxMultipleDigits digits.
Result<std::optional<Decimal>> RequiredDivisor(const NumberNode& node);

// Returns a value that satisfies `node`, or nothing if none does. Exact, whatever its digits.
// On error: kResourceLimit if that takes numbers of more than kMaxSolvedDigits digits.
// Cost: microseconds for numbers of ordinary length.
inline constexpr int64_t kMaxSolvedDigits = 20000;
Result<std::optional<Decimal>> FindValue(const NumberNode& node);

}  // namespace maskloom
