#include "compiler/white_space.h"

namespace maskloom {
namespace {

// Flexible: blanks in the lower 14 bits, the line break above them.
constexpr uint16_t kCarriageReturn = 1 << 14;  // a \r whose \n must follow
constexpr uint16_t kLineBreak = 2 << 14;
constexpr uint16_t kBlanks = kCarriageReturn - 1;

uint16_t StepFlexible(uint32_t max_blanks, uint16_t space, uint8_t byte) {
  if (space & kCarriageReturn) {
    return byte == '\n' ? static_cast<uint16_t>((space & kBlanks) | kLineBreak) : kNoSpace;
  }
  if (byte == ' ' || byte == '\t') {
    return (space & kBlanks) < max_blanks ? static_cast<uint16_t>(space + 1) : kNoSpace;
  }
  if (space & kLineBreak) return kNoSpace;
  if (byte == '\n') return space | kLineBreak;
  if (byte == '\r') return space | kCarriageReturn;
  return kNoSpace;
}

// Length of the run that `place` prescribes when a text is indented or spaced.
uint32_t PrescribedLength(const StylePolicy& style, SpacePlace place, uint32_t depth) {
  if (style.whitespace == StylePolicy::Whitespace::kSpaced) {
    return place == SpacePlace::kBeforeItem || place == SpacePlace::kBeforeValue ? 1 : 0;
  }
  switch (place) {
    case SpacePlace::kBeforeFirst:
    case SpacePlace::kBeforeItem:
      return 1 + style.indent * depth;
    case SpacePlace::kBeforeClose:
      return 1 + style.indent * (depth - 1);
    case SpacePlace::kBeforeValue:
      return 1;
    case SpacePlace::kRoot:
    case SpacePlace::kNowhere:
      return 0;
  }
  return 0;
}

}  // namespace

uint16_t StepSpace(const StylePolicy& style, SpacePlace place, uint32_t depth, uint16_t space,
                   uint8_t byte) {
  switch (style.whitespace) {
    case StylePolicy::Whitespace::kCompact:
      return kNoSpace;
    case StylePolicy::Whitespace::kAny:
      return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r' ? 0 : kNoSpace;
    case StylePolicy::Whitespace::kFlexible:
      if (place == SpacePlace::kRoot) return kNoSpace;
      return StepFlexible(style.max_blanks, space, byte);
    case StylePolicy::Whitespace::kIndent: {
      if (space >= PrescribedLength(style, place, depth)) return kNoSpace;
      const bool first = space == 0 && place != SpacePlace::kBeforeValue;
      return byte == (first ? '\n' : ' ') ? static_cast<uint16_t>(space + 1) : kNoSpace;
    }
    case StylePolicy::Whitespace::kSpaced:
      return byte == ' ' && space < PrescribedLength(style, place, depth) ? 1 : kNoSpace;
  }
  return kNoSpace;
}

bool SpaceMayEnd(const StylePolicy& style, SpacePlace place, uint32_t depth, uint16_t space) {
  switch (style.whitespace) {
    case StylePolicy::Whitespace::kFlexible:
      return (space & kCarriageReturn) == 0;
    case StylePolicy::Whitespace::kIndent:
    case StylePolicy::Whitespace::kSpaced:
      return space == PrescribedLength(style, place, depth);
    default:
      return true;
  }
}

}  // namespace maskloom
