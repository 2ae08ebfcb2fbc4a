// Reading JSON by its spelling, and writing it as Python does.
#include <gtest/gtest.h>

#include "runtime/cli/json_reader.h"
#include "runtime/cli/python_json.h"
#include "runtime/cli/text_match.h"

namespace maskloom::cli {
namespace {

std::string Python(std::string_view text) {
  Result<std::string> result = PythonJson(text);
  return result.ok() ? *result : "error: " + result.status().message();
}

TEST(JsonReader, SplitsByRawText) {
  Result<std::vector<JsonMember>> members =
      ReadJsonObject(R"( {"a" : [1, {"b":2}] , "\u00e9":-1.50e+2,"c":"x\"y", "d":{} } )");
  ASSERT_TRUE(members.ok()) << members.status().message();
  ASSERT_EQ(members->size(), 4u);
  EXPECT_EQ((*members)[0].raw, R"([1, {"b":2}])");
  EXPECT_EQ((*members)[1].key, "é");
  EXPECT_EQ((*members)[1].raw, "-1.50e+2");
  EXPECT_EQ((*members)[2].raw, R"("x\"y")");
  EXPECT_EQ((*members)[3].raw, "{}");
  Result<std::vector<std::string_view>> elements = ReadJsonArray("[[],[[1]], 2 ,\"\"]");
  ASSERT_TRUE(elements.ok());
  EXPECT_EQ(*elements, (std::vector<std::string_view>{"[]", "[[1]]", "2", "\"\""}));
}

TEST(JsonReader, RefusesWhatIsNotJson) {
  for (const char* text : {"", "{", "[1,]", "{\"a\":1,}", "{\"a\" 1}", "[01]", "[1.]", "[+1]",
                           "[\"\x01\"]", "[\"\\x\"]", "[\"\\u12g4\"]", "[\"\xFF\"]", "[1]x", "nul",
                           "[\"a", "{1:2}", "[,1]", "-", "1e"}) {
    JsonReader reader(text);
    JsonReader::Token token;
    do {
      token = reader.Next();
    } while (token != JsonReader::Token::kEnd && token != JsonReader::Token::kError);
    EXPECT_EQ(token, JsonReader::Token::kError) << text;
    EXPECT_FALSE(reader.status().ok()) << text;
  }
}

TEST(JsonReader, DeepNestingIsNoRecursion) {
  std::string deep = "{\"a\":" + std::string(200000, '[') + std::string(200000, ']') + "}";
  EXPECT_TRUE(ReadJsonObject(deep).ok());
}

TEST(JsonReader, DecodesEscapes) {
  EXPECT_EQ(DecodeJsonString(R"("a\n\u0041\ud83d\ude00\/")"), "a\nA😀/");
  EXPECT_EQ(DecodeJsonString(R"("\ud83d")"), std::nullopt);
  EXPECT_EQ(DecodeJsonString(R"("\ude00\ud83d")"), std::nullopt);
}

TEST(PythonJson, SpellsAsJsonDumps) {
  EXPECT_EQ(Python("{\"a\":[1,2,{}],\"b\":[]}"), R"({"a": [1, 2, {}], "b": []})");
  EXPECT_EQ(Python("[1.0,1e5,1E400,-1e400,1e16,123456789012345678901234567890,-0,-0.0]"),
            "[1.0, 100000.0, Infinity, -Infinity, 1e+16, 123456789012345678901234567890, 0, -0.0]");
  EXPECT_EQ(Python("[0.1,1e-4,1e-5,1.5e300,123456.789,1e15,5e-324]"),
            "[0.1, 0.0001, 1e-05, 1.5e+300, 123456.789, 1000000000000000.0, 5e-324]");
  EXPECT_EQ(Python(R"(["\u00e9\/\u0001\u007f\t\"\\"])"), "[\"é/\\u0001\x7F\\t\\\"\\\\\"]");
  EXPECT_EQ(Python("true"), "true");
}

TEST(DescribeBytes, NamesRangesAndOddCharacters) {
  std::bitset<256> bytes;
  EXPECT_EQ(DescribeBytes(bytes), "nothing");
  for (char c : std::string("0123456789x \n\"")) bytes.set(static_cast<unsigned char>(c));
  EXPECT_EQ(DescribeBytes(bytes), "line break (\\n), space, '\"', '0'-'9', 'x'");
  bytes.set();
  bytes.reset('"');
  for (unsigned byte = 0; byte < 0x20; ++byte) bytes.reset(byte);
  bytes.reset(0x7F);
  EXPECT_EQ(DescribeBytes(bytes), "any printable character but '\"', bytes 80-FF (beyond ASCII)");
}

}  // namespace
}  // namespace maskloom::cli
