// Vocabularies for measuring without a tokenizer's file, and a simple way to cut texts into tokens.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compiler/vocabulary.h"
#include "compiler/vocabulary_index.h"
#include "grammar/base/status.h"

namespace maskloom::cli {

// Returns a vocabulary of `count` tokens: the 256 single bytes, pieces of `texts`, made-up words of
// syllables, often with a space or a capital as in real vocabularies, and last an end token. The
// same for the same arguments.
// Requires: `count` has room for the bytes, a piece for each byte of `texts`, and the end token.
Result<Vocabulary> MakeUpVocabulary(size_t count, const std::vector<std::string>& texts);

// Cuts `text` into tokens: at each place the longest token that the text continues with. Bytes that
// no token begins with are left out.
std::vector<TokenId> CutIntoLongest(const VocabularyIndex& vocabulary, std::string_view text);

}  // namespace maskloom::cli
