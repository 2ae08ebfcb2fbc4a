// Length bounds taken out of look-aheads: the language stays the same.
#include "grammar/regular/length_looks.h"

#include <gtest/gtest.h>

#include "grammar/regular/regular.h"

namespace maskloom {
namespace {

class LengthLooksTest : public ::testing::Test {
 protected:
  ExprId Loop(uint32_t min, uint32_t max) { return pool_.Repeat(lower_, min, max); }
  ExprId Ahead(std::vector<ExprId> parts) {
    return pool_.LookAround(Look::kAhead, pool_.Sequence(std::move(parts)));
  }
  // Expects bounds `min` and `max`, and that they say the rest of what `expr` says.
  void ExpectTaken(ExprId expr, uint64_t min, uint64_t max) {
    auto taken = TakeLengthLooks(expr, &pool_);
    ASSERT_TRUE(taken.has_value()) << pool_.ToString(expr);
    EXPECT_EQ(taken->min_length, min);
    EXPECT_EQ(taken->max_length, max);
    const ExprId any = pool_.Class(CodePointSet::All());
    const ExprId lengths =
        pool_.Repeat(any, static_cast<uint32_t>(min), static_cast<uint32_t>(max));
    const TextAutomaton rest = *BuildSearchAutomaton(pool_, taken->expr);
    EXPECT_EQ(*Intersect(rest, *BuildAutomaton(pool_, lengths)),
              *BuildSearchAutomaton(pool_, expr));
  }

  ExprPool pool_;
  const ExprId lower_ = pool_.Class({{'a', 'z'}});
  const ExprId begin_ = pool_.AssertBegin();
  const ExprId end_ = pool_.AssertEnd();
};

TEST_F(LengthLooksTest, TakesBoundsAtTheBegin) {
  const ExprId rest = pool_.Repeat(pool_.Text(U"ab"), 1, kUnbounded);
  ExpectTaken(pool_.Sequence({begin_, Ahead({Loop(3, 20), end_}), rest, end_}), 3, 20);
  ExpectTaken(pool_.Sequence({begin_, Ahead({begin_, Loop(3, 20), end_}), begin_, rest}), 3, 20);
  const ExprId no_ab = pool_.LookAround(Look::kNotAhead, pool_.Text(U"ab"));
  ExpectTaken(pool_.Sequence({begin_, no_ab, Ahead({Loop(3, 20), end_}), rest}), 3, 20);
  ExpectTaken(pool_.Sequence({begin_, Ahead({Loop(3, 20), end_}), Ahead({Loop(5, 30), end_})}), 5,
              20);
}

TEST_F(LengthLooksTest, LeavesOtherLooksAlone) {
  const ExprId bounded = Ahead({Loop(3, 20), end_});
  for (ExprId expr : {
           bounded,                                                 // not at the begin
           pool_.Sequence({begin_, lower_, bounded}),               // behind a character
           pool_.Sequence({begin_, Ahead({Loop(3, 20)}), lower_}),  // says nothing of the end
           pool_.Sequence({begin_, Ahead({Loop(3, kUnbounded), end_})}),
           pool_.Sequence({begin_, pool_.Choice({bounded, lower_})}),  // not always asked
           pool_.Sequence({begin_, Ahead({Loop(25, 30), end_}), bounded}),
           pool_.Sequence({begin_, pool_.LookAround(Look::kNotAhead, Loop(3, 20)), lower_}),
       }) {
    EXPECT_FALSE(TakeLengthLooks(expr, &pool_).has_value()) << pool_.ToString(expr);
  }
}

}  // namespace
}  // namespace maskloom
