// Regular expressions as texts: `regex`.
//
// The syntax of ECMA-262 patterns is not regular: groups nest, a name must not be given twice,
// {n,m} needs n <= m and [a-z] needs a <= z. What is accepted here is a regular subset that has
// no invalid pattern:
//  - groups nest four deep, look-arounds among them, but none inside another;
//  - the first group of all may have a name, in ASCII; no back-references;
//  - {n} and {n,} for any n; {n,m} with n <= m, for n below 1000, where n beyond 10 is rounded up
//  to
//    the next multiple of ten, and n beyond 99 to 1000;
//  - ranges in classes with bounds in order, that begin at a digit, a letter, a blank, `!`, in
//    hexadecimal or beyond ASCII; the first is rounded up to the next common beginning of a range
//    (kBounds, kHexBounds). None begins at \uD000 to \uDFFF: two surrogates are one code point.
//  - properties are general categories, by their short names.
// What only Annex B allows, as grammar/regex does, is malformed here: `]` or `}` for themselves,
// escapes of signs that need none, quantifiers behind a look-ahead.
//
// The recogniser is a lexer with one register, times the stack of open groups.
//
// Source: ECMA-262 (2024), section 22.2.1, with the parameter UnicodeMode.
#include <algorithm>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "grammar/formats/definitions.h"
#include "grammar/formats/tabulate.h"

namespace maskloom {
namespace {

constexpr uint32_t kMaxDepth = 4;

// Where ranges usually begin: the first of a range is rounded up to one of these.
constexpr uint32_t kBounds[] = {' ',  '!',  '0',   '1',   '2',   '5',    '9',    'A',    'B',
                                'G',  'N',  'Z',   'a',   'b',   'g',    'n',    'z',    0x80,
                                0xC0, 0xE0, 0x400, 0x410, 0x430, 0x4E00, 0xAC00, 0x10000};
// The same for those written in hexadecimal, behind their first digit.
constexpr uint32_t kHexBounds[] = {0,     0x20,  0x30,   0x50,   0x70,   0x80,   0xA0,   0xC0,
                                   0x100, 0x400, 0x3000, 0x5000, 0xB000, 0xE000, 0x10000};

enum class Mode : uint8_t {
  kTerm,       // a term may begin, nothing may be repeated
  kAtom,       // a quantifier may follow
  kNull,       // as kAtom, but no digit: behind \0
  kLazy,       // behind a quantifier; `?` may follow
  kEscape,     // behind a backslash
  kControl,    // behind \c
  kHex,        // register: digits that are missing
  kUnicode,    // behind \u
  kCodePoint,  // in \u{..}; register: see StepCodePoint
  kProperty,   // in \p{..}; register: 0 before `{`, 1 behind it, then the letter, 2 before `}`
  // A quantifier in braces.
  kMin,       // register: digits of n, see StepMin; 0 behind `{`
  kMaxFirst,  // behind the comma; register: n
  kMaxNeeds,  // register: digits that are missing
  kMax,       // m is large enough
  // The beginning of a group.
  kGroup,       // behind `(`
  kGroupMark,   // behind `(?`
  kGroupAngle,  // behind `(?<`
  kName,
  // In a class. Register `from`: a member that may begin a range ending at `from` or beyond.
  kClassStart,  // behind `[`
  kClass,       // no range can begin with what stands before
  kClassNull,   // behind \0
  kClassSet,    // behind \w and the like: a `-` must be the last member
  kClassSetDash,
  kClassFrom,    // register: from
  kClassDash,    // register: from
  kClassEscape,  // behind a backslash
  kClassControl,
  kClassHex,  // register: digits read and what they are worth, see StepClassHex
  kClassUnicode,
  kClassCodePoint,
  kClassProperty,
  kLastEscape,  // behind `-\`; register: from
  kLastHex,     // register: digit index and from; so far equal to `from`
  kLastAnyHex,  // register: digits that are missing
};

struct State {
  Mode mode = Mode::kTerm;
  uint32_t value = 0;
  uint8_t depth = 0;       // of open groups
  uint8_t look_depth = 0;  // of the look-around among them, or 0
  bool has_group = false;  // some group was opened

  // What is remembered for longer than a term takes the bits of kStackBits.
  static constexpr uint64_t kStackBits = 0xFF00;
  uint64_t Pack() const {
    return uint64_t{value} << 16 | uint64_t{has_group} << 14 | uint64_t{look_depth} << 11 |
           uint64_t{depth} << 8 | static_cast<uint64_t>(mode);
  }
  static State Unpack(uint64_t key) {
    return {static_cast<Mode>(key & 0xFF), static_cast<uint32_t>(key >> 16),
            static_cast<uint8_t>(key >> 8 & 7), static_cast<uint8_t>(key >> 11 & 7),
            (key >> 14 & 1) != 0};
  }
};

bool IsDigit(uint32_t c) { return c >= '0' && c <= '9'; }
bool IsLetter(uint32_t c) { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z'; }
bool IsSign(uint32_t c) { return c < 0x80 && !IsDigit(c) && !IsLetter(c); }
int HexValue(uint32_t c) {
  if (IsDigit(c)) return static_cast<int>(c - '0');
  if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f') return static_cast<int>((c | 0x20) - 'a' + 10);
  return -1;
}
bool Contains(std::string_view text, uint32_t c) {
  return c < 0x80 && text.find(static_cast<char>(c)) != std::string_view::npos;
}

// May `c` be escaped for itself? In a class `-` may, too.
bool IsSyntaxSign(uint32_t c) { return Contains("^$\\.*+?()[]{}|/", c); }

// Returns the second letters of general categories that begin with `first`; null: none does.
const char* CategoryLetters(uint32_t first) {
  switch (first) {
    case 'C':
      return "cfnos";
    case 'L':
      return "Cultmo";
    case 'M':
      return "nce";
    case 'N':
      return "dlo";
    case 'P':
      return "cdseifo";
    case 'S':
      return "mcko";
    case 'Z':
      return "slp";
    default:
      return nullptr;
  }
}

// Rounds the first of a range up to a value that the register may hold.
uint32_t RoundUp(uint32_t c, std::span<const uint32_t> bounds) {
  const auto bound = std::lower_bound(bounds.begin(), bounds.end(), c);
  return bound == bounds.end() ? 0x110000 : *bound;
}

using Next = std::optional<State>;

class RegexSyntax {
 public:
  explicit RegexSyntax(const State& state) : state_(state) {}

  // Returns the state behind code point `c`.
  Next Step(uint32_t c) const;

 private:
  Next To(Mode mode, uint32_t value = 0) const {
    State next = state_;
    next.mode = mode;
    next.value = value;
    return next;
  }
  Next Open(bool is_look) const;
  Next Close() const;
  Next StepTerm(uint32_t c) const;
  Next StepEscape(uint32_t c) const;
  Next StepCodePoint(uint32_t c, Mode mode, Mode behind) const;
  Next StepProperty(uint32_t c, Mode mode, Mode behind) const;
  Next StepBraces(uint32_t c) const;
  Next StepGroup(uint32_t c) const;
  Next StepMember(uint32_t c) const;
  Next StepClass(uint32_t c) const;
  Next StepClassEscape(uint32_t c) const;
  Next StepClassHex(uint32_t c) const;
  Next StepLast(uint32_t c) const;

  const State state_;
};

Next RegexSyntax::Open(bool is_look) const {
  if (is_look && state_.look_depth > 0) return std::nullopt;
  State next = state_;
  next.mode = Mode::kTerm;
  next.value = 0;
  ++next.depth;
  next.has_group = true;
  if (is_look) next.look_depth = next.depth;
  return next;
}

Next RegexSyntax::Close() const {
  if (state_.depth == 0) return std::nullopt;
  State next = state_;
  const bool closes_look = next.look_depth == next.depth;
  if (closes_look) next.look_depth = 0;
  --next.depth;
  next.mode = closes_look ? Mode::kTerm : Mode::kAtom;  // an assertion is not repeated
  next.value = 0;
  return next;
}

Next RegexSyntax::StepTerm(uint32_t c) const {
  switch (c) {
    case '|':
    case '^':
    case '$':
      return To(Mode::kTerm);
    case '(':
      return state_.depth < kMaxDepth ? To(Mode::kGroup) : std::nullopt;
    case ')':
      return Close();
    case '[':
      return To(Mode::kClassStart);
    case '\\':
      return To(Mode::kEscape);
    case '*':
    case '+':
    case '?':
    case '{':
    case '}':
    case ']':
      return std::nullopt;
    default:
      return To(Mode::kAtom);
  }
}

Next RegexSyntax::StepEscape(uint32_t c) const {
  if (Contains("dDsSwWtnvfr", c) || IsSyntaxSign(c)) return To(Mode::kAtom);
  switch (c) {
    case 'b':
    case 'B':
      return To(Mode::kTerm);
    case '0':
      return To(Mode::kNull);
    case 'c':
      return To(Mode::kControl);
    case 'x':
      return To(Mode::kHex, 2);
    case 'u':
      return To(Mode::kUnicode);
    case 'p':
    case 'P':
      return To(Mode::kProperty);
    default:
      return std::nullopt;
  }
}

// Register: 0 behind `{`, 1 behind zeros, 2 behind the digits 10 where four more may follow at
// most, then 16 + the number of digits that may still follow. A leading 1 is counted apart: "1" is
// 3.
Next RegexSyntax::StepCodePoint(uint32_t c, Mode mode, Mode behind) const {
  const uint32_t value = state_.value;
  if (c == '}') return value == 0 ? std::nullopt : To(behind);
  if (HexValue(c) < 0) return std::nullopt;
  if (value <= 1) {
    if (c == '0') return To(mode, 1);
    return To(mode, c == '1' ? 3 : 16 + 4);
  }
  if (value == 3) return To(mode, c == '0' ? 16 + 4 : 16 + 3);
  return value > 16 ? To(mode, value - 1) : std::nullopt;
}

Next RegexSyntax::StepProperty(uint32_t c, Mode mode, Mode behind) const {
  if (state_.value == 0) return c == '{' ? To(mode, 1) : std::nullopt;
  if (state_.value == 1) {
    return CategoryLetters(c) != nullptr ? To(mode, c) : std::nullopt;
  }
  if (c == '}') return To(behind);
  const char* letters = CategoryLetters(state_.value);
  if (letters == nullptr || !Contains(letters, c)) return std::nullopt;
  return To(mode, 2);
}

// Register of kMin: 0 without digits, 1 + n for one digit, then 20 + n rounded up in tens (110:
// three digits), 200 for more digits. Register of kMaxFirst: n, or those.
Next RegexSyntax::StepBraces(uint32_t c) const {
  const uint32_t value = state_.value;
  const bool is_digit = IsDigit(c);
  const uint32_t digit = c - '0';
  switch (state_.mode) {
    case Mode::kMin:
      if (is_digit) {
        if (value == 0) return To(Mode::kMin, 1 + digit);
        if (value == 1) return std::nullopt;  // no leading zeros
        if (value < 20) return To(Mode::kMin, 20 + value - 1 + (digit != 0));
        return To(Mode::kMin, value <= 30 ? 110 : 200);
      }
      if (value == 0) return std::nullopt;
      if (c == '}') return To(Mode::kLazy);
      return c == ',' ? To(Mode::kMaxFirst, value < 20 ? value - 1 : value) : std::nullopt;
    case Mode::kMaxFirst: {
      if (c == '}') return To(Mode::kLazy);
      if (!is_digit || value == 200) return std::nullopt;
      if (value < 10 && digit >= value) return To(Mode::kMax);
      if (digit == 0) return std::nullopt;
      if (value < 10) return To(Mode::kMaxNeeds, 1);
      if (value == 110) return To(Mode::kMaxNeeds, 3);
      return To(Mode::kMaxNeeds, digit >= value - 20 ? 1 : 2);
    }
    case Mode::kMaxNeeds:
      if (!is_digit) return std::nullopt;
      return value == 1 ? To(Mode::kMax) : To(Mode::kMaxNeeds, value - 1);
    default:  // kMax
      if (c == '}') return To(Mode::kLazy);
      return is_digit ? To(Mode::kMax) : std::nullopt;
  }
}

Next RegexSyntax::StepGroup(uint32_t c) const {
  const auto begin_term = [&](const Next& inner) -> Next {
    return inner ? RegexSyntax(*inner).Step(c) : std::nullopt;
  };
  switch (state_.mode) {
    case Mode::kGroup:
      return c == '?' ? To(Mode::kGroupMark) : begin_term(Open(false));
    case Mode::kGroupMark:
      if (c == ':') return Open(false);
      if (c == '=' || c == '!') return Open(true);
      return c == '<' ? To(Mode::kGroupAngle) : std::nullopt;
    case Mode::kGroupAngle:
      if (c == '=' || c == '!') return Open(true);
      if (state_.has_group) return std::nullopt;  // its name might be another's
      return IsLetter(c) || c == '_' || c == '$' ? To(Mode::kName) : std::nullopt;
    default:  // kName
      if (c == '>') return Open(false);
      return IsLetter(c) || IsDigit(c) || c == '_' || c == '$' ? To(Mode::kName) : std::nullopt;
  }
}

// A member of a class that is not the last of a range.
Next RegexSyntax::StepMember(uint32_t c) const {
  if (c == ']') return To(Mode::kAtom);
  if (c == '\\') return To(Mode::kClassEscape);
  return IsSign(c) && c != ' ' && c != '!' ? To(Mode::kClassSet)
                                           : To(Mode::kClassFrom, RoundUp(c, kBounds));
}

Next RegexSyntax::StepClassEscape(uint32_t c) const {
  if (Contains("dDsSwW", c)) return To(Mode::kClassSet);
  if (IsSyntaxSign(c) || c == '-') return To(Mode::kClassSet);
  switch (c) {
    case 'b':
    case 't':
    case 'n':
    case 'v':
    case 'f':
    case 'r':
      return To(Mode::kClassFrom, 0x20);
    case '0':
      return To(Mode::kClassNull);
    case 'c':
      return To(Mode::kClassControl);
    case 'x':
      return To(Mode::kClassHex, 2 << 8);
    case 'u':
      return To(Mode::kClassUnicode);
    case 'p':
    case 'P':
      return To(Mode::kClassProperty);
    default:
      return std::nullopt;
  }
}

// The first digit that is not zero decides the size by which the value is rounded up. Register:
// that digit << 4 | its weight in digits (0: there is none yet), with bit 16 if something behind it
// is not zero; the number of digits left << 8.
Next RegexSyntax::StepClassHex(uint32_t c) const {
  const int digit = HexValue(c);
  if (digit < 0) return std::nullopt;
  uint32_t lead = state_.value & 0xFF, left = state_.value >> 8 & 0xFF, more = state_.value >> 16;
  --left;
  if (lead == 0 && digit != 0 && left > 0) {
    lead = static_cast<uint32_t>(digit) << 4 | left;
  } else if (digit != 0) {
    more = 1;
  }
  if (left > 0) return To(Mode::kClassHex, more << 16 | left << 8 | lead);
  const uint32_t weight = lead == 0 ? 1 : lead & 0xF;
  if (lead == (0xD0 | 3)) return To(Mode::kClassSet);  // it may be half of a code point
  return To(Mode::kClassFrom, RoundUp(((lead >> 4) + more) << (4 * weight), kHexBounds));
}

Next RegexSyntax::StepClass(uint32_t c) const {
  const uint32_t value = state_.value;
  switch (state_.mode) {
    case Mode::kClassStart:
      return c == '^' ? To(Mode::kClass) : StepMember(c);
    case Mode::kClass:
      return StepMember(c);
    case Mode::kClassNull:
      if (IsDigit(c)) return std::nullopt;
      return c == '-' ? To(Mode::kClassDash, 0) : StepMember(c);
    case Mode::kClassSet:
      return c == '-' ? To(Mode::kClassSetDash) : StepMember(c);
    case Mode::kClassSetDash:
      return c == ']' ? To(Mode::kAtom) : std::nullopt;
    case Mode::kClassFrom:
      return c == '-' ? To(Mode::kClassDash, value) : StepMember(c);
    case Mode::kClassDash:
      if (c == ']') return To(Mode::kAtom);
      if (c == '\\') return value > 0xFFF0 ? std::nullopt : To(Mode::kLastEscape, value);
      return c >= value ? To(Mode::kClass) : std::nullopt;
    case Mode::kClassEscape:
      return StepClassEscape(c);
    case Mode::kClassControl:
      return IsLetter(c) ? To(Mode::kClassFrom, 0x20) : std::nullopt;
    case Mode::kClassUnicode:
      if (c == '{') return To(Mode::kClassCodePoint);
      return RegexSyntax(*To(Mode::kClassHex, 4 << 8)).Step(c);
    case Mode::kClassHex:
      return StepClassHex(c);
    case Mode::kClassCodePoint:
      return StepCodePoint(c, Mode::kClassCodePoint, Mode::kClassSet);
    case Mode::kClassProperty:
      return StepProperty(c, Mode::kClassProperty, Mode::kClassSet);
    default:
      return StepLast(c);
  }
}

// The last of a range, written as an escape: signs are compared as they are, hexadecimal digits
// with `from` rounded up to a multiple of 16.
Next RegexSyntax::StepLast(uint32_t c) const {
  const uint32_t value = state_.value;
  switch (state_.mode) {
    case Mode::kLastEscape: {
      if (IsSyntaxSign(c) || c == '-') return c >= value ? To(Mode::kClass) : std::nullopt;
      const uint32_t from = (value + 0xF) & ~0xFu;
      if (c == 'x' && from < 0x100) return To(Mode::kLastHex, 2u << 24 | from);
      if (c == 'u' && from < 0x10000) return To(Mode::kLastHex, 4u << 24 | from);
      return std::nullopt;
    }
    case Mode::kLastHex: {
      const uint32_t left = (value >> 24) - 1, from = value & 0xFFFFFF;
      const int own = HexValue(c), other = static_cast<int>(from >> (4 * left) & 0xF);
      if (own < other) return std::nullopt;
      if (left == 0) return To(Mode::kClass);
      return own > other ? To(Mode::kLastAnyHex, left) : To(Mode::kLastHex, left << 24 | from);
    }
    default:  // kLastAnyHex
      if (HexValue(c) < 0) return std::nullopt;
      return value == 1 ? To(Mode::kClass) : To(Mode::kLastAnyHex, value - 1);
  }
}

Next RegexSyntax::Step(uint32_t c) const {
  switch (state_.mode) {
    case Mode::kAtom:
    case Mode::kNull:
      if (c == '*' || c == '+' || c == '?') return To(Mode::kLazy);
      if (c == '{') return To(Mode::kMin);
      if (state_.mode == Mode::kNull && IsDigit(c)) return std::nullopt;
      return StepTerm(c);
    case Mode::kLazy:
      return c == '?' ? To(Mode::kTerm) : StepTerm(c);
    case Mode::kTerm:
      return StepTerm(c);
    case Mode::kEscape:
      return StepEscape(c);
    case Mode::kControl:
      return IsLetter(c) ? To(Mode::kAtom) : std::nullopt;
    case Mode::kHex:
      if (HexValue(c) < 0) return std::nullopt;
      return state_.value == 1 ? To(Mode::kAtom) : To(Mode::kHex, state_.value - 1);
    case Mode::kUnicode:
      if (c == '{') return To(Mode::kCodePoint);
      return HexValue(c) < 0 ? std::nullopt : To(Mode::kHex, 3);
    case Mode::kCodePoint:
      return StepCodePoint(c, Mode::kCodePoint, Mode::kAtom);
    case Mode::kProperty:
      return StepProperty(c, Mode::kProperty, Mode::kAtom);
    case Mode::kMin:
    case Mode::kMaxFirst:
    case Mode::kMaxNeeds:
    case Mode::kMax:
      return StepBraces(c);
    case Mode::kGroup:
    case Mode::kGroupMark:
    case Mode::kGroupAngle:
    case Mode::kName:
      return StepGroup(c);
    default:
      return StepClass(c);
  }
}

// Most states step alike whatever groups are open: inside classes, escapes and braces, and behind
// them. Their rows are worked out once and kept.
class LexerRows {
 public:
  // `firsts` are code points, one of each symbol.
  explicit LexerRows(std::vector<uint32_t> firsts) : firsts_(std::move(firsts)) {}

  void Fill(uint64_t key, std::vector<uint64_t>* row) {
    const Mode mode = State::Unpack(key).mode;
    if (mode <= Mode::kLazy || (mode >= Mode::kGroup && mode <= Mode::kName)) {
      Work(key, row);
      return;
    }
    std::vector<uint64_t>& kept = kept_[key & ~State::kStackBits];
    if (kept.empty()) {
      kept.resize(row->size());
      Work(key & ~State::kStackBits, &kept);
    }
    for (size_t i = 0; i < row->size(); ++i) {
      const bool is_rejected = kept[i] == Recogniser::kRejected;
      (*row)[i] = is_rejected ? kept[i] : kept[i] | (key & State::kStackBits);
    }
  }

 private:
  void Work(uint64_t key, std::vector<uint64_t>* row) const {
    const RegexSyntax syntax(State::Unpack(key));
    for (size_t i = 0; i < row->size(); ++i) {
      const Next next = syntax.Step(firsts_[i]);
      (*row)[i] = next ? next->Pack() : Recogniser::kRejected;
    }
  }

  const std::vector<uint32_t> firsts_;
  std::unordered_map<uint64_t, std::vector<uint64_t>> kept_;  // by state without its stack
};

}  // namespace

Result<TextAutomaton> BuildRegex() {
  Recogniser recogniser;
  std::vector<uint32_t> firsts;  // of the symbols, which are ranges
  firsts.push_back(0);
  for (uint32_t c = ' '; c < 0x80; ++c) firsts.push_back(c);
  for (uint32_t bound : kBounds) {
    if (bound < 0x80) continue;
    if (bound > firsts.back()) firsts.push_back(bound);
    firsts.push_back(bound + 1);  // the bound itself is a symbol: from there a range is exact
  }
  for (size_t i = 0; i < firsts.size(); ++i) {
    const uint32_t last = i + 1 < firsts.size() ? firsts[i + 1] - 1 : 0x10FFFF;
    recogniser.symbols.push_back({{firsts[i], last}});
  }
  recogniser.start = State{}.Pack();
  LexerRows rows(std::move(firsts));
  recogniser.step = [&rows](uint64_t key, std::vector<uint64_t>* row) { rows.Fill(key, row); };
  recogniser.accepts = [](uint64_t key) {
    const State state = State::Unpack(key);
    return state.depth == 0 && state.mode <= Mode::kLazy;
  };
  return Tabulate(recogniser);
}

}  // namespace maskloom
