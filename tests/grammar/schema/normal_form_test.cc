// The shape of the IR: printed golden forms, sharing, one node for one set, sizes under bounds.
#include <algorithm>
#include <utility>

#include "tests/grammar/schema/schema_cases.h"

namespace maskloom {
namespace {

Grammar Compile(const std::string& schema) {
  Result<Grammar> grammar = ParseJsonSchema(schema);
  EXPECT_TRUE(grammar.ok()) << schema.substr(0, 500) << "\n" << grammar.status().ToString();
  if (!grammar.ok()) return Grammar();
  EXPECT_EQ(grammar->Validate(), "");
  return std::move(*grammar);
}

TEST(SchemaNormalForm, HasOneNodeForEverything) {
  Grammar grammar = Compile(
      R"({"type":"object","properties":{"a":{},"b":{"description":"x"},"c":true},
          "required":["a"],"items":{"title":"ignored for objects"}})");
  ASSERT_EQ(grammar.values.size(), 2u);
  const ObjectNode& root = grammar.objects[grammar.values[0].objects[0]];
  ASSERT_EQ(root.properties.size(), 3u);
  EXPECT_EQ(root.other_values, std::vector<ValueId>{1});
  EXPECT_EQ(root.other_keys, nullptr);
  for (const auto& property : root.properties) EXPECT_EQ(property.value, 1u);
}

TEST(SchemaNormalForm, SharesEqualSchemas) {
  Grammar grammar = Compile(
      R"({"type":"array","prefixItems":[
          {"type":"object","properties":{"a":{"type":"string","description":"1"}},"title":"x"},
          {"type":"object","properties":{"a":{"type":"string","description":"2"}},"title":"y"},
          {"anyOf":[{"type":"object","properties":{"a":{"type":"string"}}},
                    {"properties":{"a":{"type":"string"}},"type":"object"}]}],"items":false})");
  ASSERT_EQ(grammar.arrays[0].prefix.size(), 3u);
  EXPECT_EQ(grammar.arrays[0].prefix[0], grammar.arrays[0].prefix[1]);
  EXPECT_EQ(grammar.arrays[0].prefix[0], grammar.arrays[0].prefix[2]);
}

// One of `count` shapes, each closed to two keys of a ring, for a member and for all values of
// another: 2^count combinations, of which values have 3 * count.
TEST(SchemaNormalForm, LeavesOutChoicesThatNoValueHas) {
  constexpr size_t kCount = 8;
  std::string branches;
  for (size_t i = 0; i < kCount; ++i) {
    const std::string shape = R"({"type":"object","additionalProperties":false,"properties":{"k)" +
                              std::to_string(i) + R"(":{"type":"string"},"k)" +
                              std::to_string((i + 1) % kCount) + R"(":{"type":"string"}}})";
    branches += (i == 0 ? "" : ",") + (R"({"properties":{"one":)" + shape) +
                R"(,"many":{"type":"object","additionalProperties":)" + shape + "}}}";
  }
  Grammar grammar = Compile(R"({"type":"object","oneOf":[)" + branches + "]}");
  size_t most = 0;
  for (const ObjectNode& object : grammar.objects) {
    for (const std::vector<Choice>& choices : object.choices) {
      most = std::max(most, choices.size());
    }
  }
  EXPECT_EQ(most, 4u);  // {}, one key or the other, and both
  EXPECT_LT(grammar.objects.size(), 100u);
}

TEST(SchemaNormalForm, GathersTextsIntoOneStringNode) {
  for (const char* schema : {R"({"enum":["a","b","c"]})",
                             R"({"anyOf":[{"const":"a"},{"const":"b"},{"enum":["c","a"]}]})",
                             R"({"anyOf":[{"type":"string","pattern":"^[ab]$"},{"const":"c"}]})"}) {
    Grammar grammar = Compile(schema);
    ASSERT_EQ(grammar.values.size(), 1u);
    ASSERT_EQ(grammar.values[0].strings.size(), 1u) << schema;
    EXPECT_EQ(grammar.strings[0].automaton->state_count(), 2u) << schema;
  }
}

TEST(SchemaNormalForm, DropsWhatAnotherAlternativeContains) {
  Grammar grammar = Compile(
      R"({"anyOf":[{"type":"string"},{"type":"string","maxLength":3},{"const":"x"},
          {"type":"integer"},{"const":7},{"type":"number","minimum":1},{"const":9.5},{"const":0.5},
          {"type":"object","required":["a"]},{"type":"object","required":["a","b"]}]})");
  const ValueNode& root = grammar.values[0];
  EXPECT_EQ(root.strings.size(), 1u);
  EXPECT_EQ(root.numbers.size(), 3u);
  EXPECT_EQ(root.objects.size(), 1u);
}

TEST(SchemaNormalForm, ReplacesSmallPatternsByTheirTexts) {
  Grammar grammar = Compile(
      R"({"type":"object","patternProperties":{"^k[0-9]$":{"type":"null"}},
          "additionalProperties":false})");
  const ObjectNode& root = grammar.objects[0];
  EXPECT_EQ(root.properties.size(), 10u);
  EXPECT_EQ(root.other_keys, nullptr);
  EXPECT_TRUE(root.other_values.empty());
}

TEST(SchemaNormalForm, LabelsOtherKeysByClass) {
  Grammar grammar = Compile(
      R"({"type":"object","patternProperties":{"^a":{"type":"null"},"^b":{"type":"null"},
          "^c":false},"additionalProperties":{"type":"string"}})");
  const ObjectNode& root = grammar.objects[0];
  ASSERT_NE(root.other_keys, nullptr);
  EXPECT_EQ(root.other_values.size(), 2u);
  EXPECT_EQ(root.other_keys->Match(U"ax"), root.other_keys->Match(U"bx"));
  EXPECT_NE(root.other_keys->Match(U"ax"), root.other_keys->Match(U"x"));
  EXPECT_EQ(root.other_keys->Match(U"cx"), TextAutomaton::kNotAccepting);
}

TEST(SchemaNormalForm, KeepsBoundsAsNumbers) {
  Grammar grammar =
      Compile(R"({"type":"array","maxItems":10000,"items":{"type":"string","maxLength":1000000}})");
  EXPECT_EQ(grammar.arrays[0].max_items, 10000u);
  EXPECT_EQ(grammar.strings[0].max_length, 1000000u);
  EXPECT_EQ(grammar.strings[0].automaton, nullptr);
  EXPECT_EQ(grammar.values.size(), 2u);
}

TEST(SchemaNormalForm, CountsLongLoopsOfPatternsAsLength) {
  for (const char* pattern : {"^[a-z][a-z0-9_]{0,1000}$", "^([a-z])(?:[a-z0-9_]{0,1000})$"}) {
    Grammar grammar =
        Compile(std::string(R"({"type":"string","maxLength":500,"pattern":")") + pattern + "\"}");
    ASSERT_EQ(grammar.strings.size(), 1u);
    EXPECT_EQ(grammar.strings[0].automaton->state_count(), 2u) << pattern;
    EXPECT_EQ(grammar.strings[0].min_length, 1u);
    EXPECT_EQ(grammar.strings[0].max_length, 500u);
  }
  Grammar any = Compile(R"({"type":"string","pattern":"^[^]{3,70000}$"})");
  EXPECT_EQ(any.strings[0].automaton, nullptr);
  EXPECT_EQ(any.strings[0].min_length, 3u);
  EXPECT_EQ(any.strings[0].max_length, 70000u);
  // Of several loops all but one have a fixed length; rounds that are written out are a loop, too.
  for (const char* pattern :
       {"^[a-z]{20}[0-9]{0,30}x$", "^[a-z]{19}[a-z][0-9]{0,10}[0-9]{0,20}x$"}) {
    Grammar grammar = Compile(std::string(R"({"type":"string","pattern":")") + pattern + "\"}");
    EXPECT_LT(grammar.strings[0].automaton->state_count(), 25u) << pattern;
    EXPECT_EQ(grammar.strings[0].min_length, 21u) << pattern;
    EXPECT_EQ(grammar.strings[0].max_length, 51u) << pattern;
  }
  for (const char* pattern : {"^..................$", "^.{17}.$"}) {
    Grammar grammar = Compile(std::string(R"({"type":"string","pattern":")") + pattern + "\"}");
    EXPECT_EQ(grammar.strings[0].automaton->state_count(), 1u) << pattern;
    EXPECT_EQ(grammar.strings[0].min_length, 18u) << pattern;
    EXPECT_EQ(grammar.strings[0].max_length, 18u) << pattern;
  }
  // Two loops, or no anchors, leave the length open.
  for (const char* pattern : {"^[a-z]{1,20}[0-9]{1,20}$", "[a-z]{1,20}", "^(a[a-z]{1,20}|b)$"}) {
    Grammar grammar = Compile(std::string(R"({"type":"string","pattern":")") + pattern + "\"}");
    EXPECT_EQ(grammar.strings[0].max_length, kNoMaximum) << pattern;
  }
}

// Without that, each subset of the patterns is looked at, and the schema refused.
TEST(SchemaNormalForm, KnowsPatternsThatNoTextMatchesTogether) {
  std::string schema = R"({"oneOf":[{"type":"object","required":["id","y"],
      "properties":{"id":{"type":"string","pattern":"^p:a/.+"}}})";
  for (int i = 0; i < 22; ++i) {
    schema += R"(,{"type":"object","properties":{"id":{"type":"string","pattern":"^p:)" +
              std::string(1, static_cast<char>('a' + i)) + R"(/.+"},"v":{"minimum":)" +
              std::to_string(i) + "}}}";
  }
  ExpectCase({schema + "]}",
              {R"({"id":"p:a/x"})", R"({"id":"p:v/xy","v":21})", R"({"id":"p:a/x","y":1,"v":-1})"},
              {"{}", R"({"id":"p:a/"})", R"({"id":"p:w/x"})", R"({"id":1})",
               R"({"id":"p:v/xy","v":20})", R"({"id":"p:a/x","y":1})"}});
  const Grammar implied =
      Compile(R"({"type":"string","pattern":"^a","not":{"pattern":"^b.{3,9}c"}})");
  EXPECT_EQ(implied.strings[0].automaton->state_count(), 2u);
}

TEST(SchemaNormalForm, StaysSmallForManyTextsAndManyKeys) {
  std::string texts = R"({"enum":[)";
  for (int i = 0; i < 5000; ++i) texts += (i ? ",\"value-" : "\"value-") + std::to_string(i) + "\"";
  Grammar many_texts = Compile(texts + "]}");
  EXPECT_EQ(many_texts.strings.size(), 1u);
  EXPECT_LT(many_texts.strings[0].automaton->state_count(), 50u);

  std::string properties;
  std::string required;
  for (int i = 0; i < 600; ++i) {
    std::string name = "\"key" + std::to_string(i) + "\"";
    properties += (i ? "," : "") + name + R"(:{"type":"integer"})";
    required += (i ? "," : "") + name;
  }
  Grammar many_keys = Compile(R"({"type":"object","properties":{)" + properties +
                              R"(},"required":[)" + required + "]}");
  EXPECT_EQ(many_keys.objects[0].properties.size(), 600u);
  EXPECT_EQ(many_keys.values.size(), 3u);
}

TEST(SchemaNormalForm, ClosesOverReferencesThatDoubleAtEachStep) {
  std::string schema = R"({"$ref":"#/$defs/d0","$defs":{)";
  for (int i = 0; i < 200; ++i) {
    std::string next = R"({"$ref":"#/$defs/d)" + std::to_string(i + 1) + "\"}";
    schema += "\"d" + std::to_string(i) + R"(":{"allOf":[)" + next + "," + next +
              R"(],"properties":{"p":)" + next + "}},";
  }
  Grammar grammar = Compile(schema + R"("d200":{"type":"object"}}})");
  EXPECT_LE(grammar.values.size(), 202u);
}

TEST(SchemaNormalForm, JoinsUnionsOfNamesWithoutMultiplyingThem) {
  std::string schema = R"({"allOf":[)";
  for (int i = 0; i < 40; ++i) {
    std::string name = std::to_string(i);
    schema += (i ? "," : "") + std::string(R"({"anyOf":[{"required":["a)") + name +
              R"("]},{"required":["b)" + name + R"("]}]})";
  }
  Grammar grammar = Compile(schema + "]}");
  ASSERT_EQ(grammar.values[0].objects.size(), 1u);
  EXPECT_LE(grammar.objects[grammar.values[0].objects[0]].conditions.size(), 200u);
}

}  // namespace
}  // namespace maskloom
