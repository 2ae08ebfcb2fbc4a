// Regular expressions that other engines got wrong, from the shared collection of bug cases.
#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <filesystem>

#include "grammar/base/utf8.h"
#include "grammar/regex/ecma_parser.h"
#include "grammar/regular/regular.h"
#include "tests/support/shared_data.h"

namespace maskloom {
namespace {

void CheckTexts(const rapidjson::Value& item, const char* list, const TextAutomaton& automaton,
                bool accepted) {
  if (!item.HasMember(list)) return;
  for (const auto& text : item[list].GetArray()) {
    ASSERT_TRUE(text.IsString());
    const std::u32string decoded = ToUtf32({text.GetString(), text.GetStringLength()});
    EXPECT_EQ(automaton.Match(decoded) != TextAutomaton::kNotAccepting, accepted)
        << text.GetString();
  }
}

TEST(EcmaRegex, PassesTheBugCases) {
  const auto shared = SharedDataDir();
  if (!shared) GTEST_SKIP() << "no shared data; set MASKLOOM_SHARED to its folder";
  int cases = 0;
  for (const auto& file : std::filesystem::directory_iterator(*shared + "/suites/bugcases")) {
    const auto bytes = ReadWholeFile(file.path().string());
    ASSERT_TRUE(bytes.has_value());
    rapidjson::Document item;
    item.Parse(bytes->data(), bytes->size());
    ASSERT_FALSE(item.HasParseError()) << file.path();
    if (item["kind"] != "regex" || !item["input"].IsString()) continue;
    SCOPED_TRACE(file.path().filename().string());
    ++cases;
    ExprPool pool;
    auto expr = ParseEcmaRegex(item["input"].GetString(), &pool);
    const std::string expect = item["expect"].GetString();
    EXPECT_TRUE(expr.ok() || expect != "ok") << expr.status().ToString();
    EXPECT_FALSE(expr.ok() && expect == "error");
    if (!expr.ok()) continue;
    auto automaton = BuildAutomaton(pool, *expr);
    ASSERT_TRUE(automaton.ok());
    CheckTexts(item, "valid", *automaton, true);
    CheckTexts(item, "invalid", *automaton, false);
  }
  EXPECT_GT(cases, 10);
}

}  // namespace
}  // namespace maskloom
