// A recursive-descent reader: ABNF texts are constants of this library, so their nesting is known
// and small. A rule becomes an expression when it is first called; later calls share it.
#include "grammar/formats/abnf.h"

#include <algorithm>
#include <string>
#include <vector>

namespace maskloom {
namespace {

constexpr uint32_t kMaxRepeats = 1000;
constexpr int kMaxDepth = 64;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z'; }
bool IsNamePart(char c) { return IsLetter(c) || IsDigit(c) || c == '-'; }

int DigitValue(char c, int base) {
  int value = 99;
  if (IsDigit(c)) value = c - '0';
  if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f') value = (c | 0x20) - 'a' + 10;
  return value < base ? value : -1;
}

class AbnfReader {
 public:
  AbnfReader(std::string_view text, const AbnfClasses& classes, ExprPool* pool)
      : text_(text), classes_(classes), pool_(*pool) {}

  Result<ExprId> Read(std::string_view root);

 private:
  struct Rule {
    size_t body = 0;  // offset behind the `=`
    size_t end = 0;
    bool is_open = false;  // being read
    bool is_read = false;
    ExprId expr = 0;
  };

  void FindRules();
  void SkipBlanks();
  bool At(char c) {
    SkipBlanks();
    return at_ < end_ && text_[at_] == c;
  }
  bool Take(char c) { return At(c) && ++at_; }
  ExprId Fail(std::string message);

  ExprId ReadRule(std::string_view name);
  ExprId ReadChoice();
  ExprId JoinChoices(std::vector<ExprId> choices);
  ExprId ReadSequence();
  ExprId ReadRepeat();
  ExprId ReadElement();
  ExprId ReadText(bool any_case);
  ExprId ReadNumbers();
  uint32_t ReadNumber(int base);

  const std::string_view text_;
  const AbnfClasses& classes_;
  ExprPool& pool_;
  std::map<std::string_view, Rule> rules_;
  size_t at_ = 0;
  size_t end_ = 0;  // of the rule being read
  int depth_ = 0;
  Status status_;  // the first error
};

ExprId AbnfReader::Fail(std::string message) {
  if (status_.ok()) {
    status_ = Status(StatusCode::kInvalidDefinition, std::move(message));
    status_.AtOffset(std::string(text_), at_);
  }
  at_ = end_;
  return pool_.Never();
}

void AbnfReader::FindRules() {
  Rule* last = nullptr;
  for (size_t line = 0; line < text_.size();) {
    if (IsLetter(text_[line])) {
      size_t at = line;
      while (at < text_.size() && IsNamePart(text_[at])) ++at;
      const std::string_view name = text_.substr(line, at - line);
      while (at < text_.size() && text_[at] == ' ') ++at;
      if (last != nullptr) last->end = line;
      last = &rules_[name];
      if (at >= text_.size() || text_[at] != '=' || last->body != 0) {
        at_ = line;
        Fail("a line in column 1 defines a rule, once");
      }
      last->body = at + 1;
    }
    const size_t end = text_.find('\n', line);
    line = end == std::string_view::npos ? text_.size() : end + 1;
  }
  if (last != nullptr) last->end = text_.size();
}

void AbnfReader::SkipBlanks() {
  while (at_ < end_) {
    const char c = text_[at_];
    if (c == ';') {
      at_ = std::min(text_.find('\n', at_), end_);
    } else if (c == ' ' || c == '\n') {
      ++at_;
    } else {
      return;
    }
  }
}

ExprId AbnfReader::ReadRule(std::string_view name) {
  if (const auto set = classes_.find(name); set != classes_.end()) return pool_.Class(set->second);
  if (name == "ALPHA") return pool_.Class({{'A', 'Z'}, {'a', 'z'}});
  if (name == "DIGIT") return pool_.Class({{'0', '9'}});
  if (name == "HEXDIG") return pool_.Class({{'0', '9'}, {'A', 'F'}, {'a', 'f'}});
  if (name == "DQUOTE") return pool_.Text(U"\"");
  const auto found = rules_.find(name);
  if (found == rules_.end()) return Fail("no rule has the name " + std::string(name));
  Rule& rule = found->second;
  if (rule.is_read) return rule.expr;
  if (rule.is_open || depth_ >= kMaxDepth) return Fail("rule " + std::string(name) + " recurs");
  const size_t at = at_, end = end_;
  rule.is_open = true;
  ++depth_;
  at_ = rule.body;
  end_ = rule.end;
  rule.expr = ReadChoice();
  SkipBlanks();
  if (at_ < end_) Fail("this does not continue rule " + std::string(name));
  at_ = at;
  end_ = end;
  --depth_;
  rule.is_open = false;
  rule.is_read = true;
  return rule.expr;
}

ExprId AbnfReader::ReadChoice() {
  std::vector<ExprId> choices;
  do {
    choices.push_back(ReadSequence());
  } while (Take('/'));
  return JoinChoices(std::move(choices));
}

// Alternatives of one code point each become one class, which keeps automata of them small.
ExprId AbnfReader::JoinChoices(std::vector<ExprId> choices) {
  if (choices.size() == 1) return choices[0];
  CodePointSet joined;
  const auto is_joined = [&](ExprId id) {
    if (pool_.kind(id) == ExprKind::kClass) {
      joined.Add(pool_.set(id));
    } else if (pool_.kind(id) == ExprKind::kText && pool_.text(id).size() == 1) {
      joined.Add(pool_.text(id)[0], pool_.text(id)[0]);
    } else {
      return false;
    }
    return true;
  };
  choices.erase(std::remove_if(choices.begin(), choices.end(), is_joined), choices.end());
  if (!joined.empty()) choices.push_back(pool_.Class(std::move(joined)));
  return choices.size() == 1 ? choices[0] : pool_.Choice(std::move(choices));
}

ExprId AbnfReader::ReadSequence() {
  std::vector<ExprId> parts;
  while (!At('/') && !At(')') && !At(']') && at_ < end_) parts.push_back(ReadRepeat());
  if (parts.empty()) return Fail("an alternative is empty");
  return parts.size() == 1 ? parts[0] : pool_.Sequence(std::move(parts));
}

ExprId AbnfReader::ReadRepeat() {
  SkipBlanks();
  if (!IsDigit(text_[at_]) && text_[at_] != '*') return ReadElement();
  const uint32_t min = IsDigit(text_[at_]) ? ReadNumber(10) : 0;
  uint32_t max = min;
  if (at_ < end_ && text_[at_] == '*') {
    ++at_;
    max = at_ < end_ && IsDigit(text_[at_]) ? ReadNumber(10) : kUnbounded;
  }
  if (min > max || min > kMaxRepeats || (max > kMaxRepeats && max != kUnbounded)) {
    return Fail("this count is out of bounds");
  }
  return pool_.Repeat(ReadElement(), min, max);
}

ExprId AbnfReader::ReadElement() {
  SkipBlanks();
  if (at_ >= end_) return Fail("an element is missing");
  if (IsLetter(text_[at_])) {
    const size_t begin = at_;
    while (at_ < end_ && IsNamePart(text_[at_])) ++at_;
    return ReadRule(text_.substr(begin, at_ - begin));
  }
  switch (text_[at_++]) {
    case '"':
      return ReadText(true);
    case '(': {
      const ExprId inner = ReadChoice();
      return Take(')') ? inner : Fail("`)` is missing");
    }
    case '[': {
      const ExprId inner = ReadChoice();
      return Take(']') ? pool_.Repeat(inner, 0, 1) : Fail("`]` is missing");
    }
    case '%':
      if (text_.substr(at_, 2) == "s\"") {
        at_ += 2;
        return ReadText(false);
      }
      return ReadNumbers();
    default:
      --at_;
      return Fail("this begins no element");
  }
}

// Reads up to the closing quote.
ExprId AbnfReader::ReadText(bool any_case) {
  std::vector<ExprId> parts;
  std::u32string literal;
  const auto flush = [&] {
    if (!literal.empty()) parts.push_back(pool_.Text(literal));
    literal.clear();
  };
  for (; at_ < end_ && text_[at_] != '"'; ++at_) {
    const auto c = static_cast<unsigned char>(text_[at_]);
    if (!any_case || !IsLetter(text_[at_])) {
      literal.push_back(c);
      continue;
    }
    flush();
    const uint32_t lower = c | 0x20, upper = c & ~0x20u;
    parts.push_back(pool_.Class({{upper, upper}, {lower, lower}}));
  }
  if (at_ >= end_) return Fail("a text never ends");
  ++at_;
  flush();
  if (parts.size() == 1) return parts[0];
  return parts.empty() ? pool_.Empty() : pool_.Sequence(std::move(parts));
}

uint32_t AbnfReader::ReadNumber(int base) {
  const size_t begin = at_;
  uint32_t value = 0;
  for (; at_ < end_ && at_ - begin < 8 && DigitValue(text_[at_], base) >= 0; ++at_) {
    value = value * base + DigitValue(text_[at_], base);
  }
  if (at_ == begin) Fail("a number is missing");
  return value;
}

// Reads what follows a `%`: one value, a range, or values joined by dots.
ExprId AbnfReader::ReadNumbers() {
  const char radix = text_[at_++];
  if (radix != 'x' && radix != 'd') return Fail("`%` needs x, d or s");
  const int base = radix == 'x' ? 16 : 10;
  const uint32_t first = ReadNumber(base);
  if (at_ < end_ && text_[at_] == '-') {
    ++at_;
    const uint32_t last = ReadNumber(base);
    if (last < first) return Fail("this range is out of order");
    return pool_.Class({{first, last}});
  }
  std::u32string literal(1, first);
  while (at_ < end_ && text_[at_] == '.') {
    ++at_;
    literal.push_back(ReadNumber(base));
  }
  return pool_.Text(std::move(literal));
}

Result<ExprId> AbnfReader::Read(std::string_view root) {
  FindRules();
  const ExprId expr = ReadRule(root);
  if (!status_.ok()) return status_;
  return expr;
}

}  // namespace

Result<ExprId> ReadAbnf(std::string_view text, std::string_view root, const AbnfClasses& classes,
                        ExprPool* pool) {
  return AbnfReader(text, classes, pool).Read(root);
}

}  // namespace maskloom
