// References: pointers, escapes, drafts, identifiers, loops, and what they may not do.
#include "tests/grammar/schema/schema_cases.h"

namespace maskloom {
namespace {

TEST(SchemaReferences, FollowPointersOfEveryForm) {
  for (const char* reference : {"#/$defs/a~1b~0c%25%22d", "#/unknown/list/1", "#/%75nknown/list/1",
                                "#/properties/other", "http://example.org/s#/unknown/list/1"}) {
    ExpectCase({std::string(R"({"$id":"http://example.org/s","properties":{"v":{"$ref":")") +
                    reference +
                    R"("},"other":{"type":"null"}},"$defs":{"a/b~c%\"d":{"type":"null"}},
                    "unknown":{"list":[{},{"type":"null"}]}})",
                {R"({"v":null})"},
                {R"({"v":1})"}});
  }
}

TEST(SchemaReferences, JoinTheirSiblingsExceptInOldDrafts) {
  ExpectCase(
      {R"({"$ref":"#/$defs/a","maximum":5,"$defs":{"a":{"minimum":1}}})", {"3"}, {"0", "6"}});
  ExpectCase({R"({"$schema":"http://json-schema.org/draft-07/schema#","properties":{"v":
                 {"$ref":"#/definitions/a","maximum":5}},"definitions":{"a":{"minimum":1}}})",
              {R"({"v":6})"},
              {R"({"v":0})"}});
}

TEST(SchemaReferences, AreRelativeToTheNearestIdentifier) {
  ExpectCase({R"({"$id":"http://x.org/root","properties":{"v":{"$ref":"#/$defs/in"}},"$defs":{
                 "in":{"$id":"inner","$ref":"#/$defs/deep","$defs":{"deep":{"type":"null"}}},
                 "deep":{"type":"string"}}})",
              {R"({"v":null})"},
              {R"({"v":"s"})"}});
}

TEST(SchemaReferences, IgnoreAnIdentifierBesideThemInOldDrafts) {
  ExpectCase({R"({"$schema":"http://json-schema.org/draft-07/schema#","properties":{"v":{
                 "$id":"http://x.org/other","$ref":"#/definitions/a"}},
                 "definitions":{"a":{"type":"null"}}})",
              {R"({"v":null})"},
              {R"({"v":1})"}});
}

TEST(SchemaReferences, AreRefusedByName) {
  const std::string kTail = R"(,"$defs":{"a":{"$anchor":"here","enum":[1]}}})";
  auto refuse = [&](const std::string& reference, StatusCode code) {
    std::string message =
        ExpectRefusal(R"({"items":{"$ref":")" + reference + "\"}" + kTail, code, "/items/$ref");
    EXPECT_NE(message.find("\"" + reference + "\""), std::string::npos) << message;
  };
  refuse("#/$defs/b", StatusCode::kInvalidDefinition);
  refuse("#/$defs/a/enum/0", StatusCode::kInvalidDefinition);
  refuse("#/$defs/a/enum/01", StatusCode::kInvalidDefinition);
  refuse("#/$defs/~2", StatusCode::kInvalidDefinition);
  refuse("#/%4", StatusCode::kInvalidDefinition);
  refuse("#there", StatusCode::kInvalidDefinition);
  refuse("/$defs/a", StatusCode::kInvalidDefinition);
  refuse("other.json", StatusCode::kInvalidDefinition);
  refuse("http://example.org/other#/$defs/a", StatusCode::kInvalidDefinition);
}

TEST(SchemaReferences, ReachAnchorsAndMetaschemas) {
  ExpectCase({R"({"items":{"$ref":"#here"},"$defs":{"a":{"$anchor":"here","type":"null"}}})",
              {"[null]"},
              {"[1]"}});
  ExpectCase({R"({"$ref":"http://json-schema.org/draft-07/schema#/definitions/simpleTypes"})",
              {"\"null\""},
              {"\"any\"", "1"}});
}

TEST(SchemaReferences, MayLoopOnlyThroughSomethingThatEnds) {
  ExpectRefusal(R"({"$ref":"#"})", StatusCode::kInvalidDefinition, "");
  ExpectRefusal(
      R"({"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}})",
      StatusCode::kInvalidDefinition, "/$defs/a");
  ExpectRefusal(R"({"type":"string","allOf":[{"$ref":"#"}]})", StatusCode::kInvalidDefinition, "");
  ExpectCase({R"({"anyOf":[{"type":"string"},{"$ref":"#"}]})", {"\"s\""}, {"1"}});
}

TEST(SchemaReferences, ChainsOfAnyLengthAreFollowed) {
  std::string schema = R"({"$ref":"#/$defs/r0","$defs":{)";
  constexpr int kLength = 2000;
  for (int i = 0; i < kLength; ++i) {
    schema +=
        "\"r" + std::to_string(i) + R"(":{"$ref":"#/$defs/r)" + std::to_string(i + 1) + "\"},";
  }
  schema += "\"r" + std::to_string(kLength) + R"(":{"type":"null"}}})";
  ExpectCase({schema, {"null"}, {"1"}});
}

}  // namespace
}  // namespace maskloom
