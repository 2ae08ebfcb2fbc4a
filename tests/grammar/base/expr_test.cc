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
  auto nested = [&](uint32_t a_min, uint32_t a_max, uint32_t min, uint32_t max) {
    return pool.ToString(pool.Repeat(pool.Repeat(a, a_min, a_max), min, max));
  };
  EXPECT_EQ(nested(0, 50, 0, 50), "\"a\"{0,2500}");
  EXPECT_EQ(nested(0, 1, 7, 7), "\"a\"{0,7}");
  EXPECT_EQ(nested(2, 3, 2, 4), "\"a\"{4,12}");
  EXPECT_EQ(nested(1, kUnbounded, 0, kUnbounded), "\"a\"{0,}");
  EXPECT_EQ(nested(3, 5, 2, 2), "\"a\"{6,10}");
  EXPECT_NE(nested(2, 2, 0, 3), "\"a\"{0,6}");          // 1, 3 and 5 are missing
  EXPECT_NE(nested(3, 4, 1, 2), "\"a\"{3,8}");          // 5 is missing
  EXPECT_NE(nested(2, kUnbounded, 0, 1), "\"a\"{0,}");  // 1 is missing
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
