// What masks need to know of a vocabulary, built once and shared by all grammars.
#pragma once

#include <bitset>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "compiler/string_index.h"
#include "compiler/token_trie.h"
#include "compiler/vocabulary.h"

namespace maskloom {

// Immutable. Thread safety: const calls from any thread.
class VocabularyIndex {
 public:
  // Cost: about 0.2 s and 20 MB for 128,256 tokens.
  static std::shared_ptr<const VocabularyIndex> Build(Vocabulary vocabulary);
  // A vocabulary of the 256 single bytes and one end token (id 256), for matching text without a
  // tokenizer.
  static std::shared_ptr<const VocabularyIndex> Bytes();

  const Vocabulary& vocabulary() const { return vocabulary_; }
  uint32_t size() const { return vocabulary_.size(); }
  // Number of 32-bit words in a mask row.
  uint32_t row_words() const { return (size() + 31) / 32; }
  const TokenTrie& trie() const { return trie_; }
  const StringIndex& strings() const { return strings_; }
  // Bytes that some token spells alone.
  const std::bitset<256>& spellable() const { return spellable_; }
  // Length of the longest normal token, in bytes.
  uint32_t max_token_bytes() const { return max_token_bytes_; }

 private:
  explicit VocabularyIndex(Vocabulary vocabulary);

  Vocabulary vocabulary_;
  TokenTrie trie_;
  StringIndex strings_;
  std::bitset<256> spellable_;
  uint32_t max_token_bytes_ = 0;
};

}  // namespace maskloom
