// Random patterns of all that ECMA-262 has, on random texts: a JavaScript engine is the judge.
#include <gtest/gtest.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "grammar/base/utf8.h"
#include "grammar/regex/ecma_parser.h"
#include "grammar/regular/regular.h"
#include "tests/grammar/regex/pattern_writer.h"
#include "tests/support/long_suite.h"

namespace maskloom {
namespace {

constexpr int kNotInstalled = 77;
constexpr int kTexts = 30;

// Writes one line: what we say about `pattern`. Returns whether it was judged on texts.
bool WriteLine(const std::string& pattern, testing::PatternWriter* writer, std::ostream* out) {
  rapidjson::StringBuffer buffer;
  rapidjson::Writer<rapidjson::StringBuffer> json(buffer);
  const auto string = [&json](const std::string& s) {
    json.String(s.data(), static_cast<rapidjson::SizeType>(s.size()));
  };
  ExprPool pool;
  auto expr = ParseEcmaRegex(pattern, &pool);
  auto search = expr.ok() ? BuildSearchAutomaton(pool, *expr, {.max_states = 3000})
                          : Result<TextAutomaton>(expr.status());
  auto full = expr.ok() ? BuildAutomaton(pool, *expr, {.max_states = 3000})
                        : Result<TextAutomaton>(expr.status());
  const bool is_ok = search.ok() && full.ok();
  EXPECT_EQ(is_ok ? search->Validate() + full->Validate() : "", "") << pattern;
  const bool is_invalid = !is_ok && search.status().code() == StatusCode::kInvalidDefinition;
  json.StartObject();
  json.Key("pattern");
  string(pattern);
  json.Key("verdict");
  json.String(is_ok ? "ok" : is_invalid ? "invalid" : "unsupported");
  std::vector<std::string> texts;
  for (int i = 0; i < kTexts && is_ok; ++i) texts.push_back(writer->Text());
  json.Key("texts");
  json.StartArray();
  for (const std::string& text : texts) string(text);
  json.EndArray();
  const auto answers = [&](const char* key, const Result<TextAutomaton>& automaton) {
    json.Key(key);
    json.StartArray();
    for (const std::string& text : texts) {
      json.Bool(automaton->Match(ToUtf32(text)) != TextAutomaton::kNotAccepting);
    }
    json.EndArray();
  };
  answers("search", search);
  answers("full", full);
  json.EndObject();
  *out << buffer.GetString() << '\n';
  return is_ok;
}

TEST(EcmaRegex, AgreesWithAJavaScriptEngine) {
  const std::string path =
      ::testing::TempDir() + "maskloom_js_patterns_" + std::to_string(::getpid()) + ".jsonl";
  std::ofstream out(path);
  testing::PatternWriter writer(11);
  const int rounds = IsLongRun() ? 20000 : 1000;
  int judged = 0;
  for (int round = 0; round < rounds; ++round) {
    judged += WriteLine(writer.Pattern(), &writer, &out);
    WriteLine(writer.Scribble(), &writer, &out);
  }
  out.close();
  EXPECT_GT(judged, rounds * 4 / 5);
  const std::string command =
      "python3 " MASKLOOM_SOURCE_ROOT "/tests/grammar/regex/js_judge.py " + path;
  const int status = std::system(command.c_str());
  std::remove(path.c_str());
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == kNotInstalled) {
    GTEST_SKIP() << "no JavaScript engine: python3, or its package, cannot be had";
  }
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace maskloom
