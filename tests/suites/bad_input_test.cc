// What cannot be compiled gives a status that says what and where, and nothing crashes.
#include <gtest/gtest.h>

#include "runtime/matcher.h"
#include "tests/suites/definition_case.h"
#include "tests/suites/vocabularies.h"
#include "tests/support/long_suite.h"

namespace maskloom::suites {
namespace {

Status Try(DefinitionKind kind, std::string definition) {
  DefinitionCase one;
  one.kind = kind;
  one.definition = std::move(definition);
  auto grammar = Compile(one, VocabularyIndex::Bytes());
  return grammar.ok() ? Status::Ok() : grammar.status();
}

struct Bad {
  DefinitionKind kind;
  std::string definition;
  StatusCode code;
  std::string said;     // a part of the message
  std::string pointer;  // of a schema; "-" where there is none to give
};

TEST(BadInput, IsRefusedSayingWhatAndWhere) {
  constexpr DefinitionKind kSchema = DefinitionKind::kJsonSchema;
  constexpr DefinitionKind kRegex = DefinitionKind::kRegex;
  constexpr DefinitionKind kEbnf = DefinitionKind::kEbnf;
  constexpr StatusCode kInvalid = StatusCode::kInvalidDefinition;
  constexpr StatusCode kUnsupported = StatusCode::kUnsupported;
  constexpr StatusCode kUnsatisfiable = StatusCode::kUnsatisfiable;
  const std::vector<Bad> cases = {
      {kSchema, "", kInvalid, "", "-"},
      {kSchema, "{\"type\":\"object\"", kInvalid, "", "-"},
      {kSchema, "{\"type\":}", kInvalid, "", "-"},
      {kSchema, "{\"type\":\"object\"} x", kInvalid, "", "-"},
      {kSchema, "{\"const\":\"\xFF\"}", kInvalid, "UTF-8", "-"},
      {kSchema, "{\"const\":\"\\ud800\"}", kInvalid, "", "-"},
      {kSchema, "[]", kInvalid, "", ""},
      {kSchema, "17", kInvalid, "", ""},
      {kSchema, R"({"properties":{"a":{"type":"strnig"}},"type":"object"})", kInvalid, "strnig",
       "/properties/a/type"},
      {kSchema, R"({"type":"array","items":{"$ref":"#/$defs/missing"}})", kInvalid, "missing",
       "/items/$ref"},
      {kSchema, R"({"$ref":"other.json"})", kInvalid, "other.json", "/$ref"},
      {kSchema, R"({"type":"string","minLength":-1})", kInvalid, "minLength", "/minLength"},
      {kSchema, R"({"type":"string","pattern":"("})", kInvalid, "", "/pattern"},
      {kSchema, R"({"type":"string","pattern":"^(a*)b\\1$"})", kUnsupported, "back-reference",
       "/pattern"},
      {kSchema, R"({"type":"array","uniqueItems":true,"minItems":3,"items":{"type":"boolean"}})",
       kUnsatisfiable, "/uniqueItems", "/items/type"},
      {kSchema, R"({"type":"integer","multipleOf":7,"minimum":1,"maximum":6})", kUnsatisfiable,
       "maximum", "/multipleOf"},
      {kSchema, R"({"not":{}})", kUnsatisfiable, "/not", "/not"},
      {kSchema, R"({"type":"string","minLength":3,"maxLength":2})", kUnsatisfiable, "maxLength",
       "/minLength"},
      {kSchema, R"({"type":"object","required":["a"],"properties":{"a":false}})", kUnsatisfiable,
       "", "/properties/a"},
      {kSchema, R"({"type":"integer","minimum":0.2,"maximum":0.8})", kUnsatisfiable, "maximum",
       "/minimum"},
      {kSchema, R"({"$ref":"#/$defs/a","$defs":{"a":{"type":"array","minItems":1,
          "items":{"$ref":"#/$defs/a"}}}})",
       kUnsatisfiable, "/$defs/a/minItems", "/$defs/a/items/$ref"},
      {kSchema, "false", kUnsatisfiable, "", ""},
      {kRegex, "a(", kInvalid, "", "-"},
      {kRegex, "a{3,1}", kInvalid, "", "-"},
      {kRegex, "(a*)\\1", kUnsupported, "back-reference", "-"},
      {kRegex, "(?i:a)b", kUnsupported, "flags", "-"},
      {kRegex, "(?i)ab", kInvalid, "flags", "-"},
      {kRegex, "\\p{Letters}", kInvalid, "Unicode property", "-"},
      {kRegex, "\xC3", kInvalid, "UTF-8", "-"},
      {kEbnf, "", kInvalid, "", "-"},
      {kEbnf, "root ::= missing", kInvalid, "missing", "-"},
      {kEbnf, "root ::= \"a\" root", kInvalid, "", "-"},
      {kEbnf, "root ::= \"a", kInvalid, "", "-"},
      {kEbnf, "start ::= \"a\"", kInvalid, "root", "-"},
  };
  for (const Bad& bad : cases) {
    SCOPED_TRACE(bad.definition);
    Status status = Try(bad.kind, bad.definition);
    EXPECT_EQ(status.code(), bad.code) << status.ToString();
    EXPECT_NE(status.message().find(bad.said), std::string::npos) << status.ToString();
    EXPECT_GT(status.message().size(), 8u);
    if (bad.pointer == "-") continue;
    EXPECT_EQ(status.pointer().value_or("none"), bad.pointer) << status.ToString();
  }
}

TEST(BadInput, NestingOfAHundredThousandIsAnswered) {
  constexpr size_t kDepth = 100000;
  std::string items;
  std::string values;
  std::string groups;
  for (size_t i = 0; i < kDepth; ++i) items += "{\"items\":";
  items += "{}";
  for (size_t i = 0; i < kDepth; ++i) items += '}';
  values = "{\"const\":" + std::string(kDepth, '[') + std::string(kDepth, ']') + "}";
  groups = std::string(kDepth, '(') + "a" + std::string(kDepth, ')');
  for (const auto& [kind, text] : std::vector<std::pair<DefinitionKind, std::string>>{
           {DefinitionKind::kJsonSchema, items},
           {DefinitionKind::kJsonSchema, values},
           {DefinitionKind::kJsonSchema, std::string(kDepth, '[')},
           {DefinitionKind::kJsonSchema, "{\"pattern\":\"" + groups + "\"}"},
           {DefinitionKind::kRegex, groups},
           {DefinitionKind::kEbnf, "root ::= " + groups}}) {
    Status status = Try(kind, text);
    if (!status.ok()) {
      EXPECT_GT(status.message().size(), 8u);
    }
    EXPECT_NE(status.code(), StatusCode::kInternal);
  }
}

TEST(BadInput, TextOfAHundredThousandLevelsIsFollowed) {
  DefinitionCase any;
  any.definition = "true";
  auto grammar = Compile(any, VocabularyIndex::Bytes());
  ASSERT_TRUE(grammar.ok());
  Matcher matcher(*grammar);
  std::string open(100000, '[');
  ASSERT_EQ(matcher.AcceptBytes(open), open.size());
  std::string completion = matcher.Completion();
  EXPECT_EQ(matcher.AcceptBytes(completion), completion.size());
  EXPECT_TRUE(matcher.IsAccepting());
}

TEST(BadInput, RegexOfAMegabyteIsAnswered) {
  constexpr size_t kSize = size_t{1} << 20;
  std::string plain(kSize, 'a');
  std::string choices;
  while (choices.size() < kSize)
    choices += "ab" + std::to_string(choices.size() * 7919 % 1000) + "|";
  std::string stars;
  while (stars.size() < kSize) stars += "a*";
  for (const std::string& text : {plain, choices, stars, std::string(kSize, '[')}) {
    Status status = Try(DefinitionKind::kRegex, text);
    if (!status.ok()) {
      EXPECT_GT(status.message().size(), 8u);
    }
    EXPECT_NE(status.code(), StatusCode::kInternal);
  }
}

TEST(BadInput, PatternsThatBlowUpAreRefusedByBudget) {
  Status status =
      Try(DefinitionKind::kJsonSchema, R"({"type":"string","pattern":"(a|b)*a(a|b){40}(a|b)*c$"})");
  if (!status.ok()) {
    EXPECT_EQ(status.code(), StatusCode::kResourceLimit) << status.ToString();
  }
}

TEST(BadInput, HundredMegabyteSchemaIsAnswered) {
  size_t size = IsLongRun() ? size_t{100} << 20 : size_t{4} << 20;
  std::string schema = "{\"enum\":[";
  for (size_t i = 0; schema.size() < size; ++i) schema += "\"v" + std::to_string(i) + "\",";
  schema += "1]}";
  Status status = Try(DefinitionKind::kJsonSchema, schema);
  if (!status.ok()) {
    EXPECT_EQ(status.code(), StatusCode::kResourceLimit) << status.ToString();
  }
}

TEST(BadInput, WhatTheVocabularyCannotSpellIsRefusedByName) {
  TestVocabulary tiny = SyntheticVocabulary(false);
  DefinitionCase one;
  one.definition = R"({"type":"object","properties":{"name":{}},"required":["name"]})";
  auto grammar = Compile(one, tiny.index);
  ASSERT_FALSE(grammar.ok());
  EXPECT_EQ(grammar.status().code(), StatusCode::kUnsatisfiable);
  EXPECT_NE(grammar.status().message().find("name"), std::string::npos)
      << grammar.status().ToString();
}

}  // namespace
}  // namespace maskloom::suites
