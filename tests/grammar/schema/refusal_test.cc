// What is refused, with which code and pointer; what only looks refusable; the report.
#include "tests/grammar/schema/schema_cases.h"

namespace maskloom {
namespace {

TEST(JsonSchemaRefusal, NamesFormsOfOtherDrafts) {
  const std::string k4 = R"("$schema":"http://json-schema.org/draft-04/schema#",)";
  const std::string k7 = R"("$schema":"http://json-schema.org/draft-07/schema#",)";
  ExpectRefusal(R"({"items":[{}]})", StatusCode::kInvalidDefinition, "/items");
  ExpectRefusal("{" + k7 + R"("minimum":1,"exclusiveMinimum":true})",
                StatusCode::kInvalidDefinition, "/exclusiveMinimum");
  ExpectRefusal("{" + k4 + R"("minimum":1,"exclusiveMinimum":1})", StatusCode::kInvalidDefinition,
                "/exclusiveMinimum");
  ExpectRefusal(R"({"$schema":"http://json-schema.org/draft-03/schema#"})",
                StatusCode::kUnsupported, "/$schema");
}

TEST(JsonSchemaRefusal, NamesUnknownFormatsOnRequest) {
  SchemaOptions options;
  options.unknown_formats = SchemaOptions::UnknownFormats::kRefuse;
  Result<Grammar> grammar = ParseJsonSchema(R"({"items":{"format":"shoe-size"}})", options);
  ASSERT_FALSE(grammar.ok());
  EXPECT_EQ(grammar.status().code(), StatusCode::kUnsupported);
  EXPECT_EQ(grammar.status().pointer(), "/items/format");
  EXPECT_TRUE(ParseJsonSchema(R"({"format":"shoe-size"})").ok());
}

TEST(JsonSchemaRefusal, NamesBoundsWithEndlessDigits) {
  ExpectRefusal(R"({"minimum":1e2147483600})", StatusCode::kResourceLimit, "/minimum");
  ExpectRefusal(R"({"items":{"exclusiveMaximum":1e-99999999999999}})", StatusCode::kResourceLimit,
                "/items/exclusiveMaximum");
}

// Two chains of branches, each about a key of its own: neither is settled by the other's key.
TEST(JsonSchemaRefusal, PointsAtAlternativesThatAreTooManyToCount) {
  std::string branches;
  for (int i = 0; i < 100; ++i) {
    for (const std::string key : {"t", "u"}) {
      branches += std::string(branches.empty() ? "" : ",") + R"({"if":{"required":[")" + key +
                  R"("],"properties":{")" + key + R"(":{"const":)" + std::to_string(i) +
                  R"(}}},"then":{"properties":{"v)" + key + std::to_string(i) +
                  R"(":{"type":"integer"}}}})";
    }
  }
  const std::string schema =
      R"({"properties":{"a":{"type":"object","allOf":[)" + branches + R"(]}},"required":["a"]})";
  ExpectRefusal(schema, StatusCode::kResourceLimit, "/properties/a/allOf");
  const Result<Grammar> grammar = ParseJsonSchema(schema);
  ASSERT_FALSE(grammar.ok());
  EXPECT_NE(grammar.status().message().find("the limit is 64"), std::string::npos);
}

TEST(JsonSchemaRefusal, PointsAtCountsThatNobodyCanReach) {
  const std::pair<const char*, const char*> kLarge[] = {
      {R"({"properties":{"a":{"type":"array","minItems":1e30}}})", "/properties/a/minItems"},
      {R"({"properties":{"a":{"type":"array","minItems":1e999999999999}}})",
       "/properties/a/minItems"},
      {R"({"properties":{"a":{"type":"array","minItems":4294967295}}})", "/properties/a/minItems"},
      {R"({"properties":{"a":{"type":"string","minLength":1e30}}})", "/properties/a/minLength"},
      {R"({"properties":{"a":{"type":"object","minProperties":1e30}}})",
       "/properties/a/minProperties"},
      {R"({"properties":{"a":{"type":"array","contains":true,"minContains":1e30}}})",
       "/properties/a/minContains"},
      {R"({"properties":{"a":{"type":"array","contains":{"const":1},"minContains":1e30}}})",
       "/properties/a/minContains"},
      {R"({"type":"string","pattern":"a{99999999}"})", "/pattern"},
      {R"({"type":"string","pattern":"^.{0,99999999999}$"})", "/pattern"},
      {R"({"properties":{"a":{"propertyNames":{"minLength":1e30}}}})",
       "/properties/a/propertyNames/minLength"},
      {R"({"properties":{"a":{"propertyNames":{"pattern":"^[ab]","maxLength":10001}}}})",
       "/properties/a/propertyNames/maxLength"},
  };
  for (const auto& [schema, pointer] : kLarge) {
    ExpectRefusal(schema, StatusCode::kResourceLimit, pointer);
    EXPECT_EQ(ParseJsonSchema(schema).status().line(), 1u) << schema;
  }
  EXPECT_EQ(
      ExpectRefusal(R"({"minItems":1E30,"type":"array"})", StatusCode::kResourceLimit, "/minItems"),
      "`minItems` is 1E30; the most that can be counted is 4294967294");
  for (const char* schema :
       {R"({"not":{"minItems":1e30}})", R"({"maxItems":1e30,"maxLength":1e30})",
        R"({"type":"null","minItems":1e30})", R"({"type":"array","minItems":4294967294})",
        R"({"anyOf":[{"type":"array","minItems":1e30,"maxItems":2},{"type":"null"}]})"}) {
    EXPECT_TRUE(ParseJsonSchema(schema).ok()) << schema;
  }
}

TEST(JsonSchemaRefusal, LetsPassWhatCannotMatter) {
  const std::vector<std::string> kVoid = {
      R"({"uniqueItems":false})",
      R"({"type":"integer","format":"int32"})",
      R"({"type":"string","multipleOf":2})",
      R"({"if":{}})",
      R"({"then":{},"else":false})",
      R"({"minContains":3})",
      R"({"additionalItems":false})",
      R"({"dependencies":{"a":["b"]}})",
      R"({"$schema":"http://json-schema.org/draft-06/schema#","if":false,"else":false})",
      R"({"$schema":"http://json-schema.org/draft-04/schema#","const":1,"contains":{}})",
      R"({"minimum":1,"exclusiveMinimum":false})",
      R"({"$anchor":"a","title":"t","$comment":"c","contentMediaType":"text/plain"})",
      R"({"$defs":{"unused":{"not":{},"type":"nonsense"}}})",
      R"({"$recursiveRef":"#","$recursiveAnchor":true})",
      R"({"$schema":"http://json-schema.org/draft-07/schema#","$ref":"#/definitions/a","not":{},
          "definitions":{"a":{}}})",
  };
  for (const std::string& schema : kVoid) {
    Result<Grammar> grammar = ParseJsonSchema(schema);
    EXPECT_TRUE(grammar.ok()) << schema << "\n" << grammar.status().ToString();
  }
}

TEST(JsonSchemaRefusal, PointsAtMalformedKeywords) {
  const std::vector<std::pair<std::string, std::string>> kMalformed = {
      {R"({"type":"strng"})", "/type"},
      {R"({"type":["null","nil"]})", "/type/1"},
      {R"({"type":[]})", "/type"},
      {R"({"type":7})", "/type"},
      {R"({"minLength":-1})", "/minLength"},
      {R"({"maxLength":1.5})", "/maxLength"},
      {R"({"maxItems":"3"})", "/maxItems"},
      {R"({"required":["a",1]})", "/required/1"},
      {R"({"required":true})", "/required"},
      {R"({"properties":[]})", "/properties"},
      {R"({"properties":{"a/b":3}})", "/properties/a~1b"},
      {R"({"patternProperties":{"(":{}}})", "/patternProperties/("},
      {R"({"pattern":"["})", "/pattern"},
      {R"({"pattern":3})", "/pattern"},
      {R"({"minimum":"1"})", "/minimum"},
      {R"({"exclusiveMaximum":null})", "/exclusiveMaximum"},
      {R"({"enum":3})", "/enum"},
      {R"({"allOf":[]})", "/allOf"},
      {R"({"anyOf":{}})", "/anyOf"},
      {R"({"anyOf":[1]})", "/anyOf/0"},
      {R"({"items":3})", "/items"},
      {R"({"prefixItems":{}})", "/prefixItems"},
      {R"({"additionalProperties":"no"})", "/additionalProperties"},
      {R"({"$ref":1})", "/$ref"},
      {R"({"$dynamicRef":1})", "/$dynamicRef"},
      {R"({"$schema":"https://json-schema.org/draft/2019-09/schema","$recursiveRef":"#a"})",
       "/$recursiveRef"},
      {R"({"oneOf":[]})", "/oneOf"},
      {R"({"not":1})", "/not"},
      {R"({"if":[]})", "/if"},
      {R"({"multipleOf":0})", "/multipleOf"},
      {R"({"multipleOf":"2"})", "/multipleOf"},
      {R"({"uniqueItems":"yes"})", "/uniqueItems"},
      {R"({"contains":1})", "/contains"},
      {R"({"contains":true,"minContains":-1})", "/minContains"},
      {R"({"propertyNames":"a"})", "/propertyNames"},
      {R"({"dependentRequired":{"a":{}}})", "/dependentRequired/a"},
      {R"({"dependentRequired":{"a":[1]}})", "/dependentRequired/a/0"},
      {R"({"dependentSchemas":{"a":["b"]}})", "/dependentSchemas/a"},
      {R"({"$schema":"http://json-schema.org/draft-07/schema#","dependencies":{"a":1}})",
       "/dependencies/a"},
      {R"({"unevaluatedItems":1})", "/unevaluatedItems"},
      {R"({"unevaluatedProperties":1})", "/unevaluatedProperties"},
      {R"({"format":1})", "/format"},
      {R"({"$defs":[]})", "/$defs"},
      {R"({"$anchor":"1 x"})", "/$anchor"},
      {R"({"$anchor":""})", "/$anchor"},
      {R"({"$anchor":"a:b"})", "/$anchor"},
      {R"({"$dynamicAnchor":1})", "/$dynamicAnchor"},
      {R"({"$schema":"https://json-schema.org/draft/2019-09/schema","$anchor":"_"})", "/$anchor"},
      {R"([])", ""},
      {R"("s")", ""},
  };
  for (const auto& [schema, pointer] : kMalformed) {
    ExpectRefusal(schema, StatusCode::kInvalidDefinition, pointer);
  }
}

TEST(JsonSchemaRefusal, SaysWhyNothingIsLeft) {
  const std::vector<std::pair<std::string, std::string>> kEmpty = {
      {"false", ""},
      {R"({"enum":[]})", "/enum"},
      {R"({"type":"string","minLength":3,"maxLength":2})", "/minLength"},
      {R"({"type":"integer","minimum":3,"maximum":2})", "/minimum"},
      {R"({"type":"string","const":3})", "/type"},
      {R"({"type":"object","required":["a"],"properties":{"a":false}})", "/properties/a"},
      {R"({"type":"object","required":["a","b"],"maxProperties":1})", "/required"},
      {R"({"type":"array","minItems":1,"items":false})", ""},
      {R"({"type":"object","required":["x"],"properties":{"x":{"$ref":"#"}}})", ""},
      {R"({"allOf":[{"type":"string"},{"type":"null"}]})", "/allOf/0"},
      {R"({"type":"integer","multipleOf":5,"minimum":6,"maximum":9})", "/multipleOf"},
      {R"({"type":"string","pattern":"^a$","minLength":3})", "/pattern"},
      {R"({"type":"string","format":"date","pattern":"^x"})", "/pattern"},
  };
  for (const auto& [schema, pointer] : kEmpty) {
    ExpectRefusal(schema, StatusCode::kUnsatisfiable, pointer);
  }
  EXPECT_EQ(ExpectRefusal(R"({"type":"string","minLength":3,"maxLength":2})",
                          StatusCode::kUnsatisfiable, "/minLength"),
            "no JSON value satisfies this schema; impossible: \"/minLength\" together with "
            "\"/maxLength\"");
}

TEST(JsonSchemaRefusal, ShowsLineAndCaret) {
  Result<Grammar> grammar = ParseJsonSchema("{\n  \"type\": \"strng\"\n}");
  ASSERT_FALSE(grammar.ok());
  EXPECT_EQ(grammar.status().ToString(),
            "\"strng\" is no type; the types are null, boolean, number, integer, string, array "
            "and object (at /type) (line 2, column 11)\n"
            "  \"type\": \"strng\"\n"
            "          ^");
}

TEST(JsonSchemaReport, ListsEveryOccurrence) {
  SchemaReport report;
  Result<Grammar> grammar = ParseJsonSchema(
      R"({"$schema":"http://json-schema.org/draft-07/schema#","title":"t","x-order":1,
          "properties":{"a":{"$ref":"#/definitions/d","minimum":3},"b":{"const":1}},
          "definitions":{"d":{"type":"integer"},"unused":{"type":"null"}}})",
      {}, &report);
  ASSERT_TRUE(grammar.ok()) << grammar.status().ToString();
  EXPECT_EQ(report.draft, "draft-07");
  std::string text;
  for (const KeywordReport& keyword : report.keywords) {
    text += keyword.pointer + " " + OutcomeName(keyword.outcome) +
            (keyword.note.empty() ? "" : ": " + keyword.note) + "\n";
  }
  EXPECT_EQ(text,
            "/$schema annotation\n"
            "/title annotation\n"
            "/x-order annotation: not a keyword of any draft\n"
            "/properties enforced\n"
            "/properties/a/$ref enforced\n"
            "/properties/a/minimum annotation: ignored beside $ref in draft-07\n"
            "/properties/b/const enforced\n"
            "/definitions annotation\n"
            "/definitions/d/type enforced\n");
}

// The note of the keyword at `pointer`, or why there is none.
std::string NoteAt(const std::string& schema, const std::string& pointer) {
  SchemaReport report;
  Result<Grammar> grammar = ParseJsonSchema(schema, {}, &report);
  if (!grammar.ok()) return grammar.status().ToString();
  for (const KeywordReport& keyword : report.keywords) {
    if (keyword.pointer == pointer) return keyword.note;
  }
  return "not reported";
}

TEST(JsonSchemaReport, TellsWhatCountsBesideAReferenceInOldDrafts) {
  const std::string schema =
      R"({"$schema":"http://json-schema.org/draft-07/schema#","$ref":"#/definitions/U",
          "definitions":{"U":{"type":"string"}},"title":"t","$id":"u:x"})";
  EXPECT_EQ(NoteAt(schema, "/$schema"), "");
  EXPECT_EQ(NoteAt(schema, "/definitions"), "");
  EXPECT_EQ(NoteAt(schema, "/title"), "ignored beside $ref in draft-07");
  EXPECT_EQ(NoteAt(schema, "/$id"), "ignored beside $ref in draft-07");
  EXPECT_EQ(NoteAt(R"({"$schema":"http://json-schema.org/draft-07/schema#","$ref":"#/x",
                       "x":{},"definitions":1})",
                   "/definitions"),
            "ignored beside $ref in draft-07");
}

TEST(JsonSchemaReport, TellsHowPatternsAreReadThatTheUFlagForbids) {
  EXPECT_EQ(NoteAt(R"({"pattern":"^\\_[\\d-z]"})", "/pattern"),
            "not valid with the `u` flag; read as without it: `\\_` is `_`, the `-` in `\\d-z` "
            "stands for itself");
  EXPECT_EQ(NoteAt(R"({"pattern":"^[\\w-]+\\/$"})", "/pattern"), "");
  EXPECT_EQ(NoteAt(R"({"patternProperties":{"a":{},"]":{}}})", "/patternProperties"),
            "\"]\" is not valid with the `u` flag; read as without it: `]` stands for itself");
}

TEST(JsonSchemaReport, TellsThatAnIdentifierHasNoFragment) {
  EXPECT_EQ(NoteAt(R"({"$id":"#foo"})", "/$id"),
            "has a fragment, which 2020-12 forbids; it is taken for an anchor, as in old drafts");
  EXPECT_EQ(NoteAt(R"({"$id":"u:x#/properties/a"})", "/$id"),
            "has a fragment, which 2020-12 forbids; it is ignored");
  EXPECT_EQ(NoteAt(R"({"$id":"u:x#"})", "/$id"), "");
  EXPECT_EQ(NoteAt(R"({"$schema":"http://json-schema.org/draft-07/schema#","$id":"#foo"})", "/$id"),
            "");
}

TEST(JsonSchemaReport, SaysWhatOptionsTookAway) {
  auto outcome = [](const std::string& schema, const SchemaOptions& options) {
    SchemaReport report;
    Result<Grammar> grammar = ParseJsonSchema(schema, options, &report);
    EXPECT_FALSE(report.keywords.empty());
    return report.keywords.empty() ? std::string() : OutcomeName(report.keywords.back().outcome);
  };
  SchemaOptions annotate;
  annotate.formats = SchemaOptions::Formats::kAnnotate;
  EXPECT_EQ(outcome(R"({"format":"date"})", {}), "enforced");
  EXPECT_EQ(outcome(R"({"format":"date"})", annotate), "relaxed");
  EXPECT_EQ(outcome(R"({"format":"shoe-size"})", annotate), "annotation");
  EXPECT_EQ(outcome(R"({"type":"null","format":"date"})", {}), "annotation");
  EXPECT_EQ(outcome(R"({"contentEncoding":"base64"})", annotate), "relaxed");
  EXPECT_EQ(outcome(R"({"minLength":-1})", {}), "refused");
  EXPECT_EQ(outcome(R"({"type":"string","minLength":1e30})", {}), "refused");
  EXPECT_EQ(outcome(R"({"$ref":"#/nowhere"})", {}), "refused");
  EXPECT_EQ(outcome(R"({"nullable":true})", {}), "annotation");
  SchemaOptions open_api;
  open_api.nullable = true;
  EXPECT_EQ(outcome(R"({"nullable":true})", open_api), "enforced");
}

}  // namespace
}  // namespace maskloom
