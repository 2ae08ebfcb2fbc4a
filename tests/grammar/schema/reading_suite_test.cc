// JSON-Schema-Test-Suite, all drafts, judged by what is read: no grammar is built.
#include <gtest/gtest.h>

#include "runtime/cli/json_reader.h"
#include "tests/grammar/schema/facts_validator.h"
#include "tests/suites/data_folder.h"
#include "tests/suites/suite_drafts.h"
#include "tests/support/shared_data.h"

namespace maskloom::suites {
namespace {

// Runs the tests of one file and returns how many there are.
size_t RunFile(const std::string& text, const char* uri, const SchemaOptions& options) {
  size_t count = 0;
  auto groups = cli::ReadJsonArray(text);
  EXPECT_TRUE(groups.ok());
  for (std::string_view group : *groups) {
    auto members = cli::ReadJsonObject(group);
    const std::string schema = WithDraft(Member(*members, "schema"), uri);
    SCOPED_TRACE(schema);
    Result<SchemaDocument> document = SchemaDocument::Parse(schema);
    PatternTable patterns;
    SchemaReader reader(&*document, &patterns, &options);
    FactsValidator validator(&reader, &*document);
    auto tests = cli::ReadJsonArray(Member(*members, "tests"));
    for (std::string_view test : *tests) {
      auto fields = cli::ReadJsonObject(test);
      const std::string data(Member(*fields, "data"));
      Result<SchemaDocument> instance = SchemaDocument::Parse(data);
      Result<bool> valid = validator.Validate(*instance);
      EXPECT_TRUE(valid.ok()) << test << "\n" << valid.status().ToString();
      if (valid.ok()) {
        EXPECT_EQ(*valid, Member(*fields, "valid") == "true") << test;
      }
      ++count;
    }
  }
  return count;
}

TEST(SchemaReadingSuite, EveryRequiredTestIsJudgedAsItSays) {
  TemporaryFolder folder;
  Status unpacked = UnpackSuite("json-schema-test-suite", folder);
  if (!unpacked.ok()) GTEST_SKIP() << unpacked.ToString();
  const auto root = folder.path() / "json-schema-test-suite";
  SchemaOptions options;
  options.formats = SchemaOptions::Formats::kAnnotate;
  options.documents = [&](const std::string& uri) -> std::optional<std::string> {
    constexpr std::string_view kServer = "http://localhost:1234/";
    if (!uri.starts_with(kServer)) return std::nullopt;
    return ReadWholeFile((root / "remotes" / uri.substr(kServer.size())).string());
  };
  size_t count = 0;
  for (const DraftFolder& draft : kDrafts) {
    const auto tests = root / "tests" / draft.name;
    for (const auto& path : JsonFilesBelow(tests)) {
      const std::string name = std::filesystem::relative(path, tests).string();
      // Of the optional ones, those about references and identifiers.
      const bool about_references =
          name == "optional/anchor.json" || name == "optional/cross-draft.json" ||
          name == "optional/dynamicRef.json" || name == "optional/id.json" ||
          name == "optional/refOfUnknownKeyword.json" || name == "optional/unknownKeyword.json";
      if (name.starts_with("optional/") && !about_references) continue;
      SCOPED_TRACE(std::string(draft.name) + "/" + name);
      count += RunFile(*ReadWholeFile(path.string()), draft.uri, options);
    }
  }
  EXPECT_GT(count, 4900u);
}

}  // namespace
}  // namespace maskloom::suites
