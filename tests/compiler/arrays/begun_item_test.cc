// What an item may still become: never no where it can become it, and no where texts part.
#include "compiler/begun_item.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace maskloom {
namespace {

ValueKey KeyOf(const std::string& text) { return ReadJsonValue(text).key; }

bool MayBecome(const std::string& begun, const std::string& value) {
  return BegunItem(begun).MayBecome(KeyOf(value));
}

TEST(BegunItem, MayBecomeWhatItsTextGoesOnAs) {
  const std::vector<std::string> texts = {
      "\"abc\"",
      "\"\\u0061\\n\\\"\"",
      "\"\xC3\xA4\xE2\x82\xAC\"",
      "120",
      "-0.50",
      "1.5e-3",
      "true",
      "[]",
      "[\"a\", [1, 20], {\"b\": null}]",
      "{}",
      R"({"a": "x1", "b": 10.5, "c": [1, "2", {"a": 0}], "d": {"e": {"f": false}}, "g": null})",
      R"({"": -1e2, "\u0061": "\"00", "b": ["12", 12]})",
  };
  for (const std::string& text : texts) {
    for (size_t length = 1; length < text.size(); ++length) {
      EXPECT_TRUE(MayBecome(text.substr(0, length), text)) << text.substr(0, length);
    }
  }
  // Other spellings and orders.
  EXPECT_TRUE(MayBecome("\"\\u006", "\"a\""));
  EXPECT_TRUE(MayBecome("\"\\u0061", "\"ab\""));
  EXPECT_TRUE(MayBecome("0.000", "1e-9"));
  EXPECT_TRUE(MayBecome("10", "1"));
  EXPECT_TRUE(MayBecome(R"({"b":2, "a":1)", R"({"a":1.0,"b":20e-1})"));
  EXPECT_TRUE(MayBecome(R"({"b":2, "a)", R"({"a":1.0,"b":20e-1})"));
}

TEST(BegunItem, PartsFromWhatItsTextLeaves) {
  EXPECT_FALSE(MayBecome("\"abd", "\"abc\""));
  EXPECT_FALSE(MayBecome("\"1", "1"));
  EXPECT_FALSE(MayBecome("12", "13"));
  EXPECT_FALSE(MayBecome("-1", "1"));
  EXPECT_FALSE(MayBecome("[1,", "[2,3]"));
  EXPECT_FALSE(MayBecome("[\"ab", "[\"ac\"]"));
  EXPECT_FALSE(MayBecome("[[", "[{}]"));
  EXPECT_FALSE(MayBecome(R"({"a":1,)", R"({"a":2,"b":1})"));
  // What has not ended counts too.
  EXPECT_FALSE(MayBecome(R"({"a":"xy)", R"({"a":"xz"})"));
  EXPECT_FALSE(MayBecome(R"({"a":12)", R"({"a":13})"));
  EXPECT_FALSE(MayBecome(R"({"a": -1)", R"({"a":1})"));
  EXPECT_FALSE(MayBecome(R"({"a":[)", R"({"a":{}})"));
  EXPECT_FALSE(MayBecome(R"({"b": 1, "a":"x)", R"({"a":"y","b":1})"));
  // ... and what is open further in.
  EXPECT_FALSE(MayBecome(R"({"a":{"b":"x","c":)", R"({"a":{"b":"y","c":1}})"));
  EXPECT_FALSE(MayBecome(R"({"a":{"b":"x)", R"({"a":{"b":"y"}})"));
  EXPECT_FALSE(MayBecome(R"({"a":[1,)", R"({"a":[2,3]})"));
  EXPECT_FALSE(MayBecome(R"([[{"a":)", R"([[{"b":1}]])"));
}

TEST(BegunNumber, IsLookedForInAllPartsOfAValue) {
  const ValueKey key = KeyOf(R"({"a": [10, {"b": 25}], "n7;": "n8;"})");
  EXPECT_TRUE(BegunNumber("2").MayBecomePart(key));
  EXPECT_TRUE(BegunNumber("25").MayBecomePart(key));
  EXPECT_TRUE(BegunNumber("100").MayBecomePart(key));
  EXPECT_FALSE(BegunNumber("26").MayBecomePart(key));
  EXPECT_FALSE(BegunNumber("7").MayBecomePart(key));
  EXPECT_FALSE(BegunNumber("8").MayBecomePart(key));
}

}  // namespace
}  // namespace maskloom
