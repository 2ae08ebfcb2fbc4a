// A parser with a stack of open groups instead of recursion.
//
// Syntax is that of patterns with the `u` flag, widened where schemas in the wild rely on Annex B
// and the meaning is plain: `]`, `}` and a `{` that opens no quantifier stand for themselves, any
// character but a letter or digit may be escaped, and in a class `-` next to an escape such as \w
// is literal. Letters and digits that escape nothing are errors: other dialects give them meanings
// that would silently be lost.
//
// What is not regular, or not yet enforced, is refused by name: look-around, \p, \b, references.
// A surrogate pair of two \u escapes is one code point; a lone surrogate matches nothing, since no
// text holds it.
//
// Source: ECMA-262 (2024), 22.2.1 Patterns, and Annex B.1.2.
#include "grammar/regex/ecma_parser.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "grammar/base/utf8.h"
#include "grammar/regex/ecma_classes.h"

namespace maskloom {
namespace {

constexpr size_t kMaxDepth = 1000;              // nested groups
constexpr size_t kMaxPatternBytes = 8u << 20;   // 8 MiB
constexpr uint32_t kMaxCount = kUnbounded - 1;  // larger counts of a quantifier mean this

bool IsAsciiDigit(uint32_t c) { return c >= '0' && c <= '9'; }
bool IsAsciiLetter(uint32_t c) { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z'; }

int HexValue(char c) {
  if (IsAsciiDigit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

class EcmaParser {
 public:
  EcmaParser(std::string_view pattern, ExprPool* pool) : pattern_(pattern), pool_(*pool) {}

  Result<ExprId> Parse();

 private:
  // A group that is still open; the first is the whole pattern.
  struct Group {
    size_t offset = 0;  // of its `(`
    std::vector<ExprId> alternatives;
    std::vector<ExprId> sequence;  // of the alternative being read
    std::u32string literal;        // code points behind it, not yet in the sequence
  };
  // A code point or a set, as an escape or a class member denotes.
  struct Atom {
    bool is_set = false;
    uint32_t code_point = 0;
    CodePointSet set;
  };

  bool AtEnd() const { return at_ >= pattern_.size(); }
  char Peek(size_t ahead = 0) const {
    return at_ + ahead < pattern_.size() ? pattern_[at_ + ahead] : '\0';
  }
  bool Looking(std::string_view prefix) const {
    return pattern_.substr(at_, prefix.size()) == prefix;
  }
  Status Error(StatusCode code, std::string message, size_t offset) const {
    return Status(code, std::move(message)).AtOffset(std::string(pattern_), offset);
  }
  Status Invalid(std::string message, size_t offset) const {
    return Error(StatusCode::kInvalidDefinition, std::move(message), offset);
  }
  Status Unsupported(std::string message, size_t offset) const {
    return Error(StatusCode::kUnsupported, std::move(message), offset);
  }

  Status ParseTerm();
  Status OpenGroup();
  Status SkipGroupName(size_t open);
  Status CloseGroup();
  Status ParseQuantifier(bool* found);
  bool ReadBounds(uint64_t* min, uint64_t* max);
  Status ParseEscape(bool in_class, Atom* atom);
  Status ParseUnicodeEscape(size_t start, Atom* atom);
  bool ReadHex(size_t digits, uint32_t* value);
  Status ParseClass(CodePointSet* set);
  Status ParseClassMember(Atom* atom);

  void AddCodePoint(uint32_t code_point);
  void AddExpr(ExprId expr, bool repeatable);
  void FlushLiteral();
  void EndAlternative();

  const std::string_view pattern_;
  ExprPool& pool_;
  size_t at_ = 0;
  std::vector<Group> groups_;
  bool repeatable_ = false;  // may a quantifier follow?
};

void EcmaParser::FlushLiteral() {
  Group& group = groups_.back();
  if (group.literal.empty()) return;
  group.sequence.push_back(pool_.Text(std::move(group.literal)));
  group.literal.clear();
}

void EcmaParser::AddCodePoint(uint32_t code_point) {
  if (IsSurrogate(code_point)) {
    AddExpr(pool_.Never(), true);
    return;
  }
  groups_.back().literal.push_back(code_point);
  repeatable_ = true;
}

void EcmaParser::AddExpr(ExprId expr, bool repeatable) {
  FlushLiteral();
  groups_.back().sequence.push_back(expr);
  repeatable_ = repeatable;
}

void EcmaParser::EndAlternative() {
  FlushLiteral();
  Group& group = groups_.back();
  group.alternatives.push_back(pool_.Sequence(std::move(group.sequence)));
  group.sequence.clear();
  repeatable_ = false;
}

// Reads `{n}`, `{n,}` or `{n,m}`; else returns false and stays.
bool EcmaParser::ReadBounds(uint64_t* min, uint64_t* max) {
  size_t at = at_ + 1;
  const auto number = [&](uint64_t* value) {
    const size_t begin = at;
    *value = 0;
    for (; at < pattern_.size() && IsAsciiDigit(pattern_[at]); ++at) {
      *value = std::min<uint64_t>(*value * 10 + (pattern_[at] - '0'), kMaxCount);
    }
    return at > begin;
  };
  const auto skip = [&](char c) { return at < pattern_.size() && pattern_[at] == c && ++at; };
  if (!number(min)) return false;
  *max = *min;
  if (skip(',') && !number(max)) *max = kUnbounded;
  if (!skip('}')) return false;
  at_ = at;
  return true;
}

// Reads a quantifier, if there is one, and applies it to the last atom.
Status EcmaParser::ParseQuantifier(bool* found) {
  const size_t start = at_;
  uint64_t min = 0, max = kUnbounded;
  *found = true;
  switch (Peek()) {
    case '*':
      ++at_;
      break;
    case '+':
      ++at_;
      min = 1;
      break;
    case '?':
      ++at_;
      max = 1;
      break;
    case '{':
      if (ReadBounds(&min, &max)) break;
      [[fallthrough]];
    default:
      *found = false;
      return Status::Ok();
  }
  if (!repeatable_) return Invalid("nothing to repeat before this quantifier", start);
  if (min > max) {
    return Invalid("the bounds of this quantifier are out of order: " + std::to_string(min) +
                       " is more than " + std::to_string(max),
                   start);
  }
  if (Peek() == '?') ++at_;  // lazy: the same texts match
  Group& group = groups_.back();
  if (!group.literal.empty()) {
    const char32_t last = group.literal.back();
    group.literal.pop_back();
    FlushLiteral();
    group.sequence.push_back(pool_.Text(std::u32string(1, last)));
  }
  ExprId& atom = group.sequence.back();
  atom = pool_.Repeat(atom, static_cast<uint32_t>(min), static_cast<uint32_t>(max));
  repeatable_ = false;
  return Status::Ok();
}

// Reads the name of `(?<name>`; at_ is behind the `<`.
Status EcmaParser::SkipGroupName(size_t open) {
  const size_t begin = at_;
  while (!AtEnd() && Peek() != '>') {
    const auto c = static_cast<unsigned char>(Peek());
    const bool is_digit = IsAsciiDigit(c);
    if (!(IsAsciiLetter(c) || c == '_' || c == '$' || c >= 0x80 || (is_digit && at_ > begin))) {
      return Invalid("a group name holds letters, digits, `_` and `$` only", at_);
    }
    ++at_;
  }
  if (AtEnd()) return Invalid("the name of this group never ends: missing `>`", open);
  if (at_ == begin) return Invalid("the name of this group is empty", at_);
  ++at_;
  return Status::Ok();
}

Status EcmaParser::OpenGroup() {
  const size_t open = at_++;
  if (groups_.size() > kMaxDepth) {
    return Error(StatusCode::kResourceLimit,
                 "groups are nested more than " + std::to_string(kMaxDepth) + " deep", open);
  }
  if (Peek() == '?') {
    ++at_;
    if (Looking("=") || Looking("!")) {
      return Unsupported("look-ahead `(?" + std::string(1, Peek()) + "` is not supported", open);
    }
    if (Looking("<=") || Looking("<!")) {
      return Unsupported("look-behind `(?<" + std::string(1, Peek(1)) + "` is not supported", open);
    }
    if (Peek() == ':') {
      ++at_;
    } else if (Peek() == '<') {
      ++at_;
      if (Status status = SkipGroupName(open); !status.ok()) return status;
    } else if (Looking("P<")) {
      return Invalid("`(?P<name>` is not ECMA-262; write `(?<name>`", open);
    } else if (Peek() == '-' || (Peek() >= 'a' && Peek() <= 'z')) {
      return Unsupported("flags inside a pattern, as in `(?i`, are not supported", open);
    } else {
      return Invalid("unknown kind of group; known are `(`, `(?:` and `(?<name>`", open);
    }
  }
  groups_.push_back({.offset = open});
  repeatable_ = false;
  return Status::Ok();
}

Status EcmaParser::CloseGroup() {
  if (groups_.size() == 1) return Invalid("unmatched `)`", at_);
  ++at_;
  EndAlternative();
  ExprId expr = pool_.Choice(std::move(groups_.back().alternatives));
  groups_.pop_back();
  AddExpr(expr, true);
  return Status::Ok();
}

// Reads exactly `digits` hexadecimal digits; else returns false and stays.
bool EcmaParser::ReadHex(size_t digits, uint32_t* value) {
  if (pattern_.size() - at_ < digits) return false;
  *value = 0;
  for (size_t i = 0; i < digits; ++i) {
    const int digit = HexValue(pattern_[at_ + i]);
    if (digit < 0) return false;
    *value = *value << 4 | static_cast<uint32_t>(digit);
  }
  at_ += digits;
  return true;
}

// Reads what follows `\u`.
Status EcmaParser::ParseUnicodeEscape(size_t start, Atom* atom) {
  uint32_t& value = atom->code_point;
  if (Peek() == '{') {
    ++at_;
    const size_t begin = at_;
    for (value = 0; HexValue(Peek()) >= 0; ++at_) {
      value = std::min(value << 4 | static_cast<uint32_t>(HexValue(Peek())), kMaxCodePoint + 1);
    }
    if (at_ == begin || Peek() != '}') {
      return Invalid("`\\u{` needs hexadecimal digits and a `}`", start);
    }
    ++at_;
    if (value > kMaxCodePoint) return Invalid("there is no code point beyond U+10FFFF", start);
    return Status::Ok();
  }
  if (!ReadHex(4, &value)) return Invalid("`\\u` needs four hexadecimal digits", start);
  if ((value & 0xFC00) == 0xD800 && Looking("\\u")) {
    const size_t behind = at_;
    uint32_t low = 0;
    at_ += 2;
    if (ReadHex(4, &low) && (low & 0xFC00) == 0xDC00) {
      value = 0x10000 + ((value & 0x3FF) << 10 | (low & 0x3FF));
    } else {
      at_ = behind;
    }
  }
  return Status::Ok();
}

// Reads an escape; at_ is at its backslash.
Status EcmaParser::ParseEscape(bool in_class, Atom* atom) {
  const size_t start = at_++;
  if (AtEnd()) return Invalid("a `\\` at the end of the pattern escapes nothing", start);
  const uint32_t c = DecodeUtf8(pattern_, &at_);
  const auto give_set = [atom](const CodePointSet& set) {
    atom->is_set = true;
    atom->set = set;
    return Status::Ok();
  };
  const auto give = [atom](uint32_t code_point) {
    atom->code_point = code_point;
    return Status::Ok();
  };
  const std::string name = "`\\" + ToUtf8(std::u32string(1, c)) + "`";
  switch (c) {
    case 'd':
      return give_set(EcmaDigits());
    case 'D':
      return give_set(EcmaDigits().Complement());
    case 'w':
      return give_set(EcmaWordCharacters());
    case 'W':
      return give_set(EcmaWordCharacters().Complement());
    case 's':
      return give_set(EcmaWhiteSpace());
    case 'S':
      return give_set(EcmaWhiteSpace().Complement());
    case 't':
      return give('\t');
    case 'n':
      return give('\n');
    case 'v':
      return give('\v');
    case 'f':
      return give('\f');
    case 'r':
      return give('\r');
    case '0':
      if (IsAsciiDigit(Peek())) return Invalid("octal escapes are not supported", start);
      return give(0);
    case 'c':
      if (!IsAsciiLetter(static_cast<unsigned char>(Peek()))) {
        return Invalid("`\\c` needs a letter", start);
      }
      return give(pattern_[at_++] & 0x1F);
    case 'x':
      if (!ReadHex(2, &atom->code_point)) {
        return Invalid("`\\x` needs two hexadecimal digits", start);
      }
      return Status::Ok();
    case 'u':
      return ParseUnicodeEscape(start, atom);
    case 'b':
      if (in_class) return give('\b');
      [[fallthrough]];
    case 'B':
      if (in_class) break;
      return Unsupported("word boundaries, " + name + ", are not supported", start);
    case 'p':
    case 'P':
      return Unsupported("Unicode properties, " + name + ", are not supported", start);
    case 'k':
      return Unsupported("back-references, `\\k<name>`, are not supported", start);
    case 'A':
      return Unsupported("`\\A` is not ECMA-262; write `^`", start);
    case 'z':
    case 'Z':
      return Unsupported(name + " is not ECMA-262; write `$`", start);
    default:
      break;
  }
  if (IsAsciiDigit(c)) {
    if (in_class) return Invalid("octal escapes are not supported", start);
    return Unsupported("back-references, " + name + ", are not supported", start);
  }
  if (IsAsciiLetter(c)) return Invalid("unknown escape " + name, start);
  return give(c);
}

Status EcmaParser::ParseClassMember(Atom* atom) {
  if (Peek() == '\\') return ParseEscape(true, atom);
  atom->code_point = DecodeUtf8(pattern_, &at_);
  return Status::Ok();
}

// Reads a class; at_ is at its `[`.
Status EcmaParser::ParseClass(CodePointSet* set) {
  const size_t open = at_++;
  const bool negated = Peek() == '^';
  if (negated) ++at_;
  const auto add = [set](const Atom& atom) {
    if (atom.is_set) {
      set->Add(atom.set);
    } else {
      set->Add(atom.code_point, atom.code_point);
    }
  };
  while (!AtEnd() && Peek() != ']') {
    const size_t start = at_;
    Atom first;
    if (Status status = ParseClassMember(&first); !status.ok()) return status;
    if (Peek() != '-' || Peek(1) == ']' || at_ + 1 >= pattern_.size()) {
      add(first);
      continue;
    }
    ++at_;
    Atom last;
    if (Status status = ParseClassMember(&last); !status.ok()) return status;
    if (first.is_set || last.is_set) {  // no range, so the `-` is literal
      add(first);
      add(last);
      set->Add('-', '-');
      continue;
    }
    if (first.code_point > last.code_point) {
      return Invalid(
          "the range `" + std::string(pattern_.substr(start, at_ - start)) + "` is out of order",
          start);
    }
    set->Add(first.code_point, last.code_point);
  }
  if (AtEnd()) return Invalid("this class never closes: missing `]`", open);
  ++at_;
  if (negated) *set = set->Complement();
  return Status::Ok();
}

// Reads one alternative mark, assertion, atom or parenthesis.
Status EcmaParser::ParseTerm() {
  switch (Peek()) {
    case '|':
      ++at_;
      EndAlternative();
      return Status::Ok();
    case '^':
      ++at_;
      AddExpr(pool_.AssertBegin(), false);
      return Status::Ok();
    case '$':
      ++at_;
      AddExpr(pool_.AssertEnd(), false);
      return Status::Ok();
    case '(':
      return OpenGroup();
    case ')':
      return CloseGroup();
    case '.':
      ++at_;
      AddExpr(pool_.Class(EcmaLineTerminators().Complement()), true);
      return Status::Ok();
    case '[': {
      CodePointSet set;
      if (Status status = ParseClass(&set); !status.ok()) return status;
      AddExpr(pool_.Class(std::move(set)), true);
      return Status::Ok();
    }
    case '\\': {
      Atom atom;
      if (Status status = ParseEscape(false, &atom); !status.ok()) return status;
      if (atom.is_set) {
        AddExpr(pool_.Class(std::move(atom.set)), true);
      } else {
        AddCodePoint(atom.code_point);
      }
      return Status::Ok();
    }
    default:
      AddCodePoint(DecodeUtf8(pattern_, &at_));
      return Status::Ok();
  }
}

Result<ExprId> EcmaParser::Parse() {
  if (pattern_.size() > kMaxPatternBytes) {
    return Status(StatusCode::kResourceLimit, "the pattern has " + std::to_string(pattern_.size()) +
                                                  " bytes; the limit is " +
                                                  std::to_string(kMaxPatternBytes));
  }
  if (size_t bad = FindInvalidUtf8(pattern_); bad != std::string_view::npos) {
    Status status(StatusCode::kInvalidDefinition, "the pattern is not valid UTF-8 here");
    return status.AtOffset(std::string(pattern_.substr(0, bad)), bad);
  }
  groups_.emplace_back();
  while (!AtEnd()) {
    bool is_quantifier = false;
    if (Status status = ParseQuantifier(&is_quantifier); !status.ok()) return status;
    if (is_quantifier) continue;
    if (Status status = ParseTerm(); !status.ok()) return status;
  }
  if (groups_.size() > 1) {
    return Invalid("this group never closes: missing `)`", groups_.back().offset);
  }
  EndAlternative();
  return pool_.Choice(std::move(groups_.back().alternatives));
}

}  // namespace

Result<ExprId> ParseEcmaRegex(std::string_view pattern, ExprPool* pool) {
  return EcmaParser(pattern, pool).Parse();
}

}  // namespace maskloom
