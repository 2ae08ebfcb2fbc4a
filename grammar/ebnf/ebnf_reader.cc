// Lexemes of a grammar text, read by hand: each has one function and its own messages.
#include "grammar/ebnf/ebnf_reader.h"

#include <algorithm>

#include "grammar/base/expr.h"
#include "grammar/base/utf8.h"

namespace maskloom {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z'; }
bool IsNameStart(char c) { return IsLetter(c) || IsDigit(c) || c == '_'; }
bool IsNameByte(char c) { return IsNameStart(c) || c == '-'; }
bool IsPunctuation(char c) { return c > ' ' && c < 0x7F && !IsLetter(c) && !IsDigit(c); }

int HexValue(char c) {
  if (IsDigit(c)) return c - '0';
  if (IsLetter(c) && (c | 0x20) <= 'f') return (c | 0x20) - 'a' + 10;
  return -1;
}

}  // namespace

void EbnfReader::SkipSpace() {
  while (!AtEnd()) {
    const char c = text_[at_];
    if (c == '#') {
      while (!AtEnd() && text_[at_] != '\n' && text_[at_] != '\r') ++at_;
    } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      ++at_;
    } else {
      return;
    }
  }
}

bool EbnfReader::AtName() const { return IsNameStart(Peek()); }

std::string EbnfReader::ReadName() {
  const size_t begin = at_;
  while (IsNameByte(Peek()) || (Peek() == '.' && IsNameStart(Peek(1)))) ++at_;
  return text_.substr(begin, at_ - begin);
}

uint32_t EbnfReader::NextCodePoint() { return DecodeUtf8(text_, &at_); }

std::optional<uint32_t> EbnfReader::ReadHex(size_t digits) {
  uint32_t value = 0;
  for (size_t i = 0; i < digits; ++i) {
    const int digit = HexValue(Peek(i));
    if (digit < 0) return std::nullopt;
    value = value * 16 + static_cast<uint32_t>(digit);
  }
  at_ += digits;
  return value;
}

Result<uint32_t> EbnfReader::ReadEscape() {
  const size_t begin = at_;
  const char kind = Peek(1);
  at_ = std::min(at_ + 2, text_.size());
  switch (kind) {
    case 'n':
      return uint32_t{'\n'};
    case 't':
      return uint32_t{'\t'};
    case 'r':
      return uint32_t{'\r'};
    case 'x':
    case 'u':
    case 'U': {
      const size_t digits = kind == 'x' ? 2 : kind == 'u' ? 4 : 8;
      std::optional<uint32_t> value = ReadHex(digits);
      if (!value) {
        return Invalid(
            std::string("\\") + kind + " needs " + std::to_string(digits) + " hexadecimal digits",
            begin);
      }
      if (*value >= 0xD800 && *value <= 0xDBFF && Looking("\\u")) {
        const size_t second = at_;
        at_ += 2;
        const std::optional<uint32_t> low = ReadHex(4);
        if (low && *low >= 0xDC00 && *low <= 0xDFFF) {
          return 0x10000 + ((*value - 0xD800) << 10) + (*low - 0xDC00);
        }
        at_ = second;
      }
      if (!IsScalarValue(*value)) {
        return Invalid("the escape is no Unicode scalar value", begin);
      }
      return *value;
    }
    default:
      if (IsPunctuation(kind)) return static_cast<uint32_t>(kind);
      return Invalid("unknown escape: after a backslash may stand n, t, r, x, u, U or punctuation",
                     begin);
  }
}

Result<std::u32string> EbnfReader::ReadLiteral() {
  const size_t begin = at_;
  const char quote = Peek();
  ++at_;
  std::u32string text;
  while (Peek() != quote) {
    if (AtEnd() || Peek() == '\n' || Peek() == '\r') {
      return Invalid("the literal has no closing quote (write a line break as \\n)", begin);
    }
    const Result<uint32_t> c = ReadCharacter();
    if (!c.ok()) return c.status();
    text += static_cast<char32_t>(*c);
  }
  ++at_;
  return text;
}

Result<CodePointSet> EbnfReader::ReadClass() {
  const size_t begin = at_;
  ++at_;
  const bool negated = Peek() == '^';
  if (negated) ++at_;
  const bool is_empty = Peek() == ']';
  CodePointSet set;
  while (Peek() != ']') {
    if (AtEnd() || Peek() == '\n' || Peek() == '\r') {
      return Invalid("the class has no closing `]` (write a line break as \\n)", begin);
    }
    const size_t member = at_;
    const Result<uint32_t> first = ReadCharacter();
    if (!first.ok()) return first.status();
    uint32_t last = *first;
    if (Peek() == '-' && Peek(1) != ']' && Peek(1) != '\0' && Peek(1) != '\n') {
      ++at_;
      const Result<uint32_t> end = ReadCharacter();
      if (!end.ok()) return end.status();
      last = *end;
      if (last < *first) return Invalid("the range ends before it begins", member);
    }
    set.Add(*first, last);
  }
  ++at_;
  if (is_empty && !negated) return Invalid("the class has no members", begin);
  if (negated) set = set.Complement();
  if (set.empty()) return Invalid("the class leaves no code point", begin);
  return set;
}

Result<std::optional<uint32_t>> EbnfReader::ReadCount() {
  SkipSpace();
  const size_t begin = at_;
  uint64_t count = 0;
  while (IsDigit(Peek())) {
    count = count * 10 + static_cast<uint64_t>(Peek() - '0');
    if (count >= kUnbounded) {
      return Error(StatusCode::kResourceLimit, "the count is above 4,294,967,294", begin);
    }
    ++at_;
  }
  const bool is_given = at_ > begin;
  SkipSpace();
  return is_given ? std::optional<uint32_t>(static_cast<uint32_t>(count)) : std::nullopt;
}

Result<std::pair<uint32_t, uint32_t>> EbnfReader::ReadCounts() {
  const size_t begin = at_;
  ++at_;
  const Result<std::optional<uint32_t>> least = ReadCount();
  if (!least.ok()) return least.status();
  std::optional<uint32_t> min = *least;
  std::optional<uint32_t> max = min;
  if (Peek() == ',') {
    ++at_;
    const Result<std::optional<uint32_t>> most = ReadCount();
    if (!most.ok()) return most.status();
    max = *most;
    if (!min && max) min = 0;
    if (min && !max) max = kUnbounded;
  }
  if (Peek() != '}' || !min) {
    return Invalid("counts are written {m}, {m,}, {m,n} or {,n}", begin);
  }
  ++at_;
  if (*max < *min) return Invalid("the counts are in the wrong order", begin);
  return std::pair<uint32_t, uint32_t>(*min, *max);
}

std::string EbnfReader::Describe() const {
  if (AtEnd()) return "the end of the grammar";
  size_t end = at_;
  DecodeUtf8(text_, &end);
  return "`" + text_.substr(at_, end - at_) + "`";
}

Status EbnfReader::Error(StatusCode code, std::string message, size_t offset) const {
  return Status(code, std::move(message)).AtOffset(text_, offset);
}

}  // namespace maskloom
