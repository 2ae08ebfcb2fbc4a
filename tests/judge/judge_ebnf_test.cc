// Grammars: hand cases and oracles that need no parser.
#include <gtest/gtest.h>
#include <re2/re2.h>

#include "tests/judge/consistency.h"

namespace maskloom::judge {
namespace {

std::unique_ptr<Judge> Make(const std::string& text, const std::string& alphabet) {
  auto judge = Judge::ForEbnf(text, BytesOf(alphabet));
  EXPECT_TRUE(judge.ok()) << judge.status().ToString();
  return judge.ok() ? std::move(*judge) : nullptr;
}

bool Balanced(const std::string& text) {
  std::string open;
  for (char c : text) {
    if (c == '(' || c == '[') {
      open += c;
    } else if (open.empty() || (c == ')') != (open.back() == '(')) {
      return false;
    } else {
      open.pop_back();
    }
  }
  return open.empty();
}

TEST(EbnfJudge, AcceptsExactlyTheBalancedTexts) {
  for (const char* grammar :
       {"root ::= \"\" | \"(\" root \")\" | \"[\" root \"]\" | root root",
        "root ::= (\"(\" root \")\" | \"[\" root \"]\")*",
        "root ::= root pair | \"\"\npair ::= \"(\" root \")\"\n  | \"[\" root \"]\" # pairs"}) {
    SCOPED_TRACE(grammar);
    auto judge = Make(grammar, "()[]");
    ASSERT_NE(judge, nullptr);
    Consistency check(judge.get(), "()[]", Balanced);
    check.Check(6);
  }
}

TEST(EbnfJudge, AgreesWithRe2OnRegularGrammars) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"root ::= root \"a\" | \"b\"", "ba*"},
      {"root ::= \"a\"{2,4} \"b\"? [bc]+", "a{2,4}b?[bc]+"},
      {"root ::= x{0,2} y{2} \"c\"{1,}\nx ::= \"ab\" | \"a\"\ny ::= \"b\"", "(ab|a){0,2}b{2}c+"},
      {"root ::= (o | p)* \"c\"\no ::= \"a\"*\np ::= \"b\"?", "[ab]*c"},
      {"root ::= [a-b]* [a] \"c\"", "[ab]*ac"},
      {"root ::= \"a\" ( | \"b\" | [^a-b]){,2}", "a[bc]{0,2}"},
      {"root ::= s\ns ::= s s | \"a\" | t\nt ::= s \"b\" | \"c\"", "[ac][abc]*"}};
  for (const auto& [grammar, regex] : cases) {
    SCOPED_TRACE(grammar);
    RE2 oracle(regex);
    auto judge = Make(grammar, "abc");
    ASSERT_NE(judge, nullptr);
    Consistency check(judge.get(), "abc",
                      [&](const std::string& text) { return RE2::FullMatch(text, oracle); });
    check.Check(6);
  }
}

TEST(EbnfJudge, IsDeadWhereTheRestCannotBeSpelled) {
  auto judge = Make("root ::= \"a\" x \"c\" | \"b\" \"z\"\nx ::= \"z\" | \"c\"", "abc");
  ASSERT_NE(judge, nullptr);
  auto live = [&](const char* text) {
    State state = judge->Walk(judge->Start(), text);
    return state != kDead && judge->Live(state);
  };
  EXPECT_TRUE(live("az"));
  EXPECT_FALSE(live("b"));
  EXPECT_TRUE(live("bz"));
}

TEST(EbnfJudge, RefusesBadGrammars) {
  for (const char* grammar :
       {"root :== \"a\"", "root ::= \"x\" root", "root ::= missing | \"a\"", "root ::= 'ok'",
        "root ::= \"a", "root ::= (\"a\"", "other ::= \"a\"", "root ::= \"a\"\nroot ::= \"b\"",
        "root ::= [a", "root ::= \"a\"{3,2}", ""}) {
    auto judge = Judge::ForEbnf(grammar);
    ASSERT_FALSE(judge.ok()) << grammar;
    EXPECT_EQ(judge.status().code(), StatusCode::kInvalidDefinition) << grammar;
  }
}

}  // namespace
}  // namespace maskloom::judge
