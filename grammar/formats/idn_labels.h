// What labels of internationalised host names are made of; idn_code_points.cc holds the table.
#pragma once

#include <cstdint>
#include <span>

namespace maskloom {

// How a code point that is PVALID (or a digit under CONTEXTO) behaves in a label.
enum class IdnKind : uint8_t {
  kLetter,          // runs from left to right, or is neutral
  kGreek,           // a letter, and may stand behind U+0375
  kKana,            // Hiragana, Katakana or Han: may stand next to U+30FB
  kSpacingMark,     // runs from left to right
  kSpacingVirama,   // such a mark, behind which U+200C and U+200D may stand
  kNonspacingMark,  // runs as what it stands behind
  kVirama,          // such a mark, behind which U+200C and U+200D may stand
  // From right to left, by joining type.
  kHebrew,  // does not join, and may stand before U+05F3 and U+05F4
  kRtlDual,
  kRtlLeft,
  kRtlRight,
  kRtlNonJoining,
  kArabicNumber,    // U+0660 to U+0669 and other digits of class AN
  kEuropeanNumber,  // U+06F0 to U+06F9
};

struct IdnRange {
  uint32_t first;
  uint32_t last;  // inclusive
  IdnKind kind;
};

// Sorted by `first`, disjoint, all beyond ASCII.
std::span<const IdnRange> IdnRanges();

}  // namespace maskloom
