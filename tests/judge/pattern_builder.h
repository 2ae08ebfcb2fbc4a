// What the reader of ECMA-262 patterns makes of them: one reader, two kinds of expressions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "grammar/base/status.h"
#include "tests/judge/code_points.h"

namespace maskloom::judge {

using RegexId = int;

// Makes expressions from their parts. Ids 0 and 1 are the expressions that match nothing and the
// empty text.
class PatternBuilder {
 public:
  static constexpr RegexId kNever = 0;
  static constexpr RegexId kEmpty = 1;
  static constexpr uint32_t kUnbounded = 0xFFFFFFFF;

  virtual ~PatternBuilder() = default;
  virtual RegexId Set(const CodePoints& set) = 0;
  virtual RegexId Cat(RegexId first, RegexId second) = 0;
  virtual RegexId Alt(std::vector<RegexId> choices) = 0;
  virtual RegexId Repeat(RegexId body, uint32_t min, uint32_t max) = 0;
  virtual RegexId Begin() = 0;
  virtual RegexId End() = 0;
  // Look-around and word boundaries; nullopt where this kind of expression has none.
  struct Look {
    bool ahead = true;
    bool negated = false;
  };
  virtual std::optional<RegexId> LookAround(RegexId, Look) { return std::nullopt; }
  virtual std::optional<RegexId> WordBoundary(bool) { return std::nullopt; }
};

// Reads `text` by recursive descent.
// On error: kInvalidDefinition; kUnsupported (back-references, and what `builder` lacks).
Result<RegexId> ParsePattern(const std::u32string& text, PatternBuilder* builder);

}  // namespace maskloom::judge
