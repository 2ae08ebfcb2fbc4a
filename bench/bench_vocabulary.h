// The vocabulary that is measured with.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/vocabulary_index.h"

namespace maskloom::bench {

struct BenchVocabulary {
  std::string name;  // for case names, such as "vocab128256"
  std::shared_ptr<const VocabularyIndex> index;

  // Cuts `text` into tokens: at each place the longest token that the text continues with.
  // Requires: every byte of the text has a token.
  std::vector<TokenId> Tokenize(std::string_view text) const;
};

// Returns the vocabulary of the file that MASKLOOM_TOKENIZER names (tokenizer.json or GGUF), else a
// made-up one of 32,768 tokens: single bytes, pieces of the cases' texts, and made-up words.
// On error: as OpenVocabulary.
Result<BenchVocabulary> MakeBenchVocabulary();

}  // namespace maskloom::bench
