// See pattern_writer.h.
#include "tests/grammar/regex/pattern_writer.h"

#include <iterator>

namespace maskloom::testing {

std::string PatternWriter::Pattern() {
  out_.clear();
  groups_ = names_ = 0;
  Alternatives(3);
  return out_;
}

std::string PatternWriter::Scribble() {
  static const char* const kPieces[] = {
      "a",       "b",   "(",    ")",   "(?:",    "(?=",    "(?!",   "(?<=", "(?<!",
      "(?<n>",   "[",   "[^",   "]",   "-",      "*",      "+",     "?",    "{2}",
      "{1,",     "}",   "{",    "|",   "^",      "$",      ".",     "\\",   "\\d",
      "\\b",     "\\B", "\\1",  "\\2", "\\k<n>", "\\p{L}", "\\u61", "\\u{", "\\x61",
      "\\u0061", "\\-", "\\cA", "\\0", "\\00",   "é",      "(?i)",  "(?i:", "\\/"};
  std::string pattern;
  for (uint32_t i = 1 + Pick(7); i > 0; --i) pattern += kPieces[Pick(std::size(kPieces))];
  return pattern;
}

std::string PatternWriter::Text() {
  static const char* const kPieces[] = {"a", "b", "c",  "A", "0", "1",  "_",  "-",          " ",
                                        "é", "É", "\n", "α", "ж", "ab", "ba", "\U0001F600", "٣"};
  std::string text;
  for (uint32_t i = Pick(7); i > 0; --i) text += kPieces[Pick(std::size(kPieces))];
  return text;
}

void PatternWriter::Alternatives(int depth) {
  for (uint32_t more = Pick(4) == 0 ? 2 : 1; more > 0; --more) {
    for (uint32_t i = Pick(4) + (depth == 3); i > 0; --i) Term(depth);
    if (more > 1) out_ += '|';
  }
}

void PatternWriter::Term(int depth) {
  static const char* const kAssertions[] = {"^", "$", "\\b", "\\b", "\\B"};
  if (Pick(8) == 0) {
    out_ += kAssertions[Pick(std::size(kAssertions))];
    return;
  }
  static const char* const kLooks[] = {"(?=", "(?!", "(?<=", "(?<!"};
  if (depth > 0 && Pick(6) == 0) {
    out_ += kLooks[Pick(std::size(kLooks))];
    Alternatives(depth - 1);
    out_ += ')';
    return;
  }
  Atom(depth);
  static const char* const kQuantifiers[] = {"*",    "+",     "?",     "{2}",
                                             "{1,}", "{0,2}", "{2,5}", "{3,}"};
  if (Pick(3) != 0) return;
  out_ += kQuantifiers[Pick(std::size(kQuantifiers))];
  if (Pick(4) == 0) out_ += '?';
}

void PatternWriter::Atom(int depth) {
  static const char* const kAtoms[] = {"a",
                                       "b",
                                       "c",
                                       "ab",
                                       "é",
                                       "\U0001F600",
                                       ".",
                                       R"(\d)",
                                       R"(\D)",
                                       R"(\w)",
                                       R"(\W)",
                                       R"(\s)",
                                       R"(\x61)",
                                       "[a-c]",
                                       "[^a]",
                                       "[^a-c_]",
                                       "[abd]",
                                       R"([\dé])",
                                       R"([^\w])",
                                       R"([\W\d])",
                                       R"(\p{L})",
                                       R"(\p{Lu})",
                                       R"(\P{L})",
                                       R"(\p{Script=Greek})",
                                       R"(\p{Nd})",
                                       R"([\p{L}_])",
                                       R"([^\P{N}a])",
                                       R"(\p{Emoji})",
                                       R"(\p{scx=Cyrl})",
                                       "[^]"};
  if (groups_ > 0 && Pick(16) == 0) {
    out_ += "\\" + std::to_string(1 + Pick(groups_));
    out_ += "(?:)";  // the next digit is not its own
    return;
  }
  if (names_ > 0 && Pick(16) == 0) {
    out_ += "\\k<n" + std::to_string(1 + Pick(names_)) + ">";
    return;
  }
  const uint32_t pick = Pick(std::size(kAtoms) + (depth > 0 ? 12 : 0));
  if (pick < std::size(kAtoms)) {
    out_ += kAtoms[pick];
    return;
  }
  switch (Pick(4)) {
    case 0:
      ++groups_;
      ++names_;
      out_ += "(?<n" + std::to_string(names_) + ">";
      break;
    case 1:
      ++groups_;
      out_ += '(';
      break;
    default:
      out_ += "(?:";
      break;
  }
  Alternatives(depth - 1);
  out_ += ')';
}

}  // namespace maskloom::testing
