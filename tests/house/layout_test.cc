// Guards the layout: top-level names are fixed, sizes stay readable, sources are ASCII-named.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>

#include "tests/house/source_tree.h"

namespace maskloom {
namespace {

namespace fs = std::filesystem;

const std::set<std::string>& TopFolders() {
  static const auto* folders = new std::set<std::string>{
      "bench", "compiler", "docs", "grammar", "kernels", "runtime", "schemas", "tests"};
  return *folders;
}

TEST(HouseLayout, TopLevelFoldersAreTheFixedOnes) {
  std::set<std::string> found;
  for (const auto& entry : fs::directory_iterator(SourceRoot())) {
    std::string name = entry.path().filename().string();
    if (!entry.is_directory() || name.starts_with('.') || name.starts_with("build")) continue;
    found.insert(name);
  }
  EXPECT_EQ(found, TopFolders());
}

TEST(HouseLayout, TopLevelFilesAreTheFixedOnes) {
  const std::set<std::string> fixed = {"ARCHITECTURE.md",   "CHANGELOG.md",    "CMakeLists.txt",
                                       "CMakePresets.json", "CONTRIBUTING.md", "LICENSE",
                                       "README.md",         "quickstart.sh",   "test.sh"};
  for (const std::string& name : fixed) EXPECT_TRUE(SourceExists(name)) << name << " is missing";
  for (const char* name : {".clang-format", ".clang-tidy", ".gitignore", ".ci/run"}) {
    EXPECT_TRUE(SourceExists(name)) << name << " is missing";
  }
}

TEST(HouseLayout, EveryTopFolderHasAReadme) {
  for (const std::string& folder : TopFolders()) {
    EXPECT_TRUE(SourceExists(folder + "/README.md")) << folder << "/README.md is missing";
  }
}

TEST(HouseLayout, FilesStayReadable) {
  constexpr long kMostLines = 650;  // a file aims at 300 and is split by 600; this is the end
  for (const std::string& path : ListFiles("", {".h", ".hpp", ".cc", ".c"})) {
    std::string text = ReadSource(path);
    EXPECT_LE(std::count(text.begin(), text.end(), '\n'), kMostLines) << path << ": split it";
  }
}

TEST(HouseLayout, NamesAreSnakeCase) {
  for (const std::string& path : ListFiles("", {".h", ".hpp", ".cc", ".c", ".cu", ".json"})) {
    std::string name = fs::path(path).filename().string();
    if (name == "CMakePresets.json" || name == "compile_commands.json") continue;
    bool is_snake_case = std::all_of(name.begin(), name.end(), [](unsigned char c) {
      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
    });
    EXPECT_TRUE(is_snake_case) << path;
  }
}

}  // namespace
}  // namespace maskloom
