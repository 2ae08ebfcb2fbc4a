// Bad JSON, bad bytes, and abuse of depth and size.
#include "grammar/schema/schema_document.h"
#include "tests/grammar/schema/schema_cases.h"

namespace maskloom {
namespace {

TEST(SchemaDocument, LocatesMalformedJson) {
  struct Fault {
    std::string text;
    size_t line;
    size_t column;
  };
  const std::vector<Fault> kFaults = {
      {"", 1, 1},
      {"{\"a\": }", 1, 7},
      {"{\n  \"a\" 1}", 2, 7},
      {"{} x", 1, 4},
      {"{\"a\":01}", 1, 7},
      {"[1,]", 1, 4},
      {"{\"\xC3\xA4\": nul}", 1, 10},
      {"{\"a\": \"\xFF\"}", 1, 8},
      {std::string("{\"a\"\0:1}", 8), 1, 5},
  };
  for (const Fault& fault : kFaults) {
    Result<SchemaDocument> document = SchemaDocument::Parse(fault.text);
    ASSERT_FALSE(document.ok()) << fault.text;
    EXPECT_EQ(document.status().code(), StatusCode::kInvalidDefinition);
    EXPECT_EQ(document.status().line(), fault.line) << document.status().ToString();
    EXPECT_EQ(document.status().column(), fault.column) << document.status().ToString();
    EXPECT_FALSE(document.status().excerpt().empty());
  }
}

TEST(SchemaDocument, IgnoresAByteOrderMarkInFront) {
  EXPECT_TRUE(SchemaDocument::Parse("\xEF\xBB\xBF{\"type\": \"string\"}").ok());
  Result<SchemaDocument> document = SchemaDocument::Parse("\xEF\xBB\xBF{\"a\": }");
  ASSERT_FALSE(document.ok());
  EXPECT_EQ(document.status().column(), 7u);
}

TEST(SchemaDocument, RefusesHalfSurrogates) {
  for (const char* text : {R"({"title":"\ud800"})", R"({"title":"\udc00"})", R"({"\udfff":1})"}) {
    Result<SchemaDocument> document = SchemaDocument::Parse(text);
    ASSERT_FALSE(document.ok()) << text;
    EXPECT_EQ(document.status().code(), StatusCode::kInvalidDefinition);
  }
}

TEST(SchemaDocument, KeepsPointersAndPlaces) {
  Result<SchemaDocument> document = SchemaDocument::Parse("{\"a/b\": [1, {\"~\": \"q\\\"\\\\\"}]}");
  ASSERT_TRUE(document.ok());
  JsonIndex string = document->size() - 1;
  EXPECT_EQ(document->Pointer(string), "/a~1b/1/~0");
  EXPECT_EQ(document->text(string), "q\"\\");
  EXPECT_EQ(document->ErrorAt(string, StatusCode::kInternal, "").column(), 19u);
  const size_t kColumns[] = {1, 9, 10, 13, 19};
  for (JsonIndex node = 0; node < document->size(); ++node) {
    EXPECT_EQ(document->ErrorAt(node, StatusCode::kInternal, "").column(), kColumns[node]);
  }
  EXPECT_EQ(document->Find(0, "a/b"), 1u);
  EXPECT_EQ(document->Find(0, "a"), kNoJson);
}

TEST(SchemaDocument, KeepsFurtherDocumentsApart) {
  Result<SchemaDocument> document = SchemaDocument::Parse("{\"a\": [1]}");
  ASSERT_TRUE(document.ok());
  const std::string_view key = document->key(1);
  Result<JsonIndex> second = document->Append("http://x.org/b", "{\n \"key\": [\"text\", 22]}");
  ASSERT_TRUE(second.ok()) << second.status().ToString();
  Result<JsonIndex> third = document->Append("c", "true");
  ASSERT_TRUE(third.ok());
  EXPECT_EQ(key, "a");
  EXPECT_EQ(document->key(1).data(), key.data());
  EXPECT_EQ(document->RootOf(2), 0u);
  const JsonIndex list = document->Find(*second, "key");
  const JsonIndex number = document->next(document->first(list));
  EXPECT_EQ(document->RootOf(number), *second);
  EXPECT_EQ(document->text(document->first(list)), "text");
  EXPECT_EQ(document->text(number), "22");
  EXPECT_EQ(document->Pointer(number), "http://x.org/b#/key/1");
  EXPECT_EQ(document->Pointer(*third), "c#");
  EXPECT_EQ(document->Pointer(1), "/a");
  Status status = document->ErrorAt(number, StatusCode::kInternal, "");
  EXPECT_EQ(status.line(), 2u);
  EXPECT_EQ(status.column(), 18u);
}

TEST(SchemaDocument, IsUnchangedByADocumentThatIsMalformed) {
  Result<SchemaDocument> document = SchemaDocument::Parse(R"({"$id":"a"})");
  ASSERT_TRUE(document.ok());
  const uint32_t size = document->size();
  Result<JsonIndex> broken = document->Append("b", "{\"$id\": 1e999, \"a\" 1}");
  ASSERT_FALSE(broken.ok());
  EXPECT_EQ(broken.status().message().find("in \"b\": malformed JSON"), 0u);
  EXPECT_EQ(broken.status().column(), 20u);
  EXPECT_EQ(document->size(), size);
  EXPECT_EQ(document->marks().size(), 1u);
  Result<JsonIndex> next = document->Append("c", R"({"k":"v"})");
  ASSERT_TRUE(next.ok());
  EXPECT_EQ(document->text(document->first(*next)), "v");
}

TEST(SchemaDocument, RefusesDepthBeyondItsBudget) {
  auto nested = [](size_t depth) {
    std::string text;
    for (size_t i = 0; i < depth; ++i) text += "{\"items\":";
    text += "{}";
    return text + std::string(depth, '}');
  };
  Result<Grammar> deep = ParseJsonSchema(nested(100000));
  ASSERT_FALSE(deep.ok());
  EXPECT_EQ(deep.status().code(), StatusCode::kResourceLimit);
  Result<Grammar> fits = ParseJsonSchema(nested(SchemaDocument::kMaxDepth - 1));
  EXPECT_TRUE(fits.ok()) << fits.status().ToString();
  Result<Grammar> lists = ParseJsonSchema(std::string(100000, '['));
  ASSERT_FALSE(lists.ok());
  EXPECT_EQ(lists.status().code(), StatusCode::kResourceLimit);
}

TEST(SchemaDocument, RefusesSizeBeyondItsBudget) {
  std::string text = R"({"description":")" + std::string(SchemaDocument::kMaxBytes, 'x') + "\"}";
  Result<Grammar> grammar = ParseJsonSchema(text);
  ASSERT_FALSE(grammar.ok());
  EXPECT_EQ(grammar.status().code(), StatusCode::kResourceLimit);
}

}  // namespace
}  // namespace maskloom
