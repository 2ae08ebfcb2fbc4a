// nst/JSONTestSuite and the cases made from bug reports.
#include <gtest/gtest.h>

#include <algorithm>

#include "runtime/matcher.h"
#include "tests/suites/data_folder.h"
#include "tests/suites/definition_case.h"
#include "tests/suites/property_walk.h"
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
      EXPECT_EQ(bug.expect, "ok_or_error") << grammar.status().ToString();
      continue;
    }
    for (const CaseText& text : one.texts) {
      EXPECT_EQ(Accepts(*grammar, text.text), text.valid) << Readable(text.text);
    }
    for (const auto& group : bug.valid_any) {
      EXPECT_TRUE(std::any_of(group.begin(), group.end(),
                              [&](const std::string& text) { return Accepts(*grammar, text); }));
    }
  }
}

}  // namespace
}  // namespace maskloom::suites
