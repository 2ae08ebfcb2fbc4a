// Random patterns of the syntax that ECMA-262 and RE2 share, on random texts: RE2 is the judge.
#include <gtest/gtest.h>
#include <re2/re2.h>

#include <random>
#include <string>

#include "grammar/base/utf8.h"
#include "grammar/regex/ecma_parser.h"
#include "grammar/regular/regular.h"

namespace maskloom {
namespace {

class PatternWriter {
 public:
  explicit PatternWriter(uint32_t seed) : random_(seed) {}

  std::string Pattern() {
    out_.clear();
    Alternatives(3);
    return out_;
  }

  std::string Text() {
    static const char* const kPieces[] = {"a", "b", "c", "d",          "0",  "1",  "_",
                                          "-", " ", "é", "\U0001F600", "ab", "abc"};
    std::string text;
    for (uint32_t i = Pick(8); i > 0; --i) text += kPieces[Pick(std::size(kPieces))];
    return text;
  }

 private:
  uint32_t Pick(uint32_t n) { return static_cast<uint32_t>(random_() % n); }

  void Alternatives(int depth) {
    for (uint32_t i = Pick(3); i > 0; --i) Sequence(depth), out_ += '|';
    Sequence(depth);
  }
  void Sequence(int depth) {
    for (uint32_t i = Pick(4) + (depth == 3); i > 0; --i) Term(depth);
  }
  void Term(int depth) {
    if (Pick(12) == 0) {
      out_ += Pick(2) == 0 ? "^" : "$";
      return;
    }
    Atom(depth);
    static const char* const kQuantifiers[] = {"*", "+", "?", "{2}", "{1,}", "{0,2}", "{2,3}"};
    if (Pick(3) != 0) return;
    out_ += kQuantifiers[Pick(std::size(kQuantifiers))];
    if (Pick(4) == 0) out_ += '?';
  }
  void Atom(int depth) {
    static const char* const kAtoms[] = {
        "a",       "b",     "c",        "ab",       "é",         "\U0001F600", ".",     R"(\d)",
        R"(\D)",   R"(\w)", R"(\W)",    R"(\s)",    R"(\x61)",   R"(\-)",      "[a-c]", "[^a]",
        "[^a-c_]", "[abd]", R"([\dé])", R"([^\w])", R"([\W\d])", "[a-c-]"};
    uint32_t pick = Pick(std::size(kAtoms) + (depth > 0 ? 8 : 0));
    if (pick < std::size(kAtoms)) {
      out_ += kAtoms[pick];
      return;
    }
    out_ += Pick(2) == 0 ? "(" : "(?:";
    Alternatives(depth - 1);
    out_ += ')';
  }

  std::mt19937 random_;
  std::string out_;
};

TEST(EcmaRegex, AgreesWithRe2) {
  PatternWriter writer(7);
  int patterns = 0, too_large = 0, full_matches = 0, partial_matches = 0;
  for (int round = 0; round < 3000; ++round) {
    const std::string pattern = writer.Pattern();
    RE2::Options quiet;
    quiet.set_log_errors(false);
    RE2 judge(pattern, quiet);
    if (!judge.ok()) continue;  // an empty alternative before a quantifier, say
    ++patterns;
    ExprPool pool;
    auto expr = ParseEcmaRegex(pattern, &pool);
    ASSERT_TRUE(expr.ok()) << pattern << ": " << expr.status().ToString();
    auto full = BuildAutomaton(pool, *expr, {.max_states = 3000});
    auto search = BuildSearchAutomaton(pool, *expr, {.max_states = 3000});
    if (!full.ok() || !search.ok()) {
      const Status& status = full.ok() ? search.status() : full.status();
      ASSERT_EQ(status.code(), StatusCode::kResourceLimit) << pattern;
      ++too_large;
      continue;
    }
    ASSERT_EQ(full->Validate(), "") << pattern;
    ASSERT_EQ(search->Validate(), "") << pattern;
    for (int i = 0; i < 40; ++i) {
      const std::string text = writer.Text();
      const bool is_full = full->Match(ToUtf32(text)) != TextAutomaton::kNotAccepting;
      const bool is_partial = search->Match(ToUtf32(text)) != TextAutomaton::kNotAccepting;
      ASSERT_EQ(is_full, RE2::FullMatch(text, judge)) << pattern << " on " << text;
      ASSERT_EQ(is_partial, RE2::PartialMatch(text, judge)) << pattern << " on " << text;
      full_matches += is_full;
      partial_matches += is_partial;
    }
  }
  EXPECT_GT(patterns, 2000);
  EXPECT_LT(too_large, 30);
  EXPECT_GT(full_matches, 2000);
  EXPECT_GT(partial_matches, full_matches);
}

}  // namespace
}  // namespace maskloom
