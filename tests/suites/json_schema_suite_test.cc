// JSON-Schema-Test-Suite, drafts 4 to 2020-12, by the whole engine: every text is stepped byte by
// byte, each mask compared with what stepping does, and judged at its end.
//
// `format` and the content keywords are annotations, as the required tests demand, and asserted in
// the optional ones about formats. What differs is listed, test by test, with the reason; an entry
// that has become untrue is an error as well.
#include <gtest/gtest.h>

#include "runtime/cli/json_reader.h"
#include "runtime/matcher.h"
#include "tests/suites/data_folder.h"
#include "tests/suites/definition_case.h"
#include "tests/suites/refusal_list.h"
#include "tests/suites/suite_drafts.h"
#include "tests/support/shared_data.h"

namespace maskloom::suites {
namespace {

// Steps through `text`; the mask of each state must say what stepping says.
bool Accepts(const std::shared_ptr<const CompiledGrammar>& grammar, std::string_view text) {
  Matcher matcher(grammar);
  std::vector<uint32_t> row(matcher.grammar().vocabulary().row_words());
  for (const char byte : text) {
    matcher.FillMask(row.data());
    const uint8_t id = static_cast<uint8_t>(byte);
    const bool allowed = (row[id / 32] >> (id % 32) & 1) != 0;
    const bool taken = matcher.AcceptBytes({&byte, 1}) == 1;
    EXPECT_EQ(allowed, taken) << "byte " << byte << " of " << text;
    if (!taken) return false;
  }
  return matcher.IsAccepting();
}

struct Tally {
  size_t groups = 0;
  size_t tests = 0;
  size_t refused = 0;
};

// Runs the groups of tests of one file; `name` is how the list calls the file.
void RunFile(const std::string& name, const std::string& text, const char* uri,
             const DefinitionOptions& options, RefusalList* expected, Tally* tally) {
  static const auto bytes = VocabularyIndex::Bytes();
  auto groups = cli::ReadJsonArray(text);
  ASSERT_TRUE(groups.ok()) << name;
  for (std::string_view group : *groups) {
    auto members = cli::ReadJsonObject(group);
    ASSERT_TRUE(members.ok()) << name;
    DefinitionCase one;
    one.name = name + ": " + *cli::ReadJsonString(Member(*members, "description"));
    one.definition = WithDraft(Member(*members, "schema"), uri);
    one.options = options;
    SCOPED_TRACE(one.name);
    auto grammar = Compile(one, bytes);
    ++tally->groups;
    if (!grammar.ok() && grammar.status().code() != StatusCode::kUnsatisfiable) {
      ++tally->refused;
      EXPECT_EQ(expected->Refused(one.name, grammar.status().message()), "");
      continue;
    }
    EXPECT_EQ(expected->Compiled(one.name), "");
    auto tests = cli::ReadJsonArray(Member(*members, "tests"));
    for (std::string_view test : *tests) {
      auto fields = cli::ReadJsonObject(test);
      const bool valid = Member(*fields, "valid") == "true";
      const std::string id = one.name + ": " + *cli::ReadJsonString(Member(*fields, "description"));
      const bool accepted = grammar.ok() && Accepts(*grammar, Member(*fields, "data"));
      ++tally->tests;
      if (accepted == valid) {
        EXPECT_EQ(expected->Compiled(id), "");
      } else {
        EXPECT_EQ(expected->Differs(id), "")
            << Member(*fields, "data") << (valid ? " is rejected" : " is accepted") << "\n"
            << one.definition << "\n"
            << (grammar.ok() ? "" : grammar.status().ToString());
      }
    }
  }
}

bool IsAboutFormats(const std::string& file) {
  return file.starts_with("optional/format/") || file == "optional/format-assertion.json" ||
         file == "optional/content.json";
}

// Runs all files that `wanted` chooses.
Tally RunSuite(RefusalList* expected, const std::function<bool(const std::string&)>& wanted) {
  Tally tally;
  TemporaryFolder folder;
  const Status unpacked = UnpackSuite("json-schema-test-suite", folder);
  if (!unpacked.ok()) return tally;
  const auto root = folder.path() / "json-schema-test-suite";
  DefinitionOptions options;
  options.style.whitespace = StylePolicy::Whitespace::kAny;
  options.style.max_digits = kUnbounded;
  options.documents = [&](const std::string& uri) -> std::optional<std::string> {
    constexpr std::string_view kServer = "http://localhost:1234/";
    if (!uri.starts_with(kServer)) return std::nullopt;
    return ReadWholeFile((root / "remotes" / uri.substr(kServer.size())).string());
  };
  for (const DraftFolder& draft : kDrafts) {
    const auto tests = root / "tests" / draft.name;
    for (const auto& path : JsonFilesBelow(tests)) {
      const std::string file = std::filesystem::relative(path, tests).string();
      if (!wanted(file)) continue;
      options.formats = IsAboutFormats(file) ? SchemaOptions::Formats::kAssert
                                             : SchemaOptions::Formats::kAnnotate;
      RunFile(std::string(draft.name) + "/" + file, *ReadWholeFile(path.string()), draft.uri,
              options, expected, &tally);
    }
  }
  std::printf("%zu groups, %zu refused, %zu tests\n", tally.groups, tally.refused, tally.tests);
  return tally;
}

TEST(JsonSchemaTestSuite, EveryRequiredTestOfEveryDraftIsJudgedAsItSays) {
  if (!SharedDataDir()) GTEST_SKIP() << "no shared data (set MASKLOOM_SHARED)";
  RefusalList expected("json_schema_suite_required.txt");
  const Tally tally =
      RunSuite(&expected, [](const std::string& file) { return !file.starts_with("optional/"); });
  if (tally.groups == 0) GTEST_SKIP() << "the suite cannot be unpacked";
  EXPECT_GT(tally.tests, 4800u);
  EXPECT_TRUE(expected.Unused().empty());
}

TEST(JsonSchemaTestSuite, OptionalTestsAreJudgedAsTheySayButForTheListedOnes) {
  if (!SharedDataDir()) GTEST_SKIP() << "no shared data (set MASKLOOM_SHARED)";
  RefusalList expected("json_schema_suite_optional.txt");
  const Tally tally =
      RunSuite(&expected, [](const std::string& file) { return file.starts_with("optional/"); });
  if (tally.groups == 0) GTEST_SKIP() << "the suite cannot be unpacked";
  EXPECT_GT(tally.tests, 2000u);
  for (const std::string& name : expected.Unused()) ADD_FAILURE() << "no longer there: " << name;
}

}  // namespace
}  // namespace maskloom::suites
