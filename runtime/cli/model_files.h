// Where the model comes from when the command line does not say, and vocabularies for checking.
#pragma once

#include <memory>
#include <string>

#include "compiler/vocabulary_index.h"
#include "grammar/base/status.h"
#include "runtime/tokenizer/tokenizer.h"

namespace maskloom::cli {

// Returns `flag`, else $MASKLOOM_MODEL, else the model in the cache folder ($XDG_CACHE_HOME, or
// ~/.cache).
// On error: kIo when there is no such file, saying how to get one.
Result<std::string> FindModel(const std::string& flag);

// Returns `tokenizer`, or FindModel(model) where that is empty: where a vocabulary is read from.
// On error: as FindModel.
Result<std::string> FindTokenizer(const std::string& tokenizer, const std::string& model);

// Opens the tokenizer in `path`. On error: as OpenTokenizer; kIo also for a directory,
// kInvalidModel for a vocabulary index.
Result<std::shared_ptr<const Tokenizer>> ReadTokenizer(const std::string& path);

// Returns the vocabulary in the model or tokenizer file, or in an index made of it, or the
// vocabulary of single bytes when `path` is empty. On error: as OpenVocabulary,
// LoadVocabularyIndex.
Result<std::shared_ptr<const VocabularyIndex>> ReadVocabulary(const std::string& path);

}  // namespace maskloom::cli
