// Reads `name ::= ...` grammars: literals, classes, groups, `. ? * + {m,n}`, comments. A rule ends
// where the next `name ::=` begins, so bodies may go over several lines in any layout.
#include <algorithm>
#include <map>
#include <optional>

#include "tests/judge/earley.h"

namespace maskloom::judge {
namespace {

constexpr int kMaxDepth = 5000;
constexpr size_t kMaxCopies = 20000;

class EbnfReader {
 public:
  explicit EbnfReader(std::string_view source) : source_(source) {}

  Result<EbnfGrammar> Read() {
    auto decoded = DecodeUtf8(source_);
    if (!decoded) return Status(StatusCode::kInvalidDefinition, "the grammar is not valid UTF-8");
    text_ = *decoded;
    for (SkipBlanks(); More(); SkipBlanks()) ReadRule();
    for (const auto& [name, rule] : names_) {
      if (status_.ok() && !defined_[rule]) {
        at_ = used_at_[rule];
        Fail("undefined rule " + EncodeName(name));
      }
    }
    auto root = names_.find(U"root");
    if (root == names_.end()) Fail("there is no rule named root");
    if (!status_.ok()) return status_;
    grammar_.root = root->second;
    return std::move(grammar_);
  }

 private:
  using Body = std::vector<EbnfSymbol>;

  static std::string EncodeName(const std::u32string& name) {
    std::string out;
    for (char32_t c : name) out += EncodeUtf8(c);
    return out;
  }

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
    if (!status_.ok()) return;
    size_t bytes = 0;
    for (size_t i = 0; i < std::min(at_, text_.size()); ++i) bytes += EncodeUtf8(text_[i]).size();
    status_ = Status(code, message);
    status_.AtOffset(std::string(source_), bytes);
  }

  void SkipBlanks() {
    while (at_ < text_.size()) {
      char32_t c = Peek();
      if (c == '#') {
        while (at_ < text_.size() && Peek() != '\n') ++at_;
      } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
        ++at_;
      } else {
        return;
      }
    }
  }

  static bool NameStart(char32_t c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  }
  static bool NameCharacter(char32_t c) {
    return NameStart(c) || (c >= '0' && c <= '9') || c == '-' || c == '.';
  }
  std::u32string ReadName() {
    std::u32string name;
    if (!NameStart(Peek())) {
      Fail("a rule name is expected");
      return name;
    }
    while (NameCharacter(Peek())) name += text_[at_++];
    return name;
  }

  // Whether `name ::=` stands here.
  bool AtDefinition() {
    size_t start = at_;
    bool found = NameStart(Peek());
    while (found && NameCharacter(Peek())) ++at_;
    SkipBlanks();
    found = found && Take(U"::=");
    at_ = start;
    return found;
  }

  int NewRule() {
    grammar_.rules.emplace_back();
    defined_.push_back(true);
    used_at_.push_back(at_);
    return static_cast<int>(grammar_.rules.size() - 1);
  }
  int RuleNamed(const std::u32string& name) {
    auto it = names_.find(name);
    if (it != names_.end()) return it->second;
    int rule = NewRule();
    defined_[rule] = false;
    names_[name] = rule;
    return rule;
  }

  void ReadRule() {
    size_t start = at_;
    std::u32string name = ReadName();
    if (!status_.ok()) return;
    int rule = RuleNamed(name);
    SkipBlanks();
    if (!Take(U"::=")) return Fail("'::=' is expected");
    if (defined_[rule]) {
      at_ = start;
      return Fail("rule " + EncodeName(name) + " is defined twice");
    }
    defined_[rule] = true;
    auto alternatives = ReadChoice(0);
    grammar_.rules[rule] = std::move(alternatives);
    SkipBlanks();
    if (More() && !AtDefinition()) Fail("unexpected text in a rule");
  }

  std::vector<Body> ReadChoice(int depth) {
    std::vector<Body> alternatives;
    if (depth > kMaxDepth) {
      Fail("groups nested too deep", StatusCode::kResourceLimit);
      return alternatives;
    }
    do {
      alternatives.push_back(ReadSequence(depth));
      SkipBlanks();
    } while (status_.ok() && Take(U"|"));
    return alternatives;
  }

  Body ReadSequence(int depth) {
    Body body;
    for (SkipBlanks(); More() && Peek() != '|' && Peek() != ')'; SkipBlanks()) {
      if (AtDefinition()) break;
      Body atom = ReadAtom(depth);
      if (!status_.ok()) break;
      ReadRepeats(&atom);
      body.insert(body.end(), atom.begin(), atom.end());
    }
    return body;
  }

  EbnfSymbol ClassSymbol(const CodePoints& set) {
    auto [it, fresh] = class_index_.try_emplace(set, static_cast<int>(grammar_.classes.size()));
    if (fresh) grammar_.classes.push_back(set);
    return {true, it->second};
  }

  Body ReadAtom(int depth) {
    if (Take(U"(")) {
      auto alternatives = ReadChoice(depth + 1);
      if (!Take(U")")) Fail("missing ')'");
      int rule = NewRule();
      grammar_.rules[rule] = std::move(alternatives);
      return {{false, rule}};
    }
    if (Take(U"\"")) {
      Body body;
      while (More() && Peek() != '"' && Peek() != '\n') {
        uint32_t c = ReadCharacter();
        body.push_back(ClassSymbol(CodePoints::Range(c, c)));
      }
      if (!Take(U"\"")) Fail("missing '\"'");
      return WrapLiteral(body);
    }
    if (Take(U"[")) return {ClassSymbol(ReadClass())};
    if (Take(U".")) return {ClassSymbol(CodePoints::All())};
    if (NameStart(Peek())) {
      size_t start = at_;
      int rule = RuleNamed(ReadName());
      used_at_[rule] = start;
      return {{false, rule}};
    }
    Fail("unexpected character");
    return {};
  }

  // A literal is one unit for what repeats it.
  Body WrapLiteral(const Body& body) {
    if (body.size() == 1) return body;
    int rule = NewRule();
    grammar_.rules[rule] = {body};
    return {{false, rule}};
  }

  uint32_t ReadHex(size_t count) {
    uint32_t value = 0;
    for (size_t i = 0; i < count; ++i) {
      char32_t c = Peek();
      if (c >= '0' && c <= '9') {
        value = value << 4 | (c - '0');
      } else if ((c | 32) >= 'a' && (c | 32) <= 'f') {
        value = value << 4 | ((c | 32) - 'a' + 10);
      } else {
        Fail("a hexadecimal digit is expected");
        return 0;
      }
      ++at_;
    }
    if (value > kLastCodePoint || (value >= 0xD800 && value <= 0xDFFF)) Fail("not a code point");
    return value;
  }

  uint32_t ReadCharacter() {
    char32_t c = text_[at_++];
    if (c != '\\') return c;
    if (at_ >= text_.size()) {
      Fail("unfinished escape");
      return 0;
    }
    c = text_[at_++];
    switch (c) {
      case 'n':
        return '\n';
      case 'r':
        return '\r';
      case 't':
        return '\t';
      case 'f':
        return '\f';
      case 'v':
        return '\v';
      case 'b':
        return '\b';
      case 'x':
        return ReadHex(2);
      case 'u':
        return ReadHex(4);
      case 'U':
        return ReadHex(8);
      default:
        if (NameStart(c) || (c >= '0' && c <= '9')) {
          --at_;
          Fail("unknown escape");
        }
        return c;
    }
  }

  CodePoints ReadClass() {
    bool negated = Take(U"^");
    CodePoints set;
    while (More() && Peek() != ']' && Peek() != '\n') {
      uint32_t first = ReadCharacter();
      uint32_t last = first;
      if (Peek() == '-' && Peek(1) != ']' && at_ + 1 < text_.size()) {
        ++at_;
        last = ReadCharacter();
        if (last < first) Fail("range out of order in a class");
      }
      set.Add(first, last);
    }
    if (!Take(U"]")) Fail("missing ']'");
    return negated ? set.Complement() : set;
  }

  std::optional<uint64_t> ReadCount() {
    SkipBlanks();
    if (Peek() < '0' || Peek() > '9') return std::nullopt;
    uint64_t value = 0;
    while (Peek() >= '0' && Peek() <= '9') {
      value = std::min<uint64_t>(value * 10 + (Peek() - '0'), kMaxCopies + 1);
      ++at_;
    }
    SkipBlanks();
    return value;
  }

  void ReadRepeats(Body* atom) {
    while (More()) {
      uint64_t min = 0;
      std::optional<uint64_t> max;
      if (Take(U"*")) {
      } else if (Take(U"+")) {
        min = 1;
      } else if (Take(U"?")) {
        max = 1;
      } else if (Take(U"{")) {
        auto low = ReadCount();
        min = low.value_or(0);
        max = low;
        if (Take(U",")) {
          max = ReadCount();
        } else if (!low) {
          return Fail("a count is expected");
        }
        if (!Take(U"}")) return Fail("missing '}'");
        if (max && *max < min) return Fail("counts out of order");
      } else {
        return;
      }
      *atom = Repeat(*atom, min, max);
    }
  }

  Body Repeat(const Body& unit, uint64_t min, std::optional<uint64_t> max) {
    copies_ += max.value_or(min);
    if (copies_ > kMaxCopies) {
      Fail("too many repetitions for the judge", StatusCode::kResourceLimit);
      return {};
    }
    Body body;
    for (uint64_t i = 0; i < min; ++i) body.insert(body.end(), unit.begin(), unit.end());
    if (!max) {
      int star = NewRule();
      Body again = {{false, star}};
      again.insert(again.end(), unit.begin(), unit.end());
      grammar_.rules[star] = {{}, again};
      body.push_back({false, star});
    } else {
      // From the innermost option outwards: o -> () | unit o'.
      std::optional<int> inner;
      for (uint64_t i = min; i < *max; ++i) {
        Body one = unit;
        if (inner) one.push_back({false, *inner});
        int option = NewRule();
        grammar_.rules[option] = {{}, one};
        inner = option;
      }
      if (inner) body.push_back({false, *inner});
    }
    int rule = NewRule();
    grammar_.rules[rule] = {body};
    return {{false, rule}};
  }

  std::string_view source_;
  std::u32string text_;
  size_t at_ = 0;
  Status status_;
  EbnfGrammar grammar_;
  std::map<std::u32string, int> names_;
  std::vector<bool> defined_;    // by rule
  std::vector<size_t> used_at_;  // by rule: where it was first named
  std::map<CodePoints, int> class_index_;
  uint64_t copies_ = 0;
};

}  // namespace

Result<EbnfGrammar> ReadEbnf(std::string_view text) { return EbnfReader(text).Read(); }

}  // namespace maskloom::judge
