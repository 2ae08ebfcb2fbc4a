// Grammars parsed and then matched by a slow recogniser over the IR: the public bug cases of other
// engines, and a few of our own.
//
// The recogniser computes, for every expression and every start offset, the set of end offsets, and
// repeats until nothing changes; left recursion and ambiguity need no special care.
#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <algorithm>
#include <bitset>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "grammar/base/utf8.h"
#include "grammar/ebnf/ebnf_parser.h"
#include "tests/support/shared_data.h"

namespace maskloom {
namespace {

class SlowRecogniser {
 public:
  explicit SlowRecogniser(const Grammar& grammar) : grammar_(grammar) {}

  bool Accepts(const std::string& text) {
    text_ = ToUtf32(text);
    EXPECT_LT(text_.size(), kMaxText);
    ends_.assign(grammar_.exprs.size(), std::vector<Ends>(text_.size() + 1));
    for (changed_ = true; changed_;) {
      changed_ = false;
      for (ExprId id = 0; id < grammar_.exprs.size(); ++id) {
        for (size_t start = 0; start <= text_.size(); ++start) {
          Ends ends = Compute(id, start);
          if (ends == ends_[id][start]) continue;
          ends_[id][start] = ends;
          changed_ = true;
        }
      }
    }
    return ends_[grammar_.root][0][text_.size()];
  }

 private:
  static constexpr size_t kMaxText = 256;
  using Ends = std::bitset<kMaxText>;

  Ends Step(ExprId id, const Ends& starts) const {
    Ends all;
    for (size_t i = 0; i <= text_.size(); ++i) {
      if (starts[i]) all |= ends_[id][i];
    }
    return all;
  }

  Ends Compute(ExprId id, size_t start) const {
    const ExprPool& exprs = grammar_.exprs;
    Ends ends;
    switch (exprs.kind(id)) {
      case ExprKind::kEmpty:
        ends.set(start);
        break;
      case ExprKind::kText:
        if (text_.compare(start, exprs.text(id).size(), exprs.text(id)) == 0) {
          ends.set(start + exprs.text(id).size());
        }
        break;
      case ExprKind::kClass:
        if (start < text_.size() && exprs.set(id).Contains(text_[start])) ends.set(start + 1);
        break;
      case ExprKind::kSequence:
        ends.set(start);
        for (ExprId child : exprs.children(id)) ends = Step(child, ends);
        break;
      case ExprKind::kChoice:
        for (ExprId child : exprs.children(id)) ends |= ends_[child][start];
        break;
      case ExprKind::kRule:
        ends = ends_[grammar_.rules[exprs.payload(id)].body][start];
        break;
      case ExprKind::kRepeat: {
        Ends here;
        here.set(start);
        const uint32_t max = std::min<uint32_t>(exprs.max(id), 1000);
        for (uint32_t count = 0;; ++count) {
          const Ends before = ends;
          if (count >= exprs.min(id)) ends |= here;
          if (count == max || here.none()) break;
          if (count > exprs.min(id) && ends == before) break;
          here = Step(exprs.children(id)[0], here);
        }
        break;
      }
      default:
        ADD_FAILURE() << "unexpected kind of expression";
    }
    return ends;
  }

  const Grammar& grammar_;
  std::u32string text_;
  std::vector<std::vector<Ends>> ends_;
  bool changed_ = false;
};

bool Accepts(const Grammar& grammar, const std::string& text) {
  return SlowRecogniser(grammar).Accepts(text);
}

TEST(EbnfLanguage, ClassesAndDotMatchCodePoints) {
  Result<Grammar> grammar =
      ParseEbnf(R"(root ::= . [^a-z\n] [\u00e0-\u00ff\U0001F600-\U0001F64F])");
  ASSERT_TRUE(grammar.ok());
  EXPECT_TRUE(Accepts(*grammar, "\nA\u00e9"));
  EXPECT_TRUE(Accepts(*grammar, "\U0001F680-\U0001F601"));
  EXPECT_FALSE(Accepts(*grammar, "xb\u00e9"));
  EXPECT_FALSE(Accepts(*grammar, "x\n\u00e9"));
  EXPECT_FALSE(Accepts(*grammar, "xAe"));
}

TEST(EbnfLanguage, RepeatsBindToTheWholeLiteralBefore) {
  Result<Grammar> grammar = ParseEbnf("root ::= \"x\" \"ab\"{1,2} (\"c\" | \"d\"){,2}");
  ASSERT_TRUE(grammar.ok());
  EXPECT_TRUE(Accepts(*grammar, "xab"));
  EXPECT_TRUE(Accepts(*grammar, "xababdc"));
  EXPECT_FALSE(Accepts(*grammar, "xabb"));
  EXPECT_FALSE(Accepts(*grammar, "xabcdc"));
  EXPECT_FALSE(Accepts(*grammar, "x"));
}

TEST(EbnfLanguage, PublicBugCases) {
  std::optional<std::string> shared = SharedDataDir();
  if (!shared || !std::filesystem::exists(*shared + "/suites/bugcases")) {
    GTEST_SKIP() << "no shared test data (set MASKLOOM_SHARED)";
  }
  int cases = 0;
  for (const auto& file : std::filesystem::directory_iterator(*shared + "/suites/bugcases")) {
    const std::optional<std::string> content = ReadWholeFile(file.path().string());
    ASSERT_TRUE(content) << file.path();
    rapidjson::Document json;
    json.Parse(content->data(), content->size());
    ASSERT_FALSE(json.HasParseError()) << file.path();
    const std::string kind = json["kind"].GetString();
    if (kind != "ebnf" && kind != "gbnf") continue;
    ++cases;
    const std::string id = json["id"].GetString();
    EbnfOptions options;
    options.single_quotes = kind == "ebnf";
    Result<Grammar> grammar = ParseEbnf(json["input"].GetString(), options);
    EXPECT_EQ(grammar.ok(), std::string(json["expect"].GetString()) != "error")
        << id << ": " << (grammar.ok() ? "compiled" : grammar.status().ToString());
    if (!grammar.ok()) {
      EXPECT_GT(grammar.status().line(), 0u) << id;
      continue;
    }
    EXPECT_EQ(grammar->Validate(), "") << id;
    for (bool expected : {true, false}) {
      for (const auto& value : json[expected ? "valid" : "invalid"].GetArray()) {
        const std::string text(value.GetString(), value.GetStringLength());
        EXPECT_EQ(Accepts(*grammar, text), expected) << id << ": " << text;
      }
    }
  }
  EXPECT_GE(cases, 20);
}

}  // namespace
}  // namespace maskloom
