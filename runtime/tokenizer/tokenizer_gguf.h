// Reads the tokenizer in a GGUF file's metadata. Internal to this folder.
#pragma once

#include "grammar/base/status.h"
#include "runtime/gguf/gguf_file.h"
#include "runtime/tokenizer/tokenizer_definition.h"

namespace maskloom {

// On error: kInvalidModel naming the key and the entry at fault; kUnsupported for another algorithm
// than byte-level BPE (with kVocabularyOnly, SentencePiece-style files are read too) or an unknown
// `tokenizer.ggml.pre`.
Result<TokenizerDefinition> ReadTokenizerGguf(const GgufFile& file, TokenizerParts parts);

}  // namespace maskloom
