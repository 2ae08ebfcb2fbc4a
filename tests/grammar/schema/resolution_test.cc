// Where references lead: pointers, identifiers, anchors, other documents, dynamic scopes, drafts.
#include "tests/grammar/schema/opened_schema.h"

namespace maskloom {
namespace {

const std::string k4 = R"("$schema":"http://json-schema.org/draft-04/schema#",)";
const std::string k7 = R"("$schema":"http://json-schema.org/draft-07/schema#",)";
const std::string k2019 = R"("$schema":"https://json-schema.org/draft/2019-09/schema",)";

TEST(Resolution, FollowsPointersAcrossEverything) {
  OpenedSchema schema(R"({"$id":"http://x.org/s","properties":{
      "escapes":{"$ref":"#/$defs/a~1b~0c%25%22d"}, "index":{"$ref":"#/unknown/list/1"},
      "percent":{"$ref":"#/%75nknown/list/1"}, "root":{"$ref":"#"}, "own":{"$ref":"http://x.org/s"},
      "inner":{"$ref":"#/$defs/in/$defs/deep"}, "example":{"$ref":"#/examples/0"}},
      "$defs":{"a/b~c%\"d":{}, "in":{"$id":"in","$defs":{"deep":{}}}},
      "unknown":{"list":[{},{}]}, "examples":[{"type":"null"}]})");
  EXPECT_EQ(schema.Target("/properties/escapes"), "/$defs/a~1b~0c%\"d");
  EXPECT_EQ(schema.Target("/properties/index"), "/unknown/list/1");
  EXPECT_EQ(schema.Target("/properties/percent"), "/unknown/list/1");
  EXPECT_EQ(schema.Target("/properties/root"), "");
  EXPECT_EQ(schema.Target("/properties/own"), "");
  EXPECT_EQ(schema.Target("/properties/inner"), "/$defs/in/$defs/deep");
  EXPECT_EQ(schema.Target("/properties/example"), "/examples/0");
}

TEST(Resolution, FindsMembersOfLargeObjects) {
  std::string text = R"({"$ref":"#/$defs/n150","$defs":{"n150":{"type":"null"})";
  for (int i = 0; i < 200; ++i) text += ",\"n" + std::to_string(i) + "\":{}";
  OpenedSchema schema(text + "}}");
  Result<SchemaId> target = schema.reader().Reference(schema.reader().Root());
  ASSERT_TRUE(target.ok());
  // The last member of that name.
  EXPECT_EQ(schema.document().position(schema.reader().schemas()->node(*target)), 151u);
}

TEST(Resolution, TakesNestedIdentifiersAsBases) {
  OpenedSchema schema(R"({"$id":"http://x.org/dir/root.json","$defs":{
      "a":{"$id":"a.json","$defs":{"b":{"$id":"sub/b.json","$ref":"c.json"},
           "near":{"$ref":"#/$defs/t"},"t":{}}},
      "c":{"$id":"/dir/sub/c.json"}, "far":{"$ref":"sub/b.json"}, "t":{},
      "urn":{"$id":"urn:uuid:12-34","$defs":{"d":{},"e":{"$ref":"#/$defs/d"}}},
      "to_urn":{"$ref":"urn:uuid:12-34#/$defs/d"}}})");
  EXPECT_EQ(schema.Target("/$defs/a/$defs/b"), "/$defs/c");
  EXPECT_EQ(schema.Target("/$defs/a/$defs/near"), "/$defs/a/$defs/t");
  EXPECT_EQ(schema.Target("/$defs/far"), "/$defs/a/$defs/b");
  EXPECT_EQ(schema.Target("/$defs/urn/$defs/e"), "/$defs/urn/$defs/d");
  EXPECT_EQ(schema.Target("/$defs/to_urn"), "/$defs/urn/$defs/d");
}

TEST(Resolution, SeesIdentifiersOnlyWhereSchemasAre) {
  OpenedSchema schema(R"({"enum":[{"$id":"http://x.org/e"}],"unknown":{"$id":"http://x.org/u"},
      "properties":{"$id":{"$id":"http://x.org/p"},"const":{"const":{"$id":"http://x.org/c"}}},
      "$defs":{"e":{"$ref":"http://x.org/e"},"u":{"$ref":"http://x.org/u"},
               "c":{"$ref":"http://x.org/c"},"p":{"$ref":"http://x.org/p"}}})");
  EXPECT_EQ(schema.Target("/$defs/p"), "/properties/$id");
  for (const char* pointer : {"/$defs/e", "/$defs/u", "/$defs/c"}) {
    EXPECT_NE(schema.Target(pointer).find("not part of the schema"), std::string::npos) << pointer;
  }
}

TEST(Resolution, FindsAnchorsInTheirResource) {
  OpenedSchema schema(R"({"$id":"http://x.org/r","$defs":{"a":{"$anchor":"here"},
      "in":{"$id":"in","$defs":{"b":{"$anchor":"here"},"to":{"$ref":"#here"}}},
      "outer":{"$ref":"#here"},"other":{"$ref":"in#here"},"dynamic":{"$ref":"#d"},
      "d":{"$dynamicAnchor":"d"},"none":{"$ref":"in#d"}}})");
  EXPECT_EQ(schema.Target("/$defs/outer"), "/$defs/a");
  EXPECT_EQ(schema.Target("/$defs/in/$defs/to"), "/$defs/in/$defs/b");
  EXPECT_EQ(schema.Target("/$defs/other"), "/$defs/in/$defs/b");
  EXPECT_EQ(schema.Target("/$defs/dynamic"), "/$defs/d");
  EXPECT_NE(schema.Target("/$defs/none").find("an anchor that is not there"), std::string::npos);
}

TEST(Resolution, TakesFragmentsOfOldIdentifiersAsAnchors) {
  OpenedSchema seven("{" + k7 + R"("definitions":{"a":{"$id":"#here"},"to":{"$ref":"#here"},
      "b":{"$id":"http://x.org/b#there"},"far":{"$ref":"http://x.org/b#there"}}})");
  EXPECT_EQ(seven.Target("/definitions/to"), "/definitions/a");
  EXPECT_EQ(seven.Target("/definitions/far"), "/definitions/b");
  OpenedSchema four("{" + k4 + R"("id":"http://x.org/r","definitions":{"a":{"id":"#here"},
      "to":{"$ref":"#here"},"new":{"$id":"http://x.org/b"},"b":{"$ref":"http://x.org/b"}}})");
  EXPECT_EQ(four.Target("/definitions/to"), "/definitions/a");
  EXPECT_NE(four.Target("/definitions/b").find("not part"), std::string::npos);
}

TEST(Resolution, IgnoresAnIdentifierBesideAReferenceInOldDrafts) {
  const std::string body = R"("$id":"http://x.org/r","definitions":{"a":{},
      "v":{"$id":"http://x.org/other","$ref":"#/definitions/a"}}})";
  EXPECT_EQ(OpenedSchema("{" + k7 + body).Target("/definitions/v"), "/definitions/a");
  EXPECT_NE(OpenedSchema("{" + k2019 + body).Target("/definitions/v").find("leads to nothing"),
            std::string::npos);
}

TEST(Resolution, LoadsDocumentsThatAreSupplied) {
  OpenedSchema schema(
      R"({"$id":"http://x.org/dir/main.json","$defs":{"a":{"$ref":"other.json#/$defs/t"},
          "b":{"$ref":"other.json#named"},"c":{"$ref":"http://y.org/by-id"},
          "d":{"$ref":"broken.json"},"e":{"$ref":"missing.json"}}})",
      {{"http://x.org/dir/other.json",
        R"({"$id":"http://y.org/by-id","$defs":{"t":{"$anchor":"named","$ref":"next.json"}}})"},
       {"http://y.org/next.json", "true"},
       {"http://x.org/dir/broken.json", "{\n\"a\" 1}"}});
  EXPECT_EQ(schema.Target("/$defs/a"), "http://x.org/dir/other.json#/$defs/t");
  EXPECT_EQ(schema.Target("/$defs/b"), "http://x.org/dir/other.json#/$defs/t");
  EXPECT_EQ(schema.Target("/$defs/c"), "http://x.org/dir/other.json#");
  SchemaReader& reader = schema.reader();
  Result<SchemaId> first = reader.Reference(reader.Child(reader.Root(), schema.At("/$defs/a")));
  ASSERT_TRUE(first.ok());
  Result<SchemaId> next = reader.Reference(*first);
  ASSERT_TRUE(next.ok()) << next.status().ToString();
  EXPECT_EQ(schema.PointerOf(*next), "http://y.org/next.json#");
  const std::string broken = schema.Target("/$defs/d");
  EXPECT_NE(broken.find("in \"http://x.org/dir/broken.json\": malformed JSON"), std::string::npos)
      << broken;
  EXPECT_NE(broken.find("line 2"), std::string::npos) << broken;
  const std::string missing = schema.Target("/$defs/e");
  EXPECT_NE(missing.find("\"http://x.org/dir/missing.json\""), std::string::npos) << missing;
  EXPECT_NE(missing.find("supply it"), std::string::npos) << missing;
}

TEST(Resolution, IsRelativeToTheUriThatTheCallerNames) {
  OpenedSchema schema(R"({"$ref":"b.json"})", {{"file:///s/b.json", "{}"}});
  schema.options.base_uri = "file:///s/a.json";
  EXPECT_EQ(schema.Target(""), "file:///s/b.json#");
}

TEST(Resolution, LetsEmbeddedResourcesChooseTheirDraft) {
  OpenedSchema schema(R"({"$defs":{"old":{"$id":"http://x.org/old",
      "$schema":"http://json-schema.org/draft-07/schema#","items":[{}],"allOf":[{}]},"new":{}}})");
  auto draft_of = [&](const char* pointer) {
    Result<const SchemaFacts*> facts = schema.reader().Read(schema.At(pointer));
    EXPECT_TRUE(facts.ok()) << facts.status().ToString();
    return (*facts)->draft;
  };
  EXPECT_EQ(draft_of(""), Draft::kDraft2020);
  EXPECT_EQ(draft_of("/$defs/old"), Draft::kDraft7);
  EXPECT_EQ(draft_of("/$defs/old/allOf/0"), Draft::kDraft7);
  EXPECT_EQ(draft_of("/$defs/new"), Draft::kDraft2020);
}

TEST(Resolution, ReadsVocabulariesOfOtherMetaschemas) {
  OpenedSchema schema(R"({"$schema":"http://x.org/meta","minimum":5,"properties":{}})",
                      {{"http://x.org/meta", R"({"$schema":
        "https://json-schema.org/draft/2020-12/schema","$vocabulary":{
        "https://json-schema.org/draft/2020-12/vocab/core":true,
        "https://json-schema.org/draft/2020-12/vocab/applicator":true,
        "http://x.org/mine":false}})"}});
  Result<const SchemaFacts*> facts = schema.reader().Read(0);
  ASSERT_TRUE(facts.ok());
  EXPECT_FALSE((*facts)->lower.has_value());
  EXPECT_NE((*facts)->properties, kNoJson);

  OpenedSchema unknown(R"({"$schema":"http://x.org/meta"})",
                       {{"http://x.org/meta", R"({"$vocabulary":{"http://x.org/mine":true}})"}});
  Result<const SchemaFacts*> refused = unknown.reader().Read(0);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.status().code(), StatusCode::kUnsupported);
  EXPECT_EQ(refused.status().pointer(), "/$schema");
}

// A list whose items are an extension point.
constexpr const char* kOpenList = R"({"$id":"http://x.org/list","items":{"$dynamicRef":"#item"},
    "$defs":{"item":{"$dynamicAnchor":"item"}}})";

TEST(DynamicScopes, GoToTheOutermostAnchor) {
  OpenedSchema schema(R"({"$id":"http://x.org/main","$ref":"list","$defs":{
      "mine":{"$dynamicAnchor":"item","type":"null"}}})",
                      {{"http://x.org/list", kOpenList}});
  SchemaReader& reader = schema.reader();
  Result<SchemaId> list = reader.Reference(reader.Root());
  ASSERT_TRUE(list.ok());
  EXPECT_EQ(schema.PointerOf(*list), "http://x.org/list#");
  Result<const SchemaFacts*> facts = reader.Read(reader.schemas()->node(*list));
  ASSERT_TRUE(facts.ok());
  Result<SchemaId> item = reader.DynamicReference(reader.Child(*list, (*facts)->items));
  ASSERT_TRUE(item.ok());
  EXPECT_EQ(schema.PointerOf(*item), "/$defs/mine");
  // The same schema in the same scope has one name, however often it is passed.
  EXPECT_EQ(*reader.Reference(reader.Root()), *list);
  // By itself the list is closed.
  OpenedSchema alone(kOpenList);
  SchemaReader& second = alone.reader();
  Result<SchemaId> own = second.DynamicReference(second.Child(second.Root(), alone.At("/items")));
  ASSERT_TRUE(own.ok());
  EXPECT_EQ(alone.PointerOf(*own), "/$defs/item");
}

TEST(DynamicScopes, LeavePlainAnchorsAndPointersAlone) {
  OpenedSchema schema(R"({"$id":"http://x.org/main","$dynamicAnchor":"a","$defs":{"in":{"$id":"in",
      "$defs":{"plain":{"$anchor":"a"},"to":{"$dynamicRef":"#a"},
               "by_pointer":{"$dynamicRef":"#/$defs/plain"}}}}})");
  SchemaReader& reader = schema.reader();
  const SchemaId in = reader.Child(reader.Root(), schema.At("/$defs/in"));
  for (const char* name : {"to", "by_pointer"}) {
    const JsonIndex node = schema.At(std::string("/$defs/in/$defs/") + name);
    Result<SchemaId> target = reader.DynamicReference(reader.Child(in, node));
    ASSERT_TRUE(target.ok());
    EXPECT_EQ(schema.PointerOf(*target), "/$defs/in/$defs/plain");
  }
}

TEST(DynamicScopes, AreOneWhereBindingsAreEqual) {
  OpenedSchema schema(R"({"$id":"http://x.org/a","$dynamicAnchor":"n","properties":{
      "p":{"$ref":"b"}},"$defs":{"b":{"$id":"b","$dynamicAnchor":"n","properties":{
      "q":{"$ref":"a"}}}}})");
  SchemaReader& reader = schema.reader();
  SchemaId at = reader.Root();
  const SchemaId first = at;
  for (const char* pointer : {"/properties/p", "/$defs/b/properties/q"}) {
    Result<SchemaId> next = reader.Reference(reader.Child(at, schema.At(pointer)));
    ASSERT_TRUE(next.ok()) << next.status().ToString();
    at = *next;
  }
  EXPECT_EQ(at, first);
}

TEST(DynamicScopes, HaveABudget) {
  // A chain of resources, each with an anchor of its own.
  std::string text = R"({"$ref":"r0","$defs":{"end":{"$id":"end"})";
  constexpr int kLength = 700;
  for (int i = 0; i < kLength; ++i) {
    const std::string number = std::to_string(i);
    text += ",\"r" + number + R"(":{"$id":"r)" + number + R"(","$dynamicAnchor":"a)" + number +
            R"(","$ref":")" + (i + 1 < kLength ? "r" + std::to_string(i + 1) : std::string("end")) +
            "\"}";
  }
  OpenedSchema schema(text + "}}");
  SchemaReader& reader = schema.reader();
  Result<SchemaId> at = reader.Reference(reader.Root());
  for (int i = 0; i < kLength && at.ok(); ++i) at = reader.Reference(*at);
  ASSERT_FALSE(at.ok());
  EXPECT_EQ(at.status().code(), StatusCode::kResourceLimit);
}

TEST(DynamicScopes, FollowRecursiveAnchorsOf201909) {
  const std::string tree = "{" + k2019 + R"("$id":"http://x.org/tree","$recursiveAnchor":true,
      "items":{"$recursiveRef":"#"}})";
  auto target = [&](const std::string& flag) {
    OpenedSchema schema("{" + k2019 + flag + R"("$id":"http://x.org/main","$ref":"tree"})",
                        {{"http://x.org/tree", tree}});
    SchemaReader& reader = schema.reader();
    Result<SchemaId> list = reader.Reference(reader.Root());
    EXPECT_TRUE(list.ok());
    Result<const SchemaFacts*> facts = reader.Read(reader.schemas()->node(*list));
    EXPECT_TRUE(facts.ok());
    Result<SchemaId> item = reader.DynamicReference(reader.Child(*list, (*facts)->items));
    EXPECT_TRUE(item.ok());
    return schema.PointerOf(*item);
  };
  EXPECT_EQ(target(R"("$recursiveAnchor":true,)"), "");
  EXPECT_EQ(target(R"("$recursiveAnchor":false,)"), "http://x.org/tree#");
  EXPECT_EQ(target(""), "http://x.org/tree#");
}

}  // namespace
}  // namespace maskloom
