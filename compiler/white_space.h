// White space between JSON tokens, as the style policy allows it.
//
// Its state is 16 bits, 0 before any was read: with kFlexible the blanks read and what of the line
// break was seen, with kIndent and kSpaced how much of the one prescribed run was read.
#pragma once

#include <cstdint>

#include "grammar/ir.h"

namespace maskloom {

// Is `c` white space of JSON?
inline bool IsJsonSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// What stands before and may stand behind the white space; only kIndent and kSpaced tell them
// apart.
enum class SpacePlace : uint8_t {
  kRoot,         // around the whole text
  kBeforeFirst,  // the first key or item behind an opening bracket
  kBeforeItem,   // a key or item behind a comma
  kBeforeClose,  // a closing bracket behind at least one item
  kNowhere,      // before a colon or comma, or inside empty brackets
  kBeforeValue,  // behind a colon
};

inline constexpr uint16_t kNoSpace = 0xFFFF;

// Returns the state behind `byte`, or kNoSpace if it is not white space that may stand here.
// `depth` is that of the enclosing container's items.
uint16_t StepSpace(const StylePolicy& style, SpacePlace place, uint32_t depth, uint16_t space,
                   uint8_t byte);
// May something else than white space follow in state `space`?
bool SpaceMayEnd(const StylePolicy& style, SpacePlace place, uint32_t depth, uint16_t space);

}  // namespace maskloom
