// The expression pool and its notation.
#include "grammar/base/expr.h"

#include <gtest/gtest.h>

namespace maskloom {
namespace {

TEST(ExprPool, SimplifiesTrivialForms) {
  ExprPool pool;
  ExprId a = pool.Text(U"a");
  EXPECT_EQ(pool.kind(pool.Text(U"")), ExprKind::kEmpty);
  EXPECT_EQ(pool.kind(pool.Class({})), ExprKind::kNever);
  EXPECT_EQ(pool.kind(pool.Sequence({})), ExprKind::kEmpty);
  EXPECT_EQ(pool.kind(pool.Choice({})), ExprKind::kNever);
  EXPECT_EQ(pool.Sequence({a}), a);
  EXPECT_EQ(pool.Choice({a}), a);
  EXPECT_EQ(pool.Repeat(a, 1, 1), a);
  EXPECT_EQ(pool.kind(pool.Repeat(a, 0, 0)), ExprKind::kEmpty);
}

TEST(ExprPool, PrintsEveryKind) {
  ExprPool pool;
  ExprId digits = pool.Repeat(pool.Class({{'0', '9'}}), 2, 3);
  ExprId choice = pool.Choice({pool.Text(U"a\"\n\x01é"), digits, pool.Empty(), pool.Never()});
  ExprId all = pool.Sequence(
      {pool.AssertBegin(), choice, pool.Rule(4), pool.Token(5), pool.Value(6), pool.AssertEnd()});
  EXPECT_EQ(pool.ToString(all),
            "(begin (\"a\\\"\\n\\x01é\" | [0-9]{2,3} | \"\" | never) rule_4 token_5 value_6 end)");
  CodePointSet not_quote = CodePointSet::Of('"').Complement();
  EXPECT_EQ(pool.ToString(pool.Repeat(pool.Class(not_quote), 0, kUnbounded)), "[^\\\"]{0,}");
  EXPECT_EQ(pool.ToString(pool.Class(CodePointSet::All())), ".");
}

TEST(ExprPool, PrintsDeepExpressionsWithinABound) {
  ExprPool pool;
  ExprId expr = pool.Text(U"a");
  for (int i = 0; i < 200000; ++i) expr = pool.Sequence({expr, pool.Text(U"b")});
  EXPECT_LT(pool.ToString(expr, 1000).size(), 1100u);
}

}  // namespace
}  // namespace maskloom
