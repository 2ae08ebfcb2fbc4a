// The central property, checked for one state: a token's bit is set iff its bytes lead to a live
// state (end tokens: iff the text may end here). One walk over the trie of the vocabulary.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/judge/judge.h"

namespace maskloom::judge {

// A vocabulary as a byte trie. Tokens without bytes are never allowed.
class TokenTrie {
 public:
  // `tokens[id]` are the token's bytes; `end_tokens` are allowed where the text may end; ids in
  // `special_tokens` that are not end tokens are never allowed.
  TokenTrie(const std::vector<std::string>& tokens, const std::vector<uint32_t>& end_tokens,
            const std::vector<uint32_t>& special_tokens);

  // The bits (64 a word, lowest id first) that a right mask has in `state`. Forgets the states that
  // it made on the way.
  std::vector<uint64_t> ExpectedMask(Judge* judge, State state) const;
  size_t token_count() const { return token_count_; }
  // The bytes that are tokens by themselves: what can be spelled whatever the text is.
  std::bitset<256> SingleBytes() const;

 private:
  struct Node {
    std::vector<std::pair<uint8_t, uint32_t>> children;  // by byte
    std::vector<uint32_t> ids;                           // tokens that end here
  };
  std::vector<Node> nodes_;
  std::vector<uint32_t> end_tokens_;
  size_t token_count_ = 0;
};

// Ids whose bit in `mask` (32 ids a word, lowest first) is not what the judge says, in order.
std::vector<uint32_t> CheckMask(Judge* judge, State state, const TokenTrie& vocabulary,
                                const uint32_t* mask);

}  // namespace maskloom::judge
