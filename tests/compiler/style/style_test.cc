// Styles of JSON texts: what each accepts, against a writer of the form that it promises.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "runtime/engine/compile_definition.h"
#include "runtime/matcher.h"
#include "tests/suites/random_text.h"

namespace maskloom {
namespace {

using suites::Chooser;
using suites::WriteRandomText;

StylePolicy Dumps() {
  StylePolicy style;
  style.whitespace = StylePolicy::Whitespace::kSpaced;
  style.escapes = StylePolicy::Escapes::kPlain;
  return style;
}

std::shared_ptr<const CompiledGrammar> CompileWith(
    const std::string& schema, const StylePolicy& style,
    std::shared_ptr<const VocabularyIndex> vocabulary = VocabularyIndex::Bytes()) {
  DefinitionOptions options;
  options.style = style;
  auto compiled = CompileDefinition(DefinitionKind::kJsonSchema, schema, options, vocabulary);
  EXPECT_TRUE(compiled.ok()) << schema << ": " << compiled.status().ToString();
  return compiled.ok() ? compiled->grammar : nullptr;
}

bool Accepts(const std::shared_ptr<const CompiledGrammar>& grammar, const std::string& text) {
  Matcher matcher(grammar);
  return matcher.AcceptBytes(text) == text.size() && matcher.IsAccepting();
}

// Is `text`, JSON in any style, as json.dumps(ensure_ascii=False) writes it? Says why not.
std::string Fault(const std::string& text) {
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (!in_string) {
      if (c == '"') in_string = true;
      if (c == '\n' || c == '\r' || c == '\t') return "a break at " + std::to_string(i);
      if (c == ' ' && (i == 0 || (text[i - 1] != ',' && text[i - 1] != ':'))) {
        return "a blank at " + std::to_string(i);
      }
      if ((c == ',' || c == ':') && (i + 1 == text.size() || text[i + 1] != ' ')) {
        return "no blank behind " + std::to_string(i);
      }
      continue;
    }
    if (c == '"') in_string = false;
    if (c != '\\') continue;
    const char escaped = text[++i];
    if (escaped != 'u') {
      if (std::string("\"\\bfnrt").find(escaped) == std::string::npos) return "an idle escape";
      continue;
    }
    const std::string digits = text.substr(i + 1, 4);
    i += 4;
    if (digits.substr(0, 2) != "00" || digits[2] > '1') return "an escape of \\u" + digits;
    if (digits[2] == '0' && std::string("89acd").find(digits[3]) != std::string::npos) {
      return "\\u" + digits + " has a short form";
    }
    if (digits[3] >= 'A' && digits[3] <= 'F') return "upper case digits";
  }
  return "";
}

const char* const kDumped[] = {
    R"({"a": [1, 2, {"b": null}], "c": {}, "d": [], "e": "x, y: z"})",
    "\"a/b é 😀 \x7F\"",
    R"("\"\\\b\f\n\r\t\u0000\u001f\u000b")",
    R"([[], {}, [[-1.5]], true])",
    R"({"\u0001\"": {"é": "\\u0061"}})",
};

TEST(Style, DumpedTextsAreAccepted) {
  const auto grammar = CompileWith("true", Dumps());
  for (const char* text : kDumped) EXPECT_TRUE(Accepts(grammar, text)) << text;
}

TEST(Style, OtherFormsOfDumpedTextsAreNot) {
  const auto grammar = CompileWith("true", Dumps());
  const auto any = CompileWith("true", {});
  int valid = 0;
  for (const std::string text : kDumped) {
    std::vector<std::string> others;
    for (size_t i = 0; i <= text.size(); ++i) {
      for (const char* blank : {" ", "\t", "\n"}) {
        others.push_back(text.substr(0, i) + blank + text.substr(i));
      }
      if (i == text.size()) break;
      others.push_back(text.substr(0, i) + text.substr(i + 1));
      char digits[8];
      std::snprintf(digits, sizeof(digits), "\\u%04x", static_cast<unsigned char>(text[i]));
      others.push_back(text.substr(0, i) + digits + text.substr(i + 1));
      others.push_back(text.substr(0, i) + "\\" + text.substr(i));
    }
    for (const std::string& other : others) {
      if (!Accepts(any, other)) {
        EXPECT_FALSE(Accepts(grammar, other)) << other;
        continue;
      }
      ++valid;
      EXPECT_EQ(Accepts(grammar, other), Fault(other).empty()) << other << ": " << Fault(other);
    }
  }
  EXPECT_GT(valid, 100);  // else nothing was tried
}

TEST(Style, RandomTextsAndCompletionsHaveTheForm) {
  std::mt19937_64 random(7);
  for (const char* schema :
       {"true", R"({"type":"object","properties":{"a\n":{"type":"array","items":{"type":"string"},
           "minItems":2},"b":{"type":"object","minProperties":2}},"required":["a\n","b"]})",
        R"({"type":"string","minLength":3,"pattern":"[\u0000-\u001f\"\\\\]{2}"})",
        R"({"type":"object","minProperties":3,"patternProperties":{"^[\u0001\"]+$":{"type":"null"}},
           "additionalProperties":false})",
        R"({"type":"array","uniqueItems":true,"minItems":3,"items":{"enum":["\u0001","/",{"a":[1]},
           [2,3]]}})"}) {
    const auto grammar = CompileWith(schema, Dumps());
    const auto any = CompileWith(schema, {});
    ASSERT_NE(grammar, nullptr);
    for (int i = 0; i < 60; ++i) {
      const auto written = WriteRandomText(grammar, Chooser::kSeeking, 60, &random);
      EXPECT_EQ(written.complaint, "") << schema;
      EXPECT_EQ(Fault(written.text), "") << written.text;
      EXPECT_TRUE(Accepts(any, written.text)) << written.text;
    }
    Matcher matcher(grammar);
    EXPECT_EQ(Fault(matcher.Completion()), "") << matcher.Completion();
  }
}

TEST(Style, RequiredKeysComeFirst) {
  StylePolicy style = Dumps();
  style.key_order = StylePolicy::KeyOrder::kRequiredFirst;
  const auto grammar = CompileWith(
      R"({"type":"object","properties":{"o1":{},"r1":{},"o2":{},"r2":{}},
          "required":["r2","r1"]})",
      style);
  EXPECT_TRUE(Accepts(grammar, R"({"r1": 1, "r2": 2})"));
  EXPECT_TRUE(Accepts(grammar, R"({"r1": 1, "r2": 2, "o1": 3, "o2": 4, "x": 5, "w": 6})"));
  EXPECT_TRUE(Accepts(grammar, R"({"r1": 1, "r2": 2, "o2": 4})"));
  EXPECT_FALSE(Accepts(grammar, R"({"r2": 2, "r1": 1})"));
  EXPECT_FALSE(Accepts(grammar, R"({"o1": 3, "r1": 1, "r2": 2})"));
  EXPECT_FALSE(Accepts(grammar, R"({"r1": 1, "r2": 2, "o2": 3, "o1": 4})"));
  EXPECT_FALSE(Accepts(grammar, R"({"r1": 1, "r2": 2, "x": 3, "o1": 4})"));
}

// Names that only other keywords list have a place too: behind `properties`, ahead of all others.
TEST(Style, DeclaredOrderHoldsForNamesThatOnlyRequiredLists) {
  StylePolicy style = Dumps();
  style.key_order = StylePolicy::KeyOrder::kDeclared;
  // The first schema that is read names them the other way round.
  const auto grammar = CompileWith(
      R"({"properties":{"o":{"required":["a","z"]},"p":{}},"required":["z","a"],
          "dependentRequired":{"p":["d"]}})",
      style);
  EXPECT_TRUE(
      Accepts(grammar, R"({"o": {"a": 1, "z": 2}, "p": 0, "z": 1, "a": 2, "d": 3, "x": 4})"));
  EXPECT_TRUE(Accepts(grammar, R"({"z": 1, "a": 2, "y": 3, "b": 4})"));
  EXPECT_FALSE(Accepts(grammar, R"({"a": 2, "z": 1})"));
  EXPECT_FALSE(Accepts(grammar, R"({"z": 1, "p": 0, "a": 2, "d": 3})"));
  EXPECT_FALSE(Accepts(grammar, R"({"z": 1, "x": 0, "a": 2})"));
  EXPECT_FALSE(Accepts(grammar, R"({"o": {"z": 2, "a": 1}, "z": 1, "a": 2})"));
  EXPECT_FALSE(Accepts(grammar, R"({"p": 0, "z": 1, "a": 2, "x": 4, "d": 3})"));
  style.key_order = StylePolicy::KeyOrder::kRequiredFirst;
  const auto first = CompileWith(R"({"properties":{"p":{},"q":{}},"required":["z","q"]})", style);
  EXPECT_TRUE(Accepts(first, R"({"q": 0, "z": 1, "p": 2, "x": 3})"));
  EXPECT_FALSE(Accepts(first, R"({"z": 1, "q": 0})"));
  EXPECT_FALSE(Accepts(first, R"({"q": 0, "p": 2, "z": 1})"));
}

// Required first is declared order of a schema that declares the required ones first.
TEST(Style, RequiredFirstIsAnotherDeclaredOrder) {
  struct Pair {
    const char* properties;
    const char* sorted;
    const char* rest;
  };
  const Pair pairs[] = {
      {R"("a":{},"b":{"type":"null"},"c":{"type":"integer"},"d":{"const":"x"})",
       R"("b":{"type":"null"},"d":{"const":"x"},"a":{},"c":{"type":"integer"})",
       R"("required":["d","b"],"maxProperties":3)"},
      {R"("a":{"type":"null"},"b":{"type":"null"},"c":{"type":"null"})",
       R"("c":{"type":"null"},"a":{"type":"null"},"b":{"type":"null"})",
       R"("required":["c"],"dependentRequired":{"a":["b"]},"minProperties":2,
          "additionalProperties":false)"},
      {R"("a":{"type":"integer"},"b":{"enum":[1,2]},"c":{"type":"boolean"})",
       R"("b":{"enum":[1,2]},"a":{"type":"integer"},"c":{"type":"boolean"})",
       R"("required":["b"],"oneOf":[{"properties":{"b":{"const":1},"a":{"multipleOf":2}}},
          {"properties":{"b":{"const":2}},"minProperties":2}])"},
      {R"("a":{"type":"null"},"b":{"type":"null"},"c":{"type":"null"},"d":{"type":"null"})",
       R"("b":{"type":"null"},"a":{"type":"null"},"c":{"type":"null"},"d":{"type":"null"})",
       R"("required":["b"],"not":{"required":["a","c"]},
          "patternProperties":{"^[cx]":{"maximum":3}})"},
  };
  std::mt19937_64 random(11);
  for (const Pair& pair : pairs) {
    const auto schema = [&](const char* properties) {
      return std::string(R"({"type":"object","properties":{)") + properties + "}," + pair.rest +
             "}";
    };
    StylePolicy style = Dumps();
    style.key_order = StylePolicy::KeyOrder::kRequiredFirst;
    const auto first = CompileWith(schema(pair.properties), style);
    style.key_order = StylePolicy::KeyOrder::kDeclared;
    const auto declared = CompileWith(schema(pair.sorted), style);
    ASSERT_NE(first, nullptr);
    ASSERT_NE(declared, nullptr);
    for (int i = 0; i < 100; ++i) {
      const auto& writer = i % 2 == 0 ? first : declared;
      const auto written = WriteRandomText(writer, Chooser::kSeeking, 40, &random);
      EXPECT_EQ(written.complaint, "");
      Matcher one(first), other(declared);
      for (size_t read = 0;; ++read) {
        ASSERT_EQ(one.NextBytes(), other.NextBytes()) << written.text.substr(0, read);
        ASSERT_EQ(one.IsAccepting(), other.IsAccepting()) << written.text.substr(0, read);
        if (read == written.text.size()) break;
        ASSERT_EQ(one.AcceptBytes(written.text.substr(read, 1)), 1u);
        ASSERT_EQ(other.AcceptBytes(written.text.substr(read, 1)), 1u);
      }
    }
  }
}

// Code points that only other spellings could write are not owed either.
TEST(Style, PlainTextThatCannotBeSpelledIsNeverOwed) {
  std::mt19937_64 random(9);
  for (const char missing : {'a', 'n', '"', '\\', '0', 'f'}) {
    std::vector<Vocabulary::Token> tokens;
    for (int b = 0; b < 256; ++b) {
      if (b != missing) tokens.push_back({std::string(1, static_cast<char>(b))});
    }
    tokens.push_back({missing == '"' ? "\"]" : std::string("x") + missing});
    tokens.push_back({"<end>", TokenKind::kControl});
    const TokenId end = static_cast<TokenId>(tokens.size() - 1);
    const auto vocabulary =
        VocabularyIndex::Build(std::move(Vocabulary::Create(std::move(tokens), {end}).value()));
    const auto grammar = CompileWith(
        R"({"type":"array","items":{"anyOf":[{"type":"string","pattern":"^[a\n\"\\\\\u000f]*$"},
            {"type":"object","properties":{"a":{},"\n":{}},"additionalProperties":false},
            {"type":"integer"}]}})",
        Dumps(), vocabulary);
    ASSERT_NE(grammar, nullptr);
    for (int i = 0; i < 40; ++i) {
      const auto written = WriteRandomText(grammar, Chooser::kUniform, 60, &random);
      EXPECT_EQ(written.complaint, "");
      EXPECT_EQ(Fault(written.text), "") << written.text;
    }
  }
}

// What the style asks for and the vocabulary lacks is never begun.
TEST(Style, SeparatorsThatCannotBeSpelledAreNeverOwed) {
  std::mt19937_64 random(5);
  for (const char missing : {' ', '\n'}) {
    std::vector<Vocabulary::Token> tokens;
    for (int b = 0; b < 256; ++b) {
      if (b != missing) tokens.push_back({std::string(1, static_cast<char>(b))});
    }
    tokens.push_back({"<end>", TokenKind::kControl});
    const TokenId end = static_cast<TokenId>(tokens.size() - 1);
    const auto vocabulary =
        VocabularyIndex::Build(std::move(Vocabulary::Create(std::move(tokens), {end}).value()));
    for (const uint32_t indent : {0u, 2u}) {
      for (const auto whitespace :
           {StylePolicy::Whitespace::kSpaced, StylePolicy::Whitespace::kIndent}) {
        StylePolicy style;
        style.whitespace = whitespace;
        style.indent = indent;
        const auto grammar = CompileWith("true", style, vocabulary);
        ASSERT_NE(grammar, nullptr);
        for (int i = 0; i < 20; ++i) {
          EXPECT_EQ(WriteRandomText(grammar, Chooser::kUniform, 60, &random).complaint, "");
        }
      }
    }
  }
}

}  // namespace
}  // namespace maskloom
