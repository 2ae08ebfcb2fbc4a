// Automata that count characters of a set.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "compiler/counted_loop.h"

namespace maskloom {
namespace {

// An automaton of a chain of states in which each but the last leads to the next by `set`; the last
// leads to `back`, if that is a state.
TextAutomaton Chain(const std::vector<CodePointRange>& set, const std::vector<uint32_t>& labels,
                    uint32_t back = TextAutomaton::kDead) {
  TextAutomaton automaton;
  std::vector<uint32_t> begins{0};
  std::vector<TextAutomaton::Edge> edges;
  for (uint32_t state = 0; state < labels.size(); ++state) {
    const uint32_t target = state + 1 < labels.size() ? state + 1 : back;
    for (const CodePointRange& range : set) {
      if (target != TextAutomaton::kDead) edges.push_back({range.first, range.last, target});
    }
    begins.push_back(static_cast<uint32_t>(edges.size()));
  }
  automaton.edge_begins = std::move(begins);
  automaton.edges = std::move(edges);
  automaton.labels = labels;
  return automaton;
}

TEST(CountedLoop, IsWhatAChainIs) {
  const std::vector<CodePointRange> set = {{'a', 'f'}, {'x', 'z'}};
  const auto counted = AsCountedLoop(Chain(set, {0, 0, 1, 1}));
  ASSERT_TRUE(counted);
  EXPECT_EQ(counted->min, 2u);
  EXPECT_EQ(counted->max, 3u);
  EXPECT_EQ(*counted->loop, Chain(set, {1}, 0));
  EXPECT_EQ(AsCountedLoop(Chain(set, {1, 1}))->min, 0u);
  const auto endless = AsCountedLoop(Chain(set, {0, 1, 1}, 2));
  ASSERT_TRUE(endless);
  EXPECT_EQ(endless->min, 1u);
  EXPECT_EQ(endless->max, std::nullopt);
}

TEST(CountedLoop, IsNothingElse) {
  const std::vector<CodePointRange> set = {{'a', 'f'}};
  EXPECT_FALSE(AsCountedLoop(Chain(set, {1}, 0)));
  EXPECT_FALSE(AsCountedLoop(Chain(set, {0, 1, 0, 1})));
  EXPECT_FALSE(AsCountedLoop(Chain(set, {0, 2})));
  // Cycles of several states.
  EXPECT_FALSE(AsCountedLoop(Chain(set, {1, 1, 1}, 0)));
  EXPECT_FALSE(AsCountedLoop(Chain(set, {0, 1, 1}, 1)));
  // Another set, or another state behind a part of it.
  TextAutomaton other = Chain(set, {0, 1, 1});
  std::vector<TextAutomaton::Edge> edges(other.edges.begin(), other.edges.end());
  edges[1].last = 'g';
  other.edges = edges;
  EXPECT_FALSE(AsCountedLoop(other));
  TextAutomaton parted = Chain({{'a', 'f'}, {'x', 'z'}}, {0, 1, 1});
  edges.assign(parted.edges.begin(), parted.edges.end());
  edges[1].target = 2;
  parted.edges = edges;
  EXPECT_FALSE(AsCountedLoop(parted));
}

}  // namespace
}  // namespace maskloom
