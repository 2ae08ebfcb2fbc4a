// Texts of items, also behind the copies that a matcher's memory makes.
#include "compiler/item_trace.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "compiler/configuration_store.h"

namespace maskloom {
namespace {

const TraceByte* Extend(const TraceByte* trace, std::string_view bytes, Arena* arena) {
  for (const char c : bytes) {
    const uint32_t length = trace == nullptr ? 1 : trace->length + 1;
    trace = arena->New<TraceByte>(trace, length, static_cast<uint8_t>(c));
  }
  return trace;
}

void ExpectText(const TraceByte* trace, const std::string& text) {
  for (uint32_t begin = 0; begin <= text.size(); ++begin) {
    ASSERT_EQ(TraceText(trace, begin), text.substr(begin));
  }
  EXPECT_EQ(TraceText(trace, static_cast<uint32_t>(text.size()) + 3), "");
}

TEST(ItemTrace, TellsItsTextFromAnyByteOn) {
  Arena arena;
  std::string text;
  const TraceByte* trace = nullptr;
  ExpectText(trace, text);
  for (int i = 0; i < 40; ++i) {
    text.push_back(static_cast<char>(200 + i));
    trace = Extend(trace, text.substr(text.size() - 1), &arena);
    ASSERT_NO_FATAL_FAILURE(ExpectText(trace, text));
  }
}

TEST(ItemTrace, FindsTheStringOrNumberAtItsEnd) {
  Arena arena;
  const auto trace = [&](std::string_view text) { return Extend(nullptr, text, &arena); };
  EXPECT_EQ(TraceString(trace("[\"a\", \"b\\\"c")), "\"b\\\"c");
  EXPECT_EQ(TraceString(trace("\"")), "\"");
  EXPECT_EQ(TraceString(trace("[\"\\\\\",\"")), "\"");
  EXPECT_EQ(TraceString(trace("{\"a\\\\\\\"")), "\"a\\\\\\\"");
  EXPECT_EQ(TraceNumber(trace("[1, -2.5e")), "-2.5e");
  EXPECT_EQ(TraceNumber(trace("[1,")), "");
}

TEST(ItemTrace, SurvivesRollbackForksAndCompaction) {
  std::mt19937 random(3);
  constexpr uint32_t kHistory = 8;
  struct State {
    const Configuration* configuration = nullptr;
    std::string text;
  };
  const auto grow = [&](ConfigurationStore* store, State* state) {
    for (int turn = 0; turn < 12; ++turn) {
      Arena scratch;
      Item item = state->configuration->items[0];
      std::string more;
      for (uint32_t i = 1 + random() % 21; i > 0; --i) {
        more.push_back(static_cast<char>(random() % 256));
      }
      state->text += more;
      item.trace = Extend(item.trace, more, &scratch);
      const Item items[] = {item};
      state->configuration = store->CompactIfGrown(
          store->Keep(scratch, Items(items, 1), state->configuration, kHistory));
    }
    ExpectText(state->configuration->items[0].trace, state->text);
  };
  ConfigurationStore store;
  State state;
  const Item items[] = {Item()};
  state.configuration = store.Keep(Arena(), Items(items, 1), nullptr, kHistory);
  for (int round = 0; round < 6; ++round) {
    ASSERT_NO_FATAL_FAILURE(grow(&store, &state));
    ConfigurationStore fork(store);
    State forked = state;
    ASSERT_NO_FATAL_FAILURE(grow(&fork, &forked));
    ASSERT_NO_FATAL_FAILURE(grow(&store, &state));
    ASSERT_NO_FATAL_FAILURE(grow(&fork, &forked));
  }
}

}  // namespace
}  // namespace maskloom
