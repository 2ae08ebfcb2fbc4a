// The items that an array has so far, as a set that versions share: against std::set, and through
// the copies that a matcher's memory makes of it.
#include "compiler/seen_values.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>
#include <vector>

#include "compiler/configuration_store.h"

namespace maskloom {
namespace {

std::string KeyOf(uint32_t number) { return "n" + std::to_string(number) + ";"; }

void ExpectSame(const SeenValue* seen, const std::set<std::string>& expected, uint32_t range) {
  ASSERT_EQ(seen == nullptr ? 0 : seen->count, expected.size());
  for (uint32_t i = 0; i < range; ++i) {
    ASSERT_EQ(IsSeen(seen, KeyOf(i)), expected.count(KeyOf(i)) != 0) << i;
  }
}

TEST(SeenValues, AgreeWithSetsInEveryVersion) {
  std::mt19937 random(1);
  Arena arena;
  struct Version {
    const SeenValue* seen = nullptr;
    std::set<std::string> expected;
  };
  std::vector<Version> versions(1);
  for (int turn = 0; turn < 600; ++turn) {
    Version next = versions[random() % versions.size()];
    for (uint32_t more = random() % 8; more > 0; --more) {
      const std::string key = KeyOf(random() % 300);
      if (!next.expected.insert(key).second) continue;
      next.seen = AddSeen(next.seen, key, &arena);
    }
    versions.push_back(std::move(next));
  }
  for (const Version& version : versions) ExpectSame(version.seen, version.expected, 300);
}

TEST(SeenValues, LieFewStepsApart) {
  Arena arena;
  const SeenValue* seen = nullptr;
  for (uint32_t i = 0; i < 20000; ++i) {
    seen = AddSeen(seen, KeyOf(i), &arena);
    ASSERT_LT(seen->depth, 64u);
  }
  EXPECT_LT(arena.UsedBytes(), size_t{20000} * 400);
}

TEST(SeenValues, SurviveRollbackForksAndCompaction) {
  std::mt19937 random(2);
  struct State {
    const Configuration* configuration = nullptr;
    std::vector<std::set<std::string>> expected;  // of the configuration and those before it
  };
  constexpr uint32_t kHistory = 8;
  const auto grow = [&](ConfigurationStore* store, State* state, uint32_t turns) {
    for (uint32_t turn = 0; turn < turns; ++turn) {
      if (random() % 5 == 0 && state->configuration->history > 0) {
        state->configuration = state->configuration->previous;
        state->expected.pop_back();
      }
      Arena scratch;
      Item item = state->configuration->items[0];
      std::set<std::string> expected = state->expected.back();
      for (uint32_t more = 1 + random() % 40; more > 0; --more) {
        const std::string key = KeyOf(random() % 4000);
        if (!expected.insert(key).second) continue;
        item.frame.seen_values = AddSeen(item.frame.seen_values, key, &scratch);
      }
      state->expected.push_back(std::move(expected));
      const Item items[] = {item};
      state->configuration = store->CompactIfGrown(
          store->Keep(scratch, Items(items, 1), state->configuration, kHistory));
    }
    ExpectSame(state->configuration->items[0].frame.seen_values, state->expected.back(), 4000);
    const Configuration* before = state->configuration;
    for (size_t i = state->expected.size(); i-- > 0;) {
      ExpectSame(before->items[0].frame.seen_values, state->expected[i], 200);
      if (before->history == 0) break;
      before = before->previous;
    }
  };
  ConfigurationStore store;
  State state;
  Item item;
  item.frame.kind = FrameKind::kArray;
  const Item items[] = {item};
  state.configuration = store.Keep(Arena(), Items(items, 1), nullptr, kHistory);
  state.expected.emplace_back();
  for (int round = 0; round < 6; ++round) {
    ASSERT_NO_FATAL_FAILURE(grow(&store, &state, 12));
    ConfigurationStore fork(store);
    State forked = state;
    ASSERT_NO_FATAL_FAILURE(grow(&fork, &forked, 25));
    ASSERT_NO_FATAL_FAILURE(grow(&store, &state, 12));
    ASSERT_NO_FATAL_FAILURE(grow(&fork, &forked, 2));
  }
}

}  // namespace
}  // namespace maskloom
