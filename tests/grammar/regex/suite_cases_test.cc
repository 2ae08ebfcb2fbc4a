// The cases of JSON-Schema-Test-Suite on ECMA-262 patterns, of every draft, at the level of
// patterns.
#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <filesystem>
#include <string>

#include "grammar/base/utf8.h"
#include "grammar/regex/ecma_parser.h"
#include "grammar/regular/regular.h"
#include "tests/suites/data_folder.h"
#include "tests/support/shared_data.h"

namespace maskloom {
namespace {

std::string TextOf(const rapidjson::Value& value) {
  return {value.GetString(), value.GetStringLength()};
}

bool Contains(const std::string& pattern, const std::string& text) {
  ExprPool pool;
  auto expr = ParseEcmaRegex(pattern, &pool);
  EXPECT_TRUE(expr.ok()) << pattern << ": " << expr.status().ToString();
  if (!expr.ok()) return false;
  return BuildSearchAutomaton(pool, *expr)->Match(ToUtf32(text)) != TextAutomaton::kNotAccepting;
}

// Judges `data` by what a schema says about patterns.
bool IsValid(const rapidjson::Value& schema, const rapidjson::Value& data) {
  if (schema.HasMember("pattern") && data.IsString()) {
    return Contains(TextOf(schema["pattern"]), TextOf(data));
  }
  if (schema.HasMember("patternProperties") && data.IsObject()) {
    for (const auto& member : data.GetObject()) {
      bool is_known = false;
      for (const auto& pattern : schema["patternProperties"].GetObject()) {
        is_known |= Contains(TextOf(pattern.name), TextOf(member.name));
      }
      if (!is_known) return false;
    }
  }
  if (schema.HasMember("format") && data.IsString()) {
    ExprPool pool;
    auto expr = ParseEcmaRegex(TextOf(data), &pool);
    return expr.ok() || expr.status().code() != StatusCode::kInvalidDefinition;
  }
  return true;
}

TEST(EcmaRegex, PassesTheCasesOfJsonSchemaTestSuite) {
  suites::TemporaryFolder folder;
  const Status unpacked = suites::UnpackSuite("json-schema-test-suite", folder);
  if (!unpacked.ok()) GTEST_SKIP() << unpacked.message();
  int cases = 0;
  for (const auto& path : suites::JsonFilesBelow(folder.path())) {
    if (path.filename() != "ecmascript-regex.json") continue;
    const auto bytes = ReadWholeFile(path.string());
    ASSERT_TRUE(bytes.has_value());
    rapidjson::Document groups;
    groups.Parse(bytes->data(), bytes->size());
    ASSERT_FALSE(groups.HasParseError()) << path;
    for (const auto& group : groups.GetArray()) {
      if (!group["schema"].IsObject()) continue;
      for (const auto& test : group["tests"].GetArray()) {
        ++cases;
        EXPECT_EQ(IsValid(group["schema"], test["data"]), test["valid"].GetBool())
            << path << ": " << group["description"].GetString() << ": "
            << test["description"].GetString();
      }
    }
  }
  EXPECT_GT(cases, 300);
}

}  // namespace
}  // namespace maskloom
