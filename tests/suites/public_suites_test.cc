// JSON-Schema-Test-Suite (draft 2020-12), nst/JSONTestSuite and the cases made from bug reports.
#include <gtest/gtest.h>

#include <algorithm>

#include "runtime/cli/json_reader.h"
#include "runtime/matcher.h"
#include "tests/suites/data_folder.h"
#include "tests/suites/definition_case.h"
#include "tests/suites/keyword_scanner.h"
#include "tests/suites/property_walk.h"
#include "tests/suites/refusal_list.h"
#include "tests/support/shared_data.h"

namespace maskloom::suites {
namespace {

bool Accepts(const std::shared_ptr<const CompiledGrammar>& grammar, std::string_view text) {
  Matcher matcher(grammar);
  return matcher.AcceptBytes(text) == text.size() && matcher.IsAccepting();
}

DefinitionOptions AnySpelling() {
  DefinitionOptions options;
  options.style.whitespace = StylePolicy::Whitespace::kAny;
  options.style.max_digits = kUnbounded;
  return options;
}

std::string_view Member(const std::vector<cli::JsonMember>& members, std::string_view name) {
  for (const cli::JsonMember& member : members) {
    if (member.key == name) return member.raw;
  }
  return "";
}

// Its metaschema, a file elsewhere, takes the asserting keywords out of the language; metaschemas
// are not fetched, and the keywords keep their meaning.
constexpr const char* kForeignLanguage =
    "vocabulary.json: schema that uses custom metaschema with with no validation vocabulary";

// Runs one group of tests that share a schema.
void RunGroup(const std::string& file, std::string_view text,
              const std::shared_ptr<const VocabularyIndex>& bytes, RefusalList* expected) {
  auto group = cli::ReadJsonObject(text);
  ASSERT_TRUE(group.ok());
  DefinitionCase one;
  one.name = file + ": " + *cli::ReadJsonString(Member(*group, "description"));
  one.definition = Member(*group, "schema");
  one.options = AnySpelling();
  SCOPED_TRACE(one.name);
  auto grammar = Compile(one, bytes);
  auto tests = cli::ReadJsonArray(Member(*group, "tests"));
  ASSERT_TRUE(tests.ok());
  bool satisfiable = false;
  for (std::string_view test : *tests) {
    auto fields = cli::ReadJsonObject(test);
    bool valid = Member(*fields, "valid") == "true";
    satisfiable = satisfiable || valid;
    if (!grammar.ok() || one.name == kForeignLanguage) continue;
    EXPECT_EQ(Accepts(*grammar, Member(*fields, "data")), valid) << test;
  }
  if (grammar.ok()) {
    EXPECT_EQ(expected->Compiled(one.name), "");
  } else if (grammar.status().code() == StatusCode::kUnsatisfiable) {
    EXPECT_FALSE(satisfiable) << grammar.status().ToString();
  } else {
    EXPECT_EQ(expected->Refused(one.name, grammar.status().message()), "");
    EXPECT_FALSE(UnlistedIn(one.definition).empty()) << grammar.status().ToString();
  }
}

TEST(JsonSchemaTestSuite, Draft202012IsJudgedAsItSays) {
  TemporaryFolder folder;
  Status unpacked = UnpackSuite("json-schema-test-suite", folder);
  if (!unpacked.ok()) GTEST_SKIP() << unpacked.ToString();
  auto root = folder.path() / "json-schema-test-suite/tests/draft2020-12";
  auto bytes = VocabularyIndex::Bytes();
  RefusalList expected("json_schema_suite_refusals.txt");
  size_t groups = 0;
  for (const auto& path : JsonFilesBelow(root)) {
    std::string name = std::filesystem::relative(path, root).string();
    if (name.starts_with("optional/format/")) continue;  // one keyword, refused by name
    auto text = ReadWholeFile(path.string());
    auto elements = cli::ReadJsonArray(*text);
    ASSERT_TRUE(elements.ok()) << name;
    for (std::string_view group : *elements) {
      RunGroup(name, group, bytes, &expected);
      ++groups;
    }
  }
  EXPECT_GT(groups, 300u);
  for (const std::string& name : expected.Unused()) ADD_FAILURE() << "no longer there: " << name;
}

TEST(JsonTestSuite, AnySchemaAcceptsExactlyWhatIsJson) {
  TemporaryFolder folder;
  Status unpacked = UnpackSuite("nst-json-test-suite", folder);
  if (!unpacked.ok()) GTEST_SKIP() << unpacked.ToString();
  DefinitionCase any;
  any.definition = "{}";
  any.options = AnySpelling();
  auto grammar = Compile(any, VocabularyIndex::Bytes());
  ASSERT_TRUE(grammar.ok()) << grammar.status().ToString();
  size_t must = 0;
  size_t must_not = 0;
  for (const auto& path : JsonFilesBelow(folder.path() / "nst-json-test-suite/test_parsing")) {
    std::string name = path.filename().string();
    auto text = ReadWholeFile(path.string());
    ASSERT_TRUE(text.has_value()) << name;
    // Keys are unique here.
    bool repeats = name.starts_with("y_object_duplicated_key");
    if (name[0] == 'y') {
      EXPECT_EQ(Accepts(*grammar, *text), !repeats) << name;
      ++must;
    } else if (name[0] == 'n') {
      EXPECT_FALSE(Accepts(*grammar, *text)) << name;
      ++must_not;
    }
  }
  EXPECT_EQ(must, 95u);
  EXPECT_EQ(must_not, 188u);
}

TEST(BugCases, AreAnsweredAsTheySay) {
  if (!SharedDataDir()) GTEST_SKIP() << "no shared data (set MASKLOOM_SHARED)";
  auto bytes = VocabularyIndex::Bytes();
  RefusalList expected("bugcases_refusals.txt");
  for (const BugCase& bug : ReadBugCases(*SharedDataDir() + "/suites/bugcases")) {
    const DefinitionCase& one = bug.definition;
    SCOPED_TRACE(one.name);
    auto grammar = Compile(one, bytes);
    if (bug.expect == "error") {
      EXPECT_FALSE(grammar.ok());
      if (!grammar.ok()) {
        EXPECT_GT(grammar.status().message().size(), 10u);
      }
      continue;
    }
    if (!grammar.ok()) {
      EXPECT_EQ(expected.Refused(one.name, grammar.status().message()), "");
      continue;
    }
    EXPECT_EQ(expected.Compiled(one.name), "");
    for (const CaseText& text : one.texts) {
      EXPECT_EQ(Accepts(*grammar, text.text), text.valid) << Readable(text.text);
    }
    for (const auto& group : bug.valid_any) {
      EXPECT_TRUE(std::any_of(group.begin(), group.end(),
                              [&](const std::string& text) { return Accepts(*grammar, text); }));
    }
  }
  EXPECT_TRUE(expected.Unused().empty());
}

}  // namespace
}  // namespace maskloom::suites
