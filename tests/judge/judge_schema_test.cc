// JSON Schemas: every short text over a few bytes against the validator, and hand cases.
#include <gtest/gtest.h>

#include <set>

#include "tests/judge/consistency.h"
#include "tests/judge/json_judge.h"

namespace maskloom::judge {
namespace {

JudgeStyle Compact(const std::string& alphabet) {
  JudgeStyle style;
  style.whitespace = JudgeStyle::Whitespace::kCompact;
  style.max_digits = 2;
  style.spellable = BytesOf(alphabet);
  return style;
}

std::unique_ptr<JsonJudge> Make(const std::string& schema, const JudgeStyle& style = {}) {
  auto judge = MakeJsonJudge(schema, style);
  EXPECT_TRUE(judge.ok()) << schema << ": " << judge.status().ToString();
  return judge.ok() ? std::move(*judge) : nullptr;
}

// Whether every number of the value keeps to the digits that `style` allows.
bool DigitsWithin(const JsonTree& value, const NumberStyle& style) {
  bool good = value.kind != JsonTree::Kind::kNumber || NumberText::Read(value.number, style).valid;
  for (const JsonTree& item : value.items) good = good && DigitsWithin(item, style);
  for (const auto& member : value.members) good = good && DigitsWithin(member.second, style);
  return good;
}

struct Case {
  const char* schema;
  const char* alphabet;
  size_t length;
};

// Texts without white space that RapidJSON reads, the validator passes and the style allows.
TEST(SchemaJudge, AgreesWithTheValidatorOnEveryShortText) {
  const Case cases[] = {
      {R"({"type":"object","properties":{"a":{"enum":[1,11]}},"required":["a"],
           "additionalProperties":false})",
       "{}\":a1", 7},
      {R"({"type":"object","maxProperties":1,"additionalProperties":{"const":1}})", "{}\":a1", 7},
      {R"({"type":"object","minProperties":2,"additionalProperties":false,
           "patternProperties":{"^a{0,1}$":{"const":1}}})",
       "{}\":a1,", 7},
      {R"({"type":"array","prefixItems":[{"const":1},{"type":"array"}],"minItems":1,
           "items":false})",
       "[]1,", 9},
      {R"({"type":"array","items":{"$ref":"#"},"maxItems":2})", "[],", 10},
      {R"({"type":"string","minLength":1,"maxLength":2,"pattern":"a$"})", "\"ab\\n", 7},
      {R"({"type":"string","pattern":"b","maxLength":2})", "\"ab\\u062", 7},
      {R"({"anyOf":[{"type":"string","pattern":"^a"},{"const":"bb"}],"maxLength":2})", "\"ab", 8},
      {R"({"enum":["a","ab",[1],{"a":1},11,null]})", "\"ab[]1{}:", 6},
      {R"({"allOf":[{"type":"integer"},{"minimum":1}],"maximum":20})", "-.012", 7},
      {R"({"type":["integer","array"],"exclusiveMaximum":0,"items":{"type":"number","maximum":-1}})",
       "-1.0[]", 6},
      {R"({"type":"object","required":["a","b"],"maxProperties":2,
           "additionalProperties":{"type":"array","maxItems":0}})",
       "{}\":ab[],", 5},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.schema);
    auto judge = Make(one.schema, Compact(one.alphabet));
    ASSERT_NE(judge, nullptr);
    auto oracle = [&](const std::string& text) {
      auto value = ParseJsonTree(text);
      if (!value.ok() || !Validate(judge->schema(), judge->pool(), *value)) return false;
      return DigitsWithin(*value, {2, {}});
    };
    Consistency check(judge.get(), one.alphabet, oracle);
    check.Check(one.length);
    if (HasFailure()) return;
  }
}

TEST(SchemaJudge, KeysComeInAnyOrderEachOnceHoweverSpelled) {
  auto judge = Make(R"({"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"null"}},
                       "required":["a"],"additionalProperties":{"type":"boolean"}})");
  EXPECT_TRUE(judge->Accepts(R"({"a":1,"b":null})"));
  EXPECT_TRUE(judge->Accepts(R"({"b": null, "a": 1})"));
  EXPECT_TRUE(judge->Accepts("{\n  \"z\": true,\n  \"\\u0061\": 1\n}"));
  EXPECT_FALSE(judge->Accepts(R"({"b":null})"));
  EXPECT_FALSE(judge->Accepts(R"({"a":1,"\u0061":2})"));
  EXPECT_FALSE(judge->Accepts(R"({"a":1,"z":true,"z":true})"));
  EXPECT_FALSE(judge->Accepts(R"({"a":1,"\u007A":true,"z":true})"));
  EXPECT_FALSE(judge->Accepts(R"({"a":1,"z":1})"));
  EXPECT_EQ(judge->Walk(judge->Start(), R"({"a":1,"a")"), kDead);
  EXPECT_NE(judge->Walk(judge->Start(), R"({"a":1,"a)"), kDead);
  EXPECT_EQ(judge->Walk(judge->Start(), R"({"\ud800x)"), kDead);
  EXPECT_NE(judge->Walk(judge->Start(), R"({"\uD83d\uDe00)"), kDead);
}

TEST(SchemaJudge, DeclaredOrderIsKept) {
  JudgeStyle style;
  style.declared_order = true;
  auto judge =
      Make(R"({"properties":{"a":{},"b":{},"c":{}},"required":["b"],"type":"object"})", style);
  EXPECT_TRUE(judge->Accepts(R"({"a":1,"b":2,"c":3,"x":4})"));
  EXPECT_TRUE(judge->Accepts(R"({"b":2,"x":4})"));
  EXPECT_FALSE(judge->Accepts(R"({"b":2,"a":1})"));
  EXPECT_FALSE(judge->Accepts(R"({"b":2,"x":4,"c":1})"));
  EXPECT_EQ(judge->Walk(judge->Start(), R"({"c")"), kDead);
  EXPECT_EQ(judge->Walk(judge->Start(), R"({"x")"), kDead);
  judge = Make(R"({"properties":{"a":{}},"required":["z","y"],"type":"object"})", style);
  EXPECT_TRUE(judge->Accepts(R"({"a":1,"z":2,"y":3,"x":4})"));
  EXPECT_FALSE(judge->Accepts(R"({"z":2,"a":1,"y":3})"));
  EXPECT_FALSE(judge->Accepts(R"({"y":3,"z":2})"));
  EXPECT_FALSE(judge->Accepts(R"({"z":2,"x":4,"y":3})"));
}

TEST(SchemaJudge, WhiteSpaceFollowsTheStyle) {
  const std::string schema = R"({"type":["object","array"]})";
  auto flexible = Make(schema);
  EXPECT_TRUE(flexible->Accepts("{ \"a\"\t:\r\n  1 \n}"));
  EXPECT_TRUE(flexible->Accepts("[" + std::string(64, ' ') + "\n]"));
  EXPECT_FALSE(flexible->Accepts("[" + std::string(65, ' ') + "]"));
  EXPECT_FALSE(flexible->Accepts("[\n\n]"));
  EXPECT_FALSE(flexible->Accepts("[\r]"));
  EXPECT_FALSE(flexible->Accepts(" []"));
  EXPECT_FALSE(flexible->Accepts("[] "));
  JudgeStyle style;
  style.whitespace = JudgeStyle::Whitespace::kAny;
  auto any = Make(schema, style);
  EXPECT_TRUE(any->Accepts(" \n\n\r[\n\n1 ,\t\t2] \r"));
  style.whitespace = JudgeStyle::Whitespace::kCompact;
  auto compact = Make(schema, style);
  EXPECT_TRUE(compact->Accepts(R"({"a":[1,2]})"));
  EXPECT_FALSE(compact->Accepts(R"({"a": [1,2]})"));
  style.whitespace = JudgeStyle::Whitespace::kIndent;
  auto indent = Make(schema, style);
  EXPECT_TRUE(indent->Accepts("{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": []\n}"));
  EXPECT_FALSE(indent->Accepts("{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": []\n }"));
  EXPECT_FALSE(indent->Accepts("{\n}"));
  EXPECT_FALSE(indent->Accepts("[1]"));
  EXPECT_EQ(indent->Walk(indent->Start(), "[\n]"), kDead);
}

TEST(SchemaJudge, EndsNoTextInACorner) {
  auto judge = Make(R"({"type":"object","required":["a"],"maxProperties":1,"properties":{"a":{
      "allOf":[{"type":"array","minItems":2},{"prefixItems":[{"const":7}],"maxItems":2}]}}})");
  EXPECT_EQ(judge->Walk(judge->Start(), R"({"b)"), kDead);
  EXPECT_NE(judge->Walk(judge->Start(), R"({"a":[7,)"), kDead);
  EXPECT_EQ(judge->Walk(judge->Start(), R"({"a":[7])"), kDead);
  EXPECT_EQ(judge->Walk(judge->Start(), R"({"a":[7,8,)"), kDead);
  EXPECT_EQ(judge->Walk(judge->Start(), R"({"a":[7,8],)"), kDead);
}

TEST(SchemaJudge, RecursionIsALeastFixedPoint) {
  for (const char* schema :
       {R"({"$ref":"#"})", R"({"type":"object","required":["a"],"properties":{"a":{"$ref":"#"}}})",
        R"({"type":"string","minLength":3,"maxLength":2})", "false", R"({"enum":[]})",
        R"({"type":"array","minItems":3,"maxItems":2})", R"({"type":"string","enum":[1,2]})",
        R"({"type":"integer","minimum":0.2,"maximum":0.8})",
        R"({"type":"array","items":{"$ref":"#"},"minItems":1})",
        R"({"type":"string","pattern":"^a{3}$","maxLength":2})",
        R"({"type":"object","minProperties":3,"additionalProperties":false,
            "patternProperties":{"^[ab]$":{}}})"}) {
    auto judge = MakeJsonJudge(schema, {});
    ASSERT_FALSE(judge.ok()) << schema;
    EXPECT_EQ(judge.status().code(), StatusCode::kUnsatisfiable) << schema;
  }
  auto judge = Make(R"({"$defs":{"V":{"anyOf":[{"type":"string"},{"$ref":"#/$defs/V"},
      {"type":"array","items":{"$ref":"#/$defs/V"}}]}},"$ref":"#/$defs/V"})");
  EXPECT_TRUE(judge->Accepts(R"(["a",["b"],[]])"));
  EXPECT_FALSE(judge->Accepts(R"(["a",[1],[]])"));
}

TEST(SchemaJudge, DraftsBeforeTwentyNineteenIgnoreWhatStandsBesideARef) {
  const std::string rest = R"("$ref":"#/definitions/s","maxLength":1,
      "definitions":{"s":{"type":"string"}}})";
  EXPECT_TRUE(
      Make(R"({"$schema":"http://json-schema.org/draft-07/schema#",)" + rest)->Accepts("\"abc\""));
  EXPECT_FALSE(Make("{" + rest)->Accepts("\"abc\""));
}

TEST(SchemaJudge, RefusesKeywordsOutsideItsListWithTheirPointer) {
  auto judge = MakeJsonJudge(R"({"properties":{"a/b":{"multipleOf":3}}})", {});
  ASSERT_FALSE(judge.ok());
  EXPECT_EQ(judge.status().code(), StatusCode::kUnsupported);
  EXPECT_EQ(judge.status().pointer().value_or(""), "/properties/a~1b/multipleOf");
  for (const char* schema : {"[", "3", R"({"type":"strin"})", R"({"$ref":"#/nowhere"})",
                             R"({"minLength":-1})", R"({"pattern":"("})", R"({"required":true})"}) {
    auto bad = MakeJsonJudge(schema, {});
    ASSERT_FALSE(bad.ok()) << schema;
    EXPECT_EQ(bad.status().code(), StatusCode::kInvalidDefinition) << schema;
  }
}

TEST(SchemaJudge, LivenessAsksOnlyForBytesThatCanBeSpelled) {
  const std::string schema =
      "{\"type\":\"object\",\"properties\":{\"\xC3\xA9\":{\"enum\":[1,22]}},"
      "\"additionalProperties\":false,\"maxProperties\":1}";
  JudgeStyle style;
  style.spellable.reset(0xA9).reset('\\').reset('2');
  auto judge = Make(schema, style);
  auto live = [&](const std::string& text) {
    State state = judge->Walk(judge->Start(), text);
    EXPECT_NE(state, kDead) << text;
    return state != kDead && judge->Live(state);
  };
  EXPECT_TRUE(live("{"));
  EXPECT_FALSE(live("{\""));
  EXPECT_FALSE(live("{\"\xC3"));
  EXPECT_TRUE(live("{\"\xC3\xA9"));
  EXPECT_TRUE(live("{\"\\u00e9\":"));
  EXPECT_FALSE(live("{\"\xC3\xA9\":2"));
  EXPECT_TRUE(live("{\"\xC3\xA9\":22"));
  style.spellable.set('\\');
  judge = Make(schema, style);
  EXPECT_TRUE(live("{\""));
  EXPECT_FALSE(live("{\"\xC3"));
  auto required = MakeJsonJudge(schema.substr(0, schema.size() - 1) + ",\"minProperties\":1}",
                                Compact("{}:,1\xC3"));
  ASSERT_FALSE(required.ok());
  EXPECT_EQ(required.status().code(), StatusCode::kUnsatisfiable);
}

TEST(SchemaJudge, NumbersAreCutByTheStyle) {
  JudgeStyle style;
  style.max_digits = 3;
  auto judge = Make(R"({"type":"number"})", style);
  EXPECT_TRUE(judge->Accepts("-123.456e+789"));
  EXPECT_FALSE(judge->Accepts("1234"));
  EXPECT_FALSE(judge->Accepts("0.1234"));
  EXPECT_FALSE(judge->Accepts("1e1234"));
  EXPECT_FALSE(judge->Accepts("01"));
  style.max_digits = 0;
  EXPECT_TRUE(Make(R"({"type":"number"})", style)->Accepts("12345678901234567890.1e123456"));
}

}  // namespace
}  // namespace maskloom::judge
