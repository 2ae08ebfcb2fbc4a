// The built-in metaschemas: well-formed, closed under reference, valid under themselves.
#include "grammar/schema/keyword_table.h"
#include "grammar/schema/metaschemas.h"
#include "tests/grammar/schema/facts_validator.h"
#include "tests/grammar/schema/opened_schema.h"

namespace maskloom {
namespace {

const char* const kUris[] = {
    "http://json-schema.org/draft-04/schema",       "http://json-schema.org/draft-06/schema",
    "http://json-schema.org/draft-07/schema",       "https://json-schema.org/draft/2019-09/schema",
    "https://json-schema.org/draft/2020-12/schema",
};

Result<bool> IsValid(const std::string& uri, const std::string& instance) {
  OpenedSchema schema(R"({"$ref":")" + uri + "\"}");
  Result<SchemaDocument> document = SchemaDocument::Parse(instance);
  if (!document.ok()) return document.status();
  return FactsValidator(&schema.reader(), &schema.document()).Validate(*document);
}

void ExpectValid(const std::string& uri, const std::string& instance, bool expected) {
  Result<bool> valid = IsValid(uri, instance);
  ASSERT_TRUE(valid.ok()) << uri << "\n" << instance << "\n" << valid.status().ToString();
  EXPECT_EQ(*valid, expected) << uri << "\n" << instance;
}

TEST(Metaschemas, AreValidUnderThemselves) {
  for (const char* uri : kUris) {
    std::optional<std::string> text = FindMetaschema(uri);
    ASSERT_TRUE(text.has_value()) << uri;
    ExpectValid(uri, *text, true);
  }
}

TEST(Metaschemas, HoldTheVocabulariesThatTheyName) {
  for (const char* draft : {"2019-09", "2020-12"}) {
    const std::string base = std::string("https://json-schema.org/draft/") + draft + "/";
    for (const char* name : {"core", "applicator", "validation", "meta-data", "content"}) {
      std::optional<std::string> text = FindMetaschema(base + "meta/" + name);
      ASSERT_TRUE(text.has_value()) << name;
      ExpectValid(base + "schema", *text, true);
    }
    EXPECT_FALSE(FindMetaschema(base + "meta/other").has_value());
  }
  EXPECT_FALSE(FindMetaschema("http://json-schema.org/draft-03/schema").has_value());
}

TEST(Metaschemas, TellSchemasFromOthers) {
  for (const char* uri : kUris) {
    for (const char* schema :
         {R"({"type":["null","string"],"minLength":3})", R"({"items":{"not":{"enum":[1]}}})",
          R"({"allOf":[{"properties":{"a":{"required":["b"]}}}]})", R"({"unknown":3})"}) {
      ExpectValid(uri, schema, true);
    }
    for (const char* other :
         {R"({"type":"strng"})", R"({"minLength":-1})", R"({"allOf":[]})", "3",
          R"({"properties":{"a":{"items":{"maxItems":"1"}}}})", R"({"required":[1]})",
          R"({"multipleOf":0})", R"({"uniqueItems":1})"}) {
      ExpectValid(uri, other, false);
    }
  }
}

TEST(Metaschemas, DescribeEveryKeywordOfTheirDraft) {
  const Draft kOldDrafts[] = {Draft::kDraft4, Draft::kDraft6, Draft::kDraft7};
  for (const Draft draft : kOldDrafts) {
    const std::string uri = kUris[static_cast<size_t>(draft)];
    for (const KeywordRow& row : AllKeywords()) {
      if (draft < row.first_draft || draft > row.last_draft) continue;
      // Not described by the published ones either.
      if (row.name == "nullable" || row.name == "writeOnly") continue;
      if (row.name == "$ref" && draft == Draft::kDraft4) continue;
      OpenedSchema schema(R"({"$ref":")" + uri + "#/properties/" + std::string(row.name) + "\"}");
      EXPECT_EQ(schema.Target(""), uri + "#/properties/" + std::string(row.name));
    }
  }
}

TEST(Metaschemas, SayWhatEachDraftChanged) {
  const std::string k4 = kUris[0], k6 = kUris[1], k7 = kUris[2], k19 = kUris[3], k20 = kUris[4];
  ExpectValid(k4, R"({"minimum":1,"exclusiveMinimum":true})", true);
  ExpectValid(k4, R"({"exclusiveMinimum":true})", false);
  ExpectValid(k6, R"({"exclusiveMinimum":true})", false);
  ExpectValid(k6, R"({"exclusiveMinimum":1})", true);
  ExpectValid(k4, "true", false);
  ExpectValid(k6, "true", true);
  ExpectValid(k6, R"({"if":3})", true);
  ExpectValid(k7, R"({"if":3})", false);
  ExpectValid(k19, R"({"items":[{}]})", true);
  ExpectValid(k20, R"({"items":[{}]})", false);
  ExpectValid(k19, R"({"$recursiveAnchor":true})", true);
  ExpectValid(k20, R"({"$defs":{"a":{"$dynamicAnchor":"1"}}})", false);
}

}  // namespace
}  // namespace maskloom
