// Reads ECMA-262 patterns (code points, as with the u flag, lenient about needless escapes) into
// the judge's expressions by recursive descent.
#include <algorithm>
#include <optional>

#include "tests/judge/derivatives.h"
#include "tests/judge/unicode_property.h"

namespace maskloom::judge {
namespace {

constexpr int kMaxDepth = 2000;

CodePoints Digits() { return CodePoints::Range('0', '9'); }

CodePoints WordCharacters() {
  CodePoints set = Digits();
  set.Add('a', 'z');
  set.Add('A', 'Z');
  set.Add('_', '_');
  return set;
}

CodePoints Blanks() {
  CodePoints set = CodePoints::Range(9, 13);
  for (uint32_t c : {0x20, 0xA0, 0x1680, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000, 0xFEFF}) {
    set.Add(c, c);
  }
  set.Add(0x2000, 0x200A);
  return set;
}

CodePoints NotLineEnds() {
  CodePoints set;
  for (uint32_t c : {0x0A, 0x0D, 0x2028, 0x2029}) set.Add(c, c);
  return set.Complement();
}

class PatternParser {
 public:
  PatternParser(PatternBuilder* pool, std::u32string text) : pool_(pool), text_(std::move(text)) {}

  Result<RegexId> Parse() {
    RegexId regex = ParseChoice(0);
    if (status_.ok() && at_ < text_.size()) Fail("unmatched ')'");
    if (!status_.ok()) return status_;
    return regex;
  }

 private:
  bool More() const { return status_.ok() && at_ < text_.size(); }
  char32_t Peek(size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : U'\0';
  }
  bool Take(std::u32string_view word) {
    if (text_.compare(at_, word.size(), word) != 0) return false;
    at_ += word.size();
    return true;
  }
  void Fail(const std::string& message, StatusCode code = StatusCode::kInvalidDefinition) {
    if (status_.ok()) status_ = Status(code, message + " at offset " + std::to_string(at_));
  }
  void Refuse(const std::string& what) {
    Fail(what + " is not supported", StatusCode::kUnsupported);
  }

  RegexId ParseChoice(int depth) {
    if (depth > kMaxDepth) {
      Fail("groups nested too deep", StatusCode::kResourceLimit);
      return PatternBuilder::kNever;
    }
    std::vector<RegexId> choices = {ParseSequence(depth)};
    while (More() && Take(U"|")) choices.push_back(ParseSequence(depth));
    return pool_->Alt(choices);
  }

  RegexId ParseSequence(int depth) {
    std::vector<RegexId> parts;
    while (More() && Peek() != '|' && Peek() != ')') parts.push_back(ParseTerm(depth));
    RegexId result = PatternBuilder::kEmpty;
    for (size_t i = parts.size(); i-- > 0;) result = pool_->Cat(parts[i], result);
    return result;
  }

  RegexId ParseTerm(int depth) {
    if (Take(U"^")) return pool_->Begin();
    if (Take(U"$")) return pool_->End();
    RegexId atom = ParseAtom(depth);
    if (!status_.ok()) return atom;
    uint32_t min = 1;
    uint32_t max = 1;
    if (Take(U"*")) {
      min = 0, max = PatternBuilder::kUnbounded;
    } else if (Take(U"+")) {
      min = 1, max = PatternBuilder::kUnbounded;
    } else if (Take(U"?")) {
      min = 0, max = 1;
    } else if (Peek() == '{') {
      size_t start = at_++;
      std::optional<uint32_t> low = ParseCount();
      std::optional<uint32_t> high = low;
      if (low && Take(U",")) {
        high = Peek() == '}' ? std::optional<uint32_t>(PatternBuilder::kUnbounded) : ParseCount();
      }
      if (!low || !high || !Take(U"}")) {
        at_ = start;  // a brace that begins no count is itself
        return atom;
      }
      min = *low, max = *high;
      if (min > max) Fail("numbers out of order in {} quantifier");
    } else {
      return atom;
    }
    Take(U"?");
    if (Peek() == '*' || Peek() == '+' || Peek() == '?') Fail("nothing to repeat");
    return pool_->Repeat(atom, min, max);
  }

  std::optional<uint32_t> ParseCount() {
    if (Peek() < '0' || Peek() > '9') return std::nullopt;
    uint64_t value = 0;
    while (Peek() >= '0' && Peek() <= '9') {
      value = std::min<uint64_t>(value * 10 + (Peek() - '0'), 0xFFFFFFFE);
      ++at_;
    }
    return static_cast<uint32_t>(value);
  }

  RegexId ParseAtom(int depth) {
    char32_t c = Peek();
    if (c == '(') return ParseGroup(depth);
    if (c == '[') return pool_->Set(ParseClass());
    if (c == '*' || c == '+' || c == '?') {
      Fail("nothing to repeat");
      return PatternBuilder::kNever;
    }
    if (c == '\\' && (Peek(1) == 'b' || Peek(1) == 'B')) {
      at_ += 2;
      return Known(pool_->WordBoundary(text_[at_ - 1] == 'B'), "a word boundary");
    }
    if (c == '\\') return pool_->Set(ParseEscape(false));
    ++at_;
    if (c == '.') return pool_->Set(NotLineEnds());
    return pool_->Set(CodePoints::Range(c, c));
  }

  RegexId Known(std::optional<RegexId> made, const std::string& what) {
    if (!made) Refuse(what);
    return made.value_or(PatternBuilder::kNever);
  }

  RegexId ParseGroup(int depth) {
    ++at_;
    std::optional<PatternBuilder::Look> look;
    if (Take(U"?")) {
      if (Take(U"=")) {
        look = {true, false};
      } else if (Take(U"!")) {
        look = {true, true};
      } else if (Take(U"<=")) {
        look = {false, false};
      } else if (Take(U"<!")) {
        look = {false, true};
      } else if (Take(U"<")) {
        while (More() && Peek() != '>') ++at_;
        if (!Take(U">")) Fail("invalid group name");
      } else if (!Take(U":")) {
        Fail("invalid group");
      }
    }
    RegexId body = ParseChoice(depth + 1);
    if (!Take(U")")) Fail("missing ')'");
    return look ? Known(pool_->LookAround(body, *look), "look-around") : body;
  }

  CodePoints ParseProperty(bool negated) {
    std::string name;
    if (!Take(U"{")) Fail("\\p without a name");
    while (More() && Peek() != '}') name += static_cast<char>(text_[at_++]);
    if (!Take(U"}")) Fail("\\p without an end");
    if (!status_.ok()) return {};
    std::optional<CodePoints> set = UnicodeProperty(name);
    if (!set) {
      Refuse("the property " + name);
      return {};
    }
    return negated ? set->Complement() : *set;
  }

  std::optional<uint32_t> ParseHex(size_t count) {
    uint32_t value = 0;
    for (size_t i = 0; i < count; ++i) {
      char32_t c = Peek(i);
      uint32_t digit = c >= '0' && c <= '9'   ? c - '0'
                       : c >= 'a' && c <= 'f' ? c - 'a' + 10
                       : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                              : 16;
      if (digit == 16) return std::nullopt;
      value = value << 4 | digit;
    }
    at_ += count;
    return value;
  }

  uint32_t ParseUnicodeEscape() {
    if (Take(U"{")) {
      uint32_t value = 0;
      size_t digits = 0;
      while (More() && Peek() != '}') {
        auto digit = ParseHex(1);
        if (!digit || value > kLastCodePoint) break;
        value = value << 4 | *digit;
        ++digits;
      }
      if (digits == 0 || value > kLastCodePoint || !Take(U"}")) Fail("invalid \\u escape");
      return value;
    }
    auto unit = ParseHex(4);
    if (!unit) {
      Fail("invalid \\u escape");
      return 0;
    }
    if (*unit >= 0xD800 && *unit <= 0xDBFF && Peek() == '\\' && Peek(1) == 'u') {
      size_t start = at_;
      at_ += 2;
      auto low = ParseHex(4);
      if (low && *low >= 0xDC00 && *low <= 0xDFFF) {
        return 0x10000 + ((*unit - 0xD800) << 10) + (*low - 0xDC00);
      }
      at_ = start;
    }
    return *unit;
  }

  CodePoints ParseEscape(bool in_class) {
    ++at_;
    if (at_ >= text_.size()) {
      Fail("pattern ends in a backslash");
      return {};
    }
    char32_t c = text_[at_++];
    switch (c) {
      case 'd':
        return Digits();
      case 'D':
        return Digits().Complement();
      case 'w':
        return WordCharacters();
      case 'W':
        return WordCharacters().Complement();
      case 's':
        return Blanks();
      case 'S':
        return Blanks().Complement();
      case 'n':
        return CodePoints::Range('\n', '\n');
      case 'r':
        return CodePoints::Range('\r', '\r');
      case 't':
        return CodePoints::Range('\t', '\t');
      case 'v':
        return CodePoints::Range('\v', '\v');
      case 'f':
        return CodePoints::Range('\f', '\f');
      case 'p':
      case 'P':
        return ParseProperty(c == 'P');
      case 'k':
        Refuse("a back-reference");
        return {};
      case 'b':
        return CodePoints::Range('\b', '\b');
      case 'x':
        if (auto value = ParseHex(2)) return CodePoints::Range(*value, *value);
        Fail("invalid \\x escape");
        return {};
      case 'u': {
        uint32_t value = ParseUnicodeEscape();
        return CodePoints::Range(value, value);
      }
      case 'c': {
        char32_t letter = Peek();
        if ((letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z')) {
          ++at_;
          return CodePoints::Range(letter % 32, letter % 32);
        }
        Fail("invalid \\c escape");
        return {};
      }
      case '0':
        if (Peek() < '0' || Peek() > '9') return CodePoints::Range(0, 0);
        Fail("octal escapes are not allowed");
        return {};
      default:
        if (c >= '1' && c <= '9') {
          if (in_class) {
            Fail("invalid escape in a class");
          } else {
            Refuse("a back-reference");
          }
          return {};
        }
        return CodePoints::Range(c, c);
    }
  }

  CodePoints ParseClass() {
    ++at_;
    bool negated = Take(U"^");
    CodePoints set;
    while (More() && Peek() != ']') {
      CodePoints first = ParseClassMember();
      if (Peek() == '-' && Peek(1) != ']' && at_ + 1 < text_.size()) {
        ++at_;
        CodePoints last = ParseClassMember();
        if (!status_.ok()) return {};
        if (first.Count() == 1 && last.Count() == 1) {
          uint32_t from = first.ranges()[0].first;
          uint32_t to = last.ranges()[0].first;
          if (from > to) Fail("range out of order in a class");
          set.Add(from, to);
        } else {
          set.Add(first);
          set.Add(last);
          set.Add('-', '-');
        }
      } else {
        set.Add(first);
      }
    }
    if (!Take(U"]")) Fail("missing ']'");
    return negated ? set.Complement() : set;
  }

  CodePoints ParseClassMember() {
    if (Peek() == '\\') return ParseEscape(true);
    char32_t c = text_[at_++];
    return CodePoints::Range(c, c);
  }

  PatternBuilder* pool_;
  std::u32string text_;
  size_t at_ = 0;
  Status status_;
};

}  // namespace

Result<RegexId> ParsePattern(const std::u32string& text, PatternBuilder* builder) {
  return PatternParser(builder, text).Parse();
}

Result<RegexId> RegexPool::ParseWhole(std::string_view pattern) {
  auto text = DecodeUtf8(pattern);
  if (!text) return Status(StatusCode::kInvalidDefinition, "the pattern is not valid UTF-8");
  return ParsePattern(*text, this);
}

Result<RegexId> RegexPool::ParseSearch(std::string_view pattern) {
  Result<RegexId> inner = ParseWhole(pattern);
  if (!inner.ok()) return inner.status();
  RegexId any = Repeat(Set(CodePoints::All()), 0, kUnbounded);
  return Cat(any, Cat(*inner, any));
}

}  // namespace maskloom::judge
