// The shared cases built from bug reports, as far as they use only what the judge knows.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "tests/judge/code_points.h"
#include "tests/judge/json_tree.h"
#include "tests/judge/judge.h"
#include "tests/support/shared_data.h"

namespace maskloom::judge {
namespace {

std::string Utf8(const std::u32string& text) {
  std::string out;
  for (char32_t c : text) out += EncodeUtf8(c);
  return out;
}

std::string Write(const JsonTree& value) {
  switch (value.kind) {
    case JsonTree::Kind::kNull:
      return "null";
    case JsonTree::Kind::kTrue:
      return "true";
    case JsonTree::Kind::kFalse:
      return "false";
    case JsonTree::Kind::kNumber:
      return value.number;
    case JsonTree::Kind::kString: {
      std::string out = "\"";
      for (char32_t c : value.text) {
        if (c < 0x20 || c == '"' || c == '\\') {
          char escape[8];
          std::snprintf(escape, sizeof(escape), "\\u%04x", static_cast<unsigned>(c));
          out += escape;
        } else {
          out += EncodeUtf8(c);
        }
      }
      return out + "\"";
    }
    case JsonTree::Kind::kArray: {
      std::string out = "[";
      for (const JsonTree& item : value.items) out += (out.size() > 1 ? "," : "") + Write(item);
      return out + "]";
    }
    default: {
      std::string out = "{";
      for (const auto& [name, member] : value.members) {
        JsonTree key;
        key.kind = JsonTree::Kind::kString;
        key.text = name;
        out += (out.size() > 1 ? "," : "") + Write(key) + ":" + Write(member);
      }
      return out + "}";
    }
  }
}

Result<std::unique_ptr<Judge>> MakeJudge(const std::string& kind, const JsonTree& input) {
  if (kind == "json_schema") return Judge::ForSchema(Write(input), {});
  if (kind == "regex") return Judge::ForRegex(Utf8(input.text));
  return Judge::ForEbnf(Utf8(input.text));
}

TEST(BugCases, AreJudgedAsTheySay) {
  auto shared = SharedDataDir();
  if (!shared) GTEST_SKIP() << "no shared data (set MASKLOOM_SHARED)";
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(*shared + "/suites/bugcases")) {
    if (entry.path().extension() == ".json") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  size_t judged = 0;
  size_t refused = 0;
  for (const auto& path : paths) {
    auto text = ReadWholeFile(path.string());
    ASSERT_TRUE(text.has_value());
    auto tree = ParseJsonTree(*text);
    ASSERT_TRUE(tree.ok()) << path;
    std::string kind = Utf8(tree->Find(U"kind")->text);
    if (kind != "json_schema" && kind != "regex" && kind != "ebnf" && kind != "gbnf") continue;
    SCOPED_TRACE(path.filename().string());
    std::string expect = Utf8(tree->Find(U"expect")->text);
    auto judge = MakeJudge(kind, *tree->Find(U"input"));
    if (!judge.ok()) {
      bool unknown = judge.status().code() == StatusCode::kUnsupported;
      EXPECT_TRUE(expect != "ok" || unknown) << judge.status().ToString();
      ++refused;
      continue;
    }
    EXPECT_NE(expect, "error");
    ++judged;
    for (const char32_t* list : {U"valid", U"policy_valid"}) {
      const JsonTree* texts = tree->Find(list);
      for (size_t i = 0; texts != nullptr && i < texts->items.size(); ++i) {
        std::string one = Utf8(texts->items[i].text);
        EXPECT_TRUE((*judge)->Accepts(one)) << one;
      }
    }
    for (const char32_t* list : {U"invalid", U"policy_invalid"}) {
      const JsonTree* texts = tree->Find(list);
      for (size_t i = 0; texts != nullptr && i < texts->items.size(); ++i) {
        std::string one = Utf8(texts->items[i].text);
        EXPECT_FALSE((*judge)->Accepts(one)) << one;
      }
    }
    const JsonTree* groups = tree->Find(U"valid_any");
    for (size_t i = 0; groups != nullptr && i < groups->items.size(); ++i) {
      const auto& group = groups->items[i].items;
      EXPECT_TRUE(std::any_of(group.begin(), group.end(), [&](const JsonTree& one) {
        return (*judge)->Accepts(Utf8(one.text));
      }));
    }
  }
  EXPECT_GT(judged, 80u);
  RecordProperty("judged", static_cast<int>(judged));
  RecordProperty("refused", static_cast<int>(refused));
}

}  // namespace
}  // namespace maskloom::judge
