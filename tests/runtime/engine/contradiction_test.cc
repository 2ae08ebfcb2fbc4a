// Schemas of which only the compiler finds that nothing, or not all, can be written: the refusal
// names the keywords that contradict each other, the report what vanished.
#include <gtest/gtest.h>

#include "runtime/engine/compile_definition.h"
#include "runtime/engine/compile_report.h"

namespace maskloom {
namespace {

Result<CompiledDefinition> Compile(const std::string& schema, SchemaReport* report = nullptr,
                                   const DefinitionOptions& options = {}) {
  return CompileDefinition(DefinitionKind::kJsonSchema, schema, options, VocabularyIndex::Bytes(),
                           report);
}

// Returns what the refusal of `schema` says is impossible.
std::string Impossible(const std::string& schema, const DefinitionOptions& options = {}) {
  auto compiled = Compile(schema, nullptr, options);
  EXPECT_FALSE(compiled.ok()) << schema;
  EXPECT_EQ(compiled.status().code(), StatusCode::kUnsatisfiable) << compiled.status().ToString();
  const std::string lead = "no JSON value satisfies this schema; impossible: ";
  const std::string& message = compiled.status().message();
  return message.starts_with(lead) ? message.substr(lead.size()) : message;
}

std::string Notes(const std::string& schema) {
  SchemaReport report;
  auto compiled = Compile(schema, &report);
  EXPECT_TRUE(compiled.ok()) << compiled.status().ToString();
  std::string text;
  for (const SchemaNote& note : report.notes) text += note.pointer + ": " + note.text + "\n";
  return text;
}

TEST(Contradiction, OfPatternAndLengthNamesBoth) {
  EXPECT_EQ(Impossible(R"({"type":"object","required":["a","b"],"properties":{
                "a":{"type":"string","minLength":1,"pattern":"^(ab|cd)*$","maxLength":1},
                "b":{"type":"integer","minimum":3}}})"),
            R"("/properties/a/minLength" together with "/properties/a/pattern", )"
            R"("/properties/a/maxLength" and "/required")");
}

TEST(Contradiction, OfContainsAndItemsNamesBoth) {
  EXPECT_EQ(Impossible(R"({"type":"array","maxItems":9,"items":{"type":"string","maxLength":3},
                           "contains":{"type":"string","pattern":"^abcde"}})"),
            R"("/items/maxLength" together with "/contains")");
  EXPECT_EQ(Impossible(R"({"type":"array","title":"t","maxItems":2,"contains":{"minimum":3},
                           "minContains":3})"),
            R"("/maxItems" together with "/contains" and "/minContains")");
}

TEST(Contradiction, OfDistinctItemsNamesWhatRunsOut) {
  EXPECT_EQ(Impossible(R"({"type":"array","uniqueItems":true,"minItems":3,"maxItems":8,
                           "items":{"enum":["x","y"],"title":"t"}})"),
            R"("/items/enum" together with "/uniqueItems" and "/minItems")");
}

TEST(Contradiction, OfRequiredNamesAndNegationsNamesBoth) {
  EXPECT_EQ(Impossible(R"({"type":"object","properties":{"a":{"type":"number"}},
                           "required":["a","b","c"],"oneOf":[
                             {"required":["a"],"not":{"required":["b","c"]}},
                             {"required":["b"],"not":{"required":["a","c"]}}]})"),
            R"("/required" together with "/oneOf")");
  EXPECT_EQ(Impossible(R"({"type":"object","minProperties":1,"required":["a","b"],
                           "anyOf":[{"not":{"required":["a"]}},{"not":{"required":["b"]}}]})"),
            R"("/anyOf/0/not" together with "/anyOf/1/not" and "/required")");
}

TEST(Contradiction, OfKeywordsInAnyPlaceNamesThemAndNotTheirNeighbours) {
  const std::pair<const char*, const char*> kCases[] = {
      {R"({"type":"string","allOf":[{"pattern":"^a"},{"pattern":"^b"}],"minLength":1,
           "maxLength":9})",
       R"("/allOf/0/pattern" together with "/allOf/1/pattern" and "/type")"},
      {R"({"type":"string","allOf":[{"format":"uri"},{"format":"hostname"}],"minLength":3,
           "maxLength":60})",
       R"("/allOf/0/format" together with "/allOf/1/format" and "/type")"},
      {R"({"type":"string","minLength":1,"maxLength":5,"const":"abcdef"})",
       R"("/maxLength" together with "/const")"},
      {R"({"type":"integer","minimum":0,"maximum":1,"not":{"enum":[0,1]}})",
       R"("/minimum" together with "/maximum" and "/not")"},
      {R"({"if":true,"then":{"type":"string"},"type":"number"})",
       R"("/then/type" together with "/if" and "/type")"},
      {R"({"type":"string","minLength":1,"maxLength":5,"pattern":"^.{6}$"})",
       R"("/maxLength" together with "/pattern")"},
      {R"({"type":"array","contains":{"const":1},"minContains":3,"maxContains":2})",
       R"("/contains" together with "/minContains" and "/maxContains")"},
      {R"({"type":"array","minItems":1,"maxItems":5,"items":false})",
       R"("/minItems" together with "/items")"},
      {R"({"type":"object","minProperties":3,"properties":{"a":{}},"additionalProperties":false})",
       R"("/minProperties" together with "/additionalProperties")"},
      {R"({"properties":{"self":{"$ref":"#"}},"required":["self"],"type":"object"})",
       R"("/properties/self/$ref" together with "/required")"},
      {R"({"oneOf":[{"type":"string"},{"type":"string"}]})", R"("/oneOf")"},
      {R"({"not":{}})", R"("/not")"},
      {R"({"anyOf":[false]})", R"("/anyOf/0")"},
  };
  for (const auto& [schema, names] : kCases) EXPECT_EQ(Impossible(schema), names) << schema;
}

TEST(Refusal, OfTheCompilerHasLineAndColumn) {
  const auto compiled = Compile(
      "{\"properties\":\n"
      "  {\"a\": {\"type\":\"array\",\"contains\":{\"const\":1},\"maxContains\":1e12,\n"
      "         \"minContains\":1000000000}}}");
  ASSERT_FALSE(compiled.ok());
  EXPECT_EQ(compiled.status().code(), StatusCode::kResourceLimit);
  EXPECT_EQ(compiled.status().pointer(), "/properties/a");
  EXPECT_EQ(compiled.status().line(), 2u);
  EXPECT_EQ(compiled.status().column(), 9u);
}

TEST(Explanation, DoesNotListWhatOnlyTheCompilerFindsToHaveNoText) {
  const auto text = ExplainSchema(
      R"({"type":"object","properties":{"p":{"type":"string","format":"date","maxLength":3},
          "q":{"type":"array","minItems":2,"uniqueItems":true,"items":{"const":1}}},
          "additionalProperties":false})",
      {});
  ASSERT_TRUE(text.ok());
  EXPECT_EQ(*text,
            "/  (the root)\n"
            "  object\n"
            "    \"p\"  never\n"
            "    \"q\"  never\n"
            "    other keys  none\n"
            "\n"
            "notes\n"
            "  /properties/p: the key \"p\" never appears: nothing satisfies this schema\n"
            "  /properties/q: the key \"q\" never appears: nothing satisfies this schema\n");
}

TEST(Contradiction, BehindAReferenceIsNamedWhereItStands) {
  EXPECT_EQ(Impossible(R"({"type":"object","required":["a"],"properties":{
                             "a":{"$ref":"#/$defs/list"},"b":{"$ref":"#/$defs/code"}},
                           "$defs":{"list":{"type":"array","minItems":1,
                                            "items":{"$ref":"#/$defs/code"}},
                                    "code":{"type":"string","pattern":"^abc$","maxLength":2}}})"),
            R"("/$defs/list/minItems" together with "/$defs/code/pattern", )"
            R"("/$defs/code/maxLength" and "/required")");
  EXPECT_EQ(Impossible(R"({"type":"object","required":["next"],
                           "properties":{"next":{"$ref":"#"},"name":{"type":"string"}}})"),
            R"("/properties/next/$ref" together with "/required")");
}

TEST(Contradiction, KeepsWhatOthersLookAt) {
  // Without `properties` the name would be one of those that `additionalProperties` excludes, and
  // a weaker `not` refuses more: neither explains anything.
  EXPECT_EQ(Impossible(R"({"type":"object","required":["a"],"additionalProperties":false,
                           "properties":{"a":{"type":"string","pattern":"^abc$","maxLength":2}}})"),
            R"("/properties/a/pattern" together with "/properties/a/maxLength" and "/required")");
  EXPECT_EQ(Impossible(R"({"type":"object","required":["a"],"unevaluatedProperties":false,
                           "allOf":[{"properties":{"a":{"type":"array","uniqueItems":true,
                             "minItems":3,"items":{"type":"boolean"}}}}]})"),
            R"("/allOf/0/properties/a/items/type" together with )"
            R"("/allOf/0/properties/a/uniqueItems", "/allOf/0/properties/a/minItems" and )"
            R"("/required")");
  EXPECT_EQ(Impossible(R"({"type":"object","required":["b"],"properties":{"a":{"minimum":1}},
                           "additionalProperties":false})"),
            R"("/required" together with "/additionalProperties")");
  DefinitionOptions closed;
  closed.closed = true;
  EXPECT_EQ(
      Impossible(R"({"type":"object","required":["b"],"properties":{"a":{"minimum":1}}})", closed),
      R"("/required" together with "/properties")");
  EXPECT_EQ(Impossible(R"({"type":"array","uniqueItems":true,"minItems":3,
                           "items":{"type":"boolean"},"not":{"$ref":"#/$defs/x"},
                           "$defs":{"x":{"type":"array","maxItems":9,"minItems":8}}})"),
            R"("/items/type" together with "/uniqueItems" and "/minItems")");
}

TEST(Contradiction, ThatTheFrontEndFindsIsNamedAlike) {
  EXPECT_EQ(Impossible(R"({"type":"string","minLength":3,"maxLength":2})"),
            R"("/minLength" together with "/maxLength")");
  EXPECT_EQ(Impossible(R"({"enum":[]})"), R"("/enum")");
  EXPECT_EQ(Impossible(R"({"type":"string","const":3})"), R"("/type" together with "/const")");
  EXPECT_EQ(Impossible(R"({"type":"object","required":["a"],"properties":{"a":false,"b":true}})"),
            R"("/properties/a" together with "/required")");
  EXPECT_EQ(Impossible(R"({"type":"array","minItems":1,"items":false})"),
            R"("/minItems" together with "/items")");
  // What the optional key cannot have is not why.
  EXPECT_EQ(Impossible(R"({"type":"object","if":{"required":["a"]},"then":{"required":["b"]},
                           "else":{"required":["a"]},"not":{"required":["a","b"]}})"),
            R"("/then/required" together with "/else/required", "/if" and "/not")");
  EXPECT_EQ(Impossible(R"({"$schema":"http://json-schema.org/draft-04/schema#","type":"integer",
                           "minimum":3,"exclusiveMinimum":true,"maximum":3})"),
            R"("/exclusiveMinimum" together with "/maximum")");
  EXPECT_EQ(Impossible(R"({"type":"object","properties":{
                             "a":{"type":"string","minLength":3,"maxLength":2},
                             "b":{"$ref":"#"}},"required":["b"]})"),
            R"("/properties/b/$ref" together with "/required")");
  auto nothing = Compile("false");
  EXPECT_EQ(nothing.status().code(), StatusCode::kUnsatisfiable);
  EXPECT_EQ(nothing.status().pointer(), "");
}

TEST(Contradiction, HasAPlaceInTheText) {
  auto compiled = Compile("{\"type\": \"string\",\n \"pattern\": \"^abc$\",\n \"maxLength\": 2}");
  ASSERT_FALSE(compiled.ok());
  EXPECT_EQ(compiled.status().pointer(), "/pattern");
  EXPECT_EQ(compiled.status().line(), 2u);
}

TEST(Contradiction, IsFoundInALargeSchema) {
  std::string schema = R"({"type":"object","properties":{)";
  for (int i = 0; i < 40; ++i) {
    schema += "\"k" + std::to_string(i) + R"(":{"type":"integer","minimum":1,"maximum":9},)";
  }
  schema += R"("last":{"type":"array","uniqueItems":true,"minItems":3,"items":{"type":"boolean"}}},
              "required":["last"]})";
  EXPECT_NE(Impossible(schema).find("\"/properties/last/minItems\""), std::string::npos);
}

TEST(Contradiction, AsksForEachDocumentOnceMore) {
  DefinitionOptions options;
  int asked = 0;
  options.documents = [&](const std::string& uri) -> std::optional<std::string> {
    ++asked;
    EXPECT_EQ(uri, "https://example.org/code");
    return R"({"type":"string","pattern":"^(ab)+$","minLength":3})";
  };
  EXPECT_EQ(Impossible(R"({"$ref":"https://example.org/code","maxLength":3})", options),
            R"("https://example.org/code#/pattern" together with )"
            R"("https://example.org/code#/minLength" and "/maxLength")");
  EXPECT_EQ(asked, 2);
}

TEST(Contradiction, IsNotBlamedOnAVocabulary) {
  auto vocabulary = Vocabulary::Create({{"1"}, {"2"}, {"<end>", TokenKind::kControl}}, {2});
  ASSERT_TRUE(vocabulary.ok());
  auto compiled = CompileDefinition(DefinitionKind::kJsonSchema, R"({"type":"string"})", {},
                                    VocabularyIndex::Build(std::move(*vocabulary)));
  ASSERT_FALSE(compiled.ok());
  EXPECT_TRUE(compiled.status().message().starts_with("the vocabulary cannot spell"))
      << compiled.status().message();
}

TEST(Contradiction, ReachesTheReport) {
  SchemaReport report;
  auto compiled = Compile(R"({"type":"string","pattern":"^abc$","maxLength":2})", &report);
  const std::string json = ReportJson(DefinitionKind::kJsonSchema, report, {}, compiled.status());
  EXPECT_NE(json.find(R"("pointer":"/pattern")"), std::string::npos) << json;
  EXPECT_NE(json.find(R"(\"/maxLength\")"), std::string::npos) << json;
}

TEST(VanishedNotes, NameKeysAndTypesWithoutAText) {
  EXPECT_EQ(Notes(R"({"type":"object","properties":{
                        "a":{"type":"string","pattern":"^(ab)+c$","maxLength":2},
                        "b":{"type":["array","null"],"uniqueItems":true,"minItems":3,
                             "items":{"type":"boolean"}}}})"),
            "/properties/a: the key \"a\" never appears: nothing satisfies this schema\n"
            "/properties/b: no array satisfies this schema\n");
}

TEST(VanishedNotes, SayNothingOfASatisfiableSchema) {
  EXPECT_EQ(Notes(R"({"type":"object","required":["a"],"properties":{
                        "a":{"type":"string","pattern":"^(ab)+$","maxLength":4},
                        "b":{"type":"array","uniqueItems":true,"minItems":2,
                             "items":{"type":"boolean"}},
                        "c":{"type":"number","multipleOf":0.5,"not":{"multipleOf":3}}}})"),
            "");
}

}  // namespace
}  // namespace maskloom
