// A long suite that was stopped goes on where it was.
#include "tests/suites/progress_file.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>

#include "tests/suites/data_folder.h"
#include "tests/support/shared_data.h"

namespace maskloom::suites {
namespace {

// Sets an environment variable for as long as it lives.
class Environment {
 public:
  Environment(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name); before != nullptr) before_ = before;
    setenv(name, value.c_str(), 1);
  }
  ~Environment() {
    if (before_) {
      setenv(name_, before_->c_str(), 1);
    } else {
      unsetenv(name_);
    }
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

StateTally TallyWithFaults(size_t count) {
  StateTally tally;
  tally.states = 3;
  tally.kinds["end"] = 3;
  tally.masks = {1, 2, 0xABCDEF01};
  tally.faults.assign(count, "a fault");
  return tally;
}

TEST(ProgressFile, RemembersWhatWasDone) {
  TemporaryFolder folder;
  Environment progress_folder("MASKLOOM_PROGRESS", (folder.path() / "new").string());
  Environment shard("MASKLOOM_SHARD", "2/3");
  {
    auto progress = ProgressFile::Open("suite");
    ASSERT_TRUE(progress.ok()) << progress.status().ToString();
    EXPECT_EQ(progress->Find("qwen3", "a.json"), nullptr);
    progress->Add("qwen3", "a.json", TallyWithFaults(0));
    progress->Add("qwen3", "b.json", TallyWithFaults(2));
  }
  const std::string path = (folder.path() / "new" / "suite.2-of-3.tsv").string();
  std::ofstream(path, std::ios::app) << "qwen3\tc.json\tstates=4 faults=0";  // cut off
  for (int again = 0; again < 2; ++again) {
    auto progress = ProgressFile::Open("suite");
    ASSERT_TRUE(progress.ok()) << progress.status().ToString();
    ASSERT_NE(progress->Find("qwen3", "a.json"), nullptr);
    EXPECT_EQ(*progress->Find("qwen3", "a.json"), 0u);
    ASSERT_NE(progress->Find("qwen3", "b.json"), nullptr);
    EXPECT_EQ(*progress->Find("qwen3", "b.json"), 2u);
    EXPECT_EQ(progress->Find("qwen3", "c.json") != nullptr, again == 1);
    EXPECT_EQ(progress->Find("gpt4o", "a.json"), nullptr);
    if (again == 0) progress->Add("qwen3", "c.json", TallyWithFaults(1));
  }
  const std::string text = ReadWholeFile(path).value_or("");
  EXPECT_NE(text.find("qwen3\tb.json\tstates=3 alike=0 judged=0 nodes=0 refused=0 faults=2\t"
                      "end=3 \t1 2 abcdef01 \n"),
            std::string::npos)
      << text;
}

TEST(ProgressFile, RefusesThatOfAnotherBuild) {
  TemporaryFolder folder;
  Environment progress_folder("MASKLOOM_PROGRESS", folder.path().string());
  Environment shard("MASKLOOM_SHARD", "1/1");
  std::ofstream((folder.path() / "suite.1-of-1.tsv").string()) << "build 0123456789abcdef\n";
  auto progress = ProgressFile::Open("suite");
  ASSERT_FALSE(progress.ok());
  EXPECT_NE(progress.status().message().find("of another build (build 0123456789abcdef"),
            std::string::npos)
      << progress.status().ToString();
}

TEST(ProgressFile, KeepsNothingWhereNoFolderIsNamed) {
  Environment progress_folder("MASKLOOM_PROGRESS", "");
  auto progress = ProgressFile::Open("suite");
  ASSERT_TRUE(progress.ok()) << progress.status().ToString();
  progress->Add("qwen3", "a.json", TallyWithFaults(0));
  EXPECT_EQ(progress->Find("qwen3", "a.json"), nullptr);
}

}  // namespace
}  // namespace maskloom::suites
