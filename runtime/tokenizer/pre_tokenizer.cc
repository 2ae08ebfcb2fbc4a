// Scanners for the split patterns of the byte-level tokenizers.
//
// A pattern is a list of alternatives that a backtracking engine tries in order at each place, so
// the first one that matches wins, not the longest. Each alternative here is a function from a
// place to the end of its match (or kNoMatch); repeats are greedy and the few places where the
// engine would have to give characters back are solved directly:
//
//   \s*[\r\n]+   takes the run of spaces up to its last line break, since giving back characters
//                from the end of the run stops at the first break met;
//   \s+(?!\S)    takes a run of spaces whole at the end of the text, else all but its last
//                character, which is then free to be the sign before a word;
//   [A]*[B]+     (GPT-4o; A = everything but lower case, B = everything but upper case, both with
//                marks and caseless letters): the run of A is taken first; if a B follows, the run
//                of B too; else A gives back down to its last character that is also in B.
//
// Contractions are matched without regard to case as Unicode folds it, so that U+017F (long s)
// counts as "s". Every pattern covers all characters, so the pieces leave no gaps; the remainder
// rule in Scan() only states that.
#include "runtime/tokenizer/pre_tokenizer.h"

#include "runtime/tokenizer/char_class.h"

namespace maskloom {
namespace {

constexpr size_t kNoMatch = 0;  // a match is never empty, so its end is never 0

// Scans one text by one pattern.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : chars_(text) {}

  void Scan(SplitRule rule, std::vector<std::string_view>* pieces) const {
    size_t begin = 0;
    while (begin < chars_.size()) {
      size_t end = MatchAt(rule, begin);
      if (end == kNoMatch) end = begin + 1;
      const size_t offset = chars_.offsets[begin];
      pieces->push_back(chars_.text.substr(offset, chars_.offsets[end] - offset));
      begin = end;
    }
  }

 private:
  bool Is(size_t i, uint8_t bits) const {
    return i < chars_.size() && (chars_.classes[i] & bits) != 0;
  }
  // [^\s\p{L}\p{N}]
  bool IsSign(size_t i) const {
    return i < chars_.size() && !Is(i, kClassSpace | kClassLetter | kClassNumber);
  }
  bool IsByte(size_t i, char byte) const {
    return i < chars_.size() && chars_.text[chars_.offsets[i]] == byte;
  }
  size_t Run(size_t i, uint8_t bits) const {
    while (Is(i, bits)) ++i;
    return i;
  }

  size_t MatchAt(SplitRule rule, size_t begin) const {
    switch (rule) {
      case SplitRule::kSingleNumbers:
        return Is(begin, kClassNumber) ? begin + 1 : NotNumbers(begin);
      case SplitRule::kNumberRuns:
        return Is(begin, kClassNumber) ? Run(begin, kClassNumber) : NotNumbers(begin);
      case SplitRule::kGpt2:
        return Gpt2(begin);
      case SplitRule::kLlama3:
        return Words(begin, 3);
      case SplitRule::kQwen2:
        return Words(begin, 1);
      case SplitRule::kO200k:
        return O200k(begin);
    }
    return kNoMatch;
  }

  size_t NotNumbers(size_t i) const {
    while (i < chars_.size() && !Is(i, kClassNumber)) ++i;
    return i;
  }

  // 's|'t|'re|'ve|'m|'ll|'d
  size_t Contraction(size_t i, bool any_case) const {
    if (!IsByte(i, '\'') || i + 1 >= chars_.size()) return kNoMatch;
    const auto letter = [&](size_t at) -> char {
      if (at >= chars_.size()) return 0;
      const std::string_view one =
          chars_.text.substr(chars_.offsets[at], chars_.offsets[at + 1] - chars_.offsets[at]);
      if (any_case && one == "\xC5\xBF") return 's';
      if (one.size() != 1) return 0;
      return any_case && one[0] >= 'A' && one[0] <= 'Z' ? static_cast<char>(one[0] + 32) : one[0];
    };
    const char first = letter(i + 1);
    if (first == 's' || first == 't' || first == 'm' || first == 'd') return i + 2;
    const char second = letter(i + 2);
    const bool two =
        ((first == 'r' || first == 'v') && second == 'e') || (first == 'l' && second == 'l');
    return two ? i + 3 : kNoMatch;
  }

  // \s+(?!\S)|\s+
  size_t Spaces(size_t i) const {
    const size_t end = Run(i, kClassSpace);
    if (end == i) return kNoMatch;
    return end == chars_.size() || end == i + 1 ? end : end - 1;
  }

  // \s*[\r\n]+
  size_t SpacesToLineBreak(size_t i) const {
    size_t end = Run(i, kClassSpace);
    while (end > i && !Is(end - 1, kClassNewline)) --end;
    return end > i ? end : kNoMatch;
  }

  // \p{N}{1,most}
  size_t Numbers(size_t i, size_t most) const {
    size_t end = i;
    while (end < i + most && Is(end, kClassNumber)) ++end;
    return end > i ? end : kNoMatch;
  }

  // ` ?[^\s\p{L}\p{N}]+`
  size_t Signs(size_t i) const {
    if (IsByte(i, ' ')) ++i;
    const size_t begin = i;
    while (IsSign(i)) ++i;
    return i > begin ? i : kNoMatch;
  }

  size_t Gpt2(size_t begin) const {
    if (const size_t end = Contraction(begin, false)) return end;
    const size_t word = begin + (IsByte(begin, ' ') ? 1 : 0);
    if (Is(word, kClassLetter)) return Run(word, kClassLetter);
    if (Is(word, kClassNumber)) return Run(word, kClassNumber);
    if (const size_t end = Signs(begin)) return end;
    return Spaces(begin);
  }

  // [^\r\n\p{L}\p{N}]? before a word
  bool IsWordPrefix(size_t i) const {
    return i < chars_.size() && !Is(i, kClassNewline | kClassLetter | kClassNumber);
  }

  // The common pattern of Llama 3 and Qwen.
  size_t Words(size_t begin, size_t most_digits) const {
    if (const size_t end = Contraction(begin, true)) return end;
    const size_t word = begin + (IsWordPrefix(begin) ? 1 : 0);
    if (Is(word, kClassLetter)) return Run(word, kClassLetter);
    if (const size_t end = Numbers(begin, most_digits)) return end;
    if (size_t end = Signs(begin)) return Run(end, kClassNewline);
    if (const size_t end = SpacesToLineBreak(begin)) return end;
    return Spaces(begin);
  }

  // [\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]
  bool IsNotLower(size_t i) const {
    return Is(i, kClassLetter | kClassMark) && !Is(i, kClassLower);
  }
  // [\p{Ll}\p{Lm}\p{Lo}\p{M}]
  bool IsNotUpper(size_t i) const {
    return Is(i, kClassLetter | kClassMark) && !Is(i, kClassUpper);
  }

  // [not lower]*[not upper]+
  size_t LowerWord(size_t begin) const {
    size_t end = begin;
    while (IsNotLower(end)) ++end;
    if (IsNotUpper(end)) {
      while (IsNotUpper(end)) ++end;
      return end;
    }
    while (end > begin && !IsNotUpper(end - 1)) --end;
    return end > begin ? end : kNoMatch;
  }

  // [not lower]+[not upper]*
  size_t UpperWord(size_t begin) const {
    size_t end = begin;
    while (IsNotLower(end)) ++end;
    if (end == begin) return kNoMatch;
    while (IsNotUpper(end)) ++end;
    return end;
  }

  size_t O200k(size_t begin) const {
    const bool prefixed = IsWordPrefix(begin);
    size_t end = prefixed ? LowerWord(begin + 1) : kNoMatch;
    if (end == kNoMatch) end = LowerWord(begin);
    if (end == kNoMatch && prefixed) end = UpperWord(begin + 1);
    if (end == kNoMatch) end = UpperWord(begin);
    if (end != kNoMatch) {
      const size_t contraction = Contraction(end, true);
      return contraction != kNoMatch ? contraction : end;
    }
    if (const size_t numbers = Numbers(begin, 3)) return numbers;
    if (size_t signs = Signs(begin)) {
      while (Is(signs, kClassNewline) || IsByte(signs, '/')) ++signs;
      return signs;
    }
    if (const size_t breaks = SpacesToLineBreak(begin)) return breaks;
    return Spaces(begin);
  }

  ClassifiedText chars_;
};

struct KnownPattern {
  std::string_view pattern;
  SplitRule rule;
};

constexpr KnownPattern kKnownPatterns[] = {
    {R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)",
     SplitRule::kGpt2},
    {R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|)"
     R"( ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
     SplitRule::kLlama3},
    {R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}|)"
     R"( ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
     SplitRule::kQwen2},
    {R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+)"
     R"((?i:'s|'t|'re|'ve|'m|'ll|'d)?|)"
     R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*)"
     R"((?i:'s|'t|'re|'ve|'m|'ll|'d)?|)"
     R"(\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
     SplitRule::kO200k},
    {R"(\p{N})", SplitRule::kSingleNumbers},
};

}  // namespace

std::optional<SplitRule> FindSplitRule(std::string_view pattern) {
  for (const KnownPattern& known : kKnownPatterns) {
    if (known.pattern == pattern) return known.rule;
  }
  return std::nullopt;
}

void PreTokenizer::Split(std::string_view text, std::vector<std::string_view>* pieces) const {
  if (text.empty()) return;
  if (rules_.empty()) {
    pieces->push_back(text);
    return;
  }
  if (rules_.size() == 1) {
    Scanner(text).Scan(rules_[0], pieces);
    return;
  }
  std::vector<std::string_view> current = {text};
  std::vector<std::string_view> next;
  for (const SplitRule rule : rules_) {
    next.clear();
    for (const std::string_view piece : current) Scanner(piece).Scan(rule, &next);
    current.swap(next);
  }
  pieces->insert(pieces->end(), current.begin(), current.end());
}

}  // namespace maskloom
