// Sets of code points against a plain bitmap.
#include "grammar/base/code_point_set.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "grammar/base/utf8.h"

namespace maskloom {
namespace {

// The interesting neighbourhoods: the start, around the surrogates, the end.
std::vector<uint32_t> Probes() {
  std::vector<uint32_t> probes;
  for (uint32_t base : {0u, 0xD7F0u, 0xDFF0u, 0x10FFE0u}) {
    for (uint32_t i = 0; i < 32; ++i) probes.push_back(base + i);
  }
  return probes;
}

CodePointSet RandomSet(std::mt19937* random, const std::vector<uint32_t>& probes) {
  CodePointSet set;
  for (uint32_t i = (*random)() % 6; i > 0; --i) {
    uint32_t first = probes[(*random)() % probes.size()];
    set.Add(first, first + (*random)() % 20);
  }
  return set;
}

bool IsWellFormed(const CodePointSet& set) {
  uint32_t next = 0;
  for (const CodePointRange& range : set.ranges()) {
    if (range.first < next || range.last < range.first || range.last > kMaxCodePoint) return false;
    if (range.first <= 0xDFFF && range.last >= 0xD800) return false;
    next = range.last + 2;
  }
  return true;
}

TEST(CodePointSet, AgreesWithMembership) {
  std::mt19937 random(11);
  const auto probes = Probes();
  for (int round = 0; round < 2000; ++round) {
    const CodePointSet a = RandomSet(&random, probes), b = RandomSet(&random, probes);
    CodePointSet both = a.Intersect(b), either = a, other = a.Complement();
    either.Add(b);
    for (const CodePointSet* set :
         std::initializer_list<const CodePointSet*>{&a, &b, &both, &either, &other}) {
      ASSERT_TRUE(IsWellFormed(*set));
    }
    for (uint32_t c : probes) {
      ASSERT_EQ(both.Contains(c), a.Contains(c) && b.Contains(c)) << c;
      ASSERT_EQ(either.Contains(c), a.Contains(c) || b.Contains(c)) << c;
      ASSERT_EQ(other.Contains(c), IsScalarValue(c) && !a.Contains(c)) << c;
    }
    ASSERT_EQ(a.size() + other.size(), CodePointSet::All().size());
    ASSERT_EQ(other.Complement(), a);
  }
}

TEST(CodePointSet, LeavesSurrogatesOut) {
  EXPECT_EQ(CodePointSet::All().size(), 0x110000u - 0x800u);
  EXPECT_TRUE(CodePointSet({{0xD800, 0xDFFF}}).empty());
  EXPECT_EQ(CodePointSet({{0xD000, 0xE000}}).ranges().size(), 2u);
  EXPECT_TRUE(CodePointSet::All().Complement().empty());
}

TEST(CodePointSet, JoinsWhatTouches) {
  CodePointSet set{{'a', 'c'}, {'g', 'i'}, {'d', 'f'}};
  EXPECT_EQ(set, CodePointSet({{'a', 'i'}}));
  EXPECT_EQ(set.ranges().size(), 1u);
}

}  // namespace
}  // namespace maskloom
