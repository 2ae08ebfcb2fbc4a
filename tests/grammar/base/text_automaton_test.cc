// Stepping through automata, and the invariants that Validate reports.
#include "grammar/base/text_automaton.h"

#include <gtest/gtest.h>

namespace maskloom {
namespace {

// [a-c]x*, then accepted.
TextAutomaton Small() {
  TextAutomaton a;
  a.edges = {{'a', 'c', 1}, {'x', 'x', 1}};
  a.edge_begins = {0, 1, 2};
  a.labels = {0, 3};
  return a;
}

TEST(TextAutomaton, StepsAndMatches) {
  TextAutomaton a = Small();
  EXPECT_EQ(a.Validate(), "");
  EXPECT_EQ(a.Step(0, 'b'), 1u);
  EXPECT_EQ(a.Step(0, 'd'), TextAutomaton::kDead);
  EXPECT_EQ(a.Match(U"bxx"), 3u);
  EXPECT_EQ(a.Match(U""), TextAutomaton::kNotAccepting);
  EXPECT_EQ(TextAutomaton().Match(U""), TextAutomaton::kNotAccepting);
  EXPECT_EQ(TextAutomaton().Validate(), "");
}

TEST(TextAutomaton, FindsOneOfManyEdges) {
  TextAutomaton a;
  for (uint32_t c = 0; c < 100; ++c) a.edges.push_back({1000 + 10 * c, 1004 + 10 * c, 1});
  a.edge_begins = {0, 100, 100};
  a.labels = {0, 1};
  EXPECT_EQ(a.Validate(), "");
  for (uint32_t c = 990; c < 2010; ++c) {
    const bool on_edge = c >= 1000 && c < 2000 && c % 10 < 5;
    EXPECT_EQ(a.Step(0, c), on_edge ? 1u : TextAutomaton::kDead) << c;
  }
}

TEST(TextAutomaton, ReportsBrokenInvariants) {
  TextAutomaton a = Small();
  a.edges[0] = {'c', 'a', 1};
  EXPECT_NE(a.Validate(), "");
  a = Small();
  a.edges[0] = {0xD000, 0xE000, 1};
  EXPECT_NE(a.Validate(), "");
  a = Small();
  a.edges[1].target = 2;
  EXPECT_NE(a.Validate(), "");
  a = Small();
  a.labels[1] = 0;
  EXPECT_NE(a.Validate(), "") << "nothing is accepted";
  a = Small();
  a.labels[0] = 1;
  a.edges[0].target = 0;
  EXPECT_NE(a.Validate(), "") << "state 1 is not reached";
  a = Small();
  a.edge_begins.pop_back();
  EXPECT_NE(a.Validate(), "");
}

}  // namespace
}  // namespace maskloom
