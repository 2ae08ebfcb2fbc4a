// Guards the documents: links lead somewhere, named files exist, schemas are JSON.
#include <gtest/gtest.h>
#include <rapidjson/document.h>
#include <rapidjson/error/en.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "tests/house/source_tree.h"

namespace maskloom {
namespace {

namespace fs = std::filesystem;

// Returns the targets of [text](target) in `markdown`, fragments cut off.
std::vector<std::string> LinkTargets(const std::string& markdown) {
  std::vector<std::string> targets;
  for (size_t at = markdown.find("]("); at != std::string::npos; at = markdown.find("](", at + 2)) {
    size_t end = markdown.find(')', at);
    if (end == std::string::npos) break;
    std::string target = markdown.substr(at + 2, end - at - 2);
    targets.push_back(target.substr(0, target.find('#')));
  }
  return targets;
}

// Returns what stands between single backquotes in `markdown`, outside of fenced blocks.
std::vector<std::string> CodeSpans(const std::string& markdown) {
  std::vector<std::string> spans;
  bool fenced = false;
  size_t begin = 0;
  while (begin < markdown.size()) {
    size_t end = std::min(markdown.find('\n', begin), markdown.size());
    std::string line = markdown.substr(begin, end - begin);
    begin = end + 1;
    bool is_fence = line.find("```") != std::string::npos;
    if (is_fence) fenced = !fenced;
    if (is_fence || fenced) continue;
    for (size_t open = line.find('`'); open != std::string::npos;) {
      size_t close = line.find('`', open + 1);
      if (close == std::string::npos) break;
      spans.push_back(line.substr(open + 1, close - open - 1));
      open = line.find('`', close + 1);
    }
  }
  return spans;
}

// Does `span` name a file or folder of the tree, such as "grammar/ir.h" or "compiler/"?
bool NamesTreePath(const std::string& span) {
  static const std::set<std::string> kFolders = {"bench",   "compiler", "docs",    "grammar",
                                                 "kernels", "runtime",  "schemas", "tests"};
  size_t slash = span.find('/');
  if (slash == std::string::npos || !kFolders.contains(span.substr(0, slash))) return false;
  return std::all_of(span.begin(), span.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '.' || c == '/' || c == '-';
  });
}

std::vector<std::string> Documents() { return ListFiles("", {".md"}); }

TEST(HouseDocuments, LinksLeadToFiles) {
  for (const std::string& path : Documents()) {
    std::string folder = fs::path(path).parent_path().generic_string();
    for (const std::string& target : LinkTargets(ReadSource(path))) {
      if (target.empty() || target.find("://") != std::string::npos) continue;
      EXPECT_TRUE(SourceExists(folder.empty() ? target : folder + "/" + target))
          << path << " links to " << target;
    }
  }
}

TEST(HouseDocuments, NamedFilesExist) {
  for (const std::string& path : Documents()) {
    for (const std::string& span : CodeSpans(ReadSource(path))) {
      if (!NamesTreePath(span)) continue;
      EXPECT_TRUE(SourceExists(span)) << path << " names " << span;
    }
  }
}

TEST(HouseDocuments, ReadmeShowsTheProgramThatIsTested) {
  std::string program = ReadSource("tests/house/readme_example.c");
  ASSERT_FALSE(program.empty());
  EXPECT_NE(ReadSource("README.md").find("```c\n" + program + "```"), std::string::npos);
}

TEST(HouseDocuments, PatternOfNamesKnowsPathsFromText) {
  EXPECT_TRUE(NamesTreePath("grammar/ir.h"));
  EXPECT_FALSE(NamesTreePath("runtime -> compiler"));
  EXPECT_FALSE(NamesTreePath("and/or"));
  EXPECT_EQ(CodeSpans("a `b` c `d`\n```\n`e`\n```\n"), (std::vector<std::string>{"b", "d"}));
  EXPECT_EQ(LinkTargets("[a](b.md#c) [d](e)"), (std::vector<std::string>{"b.md", "e"}));
}

TEST(HouseSchemas, AreJsonWithTitleAndDescription) {
  std::vector<std::string> paths = ListFiles("schemas", {".json"});
  EXPECT_GE(paths.size(), 25u);
  for (const std::string& path : paths) {
    std::string text = ReadSource(path);
    rapidjson::Document document;
    document.Parse<rapidjson::kParseFullPrecisionFlag>(text.data(), text.size());
    ASSERT_FALSE(document.HasParseError())
        << path << ": " << rapidjson::GetParseError_En(document.GetParseError()) << " at byte "
        << document.GetErrorOffset();
    ASSERT_TRUE(document.IsObject()) << path;
    if (path == "schemas/korean_person.json") continue;
    for (const char* key : {"title", "description"}) {
      EXPECT_TRUE(document.HasMember(key) && document[key].IsString()) << path << ": no " << key;
    }
  }
}

TEST(HouseSchemas, StandInTheirReadme) {
  std::string readme = ReadSource("schemas/README.md");
  for (const std::string& path : ListFiles("schemas", {".json"})) {
    std::string name = fs::path(path).filename().string();
    EXPECT_NE(readme.find("](" + name + ")"), std::string::npos) << name;
  }
}

TEST(HouseSchemas, KoreanPersonHasTheBytesThatTestsRelyOn) {
  EXPECT_EQ(
      ReadSource("schemas/korean_person.json"),
      "{\"type\":\"object\",\"properties\":{\"이름\":{\"type\":\"string\"},\"나이\":{\"type\":"
      "\"number\"}},\"required\":[\"이름\",\"나이\"],\"additionalProperties\":false}\n");
}

}  // namespace
}  // namespace maskloom
