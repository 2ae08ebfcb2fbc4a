// Internationalised host names: `idn-hostname`.
//
// A name is a sequence of labels. A label is one of letters, digits and hyphens, an A-label
// (xn--...) or a U-label, which holds a code point beyond ASCII. RFC 5891 and RFC 5892 say which
// code points a U-label may hold (the table of idn_code_points.cc) and which of them need a certain
// neighbour; RFC 5893 says how labels that run from right to left are made, and that a name with
// one of them holds no others that would make the order on screen ambiguous.
//
// The recogniser keeps one bit of the name (has it a label of either direction?) and, of the label,
// its kind and what stands last. Accepted is a subset that holds no invalid name but those named
// below:
//  - hyphens: no two in a row outside of the xn-- of an A-label;
//  - U+30FB stands next to Hiragana, Katakana or Han, not just in one label with it;
//  - U+200C between letters that join is known to right-to-left scripts only; elsewhere it stands
//    behind a virama;
//  - beside right-to-left labels stand A-labels and ASCII labels that begin with a letter.
// Not checked, because no automaton of use can: that a label has 63 octets at most as an A-label,
// that its text is in Normalization Form C, and what the Punycode of an A-label decodes to (only
// that its digits are three at least: fewer encode nothing valid).
//
// Source: RFC 5890, section 2.3.2; RFC 5891, sections 4.2 and 5.4; RFC 5892, section 2 and appendix
// A; RFC 5893, section 2; the separators of RFC 3490, section 3.1.
#include "grammar/formats/idn_labels.h"

#include <initializer_list>
#include <optional>

#include "grammar/formats/definitions.h"
#include "grammar/formats/tabulate.h"

namespace maskloom {
namespace {

// What is alike to the recogniser: the kinds of IdnKind, then these.
enum Symbol : uint32_t {
  kDigit = static_cast<uint32_t>(IdnKind::kEuropeanNumber) + 1,
  kLower,  // but l, n and x
  kLowerL,
  kLowerN,
  kLowerX,
  kUpper,  // but N and X
  kUpperN,
  kUpperX,
  kHyphen,
  kMiddleDot,    // U+00B7
  kKeraia,       // U+0375
  kGeresh,       // U+05F3, U+05F4
  kKatakanaDot,  // U+30FB
  kNonJoiner,    // U+200C
  kJoiner,       // U+200D
  kSeparator,
  kSymbolCount,
};

enum class Label : uint8_t {
  kNone,   // nothing read
  kAscii,  // letters, digits, hyphens; no upper case
  kUpper,  // the same with upper case: no U-label
  kX,      // x
  kXn,     // xn
  kXnHyphen,
  kUpperX,  // the same with upper case
  kUpperXn,
  kUpperXnHyphen,
  kPunycode,  // an A-label; `count` digits since its last hyphen
  kLeft,      // a U-label from left to right
  kRight,     // a U-label from right to left
};

enum class Previous : uint8_t {
  kOther,
  kHyphen,
  kLetterL,
  kKana,
  kVirama,
  kHebrew,
  // A certain code point must follow.
  kMiddleDot,
  kKeraia,
  kKatakanaDot,
};

enum class Name : uint8_t { kNeutral, kLeft, kRight };  // direction of the labels read

struct State {
  Name name = Name::kNeutral;
  Label label = Label::kNone;
  Previous previous = Previous::kOther;
  uint8_t count = 0;         // of digits in Punycode, 3 at most
  bool digit_first = false;  // an ASCII label that no right-to-left label may stand beside
  // Of labels from right to left.
  uint8_t numbers = 0;     // 1: European, 2: Arabic
  bool may_end = false;    // behind a letter or digit, and marks
  bool joins = false;      // behind a letter that joins the next, and marks
  bool must_join = false;  // behind U+200C

  uint64_t Pack() const {
    uint64_t key = 0;
    for (uint64_t field :
         std::initializer_list<uint64_t>{static_cast<uint64_t>(name), static_cast<uint64_t>(label),
                                         static_cast<uint64_t>(previous), count, digit_first,
                                         numbers, may_end, joins, must_join}) {
      key = key << 4 | field;
    }
    return key;
  }
  static State Unpack(uint64_t key) {
    const auto field = [&key] {
      const uint64_t value = key & 0xF;
      key >>= 4;
      return static_cast<uint8_t>(value);
    };
    State state;
    state.must_join = field() != 0;
    state.joins = field() != 0;
    state.may_end = field() != 0;
    state.numbers = field();
    state.digit_first = field() != 0;
    state.count = field();
    state.previous = static_cast<Previous>(field());
    state.label = static_cast<Label>(field());
    state.name = static_cast<Name>(field());
    return state;
  }
};

using Next = std::optional<State>;

constexpr uint32_t Of(IdnKind kind) { return static_cast<uint32_t>(kind); }
bool IsRightToLeft(uint32_t symbol) {
  return (symbol >= Of(IdnKind::kHebrew) && symbol <= Of(IdnKind::kArabicNumber));
}
bool IsMark(uint32_t symbol) {
  return symbol >= Of(IdnKind::kSpacingMark) && symbol <= Of(IdnKind::kVirama);
}
bool IsAscii(uint32_t symbol) { return symbol >= kDigit && symbol <= kHyphen; }
bool IsUpper(uint32_t symbol) { return symbol >= kUpper && symbol <= kUpperX; }

bool MayEnd(const State& state) {
  switch (state.label) {
    case Label::kNone:
    case Label::kXnHyphen:
    case Label::kUpperXnHyphen:
      return false;
    case Label::kPunycode:
      return state.count == 3;
    case Label::kRight:
      return state.may_end && !state.must_join;
    default:
      return state.previous != Previous::kHyphen && state.previous < Previous::kMiddleDot;
  }
}

Next EndLabel(const State& state) {
  if (!MayEnd(state)) return std::nullopt;
  State next;
  next.name = state.name;
  if (state.label == Label::kLeft || state.digit_first) next.name = Name::kLeft;
  if (state.label == Label::kRight) next.name = Name::kRight;
  return next;
}

// A label in ASCII that goes on in ASCII.
Next StepAscii(State state, uint32_t symbol) {
  const Label label = state.label;
  const bool is_upper = IsUpper(symbol) || (label >= Label::kUpperX && label <= Label::kUpperXn) ||
                        label == Label::kUpper;
  if (symbol == kHyphen) {
    if (label == Label::kNone) return std::nullopt;
    if (label == Label::kXnHyphen || label == Label::kUpperXnHyphen) {
      state.label = Label::kPunycode;
      state.previous = Previous::kHyphen;
      return state;
    }
    if (state.previous == Previous::kHyphen) return std::nullopt;
  }
  const bool is_x = symbol == kLowerX || symbol == kUpperX;
  const bool is_n = symbol == kLowerN || symbol == kUpperN;
  const bool was_x = label == Label::kX || label == Label::kUpperX;
  const bool was_xn = label == Label::kXn || label == Label::kUpperXn;
  if (label == Label::kNone && symbol == kDigit) {
    if (state.name == Name::kRight) return std::nullopt;
    state.digit_first = state.name == Name::kNeutral;
  }
  if (label == Label::kNone && is_x) {
    state.label = is_upper ? Label::kUpperX : Label::kX;
  } else if (was_x && is_n) {
    state.label = is_upper ? Label::kUpperXn : Label::kXn;
  } else if (was_xn && symbol == kHyphen) {
    state.label = is_upper ? Label::kUpperXnHyphen : Label::kXnHyphen;
  } else {
    state.label = is_upper || label == Label::kUpperXnHyphen ? Label::kUpper : Label::kAscii;
  }
  state.previous = symbol == kHyphen   ? Previous::kHyphen
                   : symbol == kLowerL ? Previous::kLetterL
                                       : Previous::kOther;
  return state;
}

Next StepPunycode(State state, uint32_t symbol) {
  if (!IsAscii(symbol)) return std::nullopt;
  if (symbol == kHyphen) {  // not the first, and no two in a row
    if (state.previous == Previous::kHyphen) return std::nullopt;
    state.count = 0;
    state.previous = Previous::kHyphen;
    return state;
  }
  state.count = state.count < 3 ? state.count + 1 : 3;
  state.previous = Previous::kOther;
  return state;
}

// A U-label from left to right, or the first code point beyond ASCII of one.
Next StepLeft(State state, uint32_t symbol) {
  const Previous previous = state.previous;
  const bool is_first = state.label == Label::kNone;
  if (previous == Previous::kMiddleDot && symbol != kLowerL) return std::nullopt;
  if (previous == Previous::kKeraia && symbol != Of(IdnKind::kGreek) && symbol != kKeraia) {
    return std::nullopt;  // U+0375 is Greek itself
  }
  if (previous == Previous::kKatakanaDot && symbol != Of(IdnKind::kKana)) return std::nullopt;
  if (IsRightToLeft(symbol) || IsUpper(symbol) || (is_first && IsMark(symbol))) return std::nullopt;
  if (state.name == Name::kRight) return std::nullopt;
  state.label = Label::kLeft;
  state.name = Name::kLeft;
  state.digit_first = false;
  state.previous = Previous::kOther;
  switch (symbol) {
    case kHyphen:
      if (previous == Previous::kHyphen) return std::nullopt;
      state.previous = Previous::kHyphen;
      return state;
    case kLowerL:
      state.previous = Previous::kLetterL;
      return state;
    case Of(IdnKind::kKana):
      state.previous = Previous::kKana;
      return state;
    case Of(IdnKind::kVirama):
    case Of(IdnKind::kSpacingVirama):
      state.previous = Previous::kVirama;
      return state;
    case kMiddleDot:
      if (previous != Previous::kLetterL) return std::nullopt;
      state.previous = Previous::kMiddleDot;
      return state;
    case kKeraia:
      state.previous = Previous::kKeraia;
      return state;
    case kKatakanaDot:
      if (previous != Previous::kKana) state.previous = Previous::kKatakanaDot;
      return state;
    case kJoiner:
    case kNonJoiner:
      if (previous != Previous::kVirama) return std::nullopt;
      return state;
    case kGeresh:
      return std::nullopt;
    default:
      return state;
  }
}

// A U-label from right to left.
Next StepRight(State state, uint32_t symbol) {
  if (state.name == Name::kLeft || state.digit_first) return std::nullopt;
  const Previous previous = state.previous;
  const bool is_first = state.label == Label::kNone;
  state.label = Label::kRight;
  state.name = Name::kRight;
  if (symbol == Of(IdnKind::kNonspacingMark) || symbol == Of(IdnKind::kVirama)) {
    if (is_first) return std::nullopt;
    state.previous = symbol == Of(IdnKind::kVirama) ? Previous::kVirama : Previous::kOther;
    return state;
  }
  const bool joins = state.joins;
  state.joins = false;
  state.previous = Previous::kOther;
  if (symbol == kJoiner || symbol == kNonJoiner) {
    const bool behind_virama = previous == Previous::kVirama;
    if (state.must_join || (!behind_virama && (symbol == kJoiner || !joins))) return std::nullopt;
    state.must_join = !behind_virama;
    state.may_end = false;
    return state;
  }
  const bool joins_previous = symbol == Of(IdnKind::kRtlDual) || symbol == Of(IdnKind::kRtlRight);
  if (state.must_join && !joins_previous) return std::nullopt;
  state.must_join = false;
  state.may_end = true;
  const bool is_european = symbol == kDigit || symbol == Of(IdnKind::kEuropeanNumber);
  if (is_european || symbol == Of(IdnKind::kArabicNumber)) {
    const uint8_t kind = is_european ? 1 : 2;
    if (is_first || (state.numbers != 0 && state.numbers != kind)) return std::nullopt;
    state.numbers = kind;
    return state;
  }
  if (symbol == kHyphen) {
    if (previous == Previous::kHyphen) return std::nullopt;
    state.previous = Previous::kHyphen;
    state.may_end = false;
    return state;
  }
  if (symbol == kGeresh) return previous == Previous::kHebrew ? Next(state) : std::nullopt;
  if (!IsRightToLeft(symbol)) return std::nullopt;
  state.joins = symbol == Of(IdnKind::kRtlDual) || symbol == Of(IdnKind::kRtlLeft);
  if (symbol == Of(IdnKind::kHebrew)) state.previous = Previous::kHebrew;
  return state;
}

Next Step(const State& state, uint32_t symbol) {
  if (symbol == kSeparator) return EndLabel(state);
  switch (state.label) {
    case Label::kPunycode:
      return StepPunycode(state, symbol);
    case Label::kRight:
      return StepRight(state, symbol);
    case Label::kLeft:
      return StepLeft(state, symbol);
    case Label::kUpper:
    case Label::kUpperX:
    case Label::kUpperXn:
    case Label::kUpperXnHyphen:
      return IsAscii(symbol) ? StepAscii(state, symbol) : std::nullopt;
    case Label::kNone:
      if (IsRightToLeft(symbol)) return StepRight(state, symbol);
      [[fallthrough]];
    default:
      return IsAscii(symbol) ? StepAscii(state, symbol) : StepLeft(state, symbol);
  }
}

std::vector<CodePointSet> Symbols() {
  std::vector<CodePointSet> symbols(kSymbolCount);
  for (const IdnRange& range : IdnRanges()) {
    symbols[Of(range.kind)].Add(range.first, range.last);
  }
  symbols[kDigit] = {{'0', '9'}};
  symbols[kLower] = {{'a', 'k'}, {'m', 'm'}, {'o', 'w'}, {'y', 'z'}};
  symbols[kLowerL] = {{'l', 'l'}};
  symbols[kLowerN] = {{'n', 'n'}};
  symbols[kLowerX] = {{'x', 'x'}};
  symbols[kUpper] = {{'A', 'M'}, {'O', 'W'}, {'Y', 'Z'}};
  symbols[kUpperN] = {{'N', 'N'}};
  symbols[kUpperX] = {{'X', 'X'}};
  symbols[kHyphen] = {{'-', '-'}};
  symbols[kMiddleDot] = {{0xB7, 0xB7}};
  symbols[kKeraia] = {{0x375, 0x375}};
  symbols[kGeresh] = {{0x5F3, 0x5F4}};
  symbols[kKatakanaDot] = {{0x30FB, 0x30FB}};
  symbols[kNonJoiner] = {{0x200C, 0x200C}};
  symbols[kJoiner] = {{0x200D, 0x200D}};
  symbols[kSeparator] = {{'.', '.'}, {0x3002, 0x3002}, {0xFF0E, 0xFF0E}, {0xFF61, 0xFF61}};
  return symbols;
}

}  // namespace

Result<TextAutomaton> BuildIdnHostname() {
  Recogniser recogniser;
  recogniser.symbols = Symbols();
  recogniser.start = State{}.Pack();
  recogniser.step = [](uint64_t key, std::vector<uint64_t>* row) {
    for (uint32_t symbol = 0; symbol < row->size(); ++symbol) {
      const Next next = Step(State::Unpack(key), symbol);
      (*row)[symbol] = next ? next->Pack() : Recogniser::kRejected;
    }
  };
  recogniser.accepts = [](uint64_t key) { return MayEnd(State::Unpack(key)); };
  return Tabulate(recogniser);
}

}  // namespace maskloom
