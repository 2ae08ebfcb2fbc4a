// Tokens by the characters beyond ASCII that they hold.
//
// Few patterns restrict these, but where one does, as a list of the letters of all scripts, most
// categories are there in part, and tokens must be told by their characters. Of a set of code
// points the index takes from a row all tokens with others. What may not come first is found in the
// trie of all tokens.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compiler/text_coding.h"
#include "compiler/token_trie.h"
#include "compiler/vocabulary.h"
#include "grammar/base/code_point_set.h"
#include "grammar/base/flat_array.h"

namespace maskloom {

class CodePointIndex {
 public:
  CodePointIndex() = default;
  // Of tokens that are UTF-8 from a boundary on; their end may be inside a character.
  explicit CodePointIndex(const Vocabulary& vocabulary);

  // Removes from `row` the tokens with a code point beyond ASCII that is not in `kept`, ascending
  // ranges, or that end inside a character that cannot become one of these with the bytes of
  // `spelling`. Cost: some nanoseconds for each code point of the vocabulary and each such token.
  void KeepOnly(std::span<const CodePointRange> kept, const Spelling& spelling,
                uint32_t* row) const;
  size_t MemoryBytes() const;

  template <typename Archive, typename Self>
  static void Describe(Archive& archive, Self& self) {
    archive.Array(self.values_);
    archive.Array(self.begins_);
    archive.Array(self.tokens_);
    archive.Value(self.code_point_count_);
  }

 private:
  // Code points, ascending, and behind them what of characters tokens end inside of (Partial); the
  // tokens with value i are those from begins_[i] to begins_[i + 1].
  FlatArray<uint32_t> values_;
  FlatArray<uint32_t> begins_;
  FlatArray<TokenId> tokens_;
  uint32_t code_point_count_ = 0;
};

// Removes from `row` the tokens of `trie` that begin with a code point of `later` that is not in
// `first`, both ascending ranges, or that are a part of one and cannot become one of `first` with
// the bytes of `spelling`. Cost: some nanoseconds for each such token, for what their first code
// points begin with, and for each range.
void RemoveBeginnings(const TokenTrie& trie, std::span<const CodePointRange> later,
                      std::span<const CodePointRange> first, const Spelling& spelling,
                      uint32_t* row);

}  // namespace maskloom
