// Bounds cost nothing: large counts, many keys and many values compile to kilobytes, and are still
// counted exactly.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "runtime/matcher.h"
#include "tests/suites/definition_case.h"

namespace maskloom::suites {
namespace {

constexpr size_t kKilobyte = 1024;

std::shared_ptr<const CompiledGrammar> CompileSchema(const std::string& schema) {
  DefinitionCase one;
  one.definition = schema;
  auto grammar = Compile(one, VocabularyIndex::Bytes());
  EXPECT_TRUE(grammar.ok()) << grammar.status().ToString();
  return grammar.ok() ? *grammar : nullptr;
}

bool Takes(Matcher* matcher, std::string_view bytes) {
  return matcher->AcceptBytes(bytes) == bytes.size();
}

// The mask allows a byte where stepping does.
void ExpectMaskAllows(Matcher* matcher, char byte, bool allowed) {
  std::vector<uint32_t> row(matcher->grammar().vocabulary().row_words());
  matcher->FillMask(row.data());
  uint8_t id = static_cast<uint8_t>(byte);
  EXPECT_EQ((row[id / 32] >> (id % 32) & 1) != 0, allowed) << "byte " << byte;
}

TEST(StateExplosion, MaxLengthOfAMillionIsACounter) {
  auto grammar = CompileSchema(R"({"type":"string","maxLength":1000000})");
  ASSERT_NE(grammar, nullptr);
  EXPECT_LT(grammar->MemoryBytes(), 64 * kKilobyte);
  Matcher matcher(grammar);
  std::string text = "\"" + std::string(999999, 'a');
  ASSERT_TRUE(Takes(&matcher, text));
  ExpectMaskAllows(&matcher, 'a', true);
  ASSERT_TRUE(Takes(&matcher, "a"));
  ExpectMaskAllows(&matcher, 'a', false);
  ExpectMaskAllows(&matcher, '"', true);
  EXPECT_FALSE(Takes(&matcher, "a"));
  EXPECT_TRUE(Takes(&matcher, "\""));
  EXPECT_TRUE(matcher.IsAccepting());
  EXPECT_LT(grammar->MemoryBytes(), 128 * kKilobyte);
}

TEST(StateExplosion, PatternWithinALengthIsACounter) {
  auto grammar =
      CompileSchema(R"({"type":"string","pattern":"^[a-z]{0,200000}$","minLength":100000})");
  ASSERT_NE(grammar, nullptr);
  EXPECT_LT(grammar->MemoryBytes(), 64 * kKilobyte);
  Matcher matcher(grammar);
  ASSERT_TRUE(Takes(&matcher, "\"" + std::string(99999, 'q')));
  ExpectMaskAllows(&matcher, '"', false);
  ASSERT_TRUE(Takes(&matcher, std::string(100001, 'q')));
  ExpectMaskAllows(&matcher, 'q', false);
  ExpectMaskAllows(&matcher, '"', true);
}

TEST(StateExplosion, MaxItemsOfTenThousandIsACounter) {
  auto grammar =
      CompileSchema(R"({"type":"array","items":{"type":"integer"},"maxItems":10000,"minItems":2})");
  ASSERT_NE(grammar, nullptr);
  EXPECT_LT(grammar->MemoryBytes(), 64 * kKilobyte);
  Matcher matcher(grammar);
  ASSERT_TRUE(Takes(&matcher, "[1"));
  ExpectMaskAllows(&matcher, ']', false);
  for (int i = 0; i < 9998; ++i) ASSERT_TRUE(Takes(&matcher, ",1"));
  ExpectMaskAllows(&matcher, ',', true);
  ASSERT_TRUE(Takes(&matcher, ",1"));
  ExpectMaskAllows(&matcher, ',', false);
  EXPECT_TRUE(Takes(&matcher, "]"));
  EXPECT_TRUE(matcher.IsAccepting());
  EXPECT_LT(grammar->MemoryBytes(), 512 * kKilobyte);
}

TEST(StateExplosion, SixHundredRequiredKeysAreASet) {
  constexpr int kKeys = 600;
  std::string properties;
  std::string required;
  for (int i = 0; i < kKeys; ++i) {
    std::string comma = i == 0 ? "" : ",";
    properties += comma + "\"key" + std::to_string(i) + "\":{\"type\":\"integer\"}";
    required += comma + "\"key" + std::to_string(i) + "\"";
  }
  auto grammar =
      CompileSchema(R"({"type":"object","properties":{)" + properties + R"(},"required":[)" +
                    required + R"(],"additionalProperties":false})");
  ASSERT_NE(grammar, nullptr);
  EXPECT_LT(grammar->MemoryBytes(), 512 * kKilobyte);
  std::vector<int> order(kKeys);
  std::iota(order.begin(), order.end(), 0);
  std::mt19937_64 random(3);
  std::shuffle(order.begin(), order.end(), random);
  Matcher matcher(grammar);
  ASSERT_TRUE(Takes(&matcher, "{"));
  for (int i = 0; i < kKeys; ++i) {
    if (i > 0) {
      ASSERT_TRUE(Takes(&matcher, ","));
      // A key that was there already cannot be spelled again.
      std::string again = "\"key" + std::to_string(order[0]) + "\"";
      EXPECT_FALSE(Takes(&matcher, again));
    }
    ASSERT_TRUE(Takes(&matcher, "\"key" + std::to_string(order[i]) + "\":" + std::to_string(i)));
    Matcher fork = matcher.Fork();
    EXPECT_EQ(Takes(&fork, "}"), i + 1 == kKeys) << i;
  }
  ASSERT_TRUE(Takes(&matcher, "}"));
  EXPECT_TRUE(matcher.IsAccepting());
  Matcher fresh(grammar);
  std::string witness = fresh.Completion();
  EXPECT_TRUE(Takes(&fresh, witness) && fresh.IsAccepting());
}

TEST(StateExplosion, FiveThousandEnumValuesAreATrie) {
  constexpr int kValues = 5000;
  std::string values;
  for (int i = 0; i < kValues; ++i) {
    values += (i == 0 ? "\"value " : ",\"value ") + std::to_string(i * 17) + "\"";
  }
  auto grammar = CompileSchema("{\"enum\":[" + values + "]}");
  ASSERT_NE(grammar, nullptr);
  EXPECT_LT(grammar->MemoryBytes(), 2048 * kKilobyte);
  Matcher matcher(grammar);
  for (int i = 0; i < kValues; i += 7) {
    matcher.Reset();
    EXPECT_TRUE(Takes(&matcher, "\"value " + std::to_string(i * 17) + "\"")) << i;
    matcher.Reset();
    EXPECT_FALSE(Takes(&matcher, "\"value " + std::to_string(i * 17 + 1) + "\"")) << i;
  }
  matcher.Reset();
  ASSERT_TRUE(Takes(&matcher, "\"value "));
  ExpectMaskAllows(&matcher, '9', true);
  ExpectMaskAllows(&matcher, '"', false);
}

TEST(StateExplosion, LongFreeKeysAreFoundByCompletions) {
  auto grammar = CompileSchema(R"({"type":"object","patternProperties":{
      "^[a-f0-9]{8}$":{"type":"integer"},"^[ab][01]?$":{"type":"null"}},
      "additionalProperties":false,"minProperties":10})");
  ASSERT_NE(grammar, nullptr);
  for (const char* start :
       {"", "{", "{\"0", "{\"a0\":null,\"ffffff", "{\"a\":null,\"b\":null,\""}) {
    Matcher matcher(grammar);
    ASSERT_TRUE(Takes(&matcher, start)) << start;
    std::string rest = matcher.Completion();
    EXPECT_TRUE(Takes(&matcher, rest) && matcher.IsAccepting()) << start << rest;
  }
}

TEST(StateExplosion, CompletionsOfRecursiveMembersEnd) {
  for (const char* schema :
       {R"({"type":"object","minProperties":1,"additionalProperties":false,"properties":{
            "a":{"$ref":"#"},"b":{"type":"string","minLength":90}}})",
        R"({"type":"object","minProperties":2,"additionalProperties":false,"patternProperties":{
            "^a[0-9]":{"$ref":"#"},"^(b|c)$":{"const":"a longer text than that of an object"}}})",
        R"({"type":"object","minProperties":1,"properties":{
            "a":{"type":["object","number"],"minProperties":2,"$ref":"#"},
            "ab":{"type":["object","integer"]}}})"}) {
    auto grammar = CompileSchema(schema);
    ASSERT_NE(grammar, nullptr);
    for (const char* start : {"", "{", "{\"", "{\"a"}) {
      Matcher matcher(grammar);
      ASSERT_TRUE(Takes(&matcher, start)) << start;
      std::string rest = matcher.Completion();
      EXPECT_LT(rest.size(), 1000u);
      EXPECT_TRUE(Takes(&matcher, rest) && matcher.IsAccepting()) << start << rest;
    }
  }
}

TEST(StateExplosion, SixtyOptionalKeysAreASet) {
  std::string properties;
  for (int i = 0; i < 60; ++i) {
    properties += (i == 0 ? "\"k" : ",\"k") + std::to_string(i) + "\":{\"type\":\"boolean\"}";
  }
  auto grammar = CompileSchema(R"({"type":"object","properties":{)" + properties +
                               R"(},"additionalProperties":false,"minProperties":3})");
  ASSERT_NE(grammar, nullptr);
  EXPECT_LT(grammar->MemoryBytes(), 256 * kKilobyte);
  Matcher matcher(grammar);
  ASSERT_TRUE(Takes(&matcher, R"({"k59":true,"k0":false)"));
  ExpectMaskAllows(&matcher, '}', false);
  ASSERT_TRUE(Takes(&matcher, R"(,"k30":true)"));
  ExpectMaskAllows(&matcher, '}', true);
}

TEST(StateExplosion, NestedUnionsOfOverlappingObjectsStayPolynomial) {
  auto grammar = CompileSchema(R"({"$defs":{"t":{"anyOf":[
      {"type":"object","properties":{"op":{"const":"not"},"arg":{"$ref":"#/$defs/t"}},
       "required":["op","arg"]},
      {"type":"object","properties":{"op":{"const":"neg"},"arg":{"$ref":"#/$defs/t"}},
       "required":["op","arg"]},
      {"type":"array","items":{"$ref":"#/$defs/t"}},
      {"type":"array","items":{"$ref":"#/$defs/t"},"minItems":1},
      {"type":"integer"}]}},"$ref":"#/$defs/t"})");
  ASSERT_NE(grammar, nullptr);
  Matcher matcher(grammar);
  constexpr int kDepth = 300;
  for (int i = 0; i < kDepth; ++i) ASSERT_TRUE(Takes(&matcher, R"({"arg":[)"));
  ExpectMaskAllows(&matcher, '{', true);
  ASSERT_TRUE(Takes(&matcher, "1"));
  for (int i = 0; i < kDepth; ++i) {
    ASSERT_TRUE(Takes(&matcher, i % 3 == 0 ? R"(],"op":"not"})" : R"(],"op":"neg"})")) << i;
  }
  EXPECT_TRUE(matcher.IsAccepting());
}

}  // namespace
}  // namespace maskloom::suites
