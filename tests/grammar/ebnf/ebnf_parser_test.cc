// The parsed form of grammars (golden) and the errors with their places.
#include "grammar/ebnf/ebnf_parser.h"

#include <gtest/gtest.h>

#include <string>

namespace maskloom {
namespace {

// Prints the rules of a grammar, one a line; or the error.
std::string Rules(std::string_view text) {
  Result<Grammar> grammar = ParseEbnf(text);
  if (!grammar.ok()) return grammar.status().ToString();
  EXPECT_EQ(grammar->Validate(), "");
  std::string all = grammar->ToString();
  return all.substr(all.find("rule_0 "));  // behind the style and the root
}

std::string Error(std::string_view text, StatusCode code = StatusCode::kInvalidDefinition) {
  Result<Grammar> grammar = ParseEbnf(text);
  EXPECT_FALSE(grammar.ok()) << text;
  if (grammar.ok()) return "";
  EXPECT_EQ(grammar.status().code(), code) << grammar.status().ToString();
  return grammar.status().ToString();
}

TEST(EbnfParser, ReadsLiteralsClassesAndGroups) {
  EXPECT_EQ(Rules(R"(root ::= "a" [0-9x] ("b" | "c" "d") .)"),
            "rule_0 root = (\"a\" [0-9x] (\"b\" | (\"c\" \"d\")) .)\n");
}

TEST(EbnfParser, ReadsRepeats) {
  EXPECT_EQ(
      Rules(R"(root ::= "a"? "b"* "c"+ "d"{2} "e"{2,} "f"{2,3} "g"{,3} "h" { 1 , 2 } "i"{2}?)"),
      "rule_0 root = (\"a\"{0,1} \"b\"{0,} \"c\"{1,} \"d\"{2,2} \"e\"{2,} \"f\"{2,3} "
      "\"g\"{0,3} \"h\"{1,2} \"i\"{2,2}{0,1})\n");
}

TEST(EbnfParser, ReadsEscapes) {
  EXPECT_EQ(Rules(R"(root ::= "\n\x41\u00e9\U0001F600\ud83d\ude00\"\\\-" [\]\-\x20-\x22^])"),
            "rule_0 root = (\"\\nA\u00e9\U0001F600\U0001F600\\\"\\\\\\-\" [ -\\\"\\-\\]\\^])\n");
}

TEST(EbnfParser, RulesGoOnUntilTheNextDefinition) {
  EXPECT_EQ(Rules("# head\n\n"
                  "root ::= a-1\n"
                  "  | b_2.x # a comment with \"quotes\" and ::=\n"
                  "  (\n \"#\" # inside\n ) b_2.x\n"
                  "a-1 ::=\n"
                  "  \"a\"\r\n"
                  "b_2.x ::= | \"b\" |"),
            "rule_0 root = (rule_1 | (rule_2 \"#\" rule_2))\n"
            "rule_1 a-1 = \"a\"\n"
            "rule_2 b_2.x = (\"\" | \"b\" | \"\")\n");
}

TEST(EbnfParser, AllowsEveryKindOfRecursion) {
  EXPECT_EQ(Rules("root ::= root root | \"(\" root \")\" | \"\""),
            "rule_0 root = ((rule_0 rule_0) | (\"(\" rule_0 \")\") | \"\")\n");
}

TEST(EbnfParser, SingleQuotesAreAnOption) {
  EXPECT_EQ(Rules(R"(root ::= 'it"s' "it's")"), "rule_0 root = (\"it\\\"s\" \"it's\")\n");
  EbnfOptions options;
  options.single_quotes = false;
  EXPECT_FALSE(ParseEbnf("root ::= 'a'", options).ok());
}

TEST(EbnfParser, ErrorsPointAtTheFault) {
  EXPECT_EQ(Error("root ::= a\na ::= \"x\" missing-part | b\n"),
            "rule \"missing-part\" is not defined (line 2, column 11)\n"
            "a ::= \"x\" missing-part | b\n"
            "          ^");
  EXPECT_EQ(Error("root ::= \"é\" )"),
            "`)` has nothing to close (line 1, column 14)\n"
            "root ::= \"é\" )\n"
            "             ^");
  EXPECT_EQ(Error("root ::= (\"a\"\nb ::= \"c\""),
            "`(` is never closed (line 1, column 10)\nroot ::= (\"a\"\n         ^");
  EXPECT_EQ(Error("root :== \"red\""),
            "expected `::=` after the name of a rule, found `:` (line 1, column 6)\n"
            "root :== \"red\"\n     ^");
}

TEST(EbnfParser, NamesEachMistake) {
  const auto has = [](std::string_view text, const char* words) {
    std::string error = Error(text);
    EXPECT_NE(error.find(words), std::string::npos) << text << "\n" << error;
  };
  has("", "no rule \"root\"");
  has("a ::= \"b\"", "no rule \"root\"");
  has("root ::= \"a\"\nroot ::= \"b\"", "a second time (first in line 1) (line 2, column 1)");
  has("root ::= \"abc\nx ::= \"d\"", "no closing quote");
  has("root ::= [abc", "no closing `]`");
  has("root ::= []", "no members");
  has("root ::= [z-a]", "ends before it begins");
  has("root ::= [^\\x00-\\U0010FFFF]", "leaves no code point");
  has("root ::= \"\\q\"", "unknown escape");
  has("root ::= \"\\x4\"", "\\x needs 2 hexadecimal digits");
  has("root ::= \"\\uD800\"", "no Unicode scalar value");
  has("root ::= \"\\U00110000\"", "no Unicode scalar value");
  has("root ::= * \"a\"", "nothing to repeat");
  has("root ::= (\"a\" | {2})", "nothing to repeat");
  has("root ::= \"a\"{3,2}", "wrong order");
  has("root ::= \"a\"{,}", "counts are written");
  has("root ::= \"a\"{2", "counts are written");
  has("root ::= \"a\" }", "nothing to close");
  has("root ::= \"a\" ; \"b\"", "unexpected `;`");
  has("\"a\"", "expected the name of a rule");
  has("root", "found the end of the grammar");
  has("root ::= \"\\", "unknown escape");
  has("root ::= \xFF", "well-formed UTF-8");
}

TEST(EbnfParser, RefusesRulesWithoutAFiniteText) {
  EXPECT_EQ(
      Error("root ::= \"a\" | b\nb ::= \"x\" c\nc ::= b+ | c \"y\""),
      "no finite text matches rule \"b\", \"c\": every way goes on forever (line 2, column 1)\n"
      "b ::= \"x\" c\n^");
  EXPECT_NE(Error("root ::= \"x\" root").find("\"root\""), std::string::npos);
  EXPECT_TRUE(ParseEbnf("root ::= \"x\" root*").ok());
  EXPECT_TRUE(ParseEbnf("root ::= a\na ::= b | \"x\"\nb ::= a").ok());
}

TEST(EbnfParser, RefusesByName) {
  EXPECT_NE(Error("root ::= <think> \"a\"", StatusCode::kUnsupported).find("special tokens"),
            std::string::npos);
  EXPECT_NE(Error("root ::= !<[12]>", StatusCode::kUnsupported).find("special tokens"),
            std::string::npos);
  EXPECT_NE(Error("root ::= \"a\" (=\"b\")", StatusCode::kUnsupported).find("look-ahead"),
            std::string::npos);
}

TEST(EbnfParser, DepthIsBoundedAndNeedsNoStack) {
  const auto nested = [](size_t depth) {
    return "root ::= " + std::string(depth, '(') + "\"a\"" + std::string(depth, ')');
  };
  EXPECT_EQ(Rules(nested(1000)), "rule_0 root = \"a\"\n");
  EXPECT_NE(Error(nested(60000), StatusCode::kResourceLimit).find("1000 deep"), std::string::npos);
  EXPECT_NE(Error("root ::= \"a\"{4294967295}", StatusCode::kResourceLimit).find("count"),
            std::string::npos);
}

TEST(EbnfParser, LongChainsOfRulesAreLinear) {
  std::string text = "root ::= r0\n";
  for (int i = 0; i < 50000; ++i) {
    text += "r" + std::to_string(i) + " ::= \"a\" r" + std::to_string(i + 1) + "\n";
  }
  EXPECT_TRUE(ParseEbnf(text + "r50000 ::= \"b\"").ok());
  EXPECT_FALSE(ParseEbnf(text + "r50000 ::= r0").ok());
}

TEST(RegexGrammar, IsOneExpression) {
  Result<Grammar> grammar = ParseRegexGrammar("a{2,3}|b");
  ASSERT_TRUE(grammar.ok());
  EXPECT_EQ(grammar->Validate(), "");
  EXPECT_FALSE(grammar->IsJson());
  EXPECT_TRUE(grammar->rules.empty());
  EXPECT_FALSE(ParseRegexGrammar("a(").ok());
}

}  // namespace
}  // namespace maskloom
