// JSON-Schema-Test-Suite in five drafts, every required test, judged by the normal form.
#include <gtest/gtest.h>

#include "tests/grammar/schema/semantics/semantic_check.h"
#include "tests/judge/code_points.h"
#include "tests/suites/data_folder.h"
#include "tests/support/shared_data.h"

namespace maskloom {
namespace {

using judge::JsonTree;
using judge::ToJsonText;

constexpr std::pair<const char*, const char*> kDrafts[] = {
    {"draft4", "http://json-schema.org/draft-04/schema#"},
    {"draft6", "http://json-schema.org/draft-06/schema#"},
    {"draft7", "http://json-schema.org/draft-07/schema#"},
    {"draft2019-09", "https://json-schema.org/draft/2019-09/schema"},
    {"draft2020-12", "https://json-schema.org/draft/2020-12/schema"},
};

TEST(SchemaSemantics, EveryRequiredTestOfTheTestSuiteIsJudgedAsItSays) {
  suites::TemporaryFolder folder;
  Status unpacked = suites::UnpackSuite("json-schema-test-suite", folder);
  if (!unpacked.ok()) GTEST_SKIP() << unpacked.ToString();
  const auto root = folder.path() / "json-schema-test-suite";
  std::map<std::string, std::string> remotes;
  for (const auto& path : suites::JsonFilesBelow(root / "remotes")) {
    const std::string name = std::filesystem::relative(path, root / "remotes").string();
    remotes["http://localhost:1234/" + name] = *ReadWholeFile(path.string());
  }
  size_t count = 0;
  for (const auto& [draft, uri] : kDrafts) {
    for (const auto& path : suites::JsonFilesBelow(root / "tests" / draft)) {
      if (path.string().find("/optional/") != std::string::npos) continue;
      SCOPED_TRACE(std::string(draft) + "/" + path.filename().string());
      auto groups = judge::ParseJsonTree(*ReadWholeFile(path.string()));
      ASSERT_TRUE(groups.ok());
      for (const JsonTree& group : groups->items) {
        const std::string schema = ToJsonText(WithDraft(*group.Find(U"schema"), uri));
        SCOPED_TRACE(schema);
        const NormalisedSchema normal(schema, false, remotes);
        EXPECT_TRUE(normal.IsRead()) << normal.status().ToString();
        if (!normal.IsRead()) continue;
        for (const JsonTree& test : group.Find(U"tests")->items) {
          const bool valid = test.Find(U"valid")->kind == JsonTree::Kind::kTrue;
          const std::string text = ToJsonText(*test.Find(U"data"));
          EXPECT_EQ(normal.Accepts(text), valid)
              << judge::ToUtf8(test.Find(U"description")->text) << ": " << text;
          ++count;
        }
      }
    }
  }
  EXPECT_GT(count, 4900u);
}

}  // namespace
}  // namespace maskloom
