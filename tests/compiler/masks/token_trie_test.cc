// The trie of tokens: its children found by byte, and what its nodes say of those below.
#include "compiler/token_trie.h"

#include <gtest/gtest.h>

#include <bitset>
#include <random>
#include <string>
#include <vector>

namespace maskloom {
namespace {

// A trie of random tokens, a few of them for every first byte.
class TokenTries : public ::testing::Test {
 protected:
  TokenTries() {
    std::mt19937 random(3);
    for (int first = 0; first < 256; first += 1 + static_cast<int>(random() % 3)) {
      for (size_t i = random() % 60; i > 0; --i) {
        std::string text(1, static_cast<char>(first));
        for (size_t more = random() % 4; more > 0; --more) text += static_cast<char>(random());
        texts_.push_back(text);
      }
    }
    std::vector<TokenTrie::Entry> entries;
    for (TokenId id = 0; id < texts_.size(); ++id) entries.push_back({texts_[id], id});
    trie_ = TokenTrie(std::move(entries));
  }

  std::vector<std::string> texts_;
  TokenTrie trie_;
};

TEST_F(TokenTries, FindTheChildrenThatAreWanted) {
  std::mt19937 random(4);
  for (int round = 0; round < 200; ++round) {
    std::bitset<256> bytes;
    for (size_t i = random() % 40; i > 0; --i) bytes.set(random() % 256);
    const auto wanted = [&](uint32_t byte) -> uint32_t {
      while (byte < 256 && !bytes[byte]) ++byte;
      return byte;
    };
    const TokenTrie::Node& node = trie_.node(random() % trie_.node_count());
    const auto children = trie_.children(round % 2 == 0 ? trie_.node(TokenTrie::kRoot) : node);
    const TokenTrie::Node* const end = children.data() + children.size();
    const TokenTrie::Node* next = children.data();
    for (const TokenTrie::Node& child : children) {
      if (!bytes[child.byte]) continue;
      next = TokenTrie::FindWanted(next, end, wanted);
      ASSERT_EQ(next, &child);
      ++next;
    }
    EXPECT_EQ(TokenTrie::FindWanted(next, end, wanted), end);
  }
}

TEST_F(TokenTries, SayWhereManyTokensAreBelow) {
  size_t many = 0;
  for (uint32_t index = 0; index < trie_.node_count(); ++index) {
    const TokenTrie::Node& node = trie_.node(index);
    const bool has_many = trie_.tokens_below(node).size() >= TokenTrie::kManyTokens;
    EXPECT_EQ(node.has_many_below(), has_many) << index;
    many += has_many;
  }
  EXPECT_GT(many, 10u);
}

}  // namespace
}  // namespace maskloom
