// Reads escapes and classes: the parts of a pattern that denote code points.
//
// Syntax is that of patterns with the `u` flag, widened where schemas in the wild rely on Annex B
// and the meaning is plain: any character but a letter or digit may be escaped, and in a class `-`
// next to an escape such as \w is literal. Letters and digits that escape nothing are errors:
// other dialects give them meanings that would silently be lost. A surrogate pair of two \u escapes
// is one code point.
//
// Source: ECMA-262 (2024), 22.2.1 Patterns, and Annex B.1.2.
#include "grammar/regex/ecma_atoms.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "grammar/base/utf8.h"
#include "grammar/regex/ecma_classes.h"
#include "grammar/regex/unicode_properties.h"

namespace maskloom {
namespace {

int HexValue(char c) {
  if (IsAsciiDigit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

void EcmaAtomReader::Widen(const std::string& reading) {
  constexpr size_t kMaxReadings = 4;
  if (readings_.size() > kMaxReadings || !readings_.insert(reading).second) return;
  if (!widened_.empty()) widened_ += ", ";
  widened_ += readings_.size() > kMaxReadings ? "and so on" : reading;
}

// Reads exactly `digits` hexadecimal digits; else returns false and stays.
bool EcmaAtomReader::ReadHex(size_t digits, uint32_t* value) {
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
Status EcmaAtomReader::ParseUnicodeEscape(size_t start, EcmaAtom* atom) {
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
Status EcmaAtomReader::ParseEscape(bool in_class, EcmaAtom* atom) {
  const size_t start = at_++;
  if (AtEnd()) return Invalid("a `\\` at the end of the pattern escapes nothing", start);
  const uint32_t c = DecodeUtf8(pattern_, &at_);
  const auto give_set = [atom](const CodePointSet& set) {
    atom->kind = EcmaAtom::Kind::kSet;
    atom->set = set;
    return Status::Ok();
  };
  const auto give = [atom](uint32_t code_point) {
    atom->code_point = code_point;
    return Status::Ok();
  };
  const auto name = [c] { return "`\\" + ToUtf8(std::u32string(1, c)) + "`"; };
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
      atom->kind = EcmaAtom::Kind::kBoundary;
      return Status::Ok();
    case 'B':
      if (in_class) break;
      atom->kind = EcmaAtom::Kind::kNotBoundary;
      return Status::Ok();
    case 'p':
    case 'P':
      return ParseProperty(start, c == 'P', atom);
    case 'k':
      if (in_class) break;
      return ParseReference(start, atom);
    case 'A':
      return Invalid("`\\A` is not ECMA-262; write `^`", start);
    case 'z':
    case 'Z':
      return Invalid(name() + " is not ECMA-262; write `$`", start);
    default:
      break;
  }
  if (IsAsciiDigit(c)) {
    if (in_class) return Invalid("octal escapes are not supported", start);
    --at_;
    return ParseReference(start, atom);
  }
  if (IsAsciiLetter(c)) return Invalid("unknown escape " + name(), start);
  const bool is_needed =
      c < 0x80 &&
      (std::string_view("^$\\.*+?()[]{}|/").find(static_cast<char>(c)) != std::string_view::npos ||
       (in_class && c == '-'));
  if (!is_needed) Widen(name() + " is `" + ToUtf8(std::u32string(1, c)) + "`");
  return give(c);
}

// Reads what follows `\p` or `\P`.
Status EcmaAtomReader::ParseProperty(size_t start, bool negated, EcmaAtom* atom) {
  const size_t end = Peek() == '{' ? pattern_.find('}', at_) : std::string_view::npos;
  if (end == std::string_view::npos) {
    return Invalid("`\\p` needs the name of a property, as in `\\p{Letter}`", start);
  }
  const std::string_view inside = pattern_.substr(at_ + 1, end - at_ - 1);
  const size_t equals = inside.find('=');
  std::optional<CodePointSet> set;
  if (equals == std::string_view::npos) {
    set = FindUnicodeProperty(inside, "");
  } else if (equals + 1 < inside.size()) {
    set = FindUnicodeProperty(inside.substr(0, equals), inside.substr(equals + 1));
  }
  if (!set) {
    return Invalid("ECMA-262 knows no Unicode property `" + std::string(inside.substr(0, 100)) +
                       "`; case and spelling matter",
                   start);
  }
  at_ = end + 1;
  atom->kind = EcmaAtom::Kind::kSet;
  atom->set = negated ? set->Complement() : std::move(*set);
  return Status::Ok();
}

// Reads `k<name>` or the digits of a number; at_ is behind the `k`, or at the digits.
Status EcmaAtomReader::ParseReference(size_t start, EcmaAtom* atom) {
  if (pattern_[at_ - 1] == 'k') {
    if (Peek() != '<') return Invalid("`\\k` needs the name of a group, as in `\\k<name>`", start);
    ++at_;
    atom->kind = EcmaAtom::Kind::kNamedReference;
    return ParseGroupName(start, &atom->name);
  }
  atom->kind = EcmaAtom::Kind::kReference;
  for (; IsAsciiDigit(Peek()); ++at_) {
    atom->code_point = std::min<uint32_t>(atom->code_point * 10 + (Peek() - '0'), 100000000);
  }
  return Status::Ok();
}

Status EcmaAtomReader::ParseGroupName(size_t open, std::string* name) {
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
  *name = pattern_.substr(begin, at_ - begin);
  ++at_;
  return Status::Ok();
}

Status EcmaAtomReader::ParseClassMember(EcmaAtom* atom) {
  if (Peek() == '\\') return ParseEscape(true, atom);
  atom->code_point = DecodeUtf8(pattern_, &at_);
  return Status::Ok();
}

// Reads a class; at_ is at its `[`.
Status EcmaAtomReader::ParseClass(CodePointSet* set) {
  const size_t open = at_++;
  const bool negated = Peek() == '^';
  if (negated) ++at_;
  const auto add = [set](const EcmaAtom& atom) {
    if (atom.kind == EcmaAtom::Kind::kSet) {
      set->Add(atom.set);
    } else {
      set->Add(atom.code_point, atom.code_point);
    }
  };
  while (!AtEnd() && Peek() != ']') {
    const size_t start = at_;
    EcmaAtom first;
    if (Status status = ParseClassMember(&first); !status.ok()) return status;
    if (Peek() != '-' || Peek(1) == ']' || at_ + 1 >= pattern_.size()) {
      add(first);
      continue;
    }
    ++at_;
    EcmaAtom last;
    if (Status status = ParseClassMember(&last); !status.ok()) return status;
    if (first.kind == EcmaAtom::Kind::kSet ||
        last.kind == EcmaAtom::Kind::kSet) {  // no range, so the `-` is literal
      add(first);
      add(last);
      set->Add('-', '-');
      Widen("the `-` in `" + std::string(pattern_.substr(start, at_ - start)) +
            "` stands for itself");
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

}  // namespace maskloom
