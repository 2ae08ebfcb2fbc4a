// Rules that call themselves on every side, so that texts have many readings: at every place the
// mask is what the judge says, and configurations stay small where the grammar lets them.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "compiler/mask_cache.h"
#include "runtime/engine/compile_definition.h"
#include "runtime/matcher.h"
#include "tests/judge/judge.h"

namespace maskloom {
namespace {

Result<CompiledDefinition> Compile(const std::string& rules) {
  return CompileDefinition(DefinitionKind::kEbnf, rules, {}, VocabularyIndex::Bytes());
}

// Rules of which most alternatives call rules in front, at the end or both.
std::string RandomRules(std::mt19937_64* random) {
  const std::vector<std::string> names = {"root", "one", "two"};
  const auto draw = [&](size_t count) { return static_cast<size_t>((*random)() % count); };
  const auto call = [&] { return names[draw(names.size())]; };
  std::string rules;
  for (const std::string& name : names) {
    rules += name + " ::= " + (draw(2) == 0 ? "\"a\"" : "[bc]");
    for (size_t more = 1 + draw(3); more > 0; --more) {
      const char* marks[] = {" \",\" ", " \"+\" ", " ", " [,;] "};
      const std::string mark = marks[draw(4)];
      switch (draw(5)) {
        case 0:
          rules += " | " + call() + mark + call();
          break;
        case 1:
          rules += " | " + call() + mark + call() + mark + call();
          break;
        case 2:
          rules += " | \"(\" " + call() + " \")\"";
          break;
        case 3:
          rules += " | " + call() + mark + "\"d\"?";
          break;
        default:
          rules += " | \"e\"? " + call() + (draw(2) == 0 ? "{1,3}" : "");
      }
    }
    rules += "\n";
  }
  return rules;
}

// Goes along random texts of `rules`.
void CheckAgainstJudge(const std::string& rules, std::mt19937_64* random) {
  auto compiled = Compile(rules);
  auto judge = judge::Judge::ForEbnf(rules);
  ASSERT_EQ(compiled.ok(), judge.ok()) << rules << compiled.status().ToString();
  if (!judge.ok()) return;
  for (int turn = 0; turn < 4; ++turn) {
    Matcher matcher(compiled->grammar);
    judge::State state = (*judge)->Start();
    std::string text;
    std::vector<uint32_t> row(VocabularyIndex::Bytes()->row_words());
    while (text.size() < 24) {
      matcher.FillMask(row.data());
      std::string next;
      for (uint32_t byte = 0; byte < 128; ++byte) {
        const bool allowed = (row[byte / 32] >> (byte % 32) & 1) != 0;
        const judge::State behind = (*judge)->Step(state, static_cast<uint8_t>(byte));
        ASSERT_EQ(allowed, behind != judge::kDead) << rules << text << " and then byte " << byte;
        if (allowed) next += static_cast<char>(byte);
      }
      ASSERT_EQ(matcher.IsAccepting(), (*judge)->Accepting(state)) << rules << text;
      if (next.empty()) break;
      text += next[(*random)() % next.size()];
      ASSERT_EQ(matcher.AcceptBytes(text.substr(text.size() - 1)), 1u);
      state = (*judge)->Step(state, static_cast<uint8_t>(text.back()));
    }
  }
}

TEST(RecursiveRules, AllowWhatTheJudgeAllows) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 150 && !HasFatalFailure(); ++i) {
    CheckAgainstJudge(RandomRules(&random), &random);
  }
}

TEST(RecursiveRules, OnBothSidesNeedAsManyMasksForLongTextsAsForShortOnes) {
  for (const char* rules : {
           "root ::= [a-z]+ | root \",\" root\n",
           "root ::= root root | \"a\" | \",\"\n",
           "root ::= term | root \",\" root\nterm ::= \"a\" | term \"*\" term | \"(\" root \")\"\n",
           "root ::= one | two\none ::= \"a\" | two \",\" root\ntwo ::= \"a\" | one \",\" two\n",
       }) {
    const auto masks_of = [&](int items) {
      auto compiled = Compile(rules);
      EXPECT_TRUE(compiled.ok()) << rules << compiled.status().ToString();
      Matcher matcher(compiled->grammar);
      std::vector<uint32_t> row(VocabularyIndex::Bytes()->row_words());
      for (int i = 0; i < items; ++i) {
        EXPECT_EQ(matcher.AcceptBytes(i == 0 ? "a" : ",a"), i == 0 ? 1u : 2u) << rules;
        matcher.FillMask(row.data());
      }
      return compiled->grammar->masks().size();
    };
    EXPECT_EQ(masks_of(500), masks_of(10)) << rules;
  }
}

}  // namespace
}  // namespace maskloom
