// The trie walk against stepping every token on its own.
#include "tests/judge/property.h"

#include <gtest/gtest.h>

namespace maskloom::judge {
namespace {

TEST(CheckMask, FindsExactlyTheWrongBits) {
  auto judge = Judge::ForSchema(R"({"type":"object","properties":{"aa":{"type":"integer"}},
      "required":["aa"],"additionalProperties":false})",
                                {});
  ASSERT_TRUE(judge.ok());
  std::vector<std::string> tokens = {"{", "{\"", "a",  "aa\"", "b",    "",  "\": 1",     "}",
                                     "1", "\"",  "{}", "<s>",  "</s>", " ", "{\"aa\":1}"};
  TokenTrie trie(tokens, {12}, {11, 12});
  State state = (*judge)->Start();
  std::vector<bool> allowed(tokens.size(), false);
  for (size_t id : {0, 1, 14}) allowed[id] = true;
  uint32_t mask = 0;
  for (size_t id = 0; id < tokens.size(); ++id) mask |= allowed[id] ? 1u << id : 0u;
  EXPECT_TRUE(CheckMask(judge->get(), state, trie, &mask).empty());
  mask ^= 1u << 4 | 1u << 1;
  EXPECT_EQ(CheckMask(judge->get(), state, trie, &mask), (std::vector<uint32_t>{1, 4}));
  State end = (*judge)->Walk(state, "{\"aa\":1}");
  mask = 1u << 12;
  EXPECT_TRUE(CheckMask(judge->get(), end, trie, &mask).empty());
}

TEST(CheckMask, ForgettingStatesKeepsTheRestRight) {
  auto judge = Judge::ForSchema(R"({"type":"object"})", {});
  ASSERT_TRUE(judge.ok());
  std::vector<std::string> tokens = {"a", "ab\"", "\":",   "x\": [1, {\"y\": \"",
                                     "}", "\"",   "\\u00", "\n"};
  TokenTrie trie(tokens, {}, {});
  State key = (*judge)->Walk((*judge)->Start(), "{\"a");
  State count = (*judge)->StateCount();
  auto first = trie.ExpectedMask(judge->get(), key);
  EXPECT_EQ((*judge)->StateCount(), count);
  EXPECT_EQ(trie.ExpectedMask(judge->get(), key), first);
  EXPECT_EQ(first[0], 0b01111111u);
  EXPECT_TRUE((*judge)->Accepts("{\"ab\": [1, {\"y\": \"}\"}]}"));
}

}  // namespace
}  // namespace maskloom::judge
