// The plain validator against the JSON-Schema-Test-Suite: every required test of five drafts, and
// the optional ones that it takes a side on.
#include "tests/judge/plain_validator.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/suites/data_folder.h"
#include "tests/support/shared_data.h"

namespace maskloom::suites {
namespace {

namespace fs = std::filesystem;

using judge::Draft;
using judge::JsonTree;
using judge::ParseJsonTree;
using judge::PlainOptions;
using judge::PlainValidator;
using judge::ToJsonText;
using judge::ToUtf8;
using judge::Verdict;

std::string ReadFile(const fs::path& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

// Groups that this validator answers otherwise: it does not look into A-labels (RFC 5891).
const std::set<std::string> kExceptions = {
    "draft7/optional/format/hostname.json: validation of A-label (punycode) host names",
    "draft2019-09/optional/format/hostname.json: validation of A-label (punycode) host names",
    "draft2020-12/optional/format/hostname.json: validation of A-label (punycode) host names",
};

class TestSuite : public ::testing::Test {
 protected:
  void SetUp() override {
    Status unpacked = UnpackSuite("json-schema-test-suite", folder_);
    if (!unpacked.ok()) GTEST_SKIP() << unpacked.ToString();
    root_ = folder_.path() / "json-schema-test-suite";
    fs::path remotes = root_ / "remotes";
    for (const fs::path& path : JsonFilesBelow(remotes)) {
      options_.documents["http://localhost:1234/" + fs::relative(path, remotes).string()] =
          ReadFile(path);
    }
  }

  void RunFile(const fs::path& path) {
    auto groups = ParseJsonTree(ReadFile(path));
    ASSERT_TRUE(groups.ok());
    for (const JsonTree& group : groups->items) {
      std::string name = fs::relative(path, root_ / "tests").string() + ": " +
                         ToUtf8(group.Find(U"description")->text);
      if (kExceptions.contains(name)) continue;
      SCOPED_TRACE(name);
      auto validator = PlainValidator::Create(ToJsonText(*group.Find(U"schema")), options_);
      ASSERT_TRUE(validator.ok()) << validator.status().ToString();
      for (const JsonTree& test : group.Find(U"tests")->items) {
        Verdict verdict = (*validator)->Validate(*test.Find(U"data"));
        Verdict wanted = test.Find(U"valid")->kind == JsonTree::Kind::kTrue ? Verdict::kValid
                                                                            : Verdict::kInvalid;
        EXPECT_EQ(verdict, wanted)
            << ToUtf8(test.Find(U"description")->text) << " " << (*validator)->reason();
        ++tests_;
      }
    }
  }

  void RunDraft(const std::string& name, Draft draft) {
    options_.draft = draft;
    for (const auto& entry : fs::directory_iterator(root_ / "tests" / name)) {
      if (entry.is_regular_file()) RunFile(entry.path());
    }
    for (const char* file : {"bignum", "zeroTerminatedFloats", "ecmascript-regex", "float-overflow",
                             "non-bmp-regex", "anchor", "dynamicRef", "id", "no-schema",
                             "cross-draft", "refOfUnknownKeyword", "unknownKeyword"}) {
      fs::path path = root_ / "tests" / name / "optional" / (std::string(file) + ".json");
      if (fs::exists(path)) RunFile(path);
    }
    options_.assert_formats = true;
    for (const char* file :
         {"date", "date-time", "duration", "email", "hostname", "ipv4", "ipv6", "iri",
          "iri-reference", "json-pointer", "regex", "relative-json-pointer", "time", "uri",
          "uri-reference", "uri-template", "uuid"}) {
      fs::path path = root_ / "tests" / name / "optional/format" / (std::string(file) + ".json");
      if (fs::exists(path)) RunFile(path);
    }
    std::printf("%s: %zu tests\n", name.c_str(), tests_);
    EXPECT_GT(tests_, 500u);
  }

  TemporaryFolder folder_;
  fs::path root_;
  PlainOptions options_;
  size_t tests_ = 0;
};

TEST_F(TestSuite, Draft4IsJudgedAsItSays) { RunDraft("draft4", Draft::k4); }
TEST_F(TestSuite, Draft6IsJudgedAsItSays) { RunDraft("draft6", Draft::k6); }
TEST_F(TestSuite, Draft7IsJudgedAsItSays) { RunDraft("draft7", Draft::k7); }
TEST_F(TestSuite, Draft201909IsJudgedAsItSays) { RunDraft("draft2019-09", Draft::k2019); }
TEST_F(TestSuite, Draft202012IsJudgedAsItSays) { RunDraft("draft2020-12", Draft::k2020); }

}  // namespace
}  // namespace maskloom::suites
