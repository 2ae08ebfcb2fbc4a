// The vocabularies that suites run with.
#pragma once

#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "compiler/vocabulary_index.h"
#include "runtime/tokenizer/tokenizer.h"
#include "tests/judge/property.h"

namespace maskloom::suites {

struct TestVocabulary {
  std::string name;
  std::shared_ptr<const VocabularyIndex> index;
  std::shared_ptr<const Tokenizer> tokenizer;  // null for made-up vocabularies and gemma3
  std::unique_ptr<judge::TokenTrie> trie;      // the judge's own reading of the tokens
  // Without a tokenizer: the normal tokens by their bytes, which the index holds, and how many
  // bytes of a text are at most taken for one.
  std::unordered_map<std::string_view, TokenId> ids;
  size_t longest_piece = 3;

  // Splits `text` into tokens: as the tokenizer does, else at random. Bytes that no token spells
  // end the result.
  std::vector<TokenId> Split(const std::string& text, std::mt19937_64* random) const;
};

// All byte strings up to length 3 over TinyBytes(), one end token, one other control token; with
// `all_bytes` also the 256 single bytes, without them most bytes cannot be spelled.
TestVocabulary SyntheticVocabulary(bool all_bytes);

// Strings up to length 3 of a few characters, of which those beyond ASCII have no byte that is a
// token, and escapes that need digits which no token spells alone.
TestVocabulary WholeCharacters();

// Reads the vocabulary of a tokenizer file, and its tokenizer where that is known. On error: as
// OpenVocabulary.
Result<TestVocabulary> FileVocabulary(const std::string& name, const std::string& path);

// The real vocabularies by name: llama3_1, qwen3, gpt4o, gemma3 (shared data), smollm2 (the cached
// model). What gemma3's tokenizer would do is not known, so texts are split at random.
// On error: kIo when it is not there.
Result<TestVocabulary> RealVocabulary(const std::string& name);

}  // namespace maskloom::suites
