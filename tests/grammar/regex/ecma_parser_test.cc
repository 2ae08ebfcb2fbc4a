// What ECMA-262 patterns match, and what they are refused for.
#include "grammar/regex/ecma_parser.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "grammar/base/utf8.h"
#include "grammar/regular/regular.h"

namespace maskloom {
namespace {

// Does the whole of `text` match? Fails the test if the pattern is refused.
bool Matches(std::string_view pattern, std::string_view text) {
  ExprPool pool;
  auto expr = ParseEcmaRegex(pattern, &pool);
  if (!expr.ok()) {
    ADD_FAILURE() << pattern << ": " << expr.status().ToString();
    return false;
  }
  auto automaton = BuildAutomaton(pool, *expr);
  EXPECT_EQ(automaton->Validate(), "") << pattern;
  return automaton->Match(ToUtf32(text)) != TextAutomaton::kNotAccepting;
}

bool Contains(std::string_view pattern, std::string_view text) {
  ExprPool pool;
  auto expr = ParseEcmaRegex(pattern, &pool);
  if (!expr.ok()) {
    ADD_FAILURE() << pattern << ": " << expr.status().ToString();
    return false;
  }
  auto automaton = BuildSearchAutomaton(pool, *expr);
  return automaton->Match(ToUtf32(text)) != TextAutomaton::kNotAccepting;
}

Status Refusal(std::string_view pattern) {
  ExprPool pool;
  auto expr = ParseEcmaRegex(pattern, &pool);
  if (expr.ok()) ADD_FAILURE() << pattern << " is accepted";
  return expr.status();
}

TEST(EcmaParser, ReadsEscapesOfCodePoints) {
  EXPECT_TRUE(Matches(R"(\t\n\v\f\r)", "\t\n\v\f\r"));
  EXPECT_TRUE(Matches(R"(\0)", std::string_view("\0", 1)));
  EXPECT_TRUE(Matches(R"(\cJ\cj)", "\n\n"));
  EXPECT_TRUE(Matches(R"(\x41\u0042\u{43}\u{01F600})", "ABC\U0001F600"));
  EXPECT_TRUE(Matches(R"(\uD83D\uDE00)", "\U0001F600"));
  EXPECT_TRUE(Matches(R"([\uD83D\uDE00-\uD83D\uDE02]+)", "\U0001F601\U0001F602"));
  EXPECT_TRUE(Matches(R"(\-\_\/\@\ \:\"\.\[\]\{\}\(\)\*\+\?\^\$\|\\\,\#\é)",
                      R"(-_/@ :".[]{}()*+?^$|\,#é)"));
}

TEST(EcmaParser, TellsWhatTheUFlagForbids) {
  const auto widened = [](std::string_view pattern) {
    ExprPool pool;
    std::string text;
    EXPECT_TRUE(ParseEcmaRegex(pattern, &pool, &text).ok()) << pattern;
    return text;
  };
  EXPECT_EQ(widened(R"(\_\-)"), R"(`\_` is `_`, `\-` is `-`)");
  EXPECT_EQ(widened("a{"), "`{` stands for itself");
  EXPECT_EQ(widened("]}"), "`]` stands for itself, `}` stands for itself");
  EXPECT_EQ(widened(R"([\d-z])"), R"(the `-` in `\d-z` stands for itself)");
  EXPECT_EQ(widened("(?=a)*"), "a quantifier behind a look-ahead repeats it");
  EXPECT_EQ(widened(R"(\!\!\@\#\%\&\~)"),
            R"(`\!` is `!`, `\@` is `@`, `\#` is `#`, `\%` is `%`, and so on)");
  for (const char* valid : {R"(\^\$\\\.\*\+\?\(\)\[\]\{\}\|\/)", R"([\-\w-])", "a{2}", "(?=a)b*",
                            "[}{[]", R"((?:(?!a))*)", R"(\u{61}\p{L}(?<n>.)\b)"}) {
    EXPECT_EQ(widened(valid), "") << valid;
  }
}

TEST(EcmaParser, ReadsNamedClassesAsEcmaDoes) {
  EXPECT_TRUE(Matches(R"(\d+)", "0123456789"));
  EXPECT_FALSE(Matches(R"(\d)", "٣"));
  EXPECT_TRUE(Matches(R"(\w+)", "azAZ09_"));
  EXPECT_FALSE(Matches(R"(\w)", "é"));
  EXPECT_TRUE(Matches(R"(\W\D)", "éé"));
  for (const char* space : {" ", "\t", "\n", "\v", "\f", "\r", "\u00A0", "\uFEFF", "\u1680",
                            "\u2003", "\u2028", "\u2029", "\u202F", "\u205F", "\u3000"}) {
    EXPECT_TRUE(Matches(R"(\s)", space)) << space;
    EXPECT_FALSE(Matches(R"(\S)", space)) << space;
  }
  EXPECT_FALSE(Matches(R"(\s)", "\u180E"));
  EXPECT_FALSE(Matches(R"(\s)", "\u0085"));
}

TEST(EcmaParser, LetsTheDotLeaveOutLineTerminators) {
  for (const char* text : {"a", "é", "\U0001F600", "\u0085"}) EXPECT_TRUE(Matches(".", text));
  for (const char* text : {"\n", "\r", "\u2028", "\u2029"}) EXPECT_FALSE(Matches(".", text));
}

TEST(EcmaParser, ReadsClasses) {
  EXPECT_TRUE(Matches(R"([a-c\d_-]+)", "abc09_-"));
  EXPECT_TRUE(Matches(R"([^a-c]+)", "xyz\n"));
  EXPECT_TRUE(Matches(R"([-a][a-][\-a])", "---"));
  EXPECT_TRUE(Matches(R"([\b])", "\b"));
  EXPECT_TRUE(Matches(R"([.*+?^$|(){}[/]+)", ".*+?^$|(){}[/"));
  EXPECT_TRUE(Matches(R"([\w-.]+)", "a-."));
  EXPECT_TRUE(Matches(R"([+--]+)", "+,-"));
  EXPECT_TRUE(Matches(R"([^])", "\n"));
  EXPECT_TRUE(Matches(R"([\s\S])", "\n"));
  EXPECT_FALSE(Matches(R"([])", ""));
  EXPECT_FALSE(Matches(R"(a[]|b)", "a"));
  EXPECT_TRUE(Matches(R"([^\uD800-\uDFFF])", "\U0001F600"));
  EXPECT_TRUE(Matches(R"([\]\\]+)", R"(]\)"));
}

TEST(EcmaParser, ReadsGroupsAndQuantifiers) {
  EXPECT_TRUE(Matches("(a)(?:b)(?<name_1>c)(?<$é>d)", "abcd"));
  EXPECT_TRUE(Matches("a*?b+?c??d{2}?e{1,}?f{0,2}?", "bbdde"));
  EXPECT_TRUE(Matches("ab{2}", "abb")) << "the quantifier binds the last character";
  EXPECT_TRUE(Matches("(ab){2}", "abab"));
  EXPECT_TRUE(Matches("(?:a||b)c", "c"));
  EXPECT_TRUE(Matches("", ""));
  EXPECT_TRUE(Matches("()*|a", ""));
  EXPECT_FALSE(Matches("a{0}", "a"));
  EXPECT_TRUE(Matches("é{2}", "éé"));
  EXPECT_TRUE(Matches("\U0001F600+", "\U0001F600\U0001F600"));
}

TEST(EcmaParser, LooksAround) {
  EXPECT_TRUE(Contains("^(?!.*foo).*bar$", "a bar"));
  EXPECT_FALSE(Contains("^(?!.*foo).*bar$", "a foo bar"));
  EXPECT_TRUE(Contains("(?<=a)b", "ab"));
  EXPECT_FALSE(Contains("(?<=a)b", "bb"));
  EXPECT_TRUE(Contains(R"((?<!\$)\b\d+)", "7"));
  EXPECT_FALSE(Contains(R"((?<!\$)\b\d+)", "$77"));
  const char* strong = R"(^(?=.*[A-Z])(?=.*\d)(?!.*\s).{8,}$)";
  EXPECT_TRUE(Contains(strong, "abcdefG8"));
  EXPECT_FALSE(Contains(strong, "abcdefg8"));
  EXPECT_FALSE(Contains(strong, "abcd fG8"));
  EXPECT_FALSE(Contains(strong, "abcdeG8"));
  EXPECT_TRUE(Matches("(?:a(?=b)b)*", "abab"));
  EXPECT_FALSE(Matches("(?:a(?=b)b)*", "aba"));
  EXPECT_TRUE(Matches("(?=(?!b)[ab](?=b))*ab", "ab")) << "Annex B: a look-ahead may be repeated";
  EXPECT_FALSE(Matches("(?=b)+a", "a"));
  EXPECT_TRUE(Contains("(?<=^a{2}|c)b(?=$)", "aab"));
  EXPECT_FALSE(Contains("(?<=^a{2}|c)b(?=$)", "aaab"));
  EXPECT_FALSE(Contains("(?!)", ""));
  EXPECT_TRUE(Contains("(?=)", ""));
}

TEST(EcmaParser, KnowsWordBoundaries) {
  for (const char* text : {"foo", "a foo", "foo.", "\u00E9foo\u00E9", "a-foo-b"}) {
    EXPECT_TRUE(Contains(R"(\bfoo\b)", text)) << text;
  }
  for (const char* text : {"afoo", "foo_", "foo1", "fo o"}) {
    EXPECT_FALSE(Contains(R"(\bfoo\b)", text)) << text;
  }
  EXPECT_TRUE(Contains(R"(\Boo\B)", "foob"));
  EXPECT_FALSE(Contains(R"(\Boo\B)", "foo"));
  EXPECT_TRUE(Matches(R"(\B)", ""));
  EXPECT_FALSE(Matches(R"(\b)", ""));
}

TEST(EcmaParser, KeepsCountedRepeatsAsRepeats) {
  ExprPool pool;
  ExprId expr = *ParseEcmaRegex("[a-z]{2,4294967294}", &pool);
  ASSERT_EQ(pool.kind(expr), ExprKind::kRepeat);
  EXPECT_EQ(pool.min(expr), 2u);
  EXPECT_EQ(pool.max(expr), kUnbounded - 1);
}

TEST(EcmaParser, RefusesCountsThatNobodyCanReach) {
  for (const char* pattern : {"a{4294967295}", "^.{99999999999999999999,}", "ab{0,4294967295}?"}) {
    const Status refusal = Refusal(pattern);
    EXPECT_EQ(refusal.code(), StatusCode::kResourceLimit) << pattern;
    EXPECT_EQ(refusal.message(), "a count of this quantifier is above 4294967294");
    EXPECT_EQ(refusal.column(), std::string_view(pattern).find('{') + 1);
  }
}

TEST(EcmaParser, TakesBracesAndBracketsThatOpenNothingLiterally) {
  EXPECT_TRUE(Matches("a]}", "a]}"));
  EXPECT_TRUE(Matches("{a}", "{a}"));
  EXPECT_TRUE(Matches("a{,5}", "a{,5}"));
  EXPECT_TRUE(Matches("a{1", "a{1"));
  EXPECT_TRUE(Matches("${x}|{y", "{y"));
  EXPECT_TRUE(Matches("a{x}+", "a{x}}"));
}

TEST(EcmaParser, AnchorsAnywhere) {
  EXPECT_TRUE(Matches("^a$", "a"));
  EXPECT_TRUE(Matches("(^|x)a($|y)", "a"));
  EXPECT_TRUE(Contains("^a", "ab"));
  EXPECT_FALSE(Contains("^a", "ba"));
  EXPECT_TRUE(Contains("(^a|b$)", "xb"));
  EXPECT_FALSE(Contains("(^a|b$)", "xba"));
  EXPECT_FALSE(Contains("a^b", "a^b"));
  EXPECT_TRUE(Contains("(?:a$|b)*", "aab"));
  EXPECT_FALSE(Contains("^a$", "a\n"));
  EXPECT_TRUE(Contains("", "anything"));
  EXPECT_TRUE(Contains("^(?:^a|b$)*$", "ab"));
  EXPECT_FALSE(Contains("^(?:^a|b$)*$", "aab"));
}

TEST(EcmaParser, MakesLoneSurrogatesNever) {
  EXPECT_FALSE(Contains(R"(\uD83D)", "\U0001F600"));
  EXPECT_TRUE(Matches(R"(\uDE00?)", ""));
  EXPECT_FALSE(Matches(R"(\uDE00\uD83D|a)", "\U0001F600"));
  EXPECT_TRUE(Matches(R"(\uD83D\u0041|a)", "a"));
}

struct BadPattern {
  const char* pattern;
  StatusCode code;
  size_t column;
  const char* message;  // a part of it
};

TEST(EcmaParser, RefusesWithAReasonAndAPlace) {
  constexpr StatusCode kInvalid = StatusCode::kInvalidDefinition;
  constexpr StatusCode kUnsupported = StatusCode::kUnsupported;
  const std::vector<BadPattern> bad = {
      {"a(b", kInvalid, 2, "missing `)`"},
      {"(a(b)", kInvalid, 1, "missing `)`"},
      {"éa)b", kInvalid, 3, "unmatched `)`"},
      {"*a", kInvalid, 1, "nothing to repeat"},
      {"a|+", kInvalid, 3, "nothing to repeat"},
      {"(?:?)", kInvalid, 4, "nothing to repeat"},
      {"a**", kInvalid, 3, "nothing to repeat"},
      {"a++", kInvalid, 3, "nothing to repeat"},
      {"a{2}{3}", kInvalid, 5, "nothing to repeat"},
      {"^*", kInvalid, 2, "nothing to repeat"},
      {"{2}", kInvalid, 1, "nothing to repeat"},
      {"a{5,2}", kInvalid, 2, "5 is more than 2"},
      {"ab\\", kInvalid, 3, "at the end"},
      {"[b-a]", kInvalid, 2, "`b-a` is out of order"},
      {"[a-c", kInvalid, 1, "missing `]`"},
      {"[a-", kInvalid, 1, "missing `]`"},
      {"[a\\", kInvalid, 3, "at the end"},
      {"a\\q", kInvalid, 2, "`\\q`"},
      {"\\a", kInvalid, 1, "`\\a`"},
      {"[\\B]", kInvalid, 2, "`\\B`"},
      {"\\xA", kInvalid, 1, "two hexadecimal"},
      {"\\u12", kInvalid, 1, "four hexadecimal"},
      {"\\u{}", kInvalid, 1, "`\\u{`"},
      {"\\u{110000}", kInvalid, 1, "U+10FFFF"},
      {"\\u{41", kInvalid, 1, "`\\u{`"},
      {"\\c1", kInvalid, 1, "`\\c`"},
      {"\\012", kInvalid, 1, "octal"},
      {"[\\1]", kInvalid, 2, "octal"},
      {"(?<>a)", kInvalid, 4, "empty"},
      {"(?<1a>a)", kInvalid, 4, "group name"},
      {"(?<a", kInvalid, 1, "missing `>`"},
      {"(?P<a>b)", kInvalid, 1, "(?<name>"},
      {"(?>a)", kInvalid, 1, "unknown kind of group"},
      {"(?", kInvalid, 1, "unknown kind of group"},
      {"a\xFF", kInvalid, 2, "UTF-8"},
      {"(?<=a)*b", kInvalid, 7, "nothing to repeat"},
      {"\\b+", kInvalid, 3, "nothing to repeat"},
      {"a(?=b", kInvalid, 2, "missing `)`"},
      {"(?<a>x)(?<a>y)", kInvalid, 11, "another group is named `a`"},
      {"\\p", kInvalid, 1, "name of a property"},
      {"\\pL", kInvalid, 1, "name of a property"},
      {"a\\p{lu}", kInvalid, 2, "no Unicode property `lu`"},
      {"[\\P{Script=}]", kInvalid, 2, "no Unicode property `Script=`"},
      {"\\p{Block=Basic_Latin}", kInvalid, 1, "no Unicode property `Block=Basic_Latin`"},
      {"(a)\\2", kInvalid, 4, "no group 2; the pattern has 1"},
      {"\\k", kInvalid, 1, "name of a group"},
      {"(?<x>a)\\k<y>", kInvalid, 8, "no group is named `y`"},
      {"(?i)a", kInvalid, 1, "not ECMA-262"},
      {"(?i", kInvalid, 1, "not ECMA-262"},
      {"\\Aa", kInvalid, 1, "write `^`"},
      {"a\\z", kInvalid, 2, "write `$`"},
      {"a\\Z", kInvalid, 2, "write `$`"},
      {"a(?-i:a)", kUnsupported, 2, "flags"},
      {"(?im-s:a)", kUnsupported, 1, "flags"},
      {"(?i:a", kInvalid, 1, "missing `)`"},
      {"(?ii:a)", kInvalid, 1, "not ECMA-262"},
      {"(?-:a)", kInvalid, 1, "not ECMA-262"},
      {"([0-9a-f])-\\1", kUnsupported, 12, "too many texts"},
      {"([0-9a-f])-\\1(", kInvalid, 14, "missing `)`"},
      {"b(a*)\\1", kUnsupported, 6, "too many texts"},
      {"(?:(a)|b)(?:\\1)", kUnsupported, 13, "back-reference"},
      {"(?<=(a)\\1)", kUnsupported, 8, "same look-behind"},
  };
  for (const BadPattern& item : bad) {
    Status status = Refusal(item.pattern);
    EXPECT_EQ(status.code(), item.code) << item.pattern;
    EXPECT_EQ(status.column(), item.column) << item.pattern;
    EXPECT_NE(status.message().find(item.message), std::string::npos)
        << item.pattern << ": " << status.message();
  }
  EXPECT_EQ(Refusal("ab)").excerpt(), "ab)\n  ^");
}

TEST(EcmaParser, AnswersForHugePatterns) {
  std::string nested = std::string(100000, '(') + "a" + std::string(100000, ')');
  EXPECT_EQ(Refusal(nested).code(), StatusCode::kResourceLimit);
  std::string deep = std::string(900, '(') + "a" + std::string(900, ')');
  EXPECT_TRUE(Matches(deep, "a"));

  std::string classes;
  while (classes.size() < 1000000) classes += "[a-z0-9]{3}(x|y)*";
  ExprPool pool;
  auto expr = ParseEcmaRegex(classes, &pool);
  ASSERT_TRUE(expr.ok());
  auto automaton = BuildAutomaton(pool, *expr);
  EXPECT_EQ(automaton.status().code(), StatusCode::kResourceLimit);
  EXPECT_EQ(Refusal(std::string(10 << 20, 'a')).code(), StatusCode::kResourceLimit);
}

}  // namespace
}  // namespace maskloom
